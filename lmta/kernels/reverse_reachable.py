"""Reverse-reachable sets on what is left of a network, and the greedy cover of them."""

import numba
import numpy as np

INACTIVE, ACTIVE = 0, 1
MAX_MEMBERS = 20_000_000


@numba.njit(cache=True)
def draw_sets(in_start, in_sender, in_probability, status, num_sets, horizon, seed, max_members=MAX_MEMBERS):
    """Draw sets of inactive nodes that would reach a random inactive root within `horizon` steps.

    Sets that an active node would reach first are drawn but left empty: the running cascade covers them anyway.
    Drawing stops early once there are `max_members` in all. Returns the members of all sets in one array and where
    each set starts.
    """
    np.random.seed(seed)
    roots = np.flatnonzero(status == INACTIVE)
    start = np.zeros(num_sets + 1, np.int64)
    members = np.empty(4 * num_sets + len(status), np.int32)
    stamp = np.full(len(status), -1, np.int64)
    depth = np.zeros(len(status), np.int32)
    for i in range(num_sets):
        first = start[i]
        end = first
        root = roots[np.random.randint(len(roots))]
        members[end] = root
        stamp[root], depth[root] = i, 0
        end += 1
        head = first
        reached_anyway = False
        while head < end and not reached_anyway:
            node = members[head]
            head += 1
            if depth[node] == horizon:
                break
            for edge in range(in_start[node], in_start[node + 1]):
                sender = in_sender[edge]
                if stamp[sender] == i or status[sender] > ACTIVE or np.random.random() >= in_probability[edge]:
                    continue
                if status[sender] == ACTIVE:
                    reached_anyway = True
                    break
                stamp[sender], depth[sender] = i, depth[node] + 1
                members[end] = sender
                end += 1
        start[i + 1] = first if reached_anyway else end
        if start[i + 1] >= max_members:
            return members[: start[i + 1]].copy(), start[: i + 2].copy()
        if start[i + 1] + len(status) > len(members):
            grown = np.empty(2 * len(members), np.int32)
            grown[: start[i + 1]] = members[: start[i + 1]]
            members = grown
    return members[: start[num_sets]].copy(), start


@numba.njit(cache=True)
def greedy_cover(members, start, status, budget):
    """Pick inactive nodes one by one, each covering most of the sets not covered yet; also how many it covered."""
    num_nodes, num_sets = len(status), len(start) - 1
    count = np.zeros(num_nodes, np.int64)
    for node in members:
        count[node] += 1
    of_node_start = np.zeros(num_nodes + 1, np.int64)
    of_node_start[1:] = np.cumsum(count)
    of_node = np.empty(len(members), np.int64)
    fill = of_node_start[:-1].copy()
    for i in range(num_sets):
        for j in range(start[i], start[i + 1]):
            of_node[fill[members[j]]] = i
            fill[members[j]] += 1
    count[status != INACTIVE] = -1
    covered = np.zeros(num_sets, np.bool_)
    picks = np.empty(budget, np.int32)
    gains = np.empty(budget, np.int64)
    for b in range(budget):
        best = np.argmax(count)
        if count[best] < 0:
            return picks[:b], gains[:b]
        picks[b], gains[b] = best, count[best]
        for j in range(of_node_start[best], of_node_start[best + 1]):
            i = of_node[j]
            if not covered[i]:
                covered[i] = True
                for k in range(start[i], start[i + 1]):
                    count[members[k]] -= 1
        count[picks[: b + 1]] = -1
    return picks, gains
