"""OPIM-C: its bounds hold against brute force, its estimates are right, and it stops when it says."""

import itertools

import numpy as np
import pytest
from spread_cases import adjacency, exact_gains, exact_reached, random_edges, statuses

from lmta.kernels.opim import GREEDY, opim


def best_of_all(edges, status, nights, size):
    """What the best seeds add, by brute force."""
    inactive = np.flatnonzero(status == 0)
    return max(added(edges, status, nights, seeds) for seeds in itertools.combinations(inactive, size))


def added(edges, status, nights, seeds):
    return exact_reached(edges, status, tuple(seeds), nights).sum() - exact_reached(edges, status, (), nights).sum()


@pytest.mark.parametrize("size", [1, 2, 3])
@pytest.mark.parametrize("nights", [1, 3])
def test_the_bounds_enclose_seeds_and_optimum(size, nights):
    """Ten networks of ten nodes; each bound may fail with 1 %, so that no failure of sixty is expected."""
    status = statuses(0, num_nodes=10, removed=(5,))
    for seed in range(10):
        edges = random_edges(10, 14, seed)
        found = opim(adjacency(10, edges), status, nights, size, epsilon=0.05, failure=0.01, seed=seed, min_sets=1_024)
        value, best = added(edges, status, nights, found.picks), best_of_all(edges, status, nights, size)
        assert found.lower <= value <= best + 1e-9 <= found.upper + 1e-9
        assert value >= found.ratio * best - 1e-9
        assert found.ratio >= GREEDY - 0.05
        assert len(set(found.picks.tolist())) == size
        assert (status[found.picks] == 0).all()


def test_a_smaller_epsilon_takes_more_sets_and_more_sets_are_more_certain():
    edges = random_edges(12, 40, 0)
    network, status = adjacency(12, edges), statuses(num_nodes=12)
    few, many = (opim(network, status, 3, 2, epsilon=epsilon, min_sets=64) for epsilon in (0.5, 0.05))
    assert few.num_sets < many.num_sets
    assert few.ratio < many.ratio
    more = opim(network, status, 3, 2, epsilon=-0.2, min_sets=64)  # asks for more than greedy is known to give
    assert more.ratio >= GREEDY + 0.2
    assert opim(network, status, 3, 2, epsilon=-0.2, min_sets=64, max_sets=128).num_sets == 128


def test_estimates_are_right():
    """Gains in order and the nodes that the cascade reaches anyway, within 4 standard errors."""
    edges = random_edges(12, 16, 3)
    network, status = adjacency(12, edges), statuses(0, 1, num_nodes=12)
    found = opim(network, status, 3, 3, min_sets=2**17)
    error = 4 * 10 * 0.5 / np.sqrt(2**17)
    assert found.under_way == pytest.approx(exact_reached(edges, status, (), 3).sum(), abs=error)
    for i, (pick, gain) in enumerate(zip(found.picks, found.gains, strict=True)):
        assert gain == pytest.approx(exact_gains(edges, status, 3, tuple(found.picks[:i]))[pick], abs=error)


def test_the_same_seed_gives_the_same_seeds():
    network, status = adjacency(30, random_edges(30, 90, 0)), statuses(num_nodes=30)
    one, again, other = (opim(network, status, 3, 4, seed=seed, min_sets=256) for seed in (1, 1, 2))
    assert one.picks.tolist() == again.picks.tolist()
    assert (one.lower, one.upper) == (again.lower, again.upper)
    assert (one.lower, one.upper) != (other.lower, other.upper)


def test_where_there_is_nothing_to_gain():
    network = adjacency(4, {(0, 1): 1.0, (0, 2): 1.0, (0, 3): 1.0})
    reached_anyway = opim(network, statuses(0, num_nodes=4), 2, 2)
    assert (reached_anyway.gains.tolist(), reached_anyway.under_way) == ([0, 0], 3)
    for status, days_left, budget in ((statuses(*range(4), num_nodes=4), 3, 2), (statuses(num_nodes=4), 0, 2)):
        assert len(opim(network, status, days_left, budget).picks) == 0
    assert len(opim(network, statuses(num_nodes=4), 3, 0).picks) == 0
    alone = opim(adjacency(3, {}), statuses(num_nodes=3), 3, 5)
    assert sorted(alone.picks.tolist()) == [0, 1, 2]


@pytest.mark.parametrize(("p", "reached"), [(0.0, 1), (1.0, 5)])
def test_probabilities_of_0_and_1_throughout(p, reached):
    """A path of five: a seed at its end reaches nobody else, or everybody within four days."""
    found = opim(adjacency(5, {(v, v + 1): p for v in range(4)}), statuses(num_nodes=5), 4, 1)
    assert found.gains == pytest.approx(reached, rel=0.05)
    assert found.lower <= reached <= found.upper
