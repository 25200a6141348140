"""What a seed is worth until the end, by mean field.

The arithmetic is that of the JAX rules, in single precision and in the same order, so that picks agree.
"""

from typing import NamedTuple

import numpy as np

from lmta.kernels.compiled import kernel, part
from lmta.kernels.network import ACTIVE, INACTIVE, NO_EDGE, Adjacency

HOPS = 5
"""How far the spread is followed, if as many days are left."""
ONE_MORE = np.uint32(1)
ZERO, ONE = np.float32(0), np.float32(1)


class Outlook(NamedTuple):
    """What is to come, node by node, and room to look again."""

    untouched: np.ndarray
    """The probability to stay out of the running cascade; 0 for nodes that are not inactive."""
    gain: np.ndarray
    """How many more nodes will be influenced in the days left if the node is seeded now."""
    in_ranks: np.ndarray
    """Where the inactive nodes stand in `in_node`, the others left out: to skip them one by one would be slower."""
    out_ranks: np.ndarray
    of_node: np.ndarray
    of_node_next: np.ndarray
    of_edge: np.ndarray
    of_edge_next: np.ndarray


def make_outlook(network: Adjacency) -> Outlook:
    """An outlook on nothing yet."""
    ranks = np.zeros((2, network.num_nodes), np.uint32)
    nodes = np.zeros((4, network.num_nodes), np.float32)
    edges = np.zeros((2, network.num_edges), np.float32)
    return Outlook(*nodes[:2], *ranks, *nodes[2:], *edges)


def look_ahead(network: Adjacency, status: np.ndarray, days_left: int, hops: int = HOPS) -> Outlook:
    """Where the running cascade will go, and what seeds would add to it."""
    ahead = make_outlook(network)
    look_again(network, np.array(status, np.int8), min(hops, days_left), ahead)
    return ahead


@kernel
def look_again(network, status, hops, ahead):
    """A look ahead in the room of the last one."""
    for v in range(len(status)):
        ahead.untouched[v] = status[v] == INACTIVE
        ahead.of_node[v] = status[v] == ACTIVE
        ahead.of_node_next[v] = ZERO
    _follow_cascade(network, _inactive_ranks(network.in_node, status, ahead.in_ranks), hops, ahead)
    _expect_gains(network, _inactive_ranks(network.out_node, status, ahead.out_ranks), hops, ahead)


@part
def _inactive_ranks(node, status, ranks):
    """List the ranks of the inactive nodes, and return how many there are."""
    count = np.int64(0)
    for i in range(len(node)):
        ranks[count] = i  # overwritten by the next if it does not count
        count += status[node[i]] == INACTIVE
    return count


@part
def _follow_cascade(network, num_inactive, hops, ahead):
    """The probability to stay out of the running cascade, followed as if nodes were independent."""
    node, start, sender, probability = network.in_node, network.in_start, network.in_sender, network.in_probability
    untouched, active, hit_now = ahead.untouched, ahead.of_node, ahead.of_node_next
    for _ in range(hops):
        under_way = False
        for k in range(num_inactive):
            i = ahead.in_ranks[k]
            missed = ONE
            for e in range(start[i], start[i + ONE_MORE]):
                missed *= ONE - active[sender[e]] * probability[e]
            hit = ONE - missed
            v = node[i]
            hit_now[v] = untouched[v] * hit
            untouched[v] *= ONE - hit
            under_way |= hit > ZERO
        if not under_way:
            return
        active, hit_now = hit_now, active
        for v in range(len(node)):
            hit_now[v] = ZERO


@part
def _expect_gains(network, num_inactive, hops, ahead):
    """The gain of each node without what the running cascade would reach anyway.

    G(v) = w(v)·(1 + Σᵤ p(v,u) m(v→u)), where m(v→u) is the gain of u without the way back to v: m₀ = w(u),
    mₕ(v→u) = w(u)·(1 + Σₓ≠ᵥ p(u,x) mₕ₋₁(u→x)). Where there is no way back, m(v→u) depends on u alone.
    """
    node, start, receiver = network.out_node, network.out_start, network.out_receiver
    probability, reverse = network.out_probability, network.out_reverse
    untouched, gain = ahead.untouched, ahead.gain
    reach, next_reach = ahead.of_node, ahead.of_node_next  # 1 + Σᵤ p(v,u) m(v→u)
    passed_on, next_passed_on = ahead.of_edge, ahead.of_edge_next
    for v in range(len(node)):
        gain[v], reach[v] = untouched[v], ONE
    for e in range(len(receiver)):
        passed_on[e] = ZERO
    for hop in range(hops):
        is_last = hop == hops - 1
        for k in range(num_inactive):
            i = ahead.out_ranks[k]
            total = ONE if is_last else ZERO
            for e in range(start[i], start[i + ONE_MORE]):
                u, back = receiver[e], reverse[e]
                if back == NO_EDGE:
                    total += probability[e] * gain[u]
                else:
                    next_passed_on[e] = probability[e] * (untouched[u] * (reach[u] - passed_on[back]))
                    total += next_passed_on[e]
            next_reach[node[i]] = total if is_last else ONE + total
        reach, next_reach = next_reach, reach
        passed_on, next_passed_on = next_passed_on, passed_on
        for v in range(len(node)):
            gain[v] = untouched[v] * reach[v]
