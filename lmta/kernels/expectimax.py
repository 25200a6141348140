"""The exact optimum of tiny influence problems: expectimax over every status, each worked out once."""

import numba
import numpy as np

MAX_NODES = 12


@numba.njit(cache=True)
def ternary_weights(num_nodes):
    """For each set of nodes (as bits) the sum of 3^i, so that a status is weights[inactive] + 2 weights[active]."""
    weights = np.zeros(1 << num_nodes, np.int64)
    for mask in range(1, 1 << num_nodes):
        low = mask & -mask
        power, bit = 1, low
        while bit > 1:
            bit >>= 1
            power *= 3
        weights[mask] = weights[mask ^ low] + power
    return weights


@numba.njit(cache=True)
def _size(mask):
    count = 0
    while mask:
        mask &= mask - 1
        count += 1
    return count


@numba.njit(cache=True)
def _expected_after(inactive, active, miss, weights, value_next):
    """Expected hits of one night and of all that follows with `value_next` (by status)."""
    num_nodes = miss.shape[0]
    nodes = np.empty(num_nodes, np.int64)
    chance = np.empty(num_nodes)
    exposed = 0
    for v in range(num_nodes):
        if inactive >> v & 1:
            stays_out = 1.0
            for u in range(num_nodes):
                if active >> u & 1:
                    stays_out *= miss[u, v]
            if stays_out < 1.0:
                nodes[exposed], chance[exposed] = v, 1.0 - stays_out
                exposed += 1
    total = 0.0
    for outcome in range(1 << exposed):
        probability, hit = 1.0, 0
        for i in range(exposed):
            if outcome >> i & 1:
                probability *= chance[i]
                hit |= 1 << nodes[i]
            else:
                probability *= 1.0 - chance[i]
        if probability > 0.0:
            total += probability * (_size(hit) + value_next[weights[inactive & ~hit] + 2 * weights[hit]])
    return total


@numba.njit(cache=True)
def post_decision_values(probability, days, budget):
    """W[day, budget left, status]: what tonight and the days after are worth, once today's seeds are set."""
    num_nodes = probability.shape[0]
    weights = ternary_weights(num_nodes)
    everyone = (1 << num_nodes) - 1
    miss = 1.0 - probability
    night = np.zeros((days, budget + 1, 3**num_nodes))
    pre_decision = np.zeros((budget + 1, 3**num_nodes))
    for day in range(days - 1, -1, -1):
        for left in range(budget + 1):
            for inactive in range(everyone + 1):
                rest = everyone & ~inactive
                active = rest
                while True:
                    status = weights[inactive] + 2 * weights[active]
                    night[day, left, status] = _expected_after(inactive, active, miss, weights, pre_decision[left])
                    if active == 0:
                        break
                    active = (active - 1) & rest
        pre_decision = np.zeros((budget + 1, 3**num_nodes))
        for left in range(budget + 1):
            for inactive in range(everyone + 1):
                rest = everyone & ~inactive
                active = rest
                while True:
                    status = weights[inactive] + 2 * weights[active]
                    seeds = best_seeds(inactive, active, left, night[day], weights)
                    size = _size(seeds)
                    after = weights[inactive & ~seeds] + 2 * weights[active | seeds]
                    pre_decision[left, status] = size + night[day, left - size, after]
                    if active == 0:
                        break
                    active = (active - 1) & rest
    return night, pre_decision


@numba.njit(cache=True)
def best_seeds(inactive, active, left, night_today, weights):
    """The set of seeds, as bits, with the highest value today."""
    best, best_value = 0, -1.0
    seeds = inactive
    while True:
        size = _size(seeds)
        if size <= left:
            after = weights[inactive & ~seeds] + 2 * weights[active | seeds]
            value = size + night_today[left - size, after]
            if value > best_value:
                best, best_value = seeds, value
        if seeds == 0:
            return best
        seeds = (seeds - 1) & inactive
