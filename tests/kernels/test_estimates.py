"""Which estimate serves: mean field where cascades are trees, sampled ones where many walks lead to a node."""

import itertools

import numpy as np
import pytest
from spread_cases import NINE_EDGES, adjacency, exact_reached, random_edges, statuses

from lmta.kernels.estimates import measure, sampled_reach


@pytest.mark.parametrize("steps", [1, 3])
def test_sampled_reach_is_right_in_the_mean(steps):
    """6,400 worlds: the error of a mean is far below 0.1 nodes."""
    for edges, num_nodes in ((NINE_EDGES, 6), (random_edges(12, 16, 4), 12)):
        network, status = adjacency(num_nodes, edges), statuses(num_nodes=num_nodes, removed=(2,))
        seeds = np.array([0, 1, 3])
        sampled = np.mean([sampled_reach(network, status, seeds, steps, seed) for seed in range(100)], axis=0)
        exact = [exact_reached(edges, status, (v,), steps).sum() for v in seeds]
        np.testing.assert_allclose(sampled, exact, atol=0.1)


def test_mean_field_serves_where_cascades_are_trees():
    tree = {((v - 1) // 2, v): 0.8 for v in range(1, 63)}
    measured = measure(adjacency(63, tree), statuses(num_nodes=63), 5)
    assert measured.estimate == "mean field"
    assert measured.walks == pytest.approx(1, abs=0.15)


def test_walks_of_a_dense_network_are_counted_many_times():
    """Among thirty all of whom know each other everybody is reached, once."""
    edges = dict.fromkeys(itertools.permutations(range(30), 2), 0.3)
    measured = measure(adjacency(30, edges), statuses(num_nodes=30), 5)
    assert measured.estimate == "live edges"
    assert measured.walks > 10


def test_a_large_supercritical_network_is_left_to_sets_of_limited_size(monkeypatch):
    monkeypatch.setattr("lmta.kernels.estimates.MOST_STEPS", 1e3)
    edges = dict.fromkeys(itertools.permutations(range(30), 2), 0.3)
    assert measure(adjacency(30, edges), statuses(num_nodes=30), 5).estimate == "reverse-reachable sets"


@pytest.mark.parametrize("edges", [{}, {(0, 1): 0.0}, {(0, 1): 1.0}, {(0, 1): 1.0, (1, 2): 1.0, (2, 0): 1.0}])
def test_sure_things(edges):
    """Without edges, with probabilities of 0 and 1, and where nobody is left: mean field serves."""
    network = adjacency(3, edges)
    for status in (statuses(num_nodes=3), statuses(num_nodes=3, removed=(0, 1, 2))):
        assert measure(network, status, 2).estimate == "mean field"
