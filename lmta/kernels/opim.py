"""Seeds with a guarantee: reverse-reachable sets on what is left of a network, and OPIM-C's rule of when to stop.

Tang, Tang, Xiao and Yuan (2018), "Online processing algorithms for influence maximization". Here what counts is what
seeds add to the running cascade within the days left, which is submodular as well.
"""

from itertools import pairwise
from math import ceil, e, log, log2, sqrt
from typing import NamedTuple

import numpy as np

from lmta.kernels.compiled import kernel
from lmta.kernels.network import INACTIVE, Adjacency
from lmta.kernels.reverse_reachable import MAX_MEMBERS, draw_sets

GREEDY = 1 - 1 / e
MIN_SETS, MAX_SETS = 2**14, 2**20
"""A collection has so many sets at first, since seeds go on getting better when the guarantee is met; and at most."""
PREFIXES = 8
"""At how many points of the greedy list the optimum is bounded; the lowest bound counts."""


class Seeds(NamedTuple):
    """Today's seeds and what is certain of them."""

    picks: np.ndarray
    gains: np.ndarray
    """The nodes that each is expected to add to those before, by sets that had no part in the choice."""
    under_way: float
    """The nodes that the running cascade is expected to reach anyway."""
    lower: float
    """With the confidence asked for, the seeds add at least so many nodes in expectation …"""
    upper: float
    """… and no others of that number add more than this."""
    num_sets: int
    """The sets drawn, in each of the two collections."""
    failure: float = 0.0
    """The probability that a bound is wrong, of this round or of one before."""

    @property
    def ratio(self) -> float:
        """The share of the optimum that is certain to be reached."""
        return self.lower / self.upper if self.upper > 0 else 1.0


class Sets(NamedTuple):
    """A collection of reverse-reachable sets; those that the running cascade covers have no members."""

    members: np.ndarray
    start: np.ndarray

    @property
    def size(self) -> int:
        """How many sets there are."""
        return len(self.start) - 1


def opim(
    network: Adjacency,
    status: np.ndarray,
    days_left: int,
    budget: int,
    *,
    epsilon: float = 0.1,
    failure: float | None = None,
    seed: int = 0,
    min_sets: int = MIN_SETS,
    max_sets: int = MAX_SETS,
) -> Seeds:
    """Seeds that add at least 1 - 1/e - ε of what the best could add, but for a probability of `failure` (1/n).

    Two independent collections of sets are doubled until that is certain: seeds are chosen by the first, which also
    bounds the optimum from above, and judged by the second, which bounds them from below. Where seeds add next to
    nothing, less than ε of a node for each between the bounds is enough; and at `max_sets`, or where memory ends, the
    answer says what is certain by then.
    """
    status = np.array(status, np.int8)
    num_inactive = int((status == INACTIVE).sum())
    budget = min(budget, num_inactive)
    if budget <= 0 or days_left <= 0:
        return Seeds(np.zeros(0, np.uint32), np.zeros(0), 0.0, 0.0, 0.0, 0)
    num_rounds = 1 + max(0, ceil(log2(max_sets / min_sets)))
    failure = failure or 1 / max(2, num_inactive)
    doubt = log(2 * num_rounds / failure)
    lists = _in_lists(network)
    ours, judges = (Sets(np.zeros(0, np.int32), np.zeros(1, np.int64)) for _ in range(2))
    round_ = 0
    while True:
        target = min(min_sets << round_, max_sets)
        seeds = np.random.SeedSequence([seed, round_]).generate_state(2) % 2**31
        ours = _grown(ours, lists, status, days_left, target, int(seeds[0]))
        judges = _grown(judges, lists, status, days_left, target, int(seeds[1]))
        found = _choose_and_judge(ours, judges, status, budget, doubt)
        is_certain = found.ratio >= GREEDY - epsilon or found.upper - found.lower <= epsilon * budget
        round_ += 1
        if is_certain or round_ == num_rounds or min(ours.size, judges.size) < target:
            return found._replace(failure=failure)


def _choose_and_judge(ours: Sets, judges: Sets, status: np.ndarray, budget: int, doubt: float) -> Seeds:
    """The seeds by one collection, and what is certain of them by both."""
    num_inactive = int(np.sum(status == INACTIVE))
    picks, most_covered = _choose(ours, status, budget)
    covered = _cover_in_order(judges, picks, len(status))
    nodes_a_set = num_inactive / judges.size
    return Seeds(
        picks=picks,
        gains=covered * nodes_a_set,
        under_way=float(np.sum(np.diff(judges.start) == 0) * nodes_a_set),
        lower=nodes_a_set * max(0.0, at_least(int(covered.sum()), doubt)),
        upper=num_inactive / ours.size * at_most(most_covered, doubt),
        num_sets=judges.size,
    )


