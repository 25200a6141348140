"""What the world model learns from: primitive steps of a game from the beginning of a day on."""

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int, Key

from lmta.agents.director.networks import pooled_features
from lmta.agents.steps import Played, either, pick_rewards
from lmta.nn.replay import Ring, newest_steps
from lmta.problems.base import Problem


class Segment(eqx.Module):
    """Picks in a row, over days (or a batch). The night belongs to the last pick of a day."""

    instance: Any
    state: Any
    """The pre-decision state that it begins with …"""
    later_state: Any
    """… the state after its first `later` steps …"""
    later: Int[Array, ""]
    features: Float[Array, " steps_and_one features"]
    """… and the pooled features of all."""
    picks: Int[Array, " steps"]
    ends_day: Bool[Array, " steps"]
    reward: Float[Array, " steps"]
    goes_on: Bool[Array, " steps"]
    """Whether a pick follows."""
    made: Bool[Array, " steps"]
    """Whether the step is there at all."""


def sample_segments(problem: Problem, replay: Ring, steps: int, count: int, key: Key[Array, ""]) -> Segment:
    """Segments drawn evenly from all days with a pick."""
    game_key, step_key = jax.random.split(key)
    counts = newest_steps(replay, (replay.items.num_picks > 0).sum(axis=1))
    numbers = jax.random.categorical(game_key, jnp.log(counts.astype(jnp.float32)), shape=(count,))
    draws = jax.random.uniform(step_key, (count, 2))
    return jax.vmap(lambda number, draw: segment_of(problem, replay.item(number), steps, draw))(numbers, draws)


def segment_of(problem: Problem, game: Played, steps: int, draws: Float[Array, " 2"]) -> Segment:
    """A segment by two numbers from 0 to 1: the day that it begins with, and the later state."""
    days_before = jnp.cumsum(game.num_picks > 0)
    first_day = jnp.searchsorted(days_before, (draws[0] * days_before[-1]).astype(jnp.int32), side="right")
    ends = jnp.cumsum(game.num_picks)
    number = ends[first_day] - game.num_picks[first_day] + jnp.arange(steps)
    made = number < ends[-1]
    at = jnp.minimum(number, ends[-1] - 1)
    day = jnp.searchsorted(ends, at, side="right")
    index = at - (ends[day] - game.num_picks[day])
    picks, ends_day = game.picks[day, index], index == game.num_picks[day] - 1
    next_day = jnp.searchsorted(ends, at + 1, side="right")
    later = 1 + jnp.minimum((draws[1] * made.sum()).astype(jnp.int32), made.sum() - 1)
    state = jax.tree.map(lambda leaf: leaf[first_day], game.states)

    def step(carry, given):
        state, kept = carry
        number, node, ends_day, next_day = given
        night = jax.tree.map(lambda leaf: leaf[next_day], game.states)
        state = either(ends_day, night, problem.pick(game.instance, state, node))
        kept = either(number == later, state, kept)
        return (state, kept), pooled_features(problem.observe(game.instance, state))

    given = 1 + jnp.arange(steps), picks, ends_day, next_day
    (_, later_state), features = jax.lax.scan(step, (state, state), given)
    first = pooled_features(problem.observe(game.instance, state))
    return Segment(
        instance=game.instance,
        state=state,
        later_state=later_state,
        later=later,
        features=jnp.concatenate([first[None], features]),
        picks=picks,
        ends_day=ends_day,
        reward=pick_rewards(game.num_picks, game.forecasts, game.reward)[day, index],
        goes_on=at + 1 < ends[-1],
        made=made,
    )
