"""Seed now or wait by Tong et al., by hand on networks without chance."""

import numpy as np
import pytest
from spread_cases import adjacency, statuses

from lmta.kernels.live_edge import add_seed, draw_worlds, follow_cascade
from lmta.kernels.tong import index, num_worth_seeding

# 0 reaches 1, 2, 3 in one step and 4 in two; 5 reaches 2 and 3 as well, and 6, which nobody else does.
EDGES = {(0, 1): 1.0, (0, 2): 1.0, (0, 3): 1.0, (3, 4): 1.0, (5, 2): 1.0, (5, 3): 1.0, (5, 6): 1.0}
NETWORK = adjacency(8, EDGES)
LIVE = draw_worlds(NETWORK, 1, 0)


def test_the_index_by_hand():
    status = statuses(num_nodes=8)
    reach = follow_cascade(NETWORK, LIVE, status, 2)
    # Alone 5 gains itself, 2, 3, 6, and 4 in two days: 5; with one day less 4. So M_t = 1/5, and M_a = 1.
    assert index(NETWORK, LIVE, reach, 5, 5.0, 2) == pytest.approx(0.5 * 1 + 0.5 * 1 / 5)
    add_seed(NETWORK, LIVE, reach, 0)
    # Beside 0 it keeps itself and 6: M_a = 2/5. What 0 reaches is gone, so a day less costs nothing: M_t = 0.
    assert index(NETWORK, LIVE, reach, 5, 5.0, 2) == pytest.approx(0.5 * 2 / 5)
    # What 0 reaches anyway keeps nothing and gains nothing later.
    assert index(NETWORK, LIVE, reach, 4, 1.0, 2) == 0


def test_the_day_ends_at_the_first_seed_that_had_better_wait():
    status, order = statuses(num_nodes=8), np.array([0, 5, 7, 6])
    # With three days left the weight of M_a is 2/3: 5 has 2/3 · 2/5 = 0.27; 7 keeps all of itself.
    assert num_worth_seeding(NETWORK, LIVE, status, 3, order, threshold=0.3) == 1
    assert num_worth_seeding(NETWORK, LIVE, status, 3, order, threshold=0.25) == 3
    assert num_worth_seeding(NETWORK, LIVE, status, 3, order[:0]) == 0


def test_on_the_last_day_waiting_costs_all():
    """M_t is 1 for whoever adds something, and M_a has no weight."""
    status = statuses(num_nodes=8)
    assert num_worth_seeding(NETWORK, LIVE, status, 1, np.array([0, 5, 7])) == 3
    assert num_worth_seeding(NETWORK, LIVE, status, 1, np.array([0, 5, 6, 7])) == 2


@pytest.mark.parametrize("p", [0.0, 1.0])
def test_probabilities_of_0_and_1_throughout(p):
    """Nobody reaches anybody: all keep their gain. The first of a path reaches all: the others keep nothing."""
    network = adjacency(5, {(v, v + 1): p for v in range(4)})
    live = draw_worlds(network, 1, 0)
    assert num_worth_seeding(network, live, statuses(num_nodes=5), 4, np.arange(3)) == (1 if p else 3)
