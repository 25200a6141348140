"""The node rules `rollout-insertion` and `rollout-routes`: several routes, judged over today and the next days."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from lmta.kernels.route_rules import task_of_day
from lmta.kernels.route_task import NOWHERE
from lmta.kernels.routes import insertion_route, make_room
from lmta.problems.orienteering.heuristics import on_host, today_of
from lmta.problems.orienteering.importer import Cities
from lmta.problems.orienteering.rollout_insertion import RolloutInsertion
from lmta.problems.orienteering.rollout_routes import FORESIGHT, RolloutRoutes
from lmta.problems.orienteering.rules import Orienteering, OrienteeringRules, make_instance

RULES = Orienteering()


def make_plan(rule):
    """(instance, state, budget) → cities and their values by a rule."""
    return lambda instance, state, budget: rule.plan(rule.prepare(instance), state, budget, 0)


both = pytest.mark.parametrize("plan", [make_plan(RolloutInsertion()), make_plan(RolloutRoutes())])


def at_price(instance, state, price, visits):
    """A route by insertion at a price of length."""
    prepared, today = on_host(instance), today_of(state)
    room = make_room(len(today.profit), visits)
    task = task_of_day(prepared.rules, *today[:4], visits, price, NOWHERE)
    return room.route[1 : insertion_route(prepared.ground, task, room) + 1].tolist()


def line(start: float, profits: dict[float, float], days: int, budget: int, **rules: float):
    """Cities on a line from 0 to 1 with their profits, the first state, and the places."""
    places = [start, *sorted({0.0, 1.0} - {start} | set(profits))]
    cities = Cities(tuple(range(len(places))), np.array([[x, 0.0] for x in places]), None)
    first = np.array([profits.get(x, 0.0) for x in places])
    instance = make_instance(cities, first, days, budget, OrienteeringRules(**rules))
    return instance, jax.jit(RULES.reset)(instance), places


def visited(planned, places):
    return [places[city] for city in planned[0]]


@both
def test_on_the_last_day_a_city_must_pay_for_the_way_back(plan):
    """A day without visits costs nothing, however far the start is; the city's 0.7 is less than the way back costs."""
    instance, state, places = line(0.0, {0.9: 0.7}, 1, 1, limit=0.6)
    far = eqx.tree_at(lambda s: s.position, state, jnp.int32(2))
    assert visited(plan(instance, far, 1), places) == []


@both
def test_values_of_a_route_are_the_profits_of_its_cities(plan):
    """The better city lies behind the other: the route is driven in another order than it was chosen in."""
    instance, state, places = line(0.0, {0.2: 0.7, 0.4: 0.9}, 2, 2)
    planned = plan(instance, state, 2)
    assert visited(planned, places) == [0.2, 0.4]
    np.testing.assert_allclose(planned[1], [0.7, 0.9])


def test_a_price_on_length_prefers_the_near():
    """A city of 0.9 lies 0.7 away and one of 0.8 lies 0.1 away: at a price of 0.5 the near one is worth more."""
    instance, state, places = line(0.0, {0.1: 0.8, 0.7: 0.9}, 2, 2)
    assert [places[at_price(instance, state, price, 1)[0]] for price in (0.0, 0.5)] == [0.7, 0.1]


@both
def test_a_day_is_planned_at_the_price_that_promises_most(plan):
    """The best city takes all of the day's length; the two near ones earn more together: 1.5 less 0.1 for crowding."""
    instance, state, places = line(0.5, {0.45: 0.7, 0.4: 0.8, 0.9: 0.9}, 1, 2, limit=0.41, penalty=0.0)
    assert sorted(visited(plan(instance, state, 2), places)) == [0.4, 0.45]


@both
def test_a_town_that_pays_only_together_is_found(plan):
    """At any price the city of 0.6 nearby is the first to join, and the town of three is out of reach then; the town
    earns 1.5 less 0.4 for crowding."""
    town = {0.85: 0.5, 0.87: 0.5, 0.9: 0.5}
    instance, state, places = line(0.5, {0.45: 0.6} | town, 1, 3, limit=0.42, penalty=0.0)
    for price in FORESIGHT.prices:
        assert [places[city] for city in at_price(instance, state, price, 3)] == [0.45]
    assert visited(plan(instance, state, 3), places) == list(town)


@both
def test_a_day_is_planned_with_tomorrow_in_mind(plan):
    """The city of 0.9 to the right is better than that of 0.8 to the left, but on the left another is in reach then."""
    near, left, right = {0.4: 0.8, 0.2: 0.7, 0.78: 0.9}, 0.4, 0.78
    for days, expected in ((1, right), (2, left)):
        instance, state, places = line(0.5, near, days, days, limit=0.29, penalty=0.0)
        assert visited(plan(instance, state, 1), places)[0] == expected
