"""A ring of games, in the manner of flashbax: a state, and pure functions that make, fill and sample it."""

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int, Key

from lmta.config import TrainConfig
from lmta.problems.base import Problem
from lmta.training.game import Game, macro_reward, steps_of


class Replay(eqx.Module):
    """Games in a ring; `cursor` is where the next goes, `size` how many there are."""

    games: Game
    cursor: Int[Array, ""]
    size: Int[Array, ""]

    @property
    def capacity(self) -> int:
        """How many games fit."""
        return self.games.value.shape[0]


class HighBatch(eqx.Module):
    """An unroll of the high level (or a batch): the root's state, and targets for each step."""

    instance: Any
    state: Any
    subgoal: Int[Array, " unroll"]
    reward: Float[Array, " unroll"]
    policy: Float[Array, " unroll_and_one subgoals"]
    value: Float[Array, " unroll_and_one"]
    """Search-backed values, or returns to go; 0 after the last day."""
    live: Float[Array, " unroll_and_one"]
    """1 where there is a decision, 0 after the last day."""
    budget: Int[Array, ""]
    budget_log_prob: Float[Array, ""]
    duration: Int[Array, ""]


class LowBatch(eqx.Module):
    """A primitive transition of the low level (or a batch)."""

    instance: Any
    state: Any
    subgoal: Int[Array, ""]
    node: Int[Array, ""]
    reward: Float[Array, ""]
    next_state: Any
    next_subgoal: Int[Array, ""]
    goes_on: Float[Array, ""]
    """1 where another pick follows, 0 at the end."""


def make_replay(game: Game, capacity: int) -> Replay:
    """An empty ring for games shaped like `game`."""
    empty = jax.tree.map(lambda leaf: jnp.zeros((capacity, *leaf.shape), leaf.dtype), game)
    return Replay(empty, jnp.zeros((), jnp.int32), jnp.zeros((), jnp.int32))


def add(replay: Replay, games: Game) -> Replay:
    """Put a batch of games in, over the oldest where the ring is full."""
    count = games.value.shape[0]
    slots = (replay.cursor + jnp.arange(count)) % replay.capacity
    stored = jax.tree.map(lambda ring, new: ring.at[slots].set(new), replay.games, games)
    return Replay(
        games=stored,
        cursor=(replay.cursor + count) % replay.capacity,
        size=jnp.minimum(replay.size + count, replay.capacity),
    )


def sample_high(replay: Replay, config: TrainConfig, key: Key[Array, ""]) -> HighBatch:
    """Decisions drawn evenly from all games, each with the unroll that follows it."""
    batch, unroll = config.high_batch, config.unroll
    game_key, day_key = jax.random.split(key)
    number = jax.random.randint(game_key, (batch,), 0, replay.size)
    day_draw = jax.random.uniform(day_key, (batch,))

    def one(number, draw):
        game = jax.tree.map(lambda leaf: leaf[number], replay.games)
        days = game.instance.days
        day = jnp.minimum((draw * days).astype(jnp.int32), days - 1)
        ahead = day + jnp.arange(unroll + 1)
        live = ahead < days
        at = jnp.minimum(ahead, game.value.shape[0] - 1)
        rewards = jax.vmap(macro_reward, (0, 0, 0, None))(
            game.num_picks, game.forecasts, game.reward, config.low_discount
        )
        values = game.value if config.value_target == "search" else jnp.cumsum(rewards[::-1])[::-1]
        return HighBatch(
            instance=game.instance,
            state=jax.tree.map(lambda leaf: leaf[day], game.mornings),
            subgoal=game.subgoal[at[:-1]],
            reward=jnp.where(live[:-1], rewards[at[:-1]], 0.0),
            policy=game.policy[at],
            value=jnp.where(live, values[at], 0.0),
            live=live.astype(jnp.float32),
            budget=game.budget[day],
            budget_log_prob=game.budget_log_prob[day],
            duration=game.num_picks[day],
        )

    return jax.vmap(one)(number, day_draw)


def sample_low(problem: Problem, replay: Replay, batch: int, max_steps: int, key: Key[Array, ""]) -> LowBatch:
    """Picks drawn evenly from the newest `max_steps` of the ring; states between picks are replayed."""
    counts = _newest_steps(replay, max_steps)
    game_key, step_key = jax.random.split(key)
    number = jax.random.categorical(game_key, jnp.log(counts.astype(jnp.float32)), shape=(batch,))
    draw = jax.random.uniform(step_key, (batch,))

    def one(number, draw):
        game = jax.tree.map(lambda leaf: leaf[number], replay.games)
        steps = steps_of(game.num_picks, game.forecasts, game.reward)
        ends = jnp.cumsum(game.num_picks)
        step = jnp.minimum((draw * ends[-1]).astype(jnp.int32), ends[-1] - 1)
        day = jnp.searchsorted(ends, step, side="right")
        index = step - (ends[day] - game.num_picks[day])
        before = _after_picks(problem, game, day, index)
        after = problem.pick(game.instance, before, game.picks[day, index])
        same_day = index + 1 < game.num_picks[day]
        next_day = jnp.where(same_day, day, steps.next_day[day])
        morning = jax.tree.map(lambda leaf: leaf[next_day], game.mornings)
        last = game.subgoal.shape[0] - 1
        return LowBatch(
            instance=game.instance,
            state=before,
            subgoal=game.subgoal[day],
            node=game.picks[day, index],
            reward=steps.reward[day, index],
            next_state=jax.tree.map(lambda a, m: jnp.where(same_day, a, m), after, morning),
            next_subgoal=game.subgoal[jnp.minimum(next_day, last)],
            goes_on=(next_day <= last).astype(jnp.float32),
        )

    return jax.vmap(one)(number, draw)


def num_steps(replay: Replay) -> Int[Array, ""]:
    """Primitive steps in the ring."""
    return _newest_steps(replay, None).sum()


def _newest_steps(replay: Replay, max_steps: int | None) -> Int[Array, " capacity"]:
    """Picks of each game, 0 for empty slots and for games older than the newest `max_steps` picks."""
    age = (replay.cursor - 1 - jnp.arange(replay.capacity)) % replay.capacity
    counts = jnp.where(age < replay.size, replay.games.num_picks.sum(axis=1), 0)
    if max_steps is None:
        return counts
    order = jnp.argsort(age)
    newer = jnp.zeros_like(counts).at[order].set(jnp.cumsum(counts[order]) - counts[order])
    return jnp.where(newer < max_steps, counts, 0)


def _after_picks(problem: Problem, game: Game, day: Int[Array, ""], count: Int[Array, ""]) -> Any:
    """The state on a day after its first `count` picks."""
    morning = jax.tree.map(lambda leaf: leaf[day], game.mornings)
    return jax.lax.fori_loop(0, count, lambda i, state: problem.pick(game.instance, state, game.picks[day, i]), morning)
