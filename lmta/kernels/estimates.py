"""Which estimate of a seed's worth serves on a network: a few sampled cascades tell."""

from typing import Literal, NamedTuple

import numpy as np

from lmta.kernels.live_edge import words_for
from lmta.kernels.mean_field import HOPS, look_ahead
from lmta.kernels.network import ACTIVE, INACTIVE, Adjacency

CANDIDATES = 8
WORLDS = 64
MOST_WALKS = 1.5
"""Up to this ratio mean field serves."""
MOST_STEPS = 2e9
"""With more steps of searches than that, which take seconds, sets are drawn instead: their members are limited."""
Estimate = Literal["mean field", "live edges", "reverse-reachable sets"]


class Measured(NamedTuple):
    """What a few cascades tell of a network."""

    walks: float
    """What mean field promises of the seeds that it holds for best, over what they reach in sampled worlds.

    It is about 1 where cascades are trees, and rises as mean field counts walks, several to the same node."""
    estimate: Estimate
    """What serves: mean field is fastest; the others take longer, and count no node twice."""


def measure(network: Adjacency, status: np.ndarray, days_left: int, *, seed: int = 0) -> Measured:
    """Compare mean field with a few sampled cascades of the seeds that it holds for best, each by itself."""
    status = np.where(status == ACTIVE, INACTIVE, status)  # of what is under way mean field knows too much already
    steps = min(HOPS, days_left)
    gain = look_ahead(network, status, steps).gain
    best = np.argsort(-gain, kind="stable")[:CANDIDATES]
    best = best[gain[best] > 0]
    sampled = sampled_reach(network, status, best, steps, seed)
    walks = float(gain[best].sum() / max(1.0, sampled.sum()))
    if walks <= MOST_WALKS:
        return Measured(walks, "mean field")
    steps_of_searches = sampled.mean() * network.num_edges * words_for(network.num_nodes)
    return Measured(walks, "live edges" if steps_of_searches <= MOST_STEPS else "reverse-reachable sets")


def sampled_reach(network: Adjacency, status: np.ndarray, seeds: np.ndarray, steps: int, seed: int) -> np.ndarray:
    """How many nodes each seed reaches by itself in so many steps, in the mean of a word of sampled worlds.

    In NumPy, since the compilation of a kernel would take longer than the few cascades do.
    """
    if network.num_edges == 0:
        return np.ones(len(seeds))
    live = _tossed(network.in_probability, np.random.default_rng(seed))
    has_edges = np.diff(network.in_start.astype(np.int64)) > 0
    receiver, first = network.in_node[has_edges], network.in_start[:-1][has_edges]
    left = np.where(status == INACTIVE, np.uint64(2**64 - 1), np.uint64(0))
    left = np.repeat(left[None], len(seeds), axis=0)  # the worlds in which a node is not reached yet
    front = np.zeros_like(left)
    rows = np.arange(len(seeds))
    front[rows, seeds] = left[rows, seeds]
    left[rows, seeds] = 0
    reached = _num_ones(front)
    for _ in range(steps):
        hit = np.bitwise_or.reduceat(front[:, network.in_sender] & live, first, axis=1)
        front = np.zeros_like(left)
        front[:, receiver] = hit & left[:, receiver]
        left &= ~front
        reached += _num_ones(front)
    return reached / WORLDS


def _tossed(probability: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A word for each edge: the bits of the worlds in which it is live."""
    live = np.zeros(len(probability), np.uint64)
    for world in range(WORLDS):
        live |= (rng.random(len(probability), np.float32) < probability).astype(np.uint64) << np.uint64(world)
    return live


def _num_ones(words: np.ndarray) -> np.ndarray:
    return np.bitwise_count(words).sum(axis=1, dtype=np.int64)
