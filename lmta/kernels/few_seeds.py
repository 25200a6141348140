"""A few seeds that are best together: exchanges in some sampled worlds, judged in many others."""

from collections.abc import Sequence

import numpy as np

from lmta.kernels.compiled import kernel
from lmta.kernels.live_edge import (
    NEVER,
    Reach,
    add_seed,
    draw_worlds,
    first_gains,
    follow_cascade,
    make_search,
    marginal_gains,
    seed_node,
    words_for,
)
from lmta.kernels.network import ACTIVE, INACTIVE, Adjacency
from lmta.kernels.seeding import Strategy, plan_day

MOST_SEEDS, MOST_PASSES = 5, 2
"""So many seeds are gone through as often as that: of more, each matters less."""
JUDGED_IN = 16
"""The sets that were found are judged in so many times as many worlds as they were found in.

The best of many in the same worlds owes something to chance: in 1,280 worlds, three seeds on a caveman graph lost 1.3 %
to those of the highest degree.
"""
WORDS_AT_ONCE = 64


def best_few(
    network: Adjacency, live: np.ndarray, status: np.ndarray, days_left: int, picks: np.ndarray, seed: int
) -> tuple[np.ndarray, np.ndarray]:
    """As many seeds as given, those that reach most nodes together; in order, and what each adds.

    Candidates are the given seeds, those of mean field, of degree and of expected direct hits, and the first two after
    exchanges in the worlds `live`.
    """
    status = np.array(status, np.int8)
    gain = first_gains(network, live, follow_cascade(network, live, status, days_left), status)
    by_mean_field, _ = plan_day(network, status, days_left, len(picks), len(picks), Strategy(np.inf, np.inf))
    starts = [np.array(picks, np.uint32), by_mean_field]
    found = [exchange(network, live, status, days_left, start, gain) for start in starts]
    found += [*starts, *(by_hits(network, status, len(picks), p) for p in (None, network.in_probability))]
    distinct = list({tuple(sorted(seeds.tolist())): seeds for seeds in found if len(seeds) == len(picks)}.values())
    fresh = draw_worlds(network, len(live) + JUDGED_IN * words_for(network.num_nodes), seed)[len(live) :]
    reached = num_reached(network, fresh, status, days_left, distinct) if len(distinct) > 1 else [0]
    best = distinct[int(np.argmax(reached))]
    return in_order(network, live, follow_cascade(network, live, status, days_left), best)


def by_hits(network: Adjacency, status: np.ndarray, count: int, probability: np.ndarray | None) -> np.ndarray:
    """Seeds by the inactive nodes that they may hit, counted or weighed by probability, one after the other."""
    now, picks = status.copy(), np.zeros(0, np.uint32)
    receiver = np.repeat(network.in_node, np.diff(network.in_start.astype(np.int64)))
    for _ in range(min(count, int(np.sum(status == INACTIVE)))):
        hits = (now[receiver] == INACTIVE) * (1.0 if probability is None else probability)
        total = np.bincount(network.in_sender, hits, minlength=network.num_nodes)
        best = int(np.argmax(np.where(now == INACTIVE, total, -1.0)))
        picks, now[best] = np.append(picks, np.uint32(best)), ACTIVE
    return picks


def num_reached(
    network: Adjacency, live: np.ndarray, status: np.ndarray, days_left: int, sets: Sequence[np.ndarray]
) -> list[int]:
    """How many inactive nodes each set of seeds reaches, summed over the worlds; a few worlds at a time."""
    inactive = status == INACTIVE
    totals = []
    for seeds in sets:
        seeded = status.copy()
        seeded[seeds] = ACTIVE
        pieces = (live[first : first + WORDS_AT_ONCE] for first in range(0, len(live), WORDS_AT_ONCE))
        reached = (follow_cascade(network, piece, seeded, days_left).num_worlds for piece in pieces)
        totals.append(sum(int(worlds[inactive].sum()) for worlds in reached))
    return totals


def exchange(
    network: Adjacency, live: np.ndarray, status: np.ndarray, days_left: int, picks: np.ndarray, most: np.ndarray
) -> np.ndarray:
    """Exchange each seed for the one that adds most to the others, until none is better.

    What a node adds to no seeds is the `most` that it adds to any, so few are looked at.
    """
    picks, search = picks.copy(), make_search(network)
    for _ in range(MOST_PASSES):
        given = picks.copy()
        for place in range(len(picks)):
            others = status.copy()
            others[np.delete(picks, place)] = ACTIVE
            reach = follow_cascade(network, live, others, days_left)
            gain = np.where(others == INACTIVE, most, NEVER)
            picks[place] = _best_addition(network, live, reach, gain, picks[place], search)
        if (picks == given).all():
            break
    return picks


def in_order(network: Adjacency, live: np.ndarray, reach: Reach, nodes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Some seeds in the order of what each adds to those before it, and how much that is."""
    picks, values = nodes.copy(), np.zeros(len(nodes), np.float32)
    for made in range(len(picks)):
        best = made + int(np.argmax(marginal_gains(network, live, reach, picks[made:], threads=1)))
        picks[[made, best]] = picks[[best, made]]
        values[made] = add_seed(network, live, reach, picks[made])
    return picks, values


@kernel
def _best_addition(network, live, reach, gain, given, search):
    """The node that adds most to the cascade, and the given one where none adds more; `gain` holds bounds."""
    best, most = given, seed_node(network, live, reach, given, search, False)
    gain[given] = NEVER
    while True:
        v = np.int64(0)
        for u in range(len(gain)):
            if gain[u] > gain[v]:
                v = u
        if not gain[v] * 64 * live.shape[0] > most:
            return best
        gain[v] = NEVER
        total = seed_node(network, live, reach, v, search, False)
        if total > most:
            best, most = np.uint32(v), total
