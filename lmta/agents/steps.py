"""Episodes of self-play as primitive steps: what every learner stores of an episode, and transitions drawn from it."""

from functools import partial
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int, Key

from lmta.nn.replay import Ring, newest_steps
from lmta.problems.base import DayRecord, Episode, Problem, along_picks, expected_today


class Played(eqx.Module):
    """One episode: the states that decisions were made in, the picks, and what they earned. Axes are days."""

    instance: Any
    states: Any
    """The pre-decision state of each day, and the state after the last: a leading axis of days + 1."""
    budget: Int[Array, " days"]
    """What the day was granted."""
    picks: Int[Array, " days max_picks"]
    num_picks: Int[Array, " days"]
    forecasts: Float[Array, " days max_picks_and_one"]
    """The day's expected reward before its first pick and after each; 0 where the problem has no forecast."""
    reward: Float[Array, " days"]


def forecasts_of(problem: Problem, instance: Any, state: Any, record: DayRecord) -> Float[Array, " max_picks_and_one"]:
    """The expected reward of a day before its first pick and after each."""
    note = partial(expected_today, problem, instance)
    return along_picks(problem, instance, state, record.picks, record.num_picks, note)


def played(instance: Any, episode: Episode, budget: Int[Array, " days"], forecasts: Array) -> Played:
    """What an episode leaves behind."""
    record = episode.record
    return Played(instance, episode.states, budget, record.picks, record.num_picks, forecasts, record.reward)


def pick_rewards(
    num_picks: Int[Array, " days"], forecasts: Array, reward: Float[Array, " days"]
) -> Float[Array, " days max_picks"]:
    """Rewards of single picks that add up to the score of the episode, from the first pick on.

    A pick earns what it adds to the forecast. The last pick of a day also earns what remains of the day's reward, and
    the rewards of the days without picks that follow: most of a seed's worth comes later.
    """
    days, max_picks = forecasts.shape[0], forecasts.shape[1] - 1
    index = jnp.arange(max_picks)
    gains = gains_of(num_picks, forecasts)
    until = jnp.concatenate([jnp.zeros(1), jnp.cumsum(reward)])
    later = until[_next_day_with_a_pick(num_picks)] - until[jnp.arange(days) + 1]
    rest = reward - gains.sum(axis=1) + later
    return gains + jnp.where(index == num_picks[:, None] - 1, rest[:, None], 0.0)


def gains_of(num_picks: Int[Array, " *days"], forecasts: Array) -> Array:
    """What each pick added to the forecast; 0 beyond the picks."""
    made = jnp.arange(forecasts.shape[-1] - 1) < num_picks[..., None]
    return jnp.where(made, jnp.diff(forecasts, axis=-1), 0.0)


def _next_day_with_a_pick(num_picks: Int[Array, " days"]) -> Int[Array, " days"]:
    """For each day the next one with a pick, or the number of days where there is none."""
    days = num_picks.shape[0]
    day = jnp.arange(days)
    candidates = jnp.where((day[None, :] > day[:, None]) & (num_picks > 0)[None, :], day[None, :], days)
    return candidates.min(axis=1)


class Step(eqx.Module):
    """A primitive transition (or a batch). Action `num_nodes` ends the day."""

    instance: Any
    state: Any
    day: Int[Array, ""]
    picks_left: Int[Array, ""]
    """Of the day's budget, before the step."""
    action: Int[Array, ""]
    reward: Float[Array, ""]
    next_state: Any
    next_day: Int[Array, ""]
    next_picks_left: Int[Array, ""]
    goes_on: Bool[Array, ""]
    """Whether the episode goes on after it."""


def sample_steps(problem: Problem, replay: Ring, max_steps: int, count: int, key: Key[Array, ""]) -> Step:
    """Steps drawn evenly from the newest ones of a ring of `Played`, picks and ends of days alike."""
    games: Played = replay.items
    days = games.instance.days
    counts = newest_steps(replay, games.num_picks.sum(axis=1) + days, max_steps)
    game_key, step_key = jax.random.split(key)
    numbers = jax.random.categorical(game_key, jnp.log(counts.astype(jnp.float32)), shape=(count,))
    draws = jax.random.uniform(step_key, (count,))
    return jax.vmap(lambda number, draw: step_of(problem, replay.item(number), draw))(numbers, draws)


def step_of(problem: Problem, game: Played, draw: Float[Array, ""]) -> Step:
    """A step of an episode, by a number from 0 to 1: every pick is one, and so is the end of every day."""
    days = game.instance.days
    total = count_steps(game)
    number = jnp.minimum((draw * total).astype(jnp.int32), total - 1)
    day, index = place_of(game, number)
    ends_day = index == game.num_picks[day]
    state = after_picks(problem, game, day, index)
    node = game.picks[day, jnp.minimum(index, game.picks.shape[1] - 1)]
    following = jax.tree.map(lambda leaf: leaf[day + 1], game.states)
    gains = gains_of(game.num_picks[day], game.forecasts[day])
    at = jnp.minimum(index, gains.shape[0] - 1)
    next_day = day + ends_day
    granted = game.budget[jnp.minimum(next_day, game.budget.shape[0] - 1)]
    return Step(
        instance=game.instance,
        state=state,
        day=day,
        picks_left=game.budget[day] - index,
        action=jnp.where(ends_day, game.instance.graph.num_nodes, node),
        reward=jnp.where(ends_day, game.reward[day] - gains.sum(), gains[at]),
        next_state=either(ends_day, following, problem.pick(game.instance, state, node)),
        next_day=next_day,
        next_picks_left=jnp.where(ends_day, granted, game.budget[day] - index - 1),
        goes_on=next_day < days,
    )


def count_steps(game: Played) -> Int[Array, ""]:
    """Picks and ends of days."""
    return jnp.where(_live_days(game), game.num_picks + 1, 0).sum()


def place_of(game: Played, number: Int[Array, " *n"]) -> tuple[Int[Array, " *n"], Int[Array, " *n"]]:
    """(the day of a step, the picks made before it on that day), for steps in the order they were made in."""
    ends = jnp.cumsum(jnp.where(_live_days(game), game.num_picks + 1, 0))
    day = jnp.minimum(jnp.searchsorted(ends, number, side="right"), ends.shape[0] - 1).astype(jnp.int32)
    return day, number - (ends[day] - game.num_picks[day] - 1)


def _live_days(game: Played) -> Bool[Array, " days"]:
    return jnp.arange(game.reward.shape[0]) < game.instance.days


def after_picks(problem: Problem, game: Any, day: Int[Array, ""], count: Int[Array, ""]) -> Any:
    """The state on a day after its first `count` picks."""
    state = jax.tree.map(lambda leaf: leaf[day], game.states)
    return jax.lax.fori_loop(0, count, lambda i, s: problem.pick(game.instance, s, game.picks[day, i]), state)


def either(which: Bool[Array, ""], one: Any, other: Any) -> Any:
    """One tree or the other."""
    return jax.tree.map(lambda a, b: jnp.where(which, a, b), one, other)


def returns_to_go(rewards: Float[Array, " days"], days: Int[Array, ""], discount: float) -> Float[Array, " days"]:
    """Σⱼ γʲ R_{k+j} for every decision k."""

    def add(following, reward):
        total = reward + discount * following
        return total, total

    live = jnp.arange(rewards.shape[0]) < days
    return jax.lax.scan(add, jnp.zeros(()), jnp.where(live, rewards, 0.0), reverse=True)[1]
