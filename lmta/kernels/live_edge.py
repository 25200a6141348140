"""What a seed is worth until the end on sampled worlds: no walk is counted twice, and 64 worlds are followed at once.

In a live-edge world every edge has been tossed beforehand; who is influenced within the days left is who can be
reached in as many steps. A bit stands for a world, and a word for 64 of them.
"""

import os
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
from numba.core import types
from numba.extending import intrinsic

from lmta.kernels.cascade import GOLDEN, mixed
from lmta.kernels.compiled import kernel, part
from lmta.kernels.network import ACTIVE, INACTIVE, Adjacency
from lmta.kernels.seeding import Strategy, gain_over_waiting, make_plan, price_of_a_seed, seed_or_wait

MAX_STEPS = 30
"""A cascade is followed no further than that."""
WORTH_THREADS = 1_000
"""Fewer searches of 64 worlds are done before threads have started."""
SEARCHES, FEWEST_WORDS, MOST_WORDS = 4_000, 4, 64
"""Searches of 64 worlds that look at all nodes once, and the words that there are at least and at most."""
BITS = 24
"""Probabilities are rounded to as many bits."""
NEVER = np.float32(-np.inf)
ONE, NO_WORLD, ALL_WORLDS = np.uint64(1), np.uint64(0), np.uint64(2**64 - 1)


class Reach(NamedTuple):
    """Where the cascade under way gets to in each world, today's seeds included."""

    within: np.ndarray
    """[word, steps, node]: the worlds in which a node is reached in so many steps or fewer.

    Nodes that are removed, and pass nothing on, count as reached from the start.
    """
    num_worlds: np.ndarray
    """In how many worlds a node is reached at all."""


class Search(NamedTuple):
    """Room for a breadth-first search in 64 worlds at once; a search leaves it as it found it."""

    seen: np.ndarray
    front: np.ndarray
    next_front: np.ndarray
    touched: np.ndarray
    nodes: np.ndarray
    next_nodes: np.ndarray


def make_search(network: Adjacency) -> Search:
    """Room for searches."""
    masks, nodes = np.zeros((3, network.num_nodes), np.uint64), np.zeros((3, network.num_nodes), np.uint32)
    return Search(*masks, *nodes)


