"""Adjacency lists hold every edge once on each side, in the order that the JAX rules sum in."""

import numpy as np
from spread_cases import NINE_EDGES, adjacency, random_edges

from lmta.kernels.network import NO_EDGE


def edges_in(network):
    """{(sender, receiver): probability} by the in-lists."""
    found = {}
    for i, v in enumerate(network.in_node):
        for e in range(network.in_start[i], network.in_start[i + 1]):
            found[int(network.in_sender[e]), int(v)] = network.in_probability[e]
    return found


def edges_out(network):
    found = {}
    for i, u in enumerate(network.out_node):
        assert network.out_rank[u] == i
        for e in range(network.out_start[i], network.out_start[i + 1]):
            found[int(u), int(network.out_receiver[e])] = (network.out_probability[e], e)
    return found


def test_both_sides_hold_the_same_edges_by_rising_neighbour():
    for seed in range(5):
        edges = random_edges(12, 40, seed)
        network = adjacency(12, edges)
        assert (network.num_nodes, network.num_edges) == (12, 40)
        assert edges_in(network) == edges
        assert {ends: p for ends, (p, _) in edges_out(network).items()} == edges
        for start, other in ((network.in_start, network.in_sender), (network.out_start, network.out_receiver)):
            for i in range(12):
                assert (np.diff(other[start[i] : start[i + 1]].astype(int)) > 0).all()
            assert (np.diff(np.diff(start.astype(int))) >= 0).all()  # degrees rise


def test_the_way_back_and_the_place_of_an_edge():
    network = adjacency(6, NINE_EDGES)
    place = {ends: e for ends, (_, e) in edges_out(network).items()}
    for (u, v), e in place.items():
        assert network.out_reverse[e] == place.get((v, u), NO_EDGE)
    by_receiver = sorted(NINE_EDGES, key=lambda ends: (ends[1], ends[0]))
    assert [by_receiver.index(ends) for ends in place] == network.out_edge[list(place.values())].tolist()


def test_a_network_without_edges_and_one_without_nodes():
    for num_nodes in (0, 3):
        network = adjacency(num_nodes, {})
        assert (network.num_nodes, network.num_edges) == (num_nodes, 0)
        assert network.in_start.tolist() == network.out_start.tolist() == [0] * (num_nodes + 1)
