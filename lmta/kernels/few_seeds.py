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
    plan_day_in_worlds,
    seed_node,
    words_for,
)
from lmta.kernels.network import ACTIVE, INACTIVE, Adjacency
from lmta.kernels.seeding import Strategy, plan_day

MOST_SEEDS, MOST_PASSES = 5, 2
"""So many seeds are gone through as often as that: of more, each matters less."""
PARTS = 4
"""The worlds are parted so, and each part finds sets of its own, in the same time as all together would find one."""
JUDGED_IN = 64
"""The sets that were found are judged in so many times as many worlds.

The best of many in the same worlds owes something to chance: three seeds found in 1,280 worlds lost up to 1.6 % to
others on a caveman graph. To judge a set takes far less time than to find one.
"""
WORDS_AT_ONCE = 64


def best_few(
    network: Adjacency, live: np.ndarray, status: np.ndarray, days_left: int, picks: np.ndarray, seed: int
) -> tuple[np.ndarray, np.ndarray]:
    """As many seeds as given, those that reach most nodes together; in order, and what each adds.

    Candidates are the given seeds, those of mean field, of degree and of expected direct hits, and in each part of the
    worlds `live` the greedy ones and those of mean field after exchanges.
    """
    status = np.array(status, np.int8)
    task = status, days_left, len(picks), len(picks), Strategy(np.inf, np.inf)
    by_mean_field, _ = plan_day(network, *task)
    found = [np.array(picks, np.uint32), by_mean_field]
    for part in np.array_split(live, min(PARTS, len(live))):
        gain = first_gains(network, part, follow_cascade(network, part, status, days_left), status)
        greedy, _ = plan_day_in_worlds(network, part, *task)
        found += [exchange(network, part, status, days_left, start, gain) for start in (greedy, by_mean_field)]
    found += [by_hits(network, status, len(picks), p) for p in (None, network.in_probability)]
    distinct = list({tuple(sorted(seeds.tolist())): seeds for seeds in found if len(seeds) == len(picks)}.values())
    fresh = range(len(live), len(live) + JUDGED_IN * words_for(network.num_nodes))
    reached = num_reached(network, fresh, seed, status, days_left, distinct) if len(distinct) > 1 else [0]
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
    network: Adjacency, words: range, seed: int, status: np.ndarray, days_left: int, sets: Sequence[np.ndarray]
) -> np.ndarray:
    """How many inactive nodes each set of seeds reaches, summed over the worlds; a few of these are drawn at a time."""
    inactive, totals = status == INACTIVE, np.zeros(len(sets), np.int64)
    for first in words[::WORDS_AT_ONCE]:
        live = draw_worlds(network, min(WORDS_AT_ONCE, words.stop - first), seed, first)
        for i, seeds in enumerate(sets):
            seeded = status.copy()
            seeded[seeds] = ACTIVE
            totals[i] += follow_cascade(network, live, seeded, days_left).num_worlds[inactive].sum()
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
