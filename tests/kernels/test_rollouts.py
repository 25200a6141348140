"""Rollouts: the same worlds for all, in any number of threads, and the heuristic's own days in each."""

import numpy as np
from spread_cases import adjacency, exact_reached, random_edges, statuses

from lmta.kernels.cascade import end_day, flip_coins
from lmta.kernels.rollouts import roll_out, rollout_rewards
from lmta.kernels.seeding import Strategy, plan_day
from lmta.kernels.threads import AT_ONCE

EDGES = random_edges(40, 160, 0)
NETWORK = adjacency(40, EDGES)
STATUS = statuses(3, 8, num_nodes=40, removed=(1, 2))
PICKS = np.array([[5, 6, 7], [5, 9, 0], [0, 0, 0]])
NUM_PICKS = np.array([3, 2, 0])


def rewards(worlds=range(50), seed=1, picks=PICKS, num_picks=NUM_PICKS, days_left=6, **others):
    return rollout_rewards(NETWORK, STATUS, days_left, 7, picks, num_picks, worlds=worlds, seed=seed, **others)


def by_hand(picks, world, seed, strategy):
    """One rollout day by day, by the functions that decide and end a day."""
    fires = np.empty(NETWORK.num_edges, bool)
    flip_coins(NETWORK, seed, world, fires)
    status, left, earned = STATUS.copy(), 7, []
    for day in range(6):
        if day > 0:
            picks, _ = plan_day(NETWORK, status, 6 - day, left, left, strategy)
        status[np.asarray(picks, int)] = 1
        left -= len(picks)
        earned.append(len(picks) + end_day(NETWORK, status, fires, np.empty(40, np.uint32)))
    return earned


def test_a_rollout_is_the_heuristic_played_day_by_day():
    for strategy in (Strategy(), Strategy(tilt=-1.0, days_to_spare=1.0, hops=2)):
        found = rewards(worlds=range(20, 30), strategy=strategy)
        for c, count in enumerate(NUM_PICKS):
            for w in range(10):
                assert found[c, w].tolist() == by_hand(PICKS[c, :count], 20 + w, 1, strategy)


def test_worlds_do_not_depend_on_threads_chunks_or_other_candidates():
    expected = rewards()
    assert expected.shape == (3, 50, 6)
    np.testing.assert_array_equal(rewards(threads=1), expected)
    np.testing.assert_array_equal(rewards(threads=3), expected)
    np.testing.assert_array_equal(rewards(worlds=range(13, 50)), expected[:, 13:])
    np.testing.assert_array_equal(rewards(picks=PICKS[1:2], num_picks=NUM_PICKS[1:2]), expected[1:2])
    assert len(expected[0]) > 2 * AT_ONCE
    assert (rewards(seed=2) != expected).any()
    assert (expected[0] != expected[1]).any()


def test_without_budget_for_later_days_the_mean_is_the_exact_spread():
    edges = random_edges(10, 16, 3)
    network, status = adjacency(10, edges), statuses(4, num_nodes=10, removed=(7,))
    found = rollout_rewards(network, status, 3, 2, np.array([[0, 5]]), np.array([2]), worlds=range(20_000), seed=5)
    returns = found[0].sum(-1)
    exact = exact_reached(edges, status, (0, 5), 3).sum()
    assert abs(returns.mean() - exact) < 4 * returns.std() / np.sqrt(len(returns))


def test_a_state_stays_as_it_is_and_no_days_earn_nothing():
    before = STATUS.copy()
    assert rewards(days_left=0).shape == (3, 50, 0)
    np.testing.assert_array_equal(STATUS, before)


def test_what_is_owed_to_chance_has_mean_0_and_makes_returns_steadier():
    sparse = adjacency(40, random_edges(40, 60, 2))
    for network, share in ((NETWORK, 0.0), (sparse, 0.6)):
        given = (network, STATUS, 6, 7, PICKS, NUM_PICKS)
        played = roll_out(*given, worlds=range(4000), seed=1, weigh_chance=True)
        np.testing.assert_array_equal(played.rewards, rollout_rewards(*given, worlds=range(4000), seed=1))
        assert (np.abs(played.by_chance.mean(1)) < 4 * played.by_chance.std(1) / 4000**0.5).all()
        for of_chance, earned in zip(played.by_chance, played.rewards.sum(-1), strict=True):
            assert np.corrcoef(of_chance, earned)[0, 1] ** 2 > share


def test_one_night_of_chance_is_hits_less_their_expectation():
    network, status = adjacency(4, {(0, 1): 0.5, (0, 2): 0.25, (3, 2): 0.5}), statuses(0, 3, num_nodes=4)
    played = roll_out(network, status, 1, 0, np.zeros((1, 1)), np.zeros(1), worlds=range(60), seed=0, weigh_chance=True)
    expected = 0.5 + (1 - 0.75 * 0.5)
    np.testing.assert_allclose(played.by_chance[0], played.rewards[0, :, 0] - expected, rtol=1e-6)
    assert set(played.rewards[0, :, 0].tolist()) == {0, 1, 2}