def at_least(covered: float, doubt: float) -> float:
    """With probability 1 - exp(-doubt): the sets that are covered in expectation, if `covered` are (Lemma 4.2)."""
    return (sqrt(covered + 2 * doubt / 9) - sqrt(doubt / 2)) ** 2 - doubt / 18


def at_most(covered: float, doubt: float) -> float:
    """The same from above."""
    return (sqrt(covered + doubt / 2) + sqrt(doubt / 2)) ** 2


def _in_lists(network: Adjacency) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Start, sender and probability of in-edges by node, as the drawing of sets reads them."""
    receiver = np.repeat(network.in_node, np.diff(network.in_start.astype(np.int64)))
    order = np.argsort(receiver, kind="stable")
    start = np.searchsorted(receiver[order], np.arange(network.num_nodes + 1))
    return start, network.in_sender[order].astype(np.int32), network.in_probability[order]


def _grown(sets: Sets, lists: tuple, status: np.ndarray, days_left: int, target: int, seed: int) -> Sets:
    """The collection with new sets up to `target`, or fewer where there is no room for their members."""
    room = MAX_MEMBERS - len(sets.members)
    if room <= 0:
        return sets
    members, start = draw_sets(*lists, status, target - sets.size, days_left, seed, room)  # pyright: ignore
    return Sets(np.concatenate([sets.members, members]), np.concatenate([sets.start, sets.start[-1] + start[1:]]))


def _choose(sets: Sets, status: np.ndarray, budget: int) -> tuple[np.ndarray, int]:
    """The greedy seeds, and a bound on the sets that any seeds of that number cover.

    With i of the greedy seeds set, nobody covers more than they do and the best others would add one by one.
    """
    cover = _make_cover(sets, len(status))
    inactive = status == INACTIVE
    picks = np.zeros(budget, np.uint32)
    most, covered = sets.size, 0
    for first, last in pairwise([*np.unique(np.linspace(0, budget, PREFIXES).astype(int)), budget]):
        best = np.partition(cover.left[status == INACTIVE], -budget)[-budget:]
        most = min(most, covered + int(best.sum()))
        covered += _take_best(sets, cover, inactive, picks[first:last])
    return picks, most


def _cover_in_order(sets: Sets, picks: np.ndarray, num_nodes: int) -> np.ndarray:
    """How many sets each pick covers that those before it do not."""
    cover = _make_cover(sets, num_nodes)
    return np.array([_take(sets, cover, pick) for pick in picks])


class Cover(NamedTuple):
    """Which sets are covered, and how many that are left each node would cover."""

    left: np.ndarray
    covered: np.ndarray
    of_node: np.ndarray
    """The sets of each node, node after node."""
    of_node_start: np.ndarray


def _make_cover(sets: Sets, num_nodes: int) -> Cover:
    left = np.bincount(sets.members, minlength=num_nodes)
    of_set = np.repeat(np.arange(sets.size, dtype=np.uint32), np.diff(sets.start))
    return Cover(
        left=left,
        covered=np.zeros(sets.size, np.bool_),
        of_node=of_set[np.argsort(sets.members, kind="stable")],
        of_node_start=np.concatenate([[0], np.cumsum(left)]),
    )


@kernel
def _take(sets, cover, node):
    """Cover the sets of a node, and return how many they are."""
    taken = cover.left[node]
    for j in range(cover.of_node_start[node], cover.of_node_start[node + 1]):
        i = cover.of_node[j]
        if not cover.covered[i]:
            cover.covered[i] = True
            for k in range(sets.start[i], sets.start[i + 1]):
                cover.left[sets.members[k]] -= 1
    return taken


@kernel
def _take_best(sets, cover, may_be_taken, picks):
    """Fill `picks` with the nodes that cover most, one after the other, and return how many sets they cover."""
    total = np.int64(0)
    for b in range(len(picks)):
        best, best_count = np.int64(0), np.int64(-1)
        for v in range(len(may_be_taken)):
            if may_be_taken[v] and cover.left[v] > best_count:
                best, best_count = np.int64(v), cover.left[v]
        picks[b] = best
        may_be_taken[best] = False
        total += _take(sets, cover, best)
    return total
