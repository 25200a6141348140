"""The independent cascade, one coin for each edge: an edge is tried once at most, so that is all of chance."""

import numpy as np

from lmta.kernels.compiled import kernel, part
from lmta.kernels.network import ACTIVE, INACTIVE, REMOVED

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
COIN = np.float32(2**-24)


@part
def mixed(word):
    """A 64-bit word with its bits mixed (the finaliser of SplitMix64): neighbours become as good as independent."""
    word = np.uint64(word)
    word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return word ^ (word >> np.uint64(31))


@kernel
def flip_coins(network, seed, world, fires):
    """Which edges, in the order of the out-edges, fire when tried in a world that a seed and a number name.

    A coin depends on nothing but seed, world and edge, so worlds need not be kept and may be made in any order.
    """
    stream = mixed(mixed(np.uint64(seed)) + GOLDEN * np.uint64(world))
    for e in range(len(fires)):
        word = mixed(stream + GOLDEN * (np.uint64(network.out_edge[e]) + np.uint64(1)))
        fires[e] = np.float32(word >> np.uint64(40)) * COIN < network.out_probability[e]


@kernel
def end_day(network, status, fires, active):
    """Every active node tries its inactive out-neighbours once and is removed; who is hit becomes active.

    Changes the status, and returns how many were hit. `active` is room for a list of nodes.
    """
    count = 0
    for v in range(len(status)):
        if status[v] == ACTIVE:
            active[count] = v
            status[v] = REMOVED
            count += 1
    hits = 0
    for i in range(count):
        rank = network.out_rank[active[i]]
        for e in range(network.out_start[rank], network.out_start[rank + 1]):
            v = network.out_receiver[e]
            if status[v] == INACTIVE and fires[e]:
                status[v] = ACTIVE
                hits += 1
    return hits