def words_for(num_nodes: int) -> int:
    """How many words of worlds give gains that can be relied on, in about the same time for any network."""
    return max(FEWEST_WORDS, min(MOST_WORDS, SEARCHES // max(1, num_nodes)))


def draw_worlds(network: Adjacency, num_words: int, seed: int, first: int = 0) -> np.ndarray:
    """[word, edge]: the worlds in which each out-edge is live. A word depends on seed, edge and its number alone.

    Numbers begin with the `first`.
    """
    live = np.empty((num_words, network.num_edges), np.uint64)
    _toss(network, seed, first, live)
    return live


def follow_cascade(network: Adjacency, live: np.ndarray, status: np.ndarray, steps: int) -> Reach:
    """Where the running cascade gets to in so many steps."""
    steps = max(0, min(steps, MAX_STEPS))
    within = np.zeros((len(live), steps + 1, network.num_nodes), np.uint64)
    reach = Reach(within, np.zeros(network.num_nodes, np.int64))
    _spread_active(network, live, np.array(status, np.int8), reach, make_search(network))
    return reach


def marginal_gains(
    network: Adjacency, live: np.ndarray, reach: Reach, nodes: np.ndarray, *, threads: int | None = None
) -> np.ndarray:
    """How many more nodes each of some nodes reaches if it is seeded today, in the mean of all worlds."""
    nodes = np.array(nodes, np.uint32)
    gains = np.zeros(len(nodes), np.int64)

    def search(some: slice) -> None:
        _count_gains(network, live, reach, nodes[some], gains[some], make_search(network))

    threads = threads or os.cpu_count() or 1
    if threads == 1 or len(nodes) * len(live) < WORTH_THREADS:
        search(slice(None))
    else:
        size = -(-len(nodes) // (4 * threads))
        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(search, (slice(first, first + size) for first in range(0, len(nodes), size))))
    return gains / (64 * len(live))


def add_seed(network: Adjacency, live: np.ndarray, reach: Reach, node: int) -> float:
    """Let the cascade start from one more node; returns how many more it reaches in the mean."""
    return seed_node(network, live, reach, node, make_search(network), True) / (64 * len(live))


def plan_day_in_worlds(
    network: Adjacency,
    live: np.ndarray,
    status: np.ndarray,
    days_left: int,
    budget_left: int,
    budget: int,
    strategy: Strategy,
) -> tuple[np.ndarray, np.ndarray]:
    """Today's seeds as the base heuristic finds them, but by gains that are exact in the sampled worlds.

    Cascades are followed for all days left: mean field stops after a few hops, since it counts walks.
    """
    now = np.array(status, np.int8)
    reach = follow_cascade(network, live, now, days_left)
    plan = make_plan(network)
    inactive = np.flatnonzero(now == INACTIVE)
    plan.ahead.gain[:] = first_gains(network, live, reach, now)
    plan.ahead.untouched[inactive] = 1 - reach.num_worlds[inactive] / (64 * len(live))
    last, search = np.zeros(network.num_nodes, np.int64), make_search(network)
    count = _seed_lazily(network, live, reach, now, days_left, budget_left, budget, strategy, plan, last, search)
    return plan.picks[:count], plan.values[:count]


def first_gains(network: Adjacency, live: np.ndarray, reach: Reach, status: np.ndarray) -> np.ndarray:
    """What each node adds to the running cascade, and minus infinity for those that cannot be seeded."""
    inactive = np.flatnonzero(status == INACTIVE)
    gain = np.full(network.num_nodes, NEVER)
    gain[inactive] = marginal_gains(network, live, reach, inactive)
    return gain


@kernel
def _seed_lazily(network, live, reach, status, days_left, budget_left, budget, strategy, plan, last, search):
    """Set today's seeds one by one, and return how many they are (CELF; Leskovec et al. 2007).

    Gains only fall as seeds are added, so one that was found `last[v]` seeds ago is a bound, and only those at the top
    are looked at again.
    """
    untouched, gain, score = plan.ahead.untouched, plan.ahead.gain, plan.score
    num_inactive, made = np.int64(0), np.int64(0)
    for v in range(len(status)):
        num_inactive += status[v] == INACTIVE
    while days_left > 0 and made < min(budget, budget_left) and num_inactive > 0:
        best = _find_best(network, live, reach, gain, np.float32(0), plan, last, made, search)
        under_way = np.float64(num_inactive)
        for v in range(len(status)):
            under_way -= untouched[v]
        index = seed_or_wait(gain[best], under_way, num_inactive, days_left, budget_left - made, strategy.seed_or_wait)
        if not index + strategy.tilt > 0:
            break
        price = price_of_a_seed(gain[best], days_left, strategy.days_to_spare)
        gain_over_waiting(status, untouched, gain, price, score)
        best = _find_best(network, live, reach, score, price, plan, last, made, search)
        plan.picks[made], plan.values[made] = best, gain[best]
        seed_node(network, live, reach, best, search, True)
        status[best], gain[best] = ACTIVE, NEVER
        made += 1
        num_inactive -= 1
        for v in range(len(status)):
            untouched[v] = 1 - reach.num_worlds[v] / (64 * live.shape[0]) if status[v] == INACTIVE else 0
    return made


@part
def _find_best(network, live, reach, measure, price, plan, last, made, search):
    """The node that is best by gain less the price of waiting; `measure` holds that of older gains."""
    while True:
        best = np.int64(0)
        for v in range(len(measure)):
            if measure[v] > measure[best]:
                best = v
        if last[best] == made:
            return best
        last[best] = made
        total = seed_node(network, live, reach, best, search, False)
        plan.ahead.gain[best] = total / (64 * live.shape[0])
        measure[best] = plan.ahead.gain[best] - price * (1 - plan.ahead.untouched[best])


@kernel
def _toss(network, seed, first, live):
    """Toss all edges in all worlds.

    Where the binary digits of p, read from the last to the first, say 0 or 1, random words are joined by `and` or by
    `or`; each bit is then 1 with probability p.
    """
    stream = mixed(np.uint64(seed))
    for e in range(live.shape[1]):
        p = np.uint64(round(network.out_probability[e] * 2.0**BITS))
        of_edge = mixed(stream + GOLDEN * (np.uint64(network.out_edge[e]) + ONE))
        for word in range(live.shape[0]):
            state = mixed(of_edge + GOLDEN * np.uint64(first + word))
            fires = NO_WORLD
            for bit in range(BITS):
                state += GOLDEN
                fires = fires | mixed(state) if (p >> np.uint64(bit)) & ONE else fires & mixed(state)
            live[word, e] = ALL_WORLDS if p >> np.uint64(BITS) else fires


@kernel
def _spread_active(network, live, status, reach, search):
    """Mark the removed nodes, and let the active ones spread."""
    for word in range(live.shape[0]):
        within = reach.within[word]
        width = np.int64(0)
        for v in range(len(status)):
            if status[v] == ACTIVE:
                search.nodes[width], search.front[v] = v, ALL_WORLDS
                width += 1
            elif status[v] != INACTIVE:
                for step in range(within.shape[0]):
                    within[step, v] = ALL_WORLDS
        _spread(network, live[word], within, reach.num_worlds, search, width, True)


@kernel
def _count_gains(network, live, reach, nodes, gains, search):
    for i in range(len(nodes)):
        gains[i] = seed_node(network, live, reach, nodes[i], search, False)


@kernel
def seed_node(network, live, reach, node, search, keep):
    """How many more nodes are reached with one more seed, summed over the worlds; and keep it, if asked to."""
    gained = np.int64(0)
    for word in range(live.shape[0]):
        search.nodes[0], search.front[node] = node, ~reach.within[word, 0, node]
        gained += _spread(network, live[word], reach.within[word], reach.num_worlds, search, np.int64(1), keep)
    return gained


@part
def _spread(network, live, within, num_worlds, search, width, keep):
    """Search 64 worlds from the first `width` nodes; returns in how many cases a node is reached that was not.

    A node that the cascade has reached as early is not followed: nothing beyond it is new.
    """
    seen, front, next_front = search.seen, search.front, search.next_front
    nodes, next_nodes, touched = search.nodes, search.next_nodes, search.touched
    steps = within.shape[0] - 1
    gained, num_touched = np.int64(0), np.int64(0)
    for step in range(steps + 1):
        for k in range(width):
            v = nodes[k]
            if seen[v] == NO_WORLD:
                touched[num_touched] = v
                num_touched += 1
            seen[v] |= front[v]
            new = _num_ones(front[v] & ~within[steps, v])  # pyright: ignore
            gained += new
            if keep:
                num_worlds[v] += new
                for later in range(step, steps + 1):
                    within[later, v] |= front[v]
        if step == steps:
            break
        next_width = np.int64(0)
        for k in range(width):
            worlds = front[nodes[k]]
            front[nodes[k]] = NO_WORLD
            rank = network.out_rank[nodes[k]]
            for e in range(network.out_start[rank], network.out_start[rank + 1]):
                v = network.out_receiver[e]
                reached = worlds & live[e] & ~(seen[v] | within[step + 1, v])
                if reached != NO_WORLD:
                    if next_front[v] == NO_WORLD:
                        next_nodes[next_width] = v
                        next_width += 1
                    next_front[v] |= reached
        width = next_width
        front, next_front, nodes, next_nodes = next_front, front, next_nodes, nodes
    for k in range(width):
        front[nodes[k]] = NO_WORLD
    for k in range(num_touched):
        seen[touched[k]] = NO_WORLD
    return gained


@intrinsic
def _num_ones(typing_context: Any, word: Any):
    """The number of ones in a word."""

    def generate(context, builder, signature, arguments):
        return builder.ctpop(arguments[0])

    return types.int64(types.uint64), generate
