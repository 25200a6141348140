"""Simulated futures from where an episode stands, and the interval in which nine of ten of them end."""

from collections.abc import Callable, Iterator, Sequence
from itertools import count
from typing import Any

import numpy as np

from lmta.lazy import jax, jnp
from lmta.policies.base import Policy
from lmta.policies.player import AbstractPlayer, day_seed
from lmta.problems.base import HostRules
from lmta.problems.batch import make_batch
from lmta.problems.session import AbstractSession

TAIL = 0.05
"""The share of futures that end below the interval, and that end above it."""
MOST_AT_ONCE = 25
MOST_EDGES_AT_ONCE = 20_000_000


def earn(
    player: AbstractPlayer,
    rules: HostRules | None,
    instance: Any,
    state: Any,
    futures: int,
    seed: int,
    on_day: Callable[[], None] = lambda: None,
    today: Sequence[int] | None = None,
) -> np.ndarray:
    """What is earned by the end of each day that is left (columns) in each future (rows); the first column is today.

    `rules` are those on the host, where the problem has them: with a policy that decides there, nothing is compiled.
    There, every future begins with the picks of `today` where they are decided already.
    """
    days_left = int(instance.days) - int(state.day)
    width = _width(instance)
    prepared = player.prepare(instance, seed)
    rewards = []
    for chunk in range(num_chunks(instance, futures)):
        if rules is not None and isinstance(player, Policy) and player.decides_on_host:
            following = _play_on_host(player, rules, instance, state, prepared, width, seed, chunk, today)
        else:
            following = _play(player, instance, state, prepared, width, seed, chunk)
        earned = []
        for _ in range(days_left):
            earned.append(next(following))
            on_day()
        rewards.append(np.stack(earned, axis=1))
    return np.cumsum(np.concatenate(rewards)[:futures], axis=1, dtype=np.float64)


def simulate(
    player: AbstractPlayer,
    session: AbstractSession,
    futures: int,
    seed: int,
    on_day: Callable[[], None] = lambda: None,
    today: Sequence[int] | None = None,
) -> np.ndarray:
    """A session's result at the end of each day that is left (columns) in each future (rows).

    `today` is what is advised for it, where that is known: an adviser that thinks may do otherwise than its rule.
    """
    where = session.on_host, session.instance, session.state
    return session.result + earn(player, *where, futures, seed, on_day, today)


def summary(policy: str, results: np.ndarray) -> dict[str, Any]:
    """Mean and interval of the final result, and by day."""
    by_day = [dict(zip(("mean", "low", "high"), (float(day.mean()), *interval(day)), strict=True)) for day in results.T]
    return {"policy": policy, **by_day[-1], "by_day": by_day}


def interval(results: np.ndarray) -> tuple[float, float]:
    """The results between which nine of ten futures lie, both ends included.

    The share of futures beyond each end is as near to 5 % as results that occurred allow. Where results are whole
    numbers many are the same, and ends beyond which lie at most 5 % would hold more than 90 %.
    """
    ordered = np.sort(results)
    return _end(ordered), -_end(-ordered[::-1])


def _end(ordered: np.ndarray) -> float:
    """The lower end. Of one more future the share (k + 1) / (n + 1) lies below a result with k of n below it."""
    below = np.searchsorted(ordered, ordered, "left")
    return float(ordered[np.argmin(np.abs((below + 1) / (len(ordered) + 1) - TAIL))])


def num_chunks(instance: Any, futures: int) -> int:
    """In how many parts futures are played."""
    return -(-futures // _width(instance))


def _width(instance: Any) -> int:
    edges = instance.graph.senders.shape[0]
    return max(1, min(MOST_AT_ONCE, MOST_EDGES_AT_ONCE // max(1, edges)))


def _play(
    player: AbstractPlayer, instance: Any, state: Any, prepared: Any, width: int, seed: int, chunk: int
) -> Iterator[np.ndarray]:
    """The rewards of futures side by side, day by day."""
    batch = make_batch(player.problem, [instance] * width, day_seed(seed, chunk))
    states = jax.tree.map(lambda leaf: jnp.broadcast_to(leaf, (width, *leaf.shape)), state)
    for day in count():
        seeds = [day_seed(seed, chunk, n, day) for n in range(width)]
        states, record = player.play_day(batch, states, [prepared] * width, seeds)
        yield np.asarray(record.reward)


def _play_on_host(
    player: AbstractPlayer,
    rules: HostRules,
    instance: Any,
    state: Any,
    prepared: Any,
    width: int,
    seed: int,
    chunk: int,
    today: Sequence[int] | None,
) -> Iterator[np.ndarray]:
    """The same one after the other."""
    noise = [rules.draw_noise(instance, day_seed(seed, chunk, n)) for n in range(width)]
    states = [state] * width
    for day in count():
        earned = []
        for n, now in enumerate(states):
            if day == 0 and today is not None:
                picks = list(today)
            else:
                picks = player.choose(instance, now, prepared, day_seed(seed, chunk, n, day)).picks.tolist()
            states[n], reward = rules.end_day(instance, rules.pick(instance, now, picks), noise[n])
            earned.append(reward)
        yield np.array(earned)
