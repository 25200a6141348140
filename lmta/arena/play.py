"""Play a batch of episodes and note what was done and earned."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np

from lmta.policies.player import AbstractPlayer, day_seed
from lmta.problems.batch import Batch, unstack


@dataclass(frozen=True)
class Play:
    """What a player did and earned, by episode and day."""

    rewards: np.ndarray
    num_picks: np.ndarray
    picks: list[np.ndarray]
    """By day: [episode, pick], of which so many count."""
    prepared: list[Any]
    prepare_ms: float
    """Mean time to prepare for an instance."""
    states: list[list[Any]]
    """The pre-decision states of the first episodes, by day."""


def play(
    player: AbstractPlayer, batch: Batch, *, keep_states: int = 0, on_day: Callable[[], None] = lambda: None
) -> Play:
    """All days of all episodes; `on_day` is called after each. States are kept of the first `keep_states` episodes."""
    prepared, prepare_ms = _prepare_all(player, batch)
    reset = jax.vmap(batch.problem.reset, in_axes=batch.axis, axis_size=batch.size)
    states = reset(batch.stacked)
    rewards, num_picks, picks, kept = [], [], [], []
    for day in range(batch.days):
        kept.append(unstack(states, keep_states))
        seeds = [day_seed(batch.seed, n, day) for n in range(batch.size)]
        states, record = player.play_day(batch, states, prepared, seeds)
        rewards.append(np.asarray(record.reward))
        num_picks.append(np.asarray(record.num_picks))
        picks.append(np.asarray(record.picks))
        on_day()
    return Play(np.stack(rewards, axis=1), np.stack(num_picks, axis=1), picks, prepared, prepare_ms, kept)


def _prepare_all(player: AbstractPlayer, batch: Batch) -> tuple[list[Any], float]:
    """What the player prepares for each episode's instance, once an instance, and the mean time it takes."""
    of_instance: dict[int, Any] = {}
    start = time.perf_counter()
    for n, instance in enumerate(batch.instances):
        if id(instance) not in of_instance:
            of_instance[id(instance)] = player.prepare(instance, day_seed(batch.seed, n))
    milliseconds = 1000 * (time.perf_counter() - start) / len(of_instance)
    return [of_instance[id(instance)] for instance in batch.instances], milliseconds
