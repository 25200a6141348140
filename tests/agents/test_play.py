"""Greedy play is what intent and chooser say, day by day, and keeps to the budget."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from lmta.agents.lmta import Agent
from lmta.agents.play import greedy_episodes
from lmta.config import Config, ModelConfig, SearchConfig
from lmta.model.networks import Lmta
from lmta.problems.registry import BENCHMARKS, InstanceSettings

MODEL = ModelConfig(latent=8, subgoals=4, subgoal_size=3, hidden=8, encoder_hidden=6, q_hidden=6, q_layers=2)
DAYS, BUDGET, MAX_PICKS, BATCH = 3, 5, 8, 2


@pytest.mark.parametrize("name", ["aim", "sop"])
def test_episodes_are_played_as_the_agent_says(name):
    problem = BENCHMARKS[name].problem
    agent = Agent(problem, Config(model=MODEL, search=SearchConfig(planner="prior")), DAYS)
    drawn = BENCHMARKS[name].instances(InstanceSettings(nodes=14, days=DAYS, budget=BUDGET), 0, BATCH)
    instances = problem.stack(drawn)
    seen = problem.observe(drawn[0], problem.reset(drawn[0]))
    model = Lmta(seen.nodes.shape[1], seen.globals.shape[0], BUDGET, MODEL, key=jax.random.key(0))
    luck = jax.vmap(lambda i, k: problem.draw_luck(i, DAYS, k))(instances, jax.random.split(jax.random.key(1), BATCH))
    key = jax.random.key(2)
    rewards, num_picks = greedy_episodes(agent, model, instances, luck, key, MAX_PICKS)
    assert rewards.shape == num_picks.shape == (BATCH, DAYS)
    assert (np.asarray(num_picks).sum(axis=1) <= BUDGET).all()
    assert np.asarray(num_picks).sum() > 0

    states = jax.vmap(problem.reset)(instances)
    for day, day_key in enumerate(jax.random.split(key, DAYS)):
        intent = agent.intend(model, instances, states, day_key, explore=False)
        following = []
        for n in range(BATCH):
            instance, state, future = (
                jax.tree.map(lambda leaf, n=n: leaf[n], tree) for tree in (instances, states, luck)
            )
            choose = agent.chooser(model, instance, intent.plan.subgoal[n])
            picked = 0
            while picked < int(intent.budget[n]) and bool(problem.legal(instance, state).any()):
                state = problem.pick(instance, state, choose(state, jnp.int32(picked))[0])
                picked += 1
            after, reward = problem.end_day(instance, state, future)
            assert picked == int(num_picks[n, day])
            assert float(reward) == pytest.approx(float(rewards[n, day]), abs=1e-4)
            following.append(after)
        states = jax.tree.map(lambda *leaves: jnp.stack(leaves), *following)
