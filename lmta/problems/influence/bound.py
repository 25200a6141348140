"""What a campaign cannot exceed: for certain (Golovin and Krause 2011), and in practice, with no end of days."""

from math import ceil
from typing import NamedTuple

import numpy as np

from lmta.kernels.cascade import end_day
from lmta.kernels.network import ACTIVE, INACTIVE
from lmta.kernels.reverse_reachable import draw_sets
from lmta.problems.influence.rules import InfluenceInstance, InfluenceNoise
from lmta.problems.influence.sampling import InEdges, ReverseReachable
from lmta.problems.influence.situation import first_day

NUM_SETS = 20_000
"""Reverse-reachable sets by which gains are estimated, anew after each seed."""
SEEDS_BEFORE = 0.6
"""Share of the budget after which the bound is taken. It holds after any number of seeds that is fixed beforehand; on
development seeds it was lowest, and flat, about here."""


class Turn(NamedTuple):
    """What is reached and what can be gained when nothing is under way."""

    reached: int
    gain: np.ndarray
    """The expected number of nodes that each would add if its cascade ran to its end; 0 for those that are reached."""


def upper_bound(instance: InfluenceInstance, noise: InfluenceNoise) -> float:
    """A number whose mean over noise no policy exceeds, however many days it has.

    With no end of days, and every cascade seen to its end, what a seed is expected to add only falls as others are set
    (adaptive submodularity). After any seeds, K more add no more than the K largest gains do together, and whoever has
    both reaches no fewer than with the K alone. Gains are sampled without bias, and the sum of the largest is on
    average too large then, never too small.
    """
    budget = int(instance.budget)
    turn = after(ceil(SEEDS_BEFORE * budget), instance, noise)
    return turn.reached + float(np.sort(turn.gain)[::-1][:budget].sum())


def no_end_of_days(instance: InfluenceInstance, noise: InfluenceNoise) -> float:
    """How many nodes are reached where each seed waits until the cascade is over, and is then the best by sampling.

    Not a bound but close to one: nobody sees more before each seed or has more time, and greedy choice is nearly the
    best. What a campaign lacks to it is the price of its days.
    """
    return float(after(int(instance.budget), instance, noise).reached)


def after(seeds: int, instance: InfluenceInstance, noise: InfluenceNoise) -> Turn:
    """Set so many seeds one by one: the one with the largest gain, when the cascade of those before is over."""
    network, everybody, _, _ = first_day(instance)
    edges = ReverseReachable().prepare(instance)
    status = everybody.astype(np.int8)
    fires = np.asarray(noise.fires)[np.flatnonzero(instance.graph.edge_mask)][network.out_edge]
    room, reached = np.zeros(network.num_nodes, np.int64), 0
    for turn in range(seeds):
        gain = expected_spread(edges, status, turn)
        if gain.max() == 0:
            break
        status[np.argmax(gain)] = ACTIVE
        newly = 1
        while newly:
            reached += newly
            newly = end_day(network, status, fires, room)
    return Turn(reached, expected_spread(edges, status, seeds))


def expected_spread(edges: InEdges, status: np.ndarray, seed: int) -> np.ndarray:
    """How many inactive nodes each inactive node reaches in expectation, itself included, in any number of steps."""
    num_inactive = int((status == INACTIVE).sum())
    if num_inactive == 0:
        return np.zeros(len(status))
    endless = len(status)
    members, start = draw_sets(edges.start, edges.sender, edges.probability, status, NUM_SETS, endless, seed)
    return np.bincount(members, minlength=len(status)) * (num_inactive / (len(start) - 1))
