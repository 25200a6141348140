"""Self-play: a batch of episodes under exploration, as games."""

from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Key

from lmta.agents.lmta import Agent
from lmta.model.networks import Lmta
from lmta.policies.budgets import average
from lmta.problems.base import Choose, play_day
from lmta.training.game import Game


def self_play(
    agent: Agent,
    model: Lmta,
    instances: Any,
    epsilon: Float[Array, ""],
    warm_up: Bool[Array, ""],
    key: Key[Array, ""],
    max_picks: int,
) -> Game:
    """Play every instance once. While `warm_up` holds, budgets are average instead of the budget policy's."""
    problem, batch = agent.problem, instances.days.shape[0]
    luck_key, play_key = jax.random.split(key)
    luck = jax.vmap(lambda i, k: problem.draw_luck(i, agent.max_days, k))(instances, jax.random.split(luck_key, batch))

    def day(states, key):
        intent_key, pick_key = jax.random.split(key)
        intent = agent.intend(model, instances, states, intent_key, explore=True)
        heuristic = jax.vmap(average, (0, 0, None))(instances, states, None)
        budgets = jnp.where(warm_up, heuristic, intent.budget)
        log_probs = jax.nn.log_softmax(intent.budget_logits)
        log_prob = jnp.take_along_axis(log_probs, budgets[:, None], axis=1)[:, 0]

        def one(instance, state, luck, subgoal, budget, key):
            chooser = _watched(agent, agent.chooser(model, instance, subgoal, epsilon, key), instance)
            after, record = play_day(problem, instance, state, luck, chooser, budget, max_picks)
            picked = _replay_picks(agent, instance, state, record)
            return after, record, problem.forecast(instance, picked)

        keys = jax.random.split(pick_key, batch)
        following, record, final = jax.vmap(one)(instances, states, luck, intent.plan.subgoal, budgets, keys)
        slot = jax.nn.one_hot(record.num_picks, max_picks + 1)
        forecasts = jnp.pad(record.values, ((0, 0), (0, 1))) * (1 - slot) + slot * final[:, None]
        kept = {
            "subgoal": intent.plan.subgoal,
            "budget": budgets,
            "budget_log_prob": jnp.where(warm_up, 0.0, log_prob),
            "picks": record.picks,
            "num_picks": record.num_picks,
            "forecasts": forecasts,
            "reward": record.reward,
            "policy": intent.plan.policy,
            "value": intent.plan.value,
        }
        return following, (states, kept)

    first = jax.vmap(problem.reset)(instances)
    last, (mornings, kept) = jax.lax.scan(day, first, jax.random.split(play_key, agent.max_days))
    mornings = jax.tree.map(lambda days, end: jnp.concatenate([days, end[None]]), mornings, last)
    by_game = jax.tree.map(lambda leaf: jnp.swapaxes(leaf, 0, 1), (mornings, kept))
    return jax.vmap(lambda i, states, kept: Game(instance=i, mornings=states, **kept))(instances, *by_game)


def _watched(agent: Agent, choose: Choose, instance: Any) -> Choose:
    """The same chooser, which notes the forecast before each pick as its value."""

    def chosen(state, num_picks):
        node, _ = choose(state, num_picks)
        return node, agent.problem.forecast(instance, state)

    return chosen


def _replay_picks(agent: Agent, instance: Any, state: Any, record: Any) -> Any:
    """The state after the day's picks, before the night."""
    pick = lambda i, s: agent.problem.pick(instance, s, record.picks[i])  # noqa: E731
    return jax.lax.fori_loop(0, record.num_picks, pick, state)
