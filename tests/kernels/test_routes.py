"""Routes: 2-opt shortens to a local optimum, insertion takes what pays and stays within the rules."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from lmta.kernels.route_task import make_task, survey
from lmta.kernels.routes import SLACK, insertion_route, make_room, two_opt

LIMIT, PENALTY, CROWDING = 1.5, 5.0, 0.1


def length_of(xy, stops, end=-1):
    stops = [*stops, end] if end >= 0 else stops
    return sum(math.dist(xy[a], xy[b]) for a, b in itertools.pairwise(stops))


def reward_of(xy, profit, position, route, end=-1):
    """The day's reward by the rules: profits, crowding, and the price of the length over the limit."""
    if not route:
        return 0.0
    length = length_of(xy, [position, *route], end)
    crowding = CROWDING * (len(route) - 1) ** 2
    return sum(profit[c] for c in route) - crowding - PENALTY * max(0.0, length - LIMIT)


def insertion(xy, profit, *, available=None, position=0, end=-1, budget=100, limit=LIMIT, price=0.0, through=-1):
    xy, profit = np.array(xy, float), np.array(profit, float)
    free = np.arange(len(xy)) != position if available is None else np.array(available)
    room = make_room(len(xy), budget)
    task = make_task(
        profit,
        limit - SLACK,
        start=position,
        end=end,
        available=free,
        visits=budget,
        penalty=PENALTY,
        crowding=CROWDING,
        length_price=price,
        through=through,
    )
    visits = insertion_route(survey(xy), task, room)
    return room.route[1 : visits + 1].tolist()


def untied(xy, route, end):
    route = np.array(route)
    two_opt(survey(np.array(xy, float)), route, len(route) - 1, end)
    return route.tolist()


coordinate = st.floats(0, 1, allow_subnormal=False)
points = st.lists(st.tuples(coordinate, coordinate), min_size=2, max_size=8)


def test_two_opt_unties_a_crossing():
    """A unit square visited corner, opposite corner, …: the open route has length 1 + 2√2, untied it has 3."""
    xy = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
    open_route = untied(xy, [0, 2, 1, 3], -1)
    assert length_of(xy, open_route) == pytest.approx(3)
    closed = untied(xy, [0, 2, 1, 3], 0)
    assert length_of(xy, closed, 0) == pytest.approx(4)


def test_two_opt_looks_at_where_the_route_has_to_end():
    """From 0 through 0.1 and 0.9: to go home to 0.1 afterwards, the far city comes first."""
    xy = np.array([[0.5, 0.0], [0.45, 0.0], [0.9, 0.0], [0.0, 0.0]])
    assert untied(xy, [0, 2, 1], -1) == [0, 1, 2]
    assert untied(xy, [0, 1, 2], 3) == [0, 2, 1]


@settings(max_examples=300, deadline=None)
@given(points, st.randoms(use_true_random=False), st.booleans())
def test_two_opt_reaches_a_local_optimum(xy, random, to_fixed_end):
    order = list(range(len(xy)))
    random.shuffle(order)
    end = random.randrange(len(xy)) if to_fixed_end else -1
    found = untied(xy, order, end)
    assert found[0] == order[0]
    assert sorted(found) == sorted(order)
    length = length_of(xy, found, end)
    assert length <= length_of(xy, order, end) + 1e-9
    for i, j in itertools.combinations(range(1, len(found)), 2):
        turned = found[:i] + found[i : j + 1][::-1] + found[j + 1 :]
        assert length_of(xy, turned, end) >= length - 1e-9


def test_cities_are_put_where_they_lie():
    """On a line, whatever the order of profits, the route goes straight on."""
    xy = [(0, 0), (0.9, 0), (0.3, 0), (0.6, 0)]
    for profit in itertools.permutations([0.9, 0.8, 0.7]):
        assert insertion(xy, [0, *profit]) == [2, 3, 1]


def test_stops_when_the_next_visit_does_not_pay():
    """The visits cost 0, 0.1, 0.3, 0.5, 0.7 more each: 0.7 pays for the fourth, 0.6 does not for the fifth."""
    xy = [(0.0, 0.0)] * 7
    assert sorted(insertion(xy, [0, 1.0, 0.9, 0.8, 0.7, 0.6, 0.6])) == [1, 2, 3, 4]
    assert sorted(insertion(xy, [0, 0.9, 1.0, 0.7, 0.71, 0.72, 0.6])) == [1, 2, 4, 5]
    assert sorted(insertion(xy, [0, 0.05, 0.02, 0, 0, 0, 0])) == [1]


