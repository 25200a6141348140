"""Small networks, and their exact expected spread by enumeration of all live-edge worlds."""

import itertools

import numpy as np

from lmta.kernels.network import ACTIVE, INACTIVE, make_adjacency

# A cycle, two ways from 0 to 3, an edge both ways, and a tail.
NINE_EDGES = {
    (0, 1): 0.5,
    (1, 3): 0.75,
    (0, 2): 0.25,
    (2, 3): 0.5,
    (3, 4): 0.5,
    (4, 0): 0.25,
    (4, 5): 1.0,
    (3, 1): 0.25,
    (5, 2): 0.5,
}


def adjacency(num_nodes, edges):
    """`edges` is {(sender, receiver): probability}."""
    ends = np.array(list(edges), np.int64).reshape(-1, 2)
    return make_adjacency(ends[:, 0], ends[:, 1], np.array(list(edges.values())), num_nodes)


def random_edges(num_nodes, num_edges, seed):
    """That many ordered pairs, with probabilities that are eighths: 0, 1/8, …, 1."""
    rng = np.random.default_rng(seed)
    pairs = list(itertools.permutations(range(num_nodes), 2))
    chosen = rng.choice(len(pairs), num_edges, replace=False)
    return {pairs[i]: int(rng.integers(0, 9)) / 8 for i in chosen}


def statuses(*active, num_nodes, removed=()):
    status = np.zeros(num_nodes, np.int8)
    status[list(active)] = 1
    status[list(removed)] = 2
    return status


def exact_reached(edges, status, seeds, nights):
    """By node: the probability that it is inactive now and will have been influenced, seeds included."""
    chance = np.ones(1)
    coins = []
    for p in edges.values():
        coins = [np.tile(coin, 2) for coin in coins] + [np.repeat([True, False], len(chance))]
        chance = np.concatenate([chance * p, chance * (1 - p)])
    num_worlds = len(chance)
    inactive = [status[v] == INACTIVE for v in range(len(status))]
    front = [np.full(num_worlds, status[v] == ACTIVE or v in seeds) for v in range(len(status))]
    reached = [np.full(num_worlds, v in seeds and inactive[v]) for v in range(len(status))]
    for _ in range(nights):
        hit = [np.zeros(num_worlds, bool) for _ in status]
        for (u, v), coin in zip(edges, coins, strict=True):
            if inactive[v] and v not in seeds:
                hit[v] |= front[u] & coin & ~reached[v]
        front = hit
        reached = [was | now for was, now in zip(reached, hit, strict=True)]
    return np.array([chance @ by_world for by_world in reached])


def exact_gains(edges, status, nights, seeds=()):
    """By node: how many more are expected to be influenced if it is seeded beside `seeds`; 0 where it cannot be."""
    without = exact_reached(edges, status, seeds, nights).sum()
    gains = np.zeros(len(status))
    for v in np.flatnonzero(status == INACTIVE):
        gains[v] = exact_reached(edges, status, (*seeds, v), nights).sum() - without
    return gains
