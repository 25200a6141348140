"""Gains in sampled worlds: those of a plain search in each world, exact in the mean, and kept from seed to seed."""

from math import inf

import numpy as np
import pytest
from spread_cases import NINE_EDGES, adjacency, exact_gains, exact_reached, random_edges, statuses

from lmta.kernels.live_edge import (
    Reach,
    add_seed,
    draw_worlds,
    follow_cascade,
    marginal_gains,
    plan_day_in_worlds,
    words_for,
)
from lmta.kernels.seeding import Strategy

GREEDY = Strategy(tilt=inf, days_to_spare=inf)
"""All that the day may spend, by gain alone."""


def live_edges(network, live, world):
    """The live edges of one world as pairs."""
    bits = live[world // 64] >> np.uint64(world % 64) & np.uint64(1)
    pairs = []
    for i, u in enumerate(network.out_node):
        for e in range(network.out_start[i], network.out_start[i + 1]):
            if bits[e]:
                pairs.append((int(u), int(network.out_receiver[e])))
    return pairs


def reached(pairs, status, seeds, steps):
    """Who is influenced in one world, by a plain search; seeds count if they were inactive."""
    front = {v for v, s in enumerate(status) if s == 1} | set(seeds)
    inactive = {v for v, s in enumerate(status) if s == 0}
    found = set(seeds) & inactive
    for _ in range(steps):
        front = {v for u, v in pairs if u in front and v in inactive and v not in found}
        found |= front
    return found


@pytest.mark.parametrize("steps", [0, 1, 2, 4])
def test_gains_are_those_of_a_plain_search_in_every_world(steps):
    edges = random_edges(14, 50, 1)
    network, status = adjacency(14, edges), statuses(2, 9, num_nodes=14, removed=(5,))
    live = draw_worlds(network, 2, 3)
    reach = follow_cascade(network, live, status, steps)
    worlds = [live_edges(network, live, world) for world in range(128)]
    seeds = []
    for _ in range(3):
        before = [reached(pairs, status, seeds, steps) for pairs in worlds]
        for v in np.flatnonzero(status == 0):
            assert reach.num_worlds[v] == sum(v in found for found in before)
        candidates = [v for v in np.flatnonzero(status == 0) if v not in seeds]
        after = [np.mean([len(reached(pairs, status, [*seeds, v], steps)) for pairs in worlds]) for v in candidates]
        expected = np.array(after) - np.mean([len(found) for found in before])
        np.testing.assert_allclose(marginal_gains(network, live, reach, candidates), expected, atol=1e-9)
        seeds.append(int(candidates[np.argmax(expected)]))
        assert add_seed(network, live, reach, seeds[-1]) == pytest.approx(expected.max())


@pytest.mark.parametrize("nights", [1, 3])
def test_in_the_mean_gains_are_exact(nights):
    """19,200 worlds; the error of a mean is far below 0.06 nodes."""
    for edges, num_nodes in ((NINE_EDGES, 6), (random_edges(12, 16, 4), 12)):
        network, status = adjacency(num_nodes, edges), statuses(0, num_nodes=num_nodes)
        live = draw_worlds(network, 300, 5)
        reach = follow_cascade(network, live, status, nights)
        nodes = np.arange(1, num_nodes)
        exact = exact_reached(edges, status, (), nights)[1:]
        np.testing.assert_allclose(reach.num_worlds[1:] / 19_200, exact, atol=0.016)
        gains = exact_gains(edges, status, nights)[1:]
        np.testing.assert_allclose(marginal_gains(network, live, reach, nodes), gains, atol=0.06)


def test_edges_are_live_as_often_as_they_should_be():
    edges = {(0, v): p for v, p in enumerate((0.0, 0.001, 0.2, 0.5, 2 / 3, 0.999, 1.0), 1)}
    network = adjacency(8, edges)
    live = draw_worlds(network, 1_000, 1)
    share = np.unpackbits(live.view(np.uint8).reshape(1_000, 7, 8), axis=2).mean(axis=(0, 2))
    p = network.out_probability.astype(float)
    assert (abs(share - p) <= 4 * np.sqrt(p * (1 - p) / 64_000)).all()


def test_a_word_depends_on_seed_edge_and_number_alone():
    network = adjacency(14, random_edges(14, 50, 1))
    live = draw_worlds(network, 5, 3)
    np.testing.assert_array_equal(draw_worlds(network, 2, 3), live[:2])
    np.testing.assert_array_equal(draw_worlds(network, 2, 3, first=3), live[3:])
    assert (draw_worlds(network, 2, 4) != live[:2]).any()
    assert (live[0] != live[1]).any()


def test_threads_do_not_matter():
    network = adjacency(300, random_edges(300, 1_200, 2))
    live = draw_worlds(network, 6, 0)
    reach = follow_cascade(network, live, statuses(4, num_nodes=300), 5)
    nodes = np.arange(5, 300)
    one, three = (marginal_gains(network, live, reach, nodes, threads=n) for n in (1, 3))
    np.testing.assert_array_equal(one, three)


def plain_greedy(network, live, status, days_left, count):
    reach = follow_cascade(network, live, status, days_left)
    picks, values = [], []
    for _ in range(count):
        nodes = np.array([v for v in np.flatnonzero(status == 0) if v not in picks])
        gains = marginal_gains(network, live, reach, nodes)
        picks.append(int(nodes[np.argmax(gains)]))
        values.append(add_seed(network, live, reach, picks[-1]))
    return picks, values


def test_lazy_greedy_is_plain_greedy():
    for seed in range(4):
        network = adjacency(40, random_edges(40, 120, seed))
        status = statuses(1, num_nodes=40, removed=(3, 7))
        live = draw_worlds(network, 3, seed)
        picks, values = plan_day_in_worlds(network, live, status, 4, 9, 6, GREEDY)
        expected, gains = plain_greedy(network, live, status, 4, 6)
        assert picks.tolist() == expected
        np.testing.assert_allclose(values, gains, rtol=1e-5)
        assert (np.diff(values) <= 0).all()


def test_the_price_of_waiting_and_the_index_count_as_in_the_base_heuristic():
    """0 → 1 with 1/2 is under way, 1 would reach six for certain, 9 three; with nine days to come 1 waits."""
    edges = {(0, 1): 0.5} | {(1, v): 1.0 for v in range(2, 8)} | {(9, v): 1.0 for v in (10, 11)}
    network, status = adjacency(40, edges), statuses(0, num_nodes=40)
    live = draw_worlds(network, 8, 1)
    assert plan_day_in_worlds(network, live, status, 1, 1, 1, GREEDY)[0].tolist() == [1]
    assert plan_day_in_worlds(network, live, status, 10, 1, 1, GREEDY)[0].tolist() == [1]
    assert plan_day_in_worlds(network, live, status, 10, 1, 1, Strategy(tilt=inf))[0].tolist() == [9]
    assert len(plan_day_in_worlds(network, live, status, 10, 1, 1, Strategy(tilt=-9.0))[0]) == 0


@pytest.mark.parametrize(("days_left", "budget_left", "budget"), [(0, 2, 2), (3, 0, 2), (3, 2, 0)])
def test_nobody_is_seeded_without_days_or_budget(days_left, budget_left, budget):
    network = adjacency(6, NINE_EDGES)
    live = draw_worlds(network, 1, 0)
    status = statuses(num_nodes=6)
    assert len(plan_day_in_worlds(network, live, status, days_left, budget_left, budget, GREEDY)[0]) == 0


def test_everybody_who_is_inactive_and_no_more():
    network = adjacency(6, NINE_EDGES)
    live = draw_worlds(network, 1, 0)
    picks, _ = plan_day_in_worlds(network, live, statuses(1, num_nodes=6, removed=(2,)), 3, 9, 9, GREEDY)
    assert sorted(picks.tolist()) == [0, 3, 4, 5]


def test_a_search_leaves_the_reach_as_it_was():
    network = adjacency(14, random_edges(14, 50, 1))
    live = draw_worlds(network, 2, 3)
    reach = follow_cascade(network, live, statuses(2, num_nodes=14), 3)
    before = Reach(reach.within.copy(), reach.num_worlds.copy())
    marginal_gains(network, live, reach, np.arange(3, 14))
    np.testing.assert_array_equal(reach.within, before.within)
    np.testing.assert_array_equal(reach.num_worlds, before.num_worlds)


def test_small_networks_get_more_worlds():
    assert words_for(10) > words_for(500) > words_for(5_000) == words_for(50_000)


@pytest.mark.parametrize(("p", "reached"), [(0.0, 1), (1.0, 5)])
def test_probabilities_of_0_and_1_throughout(p, reached):
    """A path of five: a seed at its end reaches nobody else, or everybody within four days."""
    network = adjacency(5, {(v, v + 1): p for v in range(4)})
    live = draw_worlds(network, 2, 0)
    picks, values = plan_day_in_worlds(network, live, statuses(num_nodes=5), 4, 1, 1, GREEDY)
    assert (picks.tolist(), values.tolist()) == ([0], [reached])


def test_a_network_without_edges():
    network = adjacency(4, {})
    picks, values = plan_day_in_worlds(network, draw_worlds(network, 1, 0), statuses(num_nodes=4), 3, 2, 2, GREEDY)
    assert (picks.tolist(), values.tolist()) == ([0, 1], [1, 1])
