"""Greedy play: whole episodes of a batch as the agent plays them when it does not explore."""

from typing import Any

import equinox as eqx
import jax
from jaxtyping import Array, Float, Int, Key

from lmta.agents.lmta import Agent
from lmta.model.networks import Lmta
from lmta.problems.base import play_day


@eqx.filter_jit
def greedy_episodes(
    agent: Agent, model: Lmta, instances: Any, luck: Any, key: Key[Array, ""], max_picks: int
) -> tuple[Float[Array, " batch days"], Int[Array, " batch days"]]:
    """Play every instance once with its luck; the reward and the number of picks of each day."""
    problem = agent.problem

    def day(states, key):
        intent = agent.intend(model, instances, states, key, explore=False)

        def one(instance, state, luck, subgoal, budget):
            chooser = agent.chooser(model, instance, subgoal)
            return play_day(problem, instance, state, luck, chooser, budget, max_picks)

        following, record = jax.vmap(one)(instances, states, luck, intent.plan.subgoal, intent.budget)
        return following, (record.reward, record.num_picks)

    first = jax.vmap(problem.reset)(instances)
    _, (rewards, num_picks) = jax.lax.scan(day, first, jax.random.split(key, agent.max_days))
    return rewards.T, num_picks.T
