"""The node rules `rollout-insertion` and `rollout-routes`: several routes, judged over today and the next days."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from lmta.problems.base import DayRecord, play_day
from lmta.problems.batch import make_batch, unstack
from lmta.problems.orienteering.heuristics import Insertion
from lmta.problems.orienteering.importer import Cities
from lmta.problems.orienteering.rollout_insertion import PRICES, plan_day
from lmta.problems.orienteering.rollout_routes import RolloutRoutes
from lmta.problems.orienteering.routes import ANYWHERE, plan_route
from lmta.problems.orienteering.rules import Orienteering, OrienteeringRules, make_instance
from lmta.problems.task import Task

RULES = Orienteering()
MOST = 6
jitted = jax.jit(plan_day, static_argnums=3)


def by_insertion(instance, state, budget):
    """Cities and their values by the rule `rollout-insertion`."""
    record = jitted(instance, state, jnp.int32(budget), 4)
    count = int(record.num_picks)
    assert (np.asarray(record.picks)[count:] == -1).all()
    return np.asarray(record.picks)[:count], np.asarray(record.values)[:count]


def by_routes(instance, state, budget):
    """The same by the rule `rollout-routes`."""
    rule = RolloutRoutes()
    return rule.plan(rule.prepare(instance), state, budget, 0)


both = pytest.mark.parametrize("plan", [by_insertion, by_routes])


def test_without_a_price_the_route_is_that_of_insertion():
    """Twelve maps, three days each; the last day counts the way back."""
    insertion = Insertion()
    task = Task.of("sop", nodes=25, days=3, budget=9, limit=0.8)
    batch = make_batch(RULES, task.instances(3, 12), 3)
    route = jax.jit(lambda i, s, b: plan_route(i, s, b, jnp.float32(0.0), ANYWHERE, MOST))

    @jax.jit
    def drive(instance, state, noise, cities, count):
        record = DayRecord(cities, jnp.zeros(MOST), count, jnp.zeros(()))
        return play_day(RULES, instance, state, noise, record)[0]

    states = [jax.jit(RULES.reset)(instance) for instance in batch.instances]
    noises = unstack(batch.noise)
    lengths = set()
    for day in range(3):
        for n, instance in enumerate(batch.instances):
            budget = min(2 + day, int(states[n].budget_left))
            expected, _ = insertion.plan(insertion.prepare(instance), states[n], budget, 0)
            cities, count = route(instance, states[n], jnp.int32(budget))
            got = np.asarray(cities)[: int(count)]
            np.testing.assert_array_equal(got, expected)
            states[n] = drive(instance, states[n], noises[n], cities, count)
            lengths.add(len(got))
    assert lengths >= {2, 3}


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
    first = jax.jit(lambda price: plan_route(instance, state, jnp.int32(1), price, ANYWHERE, 2)[0][0])
    assert [places[int(first(jnp.float32(price)))] for price in (0.0, 0.5)] == [0.7, 0.1]


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
    route = jax.jit(lambda price: plan_route(instance, state, jnp.int32(3), price, ANYWHERE, 4))
    for price in PRICES:
        first, count = route(jnp.float32(price))
        assert (places[int(first[0])], int(count)) == (0.45, 1)
    assert visited(plan(instance, state, 3), places) == list(town)


@both
def test_a_day_is_planned_with_tomorrow_in_mind(plan):
    """The city of 0.9 to the right is better than that of 0.8 to the left, but on the left another is in reach then."""
    near, left, right = {0.4: 0.8, 0.2: 0.7, 0.78: 0.9}, 0.4, 0.78
    for days, expected in ((1, right), (2, left)):
        instance, state, places = line(0.5, near, days, days, limit=0.29, penalty=0.0)
        assert visited(plan(instance, state, 1), places)[0] == expected