@settings(max_examples=100, deadline=None)
@given(st.lists(st.integers(0, 100), min_size=2, max_size=6), st.integers(0, 7))
def test_where_all_cities_are_one_place_insertion_is_optimal(hundredths, budget):
    profit = [0.0] + [p / 100 for p in hundredths]
    xy = [(0.25, 0.5)] * len(profit)
    route = insertion(xy, profit, budget=budget)
    cities = range(1, len(profit))
    best = max(
        reward_of(xy, profit, 0, chosen)
        for size in range(min(budget, len(cities)) + 1)
        for chosen in itertools.combinations(cities, size)
    )
    assert reward_of(xy, profit, 0, route) == pytest.approx(best, abs=1e-9)


def test_a_city_out_of_the_day_s_length_is_passed_over():
    """The best two lie 1 east and 1 west: both are 3 long. The near third still fits behind the first."""
    xy = [(0, 0), (1, 0), (-1, 0), (1, 0.2)]
    assert insertion(xy, [0, 0.9, 0.8, 0.7]) == [1, 3]
    assert insertion(xy, [0, 0.9, 0.8, 0.7], limit=0.99) == []
    assert set(insertion(xy, [0, 0.9, 0.8, 0.7], limit=4.0)) == {1, 2, 3}


def test_the_day_s_length_is_used_up_to_the_slack():
    """The plan, in double precision, stays under the limit by more than single precision can be wrong."""
    for distance, expected in ((LIMIT - 2 * SLACK, [1]), (LIMIT - SLACK / 2, []), (LIMIT + SLACK / 2, [])):
        assert insertion([(0, 0), (distance, 0)], [0, 0.9]) == expected


def test_the_way_back_is_priced_on_the_last_day():
    """There and back is 1.6, so 0.1 too long: it costs 0.5 on the last day and nothing before."""
    xy = [(0, 0), (0.8, 0)]
    assert insertion(xy, [0, 0.45], end=-1) == [1]
    assert insertion(xy, [0, 0.45], end=0) == []
    assert insertion(xy, [0, 0.55], end=0) == [1]


def test_the_price_of_the_way_back_is_paid_once():
    """A second city at the same place adds nothing to the way, only 0.1 of crowding."""
    xy = [(0, 0), (0.8, 0), (0.8, 0)]
    assert sorted(insertion(xy, [0, 0.55, 0.2], end=0)) == [1, 2]
    assert insertion(xy, [0, 0.55, 0.09], end=0) == [1]
    assert insertion(xy, [0, 0.45, 0.2], end=0) == []


def test_the_way_back_goes_to_the_start_and_not_to_the_position():
    """From 1.0 a city at 0.5 is on the way home; one at 1.4 makes it 0.4 + 1.4, 0.3 too long, and costs 1.5."""
    xy = [(0, 0), (1, 0), (0.5, 0), (1.4, 0)]
    available = [False, False, True, True]
    assert insertion(xy, [0, 0, 0.4, 0.9], available=available, position=1, end=0) == [2]
    # Both before home: 0.4 + 0.9 + 0.5 = 1.8 again, so 1.6 has to cover 1.5; then 0.4 costs only its 0.1.
    assert insertion(xy, [0, 0, 0.4, 1.6], available=available, position=1, end=0) == [3, 2]
    # Not the last day: 0.5 + 0.9 = 1.4 either way round, or 0.4 + 0.9 = 1.3, which is shorter.
    assert insertion(xy, [0, 0, 0.4, 0.9], available=available, position=1, end=-1) == [3, 2]


@settings(max_examples=200, deadline=None)
@given(points, st.data())
def test_insertion_keeps_to_the_rules(xy, data):
    count = len(xy)
    assume(count > 2)
    profit = data.draw(st.lists(st.floats(0.0, 1.0), min_size=count, max_size=count), "profit")
    available = data.draw(st.lists(st.booleans(), min_size=count, max_size=count), "available")
    position = data.draw(st.integers(0, count - 1), "position")
    available[position] = False
    end = data.draw(st.sampled_from([-1, 0]), "end")
    budget = data.draw(st.integers(0, count), "budget")
    limit = data.draw(st.sampled_from([0.3, 0.8, LIMIT]), "limit")
    route = insertion(xy, profit, available=available, position=position, end=end, budget=budget, limit=limit)
    assert len(route) <= budget
    assert len(set(route)) == len(route)
    assert all(available[city] for city in route)
    assert length_of(xy, [position, *route]) <= limit - SLACK + 1e-9
    if limit == LIMIT:
        assert reward_of(xy, profit, position, route, end) >= -1e-9, "every city paid for itself when it joined"
        if not route and budget:
            single = [reward_of(xy, profit, position, [c], end) for c in range(count) if available[c]]
            reachable = [c for c in range(count) if available[c] and math.dist(xy[position], xy[c]) <= limit - SLACK]
            assert len(reachable) == len(single), "the unit square is within reach"
            assert all(reward <= 1e-9 for reward in single), "nothing is taken only where nothing pays"
