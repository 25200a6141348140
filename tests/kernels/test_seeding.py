"""The seed-or-wait index and a day's seeds by hand."""

from math import inf, log, log1p

import numpy as np
import pytest
from spread_cases import adjacency, statuses

from lmta.kernels.mean_field import look_ahead
from lmta.kernels.seeding import CANDIDATES_FOR_A_SEED, SEED_OR_WAIT, Strategy, plan_day, seed_or_wait

NEVER_WAITS = Strategy(tilt=inf)


def star(center, leaves, p):
    return {(center, leaf): p for leaf in leaves}


def test_the_index_by_hand():
    expected = 1.8 + 1.6 * log(4) + 0.95 * log(5 / 10) - 0.9 * log(10) - 0.8 * log1p(2 / 4) - 3.5 * log(10 / 3) * 2 / 50
    assert seed_or_wait(4.0, 2.0, 50, 10, 5, SEED_OR_WAIT) == pytest.approx(expected)
    assert seed_or_wait(4.0, 2.0, 50, 1, 5, SEED_OR_WAIT) == inf
    assert seed_or_wait(400.0, 2.0, 50, 10, 5, SEED_OR_WAIT) == pytest.approx(
        seed_or_wait(50.0, 2.0, 50, 10, 5, SEED_OR_WAIT)
    )
    assert seed_or_wait(4.0, -1e-4, 50, 10, 5, SEED_OR_WAIT) == seed_or_wait(4.0, 0.0, 50, 10, 5, SEED_OR_WAIT)


def test_seeds_come_by_falling_gain_beside_those_that_are_set():
    """Two stars that share a leaf: the larger first, then what the other adds, then a node by itself."""
    network = adjacency(8, star(0, (2, 3, 4, 5), 0.5) | star(1, (5, 6, 7), 0.5))
    picks, values = plan_day(network, statuses(num_nodes=8), 1, 9, 3, NEVER_WAITS)
    # 5 is missed by 0 with 1/2, and counts the rest. Then 6 is missed by 1 with 1/2; so are 2, 3, 4 by 0: the first.
    assert picks.tolist() == [0, 1, 2]
    np.testing.assert_allclose(values, [3, 1 + 1 + 0.25, 0.5])


def test_a_node_that_the_cascade_may_reach_waits():
    """5 adds 1/2 · (1 + 9/2) = 2.75 to a cascade that hits it with 1/2, and 6 adds 2.4.

    With nine days to come half of half of 2.75 is taken off; with none there is nothing to wait for.
    """
    network = adjacency(18, {(4, 5): 0.5, (6, 7): 1.0, (6, 8): 0.4} | star(5, range(9, 18), 1.0))
    status = statuses(4, num_nodes=18)
    assert plan_day(network, status, 10, 1, 1, NEVER_WAITS)[0].tolist() == [6]
    patient_about_nothing = Strategy(tilt=inf, days_to_spare=inf)
    assert plan_day(network, status, 10, 1, 1, patient_about_nothing)[0].tolist() == [5]
    assert plan_day(network, status, 1, 1, 1, NEVER_WAITS)[0].tolist() == [5]


def test_the_day_ends_where_the_index_says_so():
    """With a tilt just above the index the first seed is set, just below it none is."""
    network = adjacency(30, star(0, range(1, 20), 0.2))
    status = statuses(num_nodes=30)
    index = seed_or_wait(look_ahead(network, status, 20).gain.max(), 0.0, 30, 20, 2, SEED_OR_WAIT)
    assert index < 0
    assert len(plan_day(network, status, 20, 2, 2, Strategy())[0]) == 0
    assert plan_day(network, status, 20, 2, 1, Strategy(tilt=1e-4 - index))[0].tolist() == [0]
    assert len(plan_day(network, status, 20, 2, 2, Strategy(tilt=-1e-4 - index))[0]) == 0


@pytest.mark.parametrize(("days_left", "budget_left", "budget"), [(0, 3, 3), (3, 0, 3), (3, 3, 0)])
def test_nobody_is_seeded_without_days_or_budget(days_left, budget_left, budget):
    network = adjacency(4, star(0, (1, 2), 0.5))
    assert len(plan_day(network, statuses(num_nodes=4), days_left, budget_left, budget, NEVER_WAITS)[0]) == 0


def test_all_inactive_nodes_and_no_more():
    network = adjacency(5, star(0, (1, 2), 0.5))
    picks, _ = plan_day(network, statuses(1, num_nodes=5, removed=(4,)), 3, 50, 50, NEVER_WAITS)
    assert sorted(picks.tolist()) == [0, 2, 3]
    assert len(plan_day(network, statuses(*range(5), num_nodes=5), 3, 50, 50, NEVER_WAITS)[0]) == 0


def test_seeds_of_one_look_are_no_neighbours():
    """Fifteen pairs of stars whose centres are joined: of each pair one is seeded at the first look, however good."""
    pairs = 15
    edges = {}
    for i in range(pairs):
        one, other = 2 * i, 2 * i + 1
        edges |= star(one, range(100 + 40 * i, 120 + 40 * i), 0.5) | star(other, range(120 + 40 * i, 140 + 40 * i), 0.5)
        edges[(one, other) if i % 2 else (other, one)] = 1 / 64
    network = adjacency(1_500, edges)
    most = 1_500 // 500 * CANDIDATES_FOR_A_SEED
    picks, values = plan_day(network, statuses(num_nodes=1_500), 3, 15, 15, NEVER_WAITS)
    # Three at a look; whoever has the edge to the other one adds 1/64 of its star, 11, more than 11.
    assert sorted(picks[:3].tolist()) == [0 + 1, 2, 5]
    assert len(set(picks.tolist())) == 15
    assert most == 9
    np.testing.assert_allclose(values[:3], 11 + 11 / 64)


def test_the_state_is_left_as_it_is():
    network = adjacency(4, star(0, (1, 2), 0.5))
    status = statuses(num_nodes=4)
    plan_day(network, status, 3, 2, 2, NEVER_WAITS)
    assert not status.any()
