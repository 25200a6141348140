"""A look ahead is exact on trees, and counts a walk twice where two ways meet."""

import numpy as np
import pytest
from spread_cases import adjacency, exact_gains, exact_reached, statuses

from lmta.kernels.mean_field import look_again, look_ahead, make_outlook

TREE = {(0, 1): 0.5, (0, 2): 0.25, (1, 3): 0.5, (1, 4): 1.0, (2, 5): 0.75, (5, 6): 0.5, (5, 7): 0.0}
BOTH_WAYS = TREE | {(v, u): 0.5 for u, v in TREE}


@pytest.mark.parametrize("edges", [TREE, BOTH_WAYS])
@pytest.mark.parametrize("nights", [1, 2, 3, 5])
def test_gains_on_a_tree_are_exact_when_nothing_is_under_way(edges, nights):
    status = statuses(num_nodes=8, removed=(4,))
    ahead = look_ahead(adjacency(8, edges), status, nights)
    np.testing.assert_allclose(ahead.gain, exact_gains(edges, status, nights), rtol=1e-6)
    np.testing.assert_array_equal(ahead.untouched, status == 0)


@pytest.mark.parametrize("nights", [1, 2, 4])
def test_who_stays_out_of_a_cascade_on_a_tree_is_exact(nights):
    status = statuses(0, num_nodes=8)
    ahead = look_ahead(adjacency(8, TREE), status, nights)
    np.testing.assert_allclose(ahead.untouched[1:], 1 - exact_reached(TREE, status, (), nights)[1:], rtol=1e-6)
    assert ahead.untouched[0] == ahead.gain[0] == 0


def test_by_hand():
    """0 → 1 → 2, and 3 → 1 is active: 1 is hit with 1/2, and then 2 with 1/4 of what is left."""
    network = adjacency(4, {(0, 1): 0.5, (1, 2): 0.25, (3, 1): 0.5})
    ahead = look_ahead(network, statuses(3, num_nodes=4), 2)
    np.testing.assert_allclose(ahead.untouched, [1, 0.5, 0.875, 0])
    # 1: 1/2 · (1 + 1/4 · 7/8); 0: 1 + 1/2 · that; one day less and 0 sees no further than 1.
    np.testing.assert_allclose(ahead.gain, [1 + 0.5 * 0.5 * 1.21875, 0.5 * 1.21875, 0.875, 0])
    last_day = look_ahead(network, statuses(3, num_nodes=4), 1)
    np.testing.assert_allclose(last_day.gain, [1.25, 0.5 * 1.25, 1, 0])


def test_where_two_ways_meet_walks_are_counted():
    """0 reaches 3 by 1 and by 2, with certainty: four nodes, of which mean field counts one twice."""
    network = adjacency(4, {(0, 1): 1.0, (0, 2): 1.0, (1, 3): 1.0, (2, 3): 1.0})
    assert look_ahead(network, statuses(num_nodes=4), 3).gain[0] == 5


def test_room_of_an_earlier_look_does_not_matter():
    network = adjacency(8, BOTH_WAYS)
    used = make_outlook(network)
    for status in (statuses(0, 5, num_nodes=8), statuses(1, num_nodes=8, removed=(0,)), statuses(num_nodes=8)):
        for hops in (4, 1, 3):
            fresh = look_ahead(network, status, 10, hops)
            look_again(network, status, hops, used)
            np.testing.assert_array_equal(used.untouched, fresh.untouched)
            np.testing.assert_array_equal(used.gain, fresh.gain)


def test_no_edges():
    ahead = look_ahead(adjacency(3, {}), statuses(1, num_nodes=3, removed=(2,)), 5)
    assert ahead.gain.tolist() == ahead.untouched.tolist() == [1, 0, 0]
