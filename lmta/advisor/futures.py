"""What to expect from today to the end: futures of a session, simulated under a policy."""

from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from lmta.policies.base import Policy
from lmta.policies.player import AbstractPlayer, day_seed
from lmta.problems.batch import make_batch
from lmta.problems.heuristics import PlanRule
from lmta.problems.session import AbstractSession

LOWEST, HIGHEST = 5, 95
"""The percentiles between which nine futures of ten lie."""
MOST_AT_ONCE = 25
MOST_EDGES_AT_ONCE = 20_000_000


def simulate(
    player: AbstractPlayer, session: AbstractSession, futures: int, seed: int, on_day: Callable[[], None]
) -> np.ndarray:
    """The result at the end of each day that is left (columns) in each future (rows); the first column is today."""
    days_left = session.days - session.day + 1
    width = _width(session)
    prepared = player.prepare(session.instance, seed)
    rewards = []
    for chunk in range(num_chunks(session, futures)):
        live = _futures_on_host if _decides_on_host(player, session) else _futures
        following = live(player, session, prepared, width, seed, chunk)
        earned = []
        for _ in range(days_left):
            earned.append(next(following))
            on_day()
        rewards.append(np.stack(earned, axis=1))
    return session.result + np.cumsum(np.concatenate(rewards)[:futures], axis=1, dtype=np.float64)


def _decides_on_host(player: AbstractPlayer, session: AbstractSession) -> bool:
    """Whether nothing has to be compiled for the size of a session."""
    return session.on_host is not None and isinstance(player, Policy) and isinstance(player.node_rule, PlanRule)


def _futures(
    player: AbstractPlayer, session: AbstractSession, prepared: Any, width: int, seed: int, chunk: int
) -> Iterator[np.ndarray]:
    """The rewards of futures side by side, day by day."""
    batch = make_batch(session.problem, [session.instance] * width, day_seed(seed, chunk))
    states = jax.tree.map(lambda leaf: jnp.broadcast_to(leaf, (width, *leaf.shape)), session.state)
    for day in count():
        seeds = [day_seed(seed, chunk, n, day) for n in range(width)]
        states, record = player.play_day(batch, states, [prepared] * width, seeds)
        yield np.asarray(record.reward)


def _futures_on_host(
    player: AbstractPlayer, session: AbstractSession, prepared: Any, width: int, seed: int, chunk: int
) -> Iterator[np.ndarray]:
    """The same one after the other."""
    rules, instance = session.on_host, session.instance
    assert rules is not None
    noise = [rules.draw_noise(instance, day_seed(seed, chunk, n)) for n in range(width)]
    states = [session.state] * width
    for day in count():
        earned = []
        for n, state in enumerate(states):
            choice = player.choose(instance, state, prepared, day_seed(seed, chunk, n, day))
            states[n], reward = rules.end_day(instance, rules.pick(instance, state, choice.picks.tolist()), noise[n])
            earned.append(reward)
        yield np.array(earned)


def _width(session: AbstractSession) -> int:
    edges = session.instance.graph.senders.shape[0]
    return max(1, min(MOST_AT_ONCE, MOST_EDGES_AT_ONCE // max(1, edges)))


def num_chunks(session: AbstractSession, futures: int) -> int:
    """How many rounds the futures are played in; each makes a call a day."""
    return -(-futures // _width(session))


def summary(policy: str, results: np.ndarray) -> dict[str, Any]:
    """Mean and interval of the final result, and by day."""
    low, high = np.percentile(results, [LOWEST, HIGHEST], axis=0)
    mean = results.mean(axis=0)
    by_day = [
        {"mean": m, "low": a, "high": b} for m, a, b in zip(mean.tolist(), low.tolist(), high.tolist(), strict=True)
    ]
    return {"policy": policy, **by_day[-1], "by_day": by_day}
