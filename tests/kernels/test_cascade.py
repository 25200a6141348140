"""A day of the cascade by hand, and coins that depend on seed, world and edge alone."""

import numpy as np
from spread_cases import adjacency, exact_reached, random_edges, statuses

from lmta.kernels.cascade import end_day, flip_coins


def coins(network, seed, world):
    fires = np.empty(network.num_edges, bool)
    flip_coins(network, seed, world, fires)
    return fires


def room(network):
    return np.empty(network.num_nodes, np.uint32)


def run(network, status, fires, days):
    """The hits of each day, if nobody is seeded; changes the status."""
    return [end_day(network, status, fires, room(network)) for _ in range(days)]


def test_a_day_by_hand():
    """0 hits 1, misses 2; 3 was removed and is not hit again; 1 does not act on the day it is hit."""
    edges = {(0, 1): 0.5, (0, 2): 0.5, (0, 3): 0.5, (1, 4): 0.5}
    network = adjacency(5, edges)
    by_receiver = np.array([True, False, True, True])
    status = statuses(0, num_nodes=5, removed=(3,))
    assert end_day(network, status, by_receiver[network.out_edge], room(network)) == 1
    assert status.tolist() == [2, 1, 0, 2, 0]
    hits = run(network, status, by_receiver[network.out_edge], 3)
    assert (hits, status.tolist()) == ([1, 0, 0], [2, 2, 0, 2, 2])


def test_edges_of_probability_1_always_fire_and_of_0_never():
    network = adjacency(3, {(0, 1): 1.0, (1, 2): 0.0})
    certain = network.out_probability == 1
    assert all((coins(network, 0, world) == certain).all() for world in range(200))


def test_a_coin_depends_on_seed_world_and_edge_alone():
    """The coins of an edge stay the same in a larger network whose edges before it are the same."""
    edges = random_edges(9, 30, 0)
    first = dict(sorted(edges.items(), key=lambda item: item[0][::-1])[:20])
    small, large = adjacency(9, first), adjacency(9, edges)
    by_edge = np.zeros((2, 30), bool)
    by_edge[0][small.out_edge] = coins(small, 3, 5)
    by_edge[1][large.out_edge] = coins(large, 3, 5)
    assert (by_edge[0][:20] == by_edge[1][:20]).all()
    assert (coins(large, 3, 5) == coins(large, 3, 5)).all()


def test_worlds_are_as_likely_as_they_should_be():
    """Mean and joint frequencies of coins over 20,000 worlds, within 4.5 standard errors."""
    edges = random_edges(8, 24, 1)
    network = adjacency(8, edges)
    fires = np.array([coins(network, 7, world) for world in range(20_000)])
    p = network.out_probability.astype(float)
    both = np.outer(p, p)
    np.fill_diagonal(both, p)
    error = 4.5 * np.sqrt(both * (1 - both) / len(fires)) + 1e-9
    assert (abs(fires.T.astype(float) @ fires / len(fires) - both) <= error).all()
    assert (fires[:-1] != fires[1:]).any(axis=1).mean() > 0.99


def test_spread_in_the_mean_is_the_exact_one():
    edges = random_edges(10, 16, 2)
    network = adjacency(10, edges)
    totals = []
    for world in range(4_000):
        status = statuses(0, 4, num_nodes=10, removed=(7,))
        totals.append(sum(run(network, status, coins(network, 1, world), 3)))
    exact = exact_reached(edges, statuses(0, 4, num_nodes=10, removed=(7,)), (), 3).sum()
    assert abs(np.mean(totals) - exact) < 4 * np.std(totals) / np.sqrt(len(totals))
