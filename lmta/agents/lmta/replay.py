"""What LMTA draws from its replay: unrolls for the high level, primitive transitions for the low level."""

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int, Key

from lmta.agents.lmta.game import Game, macro_reward
from lmta.agents.lmta.settings import LmtaSettings
from lmta.agents.steps import after_picks, either, pick_rewards, returns_to_go
from lmta.nn.replay import Ring, draw_recent, newest_steps
from lmta.problems.base import Problem


class HighBatch(eqx.Module):
    """An unroll of the high level (or a batch): the root's state, and targets for each step."""

    instance: Any
    state: Any
    next_states: Any
    """The states that follow, one for each step of the unroll; the end of the game past the last day."""
    subgoal: Int[Array, " unroll"]
    reward: Float[Array, " unroll"]
    policy: Float[Array, " unroll_and_one subgoals"]
    value: Float[Array, " unroll_and_one"]
    """What values are fitted to; 0 after the last day."""
    live: Float[Array, " unroll_and_one"]
    """1 where there is a decision, 0 after the last day."""
    budget: Int[Array, " unroll"]
    budget_log_prob: Float[Array, ""]
    duration: Int[Array, ""]
    teaches_budgets: Bool[Array, ""]
    teaches_values: Bool[Array, " unroll_and_one"]
    teaches_model: Bool[Array, ""]
    advantage: Float[Array, ""]


class LowBatch(eqx.Module):
    """A primitive transition of the low level (or a batch)."""

    instance: Any
    state: Any
    subgoal: Int[Array, ""]
    picks_left: Int[Array, ""]
    """Of the day's budget, before the pick."""
    node: Int[Array, ""]
    reward: Float[Array, ""]
    after: Any
    """s'_{t+1}: the state after the pick, or the next day's where it was the last of its day."""
    next_state: Any
    """Where the next pick is made, on whichever day, or the end of the game."""
    next_subgoal: Int[Array, ""]
    next_picks_left: Int[Array, ""]
    goes_on: Bool[Array, ""]
    """Whether there is a next pick …"""
    same_day: Bool[Array, ""]
    """… and whether it is made on the same day."""


def sample_high(replay: Ring, settings: LmtaSettings, key: Key[Array, ""]) -> HighBatch:
    """Decisions drawn evenly from the games, or from the newest, each with the unroll that follows it."""
    train, recent = settings.train, settings.departures.return_targets
    game_key, day_key = jax.random.split(key)
    numbers = draw_recent(replay, recent or train.games, train.high_batch, game_key)
    draws = jax.random.uniform(day_key, (train.high_batch,))
    return jax.vmap(lambda number, draw: _unroll(replay.item(number), settings, draw))(numbers, draws)


def _unroll(game: Game, settings: LmtaSettings, draw: Float[Array, ""]) -> HighBatch:
    """A decision of a game, by a number from 0 to 1, with its targets."""
    returns = settings.departures.return_targets > 0
    days = game.instance.days
    day = jnp.minimum((draw * days).astype(jnp.int32), days - 1)
    ahead = day + jnp.arange(settings.train.unroll + 1)
    live = ahead < days
    at = jnp.minimum(ahead, game.value.shape[0] - 1)
    macro = jax.vmap(macro_reward, (0, 0, 0, None))
    rewards = macro(game.num_picks, game.forecasts, game.reward, settings.discount_in_day)
    values = returns_to_go(rewards, days, settings.search.discount) if returns else game.value
    return HighBatch(
        instance=game.instance,
        state=jax.tree.map(lambda leaf: leaf[day], game.states),
        next_states=jax.tree.map(lambda leaf: leaf[jnp.minimum(ahead[1:], days)], game.states),
        subgoal=game.subgoal[at[:-1]],
        reward=jnp.where(live[:-1], rewards[at[:-1]], 0.0),
        policy=game.policy[at],
        value=jnp.where(live, values[at], 0.0),
        live=live.astype(jnp.float32),
        budget=game.budget[at[:-1]],
        budget_log_prob=game.budget_log_prob[day],
        duration=game.num_picks[day],
        teaches_budgets=game.teaches_budgets,
        teaches_values=game.teaches_values[at],
        teaches_model=game.teaches_model,
        advantage=game.advantage,
    )


def sample_low(problem: Problem, replay: Ring, settings: LmtaSettings, key: Key[Array, ""]) -> LowBatch:
    """Picks drawn evenly from the newest ones; states between picks are replayed."""
    train = settings.train
    counts = newest_steps(replay, replay.items.num_picks.sum(axis=1), train.steps)
    game_key, step_key = jax.random.split(key)
    numbers = jax.random.categorical(game_key, jnp.log(counts.astype(jnp.float32)), shape=(train.low_batch,))
    draws = jax.random.uniform(step_key, (train.low_batch,))
    return jax.vmap(lambda number, draw: _transition(problem, replay.item(number), draw))(numbers, draws)


def _transition(problem: Problem, game: Game, draw: Float[Array, ""]) -> LowBatch:
    """A pick of a game, by a number from 0 to 1."""
    rewards = pick_rewards(game.num_picks, game.forecasts, game.reward)
    ends = jnp.cumsum(game.num_picks)
    first = jnp.minimum((draw * ends[-1]).astype(jnp.int32), ends[-1] - 1)
    pair = first + jnp.arange(2)
    day = jnp.minimum(jnp.searchsorted(ends, pair, side="right"), len(ends) - 1)
    index = pair - (ends[day] - game.num_picks[day])
    goes_on, last_of_day = pair[1] < ends[-1], index[0] == game.num_picks[day[0]] - 1
    state = after_picks(problem, game, day[0], index[0])
    node = game.picks[day[0], index[0]]
    picked = problem.pick(game.instance, state, node)
    next_day = jax.tree.map(lambda leaf: leaf[day[0] + 1], game.states)
    end = jax.tree.map(lambda leaf: leaf[-1], game.states)
    following = after_picks(problem, game, day[1], index[1])
    return LowBatch(
        instance=game.instance,
        state=state,
        subgoal=game.subgoal[day[0]],
        picks_left=game.budget[day[0]] - index[0],
        node=node,
        reward=rewards[day[0], index[0]],
        after=either(last_of_day, next_day, picked),
        next_state=either(goes_on, following, end),
        next_subgoal=game.subgoal[day[1]],
        next_picks_left=game.budget[day[1]] - index[1],
        goes_on=goes_on,
        same_day=goes_on & (day[1] == day[0]),
    )
