"""Days of routes: what a day earns, which routes are proposed, and that the same seed gives the same day."""

import math

import numpy as np
import pytest

from lmta.kernels.route_days import Foresight, plan_day, propose, weigh
from lmta.kernels.route_rules import Rules, Today, considered, reward_of_day
from lmta.kernels.route_task import survey

RULES = Rules(days=3, limit=0.8, penalty=5.0, crowding=0.1, drift=0.1, floor=0.3)
FORESIGHT = Foresight(
    np.array([0.0, 0.5, 2.0]), destinations=4, price=0.5, iterations=20, days_ahead=2, futures=4, rounds=2
)


def random_day(seed, count=30, day=0):
    rng = np.random.default_rng(seed)
    available = rng.random(count) < 0.8
    position = int(rng.integers(count))
    available[[0, position]] = False
    today = Today(rng.uniform(0.3, 1.0, count), available, position, day, budget_left=9)
    return rng.random((count, 2)), today


def test_what_a_day_earns():
    """Profits of 0.9 and 0.8 on a way of 0.5, less 0.1 for the second visit; back home it is 0.5 more, 0.2 too much."""
    ground = survey(np.array([[0.0, 0.0], [0.3, 0.0], [0.3, 0.4], [0.5, 0.0]]))
    profit, route = np.array([0.0, 0.0, 0.9, 0.8]), np.array([1, 3, 2])
    length = 0.2 + math.hypot(0.2, 0.4)
    assert reward_of_day(ground, RULES, profit, 0, route, 2) == pytest.approx(1.6)
    assert reward_of_day(ground, RULES, profit, 2, route, 2) == pytest.approx(1.6 - 5 * (length + 0.5 - 0.8))
    assert reward_of_day(ground, RULES, profit, 2, route, 0) == 0.0


@pytest.mark.parametrize("day", [0, 2])
def test_proposals_differ_keep_to_the_rules_and_earn_what_they_say(day):
    for seed in range(10):
        xy, today = random_day(seed, day=day)
        ground = survey(xy)
        proposals = propose(ground, RULES, today, 4, FORESIGHT, seed)
        count = int(proposals.number[0])
        routes = [tuple(proposals.cities[n, : proposals.visits[n]].tolist()) for n in range(count)]
        assert len(set(routes)) == count > 1
        for route, promise in zip(routes, proposals.promise, strict=False):
            stops = [today.position, *route]
            length = sum(math.dist(xy[a], xy[b]) for a, b in zip(stops, route, strict=False))
            assert len(set(route)) == len(route) <= 4
            assert all(today.available[city] for city in route)
            assert length <= RULES.limit
            assert promise == reward_of_day(ground, RULES, today.profit, day, np.array(stops), len(route))


def test_the_best_for_today_is_taken_where_there_is_no_later_day():
    xy, today = random_day(1, day=2)
    proposals = propose(survey(xy), RULES, today, 4, FORESIGHT, 0)
    best = np.argmax(proposals.promise[: proposals.number[0]])
    planned = plan_day(survey(xy), RULES, today, 4, FORESIGHT, 0)
    assert planned.tolist() == proposals.cities[best, : proposals.visits[best]].tolist()


def test_of_many_cities_the_most_profitable_are_considered():
    profit = np.random.default_rng(0).uniform(0.3, 1.0, 300)
    today = Today(profit, np.arange(300) % 2 == 0, 1, 0, budget_left=45)
    kept = np.flatnonzero(considered(today).available)
    assert sorted(kept.tolist()) == sorted(np.flatnonzero(today.available)[np.argsort(-profit[::2])[:135]].tolist())
    assert considered(today._replace(budget_left=9)).available.sum() == 120
    alike = today._replace(profit=np.ones(300), budget_left=9)
    assert (considered(alike).available == today.available).all()
    assert (considered(today._replace(budget_left=50)).available == today.available).all()


def routes_of(proposals):
    return [tuple(proposals.cities[n, : proposals.visits[n]].tolist()) for n in range(proposals.number[0])]


def test_proposals_come_in_the_order_of_what_they_promise():
    """If profits stand still all futures are the same, so those that were dropped early promise no more."""
    still = RULES._replace(drift=0.0)
    for seed in range(5):
        xy, today = random_day(seed)
        proposals, unsorted = (f(survey(xy), still, today, 4, FORESIGHT, seed) for f in (weigh, propose))
        count = int(proposals.number[0])
        assert sorted(routes_of(proposals)) == sorted(routes_of(unsorted))
        assert (np.diff(proposals.promise[:count]) <= 1e-12).all()
        assert plan_day(survey(xy), still, today, 4, FORESIGHT, seed).tolist() == list(routes_of(proposals)[0])
        now = dict(zip(routes_of(unsorted), unsorted.promise, strict=False))
        for route, promise, earned in zip(routes_of(proposals), proposals.promise, proposals.earned, strict=False):
            assert earned[0] == now[route] < promise


def test_the_better_half_meets_more_futures():
    """4 futures for all, 8 more for the better half, whose promises are means over 12."""
    xy, today = random_day(4)
    proposals = weigh(survey(xy), RULES, today, 4, FORESIGHT, 0)
    count = int(proposals.number[0])
    later = proposals.promise[:count] - proposals.earned[:count, 0]
    half = (count + 1) // 2
    np.testing.assert_allclose(proposals.earned[:half, 1] / later[:half], 12)
    np.testing.assert_allclose(proposals.earned[half:count, 1] / later[half:], 4)
    assert (np.diff(proposals.promise[:half]) <= 0).all()


def test_the_same_seed_plans_the_same_day_and_changes_nothing():
    xy, today = random_day(2)
    profit, available = today.profit.copy(), today.available.copy()
    first, again = (plan_day(survey(xy), RULES, today, 4, FORESIGHT, 5).tolist() for _ in range(2))
    assert first == again
    assert (today.profit == profit).all()
    assert (today.available == available).all()


def test_without_budget_or_cities_in_reach_the_day_is_empty():
    xy, today = random_day(3)
    assert plan_day(survey(xy), RULES, today, 0, FORESIGHT, 0).tolist() == []
    far = xy.copy()
    far[today.position] = 9.0
    assert plan_day(survey(far), RULES, today, 4, FORESIGHT, 0).tolist() == []
