"""What each pick of a decision adds, and what happens if nothing is done: by rollouts in the same worlds."""

from typing import Any

import numpy as np

from lmta.planning.futures import interval
from lmta.planning.search import LEAST_WORLDS, mean_of
from lmta.problems.simulator import AbstractSimulator, Candidate
from lmta.types import Adds, Idle

MOST_WORLDS = 2_000


def explain(
    simulator: AbstractSimulator, state: Any, chosen: Candidate, rollouts: float, seed: int
) -> tuple[tuple[Adds, ...], Idle | None]:
    """What is lost if a pick is left out today and kept for later, pick by pick; and the end without any more picks."""
    without = [
        Candidate(chosen.name, np.delete(chosen.picks, i), np.delete(chosen.values, i))
        for i in range(len(chosen.picks))
    ]
    worlds = range(min(MOST_WORLDS, int(rollouts / (len(without) + 2))))
    if len(worlds) < LEAST_WORLDS:
        return (), None
    adds: tuple[Adds, ...] = ()
    if without:
        outcome = simulator.try_out(state, [chosen, *without], worlds, seed)
        returns = outcome.rewards.sum(axis=2, dtype=np.float64)
        pairs = zip(returns[0] - returns[1:], outcome.by_chance[0] - outcome.by_chance[1:], strict=True)
        adds = tuple(Adds(*mean_of(*pair)) for pair in pairs)
    earned = simulator.idle(state, worlds, seed)
    return adds, None if earned is None else _idle(earned.sum(axis=1, dtype=np.float64))


def _idle(earned: np.ndarray) -> Idle:
    low, high = interval(earned)
    return Idle(float(earned.mean()), low, high)
