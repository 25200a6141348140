"""Which base heuristic suits a network and a horizon: a few are played in the same worlds."""

from itertools import product
from math import inf

import numpy as np

from lmta.kernels.rollouts import roll_out
from lmta.kernels.seeding import Strategy, plan_day
from lmta.problems.influence.situation import Situation
from lmta.problems.simulator import steadied

STRATEGIES = tuple(Strategy(hops=hops, tilt=tilt) for hops, tilt in product((3, 2, 5, 1), (0.0, -1.0, 1.0, -2.0, inf)))
"""How far to look, and whether to wait longer, less long or not at all; the first is the usual one, and fast."""
ROUNDS = ((len(STRATEGIES), 32), (4, 128))
"""How many strategies are tried in how many worlds at least, round by round."""
MOST_LOOKED_AT = 300_000_000
"""Edges in all looks of all rollouts; with more, which would take more than a second, nothing is tried."""
ENOUGH_LOOKED_AT, MOST_TIMES = 20_000_000, 8
"""Where fewer edges are looked at, there are more worlds, up to so many times as many."""


def tuned(now: Situation, seed: int) -> Strategy | None:
    """The strategy that earns most from here to the end; none where rollouts would take too long."""
    rollouts = sum(count * worlds for count, worlds in ROUNDS)
    looked_at = rollouts * now.budget_left * (now.network.num_nodes + now.network.num_edges)
    if looked_at > MOST_LOOKED_AT:
        return None
    times = max(1, min(MOST_TIMES, ENOUGH_LOOKED_AT // max(1, looked_at)))
    left, first = list(STRATEGIES), 0
    for count, worlds in ROUNDS:
        some = range(first, first + times * worlds)
        played = [play(now, strategy, some, seed) for strategy in left[:count]]
        ahead = [steadied(*(earned - played[0])).mean() for earned in played]
        left = [left[i] for i in np.argsort(-np.array(ahead), kind="stable")]
        first = some.stop
    return left[0]


def play(now: Situation, strategy: Strategy, worlds: range, seed: int) -> np.ndarray:
    """[returns and what is owed to chance, world] of a strategy from today to the end."""
    picks, _ = plan_day(*now, now.budget_left, strategy)
    played = roll_out(
        *now, picks[None], np.array([len(picks)]), worlds=worlds, seed=seed, strategy=strategy, weigh_chance=True
    )
    return np.stack([played.rewards[0].sum(axis=1), played.by_chance[0]])
