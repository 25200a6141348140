"""A ring of games, in the manner of flashbax: a state, and pure functions that make, fill and sample it."""

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int, Key

from lmta.config import Config
from lmta.problems.base import Problem
from lmta.training.game import Game, macro_reward, step_rewards


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
    next_states: Any
    """The mornings that follow, one for each step of the unroll; the end of the game past the last day."""
    subgoal: Int[Array, " unroll"]
    subgoal_log_prob: Float[Array, ""]
    reward: Float[Array, " unroll"]
    policy: Float[Array, " unroll_and_one subgoals"]
    value: Float[Array, " unroll_and_one"]
    """What values are fitted to; 0 after the last day."""
    next_value: Float[Array, ""]
    """What the value of the next decision is fitted to; 0 after the last day."""
    live: Float[Array, " unroll_and_one"]
    """1 where there is a decision, 0 after the last day."""
    budget: Int[Array, ""]
    budget_log_prob: Float[Array, ""]
    urgency: Float[Array, ""]
    haste: Float[Array, ""]
    duration: Int[Array, ""]
    teaches_budgets: Bool[Array, ""]
    surplus: Float[Array, ""]


class LowBatch(eqx.Module):
    """A primitive transition of the low level (or a batch)."""

    instance: Any
    state: Any
    subgoal: Int[Array, ""]
    picks_left: Int[Array, ""]
    """Of the day's budget, before the pick."""
    node: Int[Array, ""]
    next_state: Any
    """Where the next pick is made, or the end of the game."""
    reward: Float[Array, ""]
    """The discounted rewards up to the pick to bootstrap from."""
    bootstrap_state: Any
    bootstrap_subgoal: Int[Array, ""]
    bootstrap_picks_left: Int[Array, ""]
    goes_on: Float[Array, ""]
    """1 where there is such a pick within the horizon, 0 where the game or the day ends before it."""


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


def sample_high(replay: Replay, config: Config, key: Key[Array, ""]) -> HighBatch:
    """Decisions drawn evenly from the newest games, each with the unroll that follows it."""
    train, discount = config.train, config.search.discount
    batch, unroll = train.high_batch, train.unroll
    game_key, day_key = jax.random.split(key)
    age = jax.random.randint(game_key, (batch,), 0, jnp.minimum(replay.size, train.recent_games))
    number = (replay.cursor - 1 - age) % replay.capacity
    day_draw = jax.random.uniform(day_key, (batch,))

    def one(number, draw):
        game = jax.tree.map(lambda leaf: leaf[number], replay.games)
        days = game.instance.days
        day = jnp.minimum((draw * days).astype(jnp.int32), days - 1)
        ahead = day + jnp.arange(unroll + 1)
        live = ahead < days
        at = jnp.minimum(ahead, game.value.shape[0] - 1)
        rewards = jax.vmap(macro_reward, (0, 0, 0, None))(
            game.num_picks, game.forecasts, game.reward, train.low_discount
        )
        values = value_targets(rewards, game.value, days, train.value_steps, discount)
        return HighBatch(
            instance=game.instance,
            state=jax.tree.map(lambda leaf: leaf[day], game.mornings),
            next_states=jax.tree.map(lambda leaf: leaf[jnp.minimum(ahead[1:], days)], game.mornings),
            subgoal=game.subgoal[at[:-1]],
            subgoal_log_prob=game.subgoal_log_prob[day],
            reward=jnp.where(live[:-1], rewards[at[:-1]], 0.0),
            policy=game.policy[at],
            value=jnp.where(live, values[at], 0.0),
            next_value=jnp.where(live[1], values[at[1]], 0.0),
            live=live.astype(jnp.float32),
            budget=game.budget[day],
            budget_log_prob=game.budget_log_prob[day],
            urgency=game.urgency[day],
            haste=game.haste[day],
            duration=game.num_picks[day],
            teaches_budgets=game.teaches_budgets,
            surplus=game.surplus,
        )

    return jax.vmap(one)(number, day_draw)


def value_targets(
    rewards: Float[Array, " days"], values: Float[Array, " days"], days: Int[Array, ""], steps: int, discount: float
) -> Float[Array, " days"]:
    """Σ_{j<n} γʲ R_{k+j} + γⁿ v^TS(s_{k+n}) for every decision k; 0 after the last day."""
    horizon = rewards.shape[0]
    steps = min(steps, horizon)
    live = jnp.arange(horizon) < days
    rewards, values = (jnp.pad(jnp.where(live, x, 0.0), (0, steps)) for x in (rewards, values))
    ahead = jnp.arange(horizon)[:, None] + jnp.arange(steps)
    return (discount ** jnp.arange(steps) * rewards[ahead]).sum(axis=1) + discount**steps * values[steps:]


def sample_low(problem: Problem, replay: Replay, config: Config, key: Key[Array, ""]) -> LowBatch:
    """Picks drawn evenly from the newest ones of the ring; states between picks are replayed."""
    train, to_the_end = config.train, config.model.low_horizon == "episode"
    counts = _newest_steps(replay, train.steps)
    game_key, step_key = jax.random.split(key)
    number = jax.random.categorical(game_key, jnp.log(counts.astype(jnp.float32)), shape=(train.low_batch,))
    draw = jax.random.uniform(step_key, (train.low_batch,))

    def one(number, draw):
        game = jax.tree.map(lambda leaf: leaf[number], replay.games)
        rewards = step_rewards(game.num_picks, game.forecasts, game.reward)
        ends = jnp.cumsum(game.num_picks)
        first = jnp.minimum((draw * ends[-1]).astype(jnp.int32), ends[-1] - 1)
        ahead = first + jnp.arange(train.low_steps + 1)
        day = jnp.minimum(jnp.searchsorted(ends, ahead, side="right"), len(ends) - 1)
        index = ahead - (ends[day] - game.num_picks[day])
        made = ahead < ends[-1]
        gained = jnp.where(made[:-1], rewards[day[:-1], index[:-1]], 0.0)

        def before_pick(n):
            state = _after_picks(problem, game, day[n], index[n])
            return jax.tree.map(lambda leaf, days: jnp.where(made[n], leaf, days[-1]), state, game.mornings)

        return LowBatch(
            instance=game.instance,
            state=before_pick(0),
            subgoal=game.subgoal[day[0]],
            picks_left=game.budget[day[0]] - index[0],
            node=game.picks[day[0], index[0]],
            next_state=before_pick(1),
            reward=(train.low_discount ** jnp.arange(train.low_steps) * gained).sum(),
            bootstrap_state=before_pick(-1),
            bootstrap_subgoal=game.subgoal[day[-1]],
            bootstrap_picks_left=game.budget[day[-1]] - index[-1],
            goes_on=(made[-1] & ((day[-1] == day[0]) | to_the_end)).astype(jnp.float32),
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
