"""The rules of orienteering on maps small enough to follow by hand."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.spatial.distance import pdist

from lmta.problems.orienteering.generators import GENERATORS
from lmta.problems.orienteering.importer import load_cities
from lmta.problems.orienteering.rules import (
    Orienteering,
    OrienteeringNoise,
    OrienteeringRules,
    largest_distance,
    make_instance,
)

RULES = Orienteering()


def line(days=2, budget=4, **rules):
    """Cities at 0, 0.5, 1, 2 and 4 on a line: in units of the largest distance 0, 1/8, 1/4, 1/2 and 1."""
    cities = load_cities([(0, 0, 0), (0.5, 0, 0.6), (1, 0, 0.7), (2, 0, 0.8), (4, 0, 0.9)])
    assert cities.profit is not None
    return make_instance(cities, cities.profit, days, budget, OrienteeringRules(**rules))


def visit(instance, state, *cities):
    for city in cities:
        state = RULES.pick(instance, state, jnp.int32(city))
    return state


def still(instance, days=2):
    return OrienteeringNoise(jnp.zeros((days, instance.profit.shape[0])))


def test_a_day_by_hand():
    """1 and 3: 0.6 + 0.8, one more visit costs 0.1; the way is 1/2."""
    instance = line()
    state = visit(instance, RULES.reset(instance), 1, 3)
    assert float(state.length) == pytest.approx(0.5)
    state, reward = RULES.end_day(instance, state, still(instance))
    assert float(reward) == pytest.approx(1.4 - 0.1)
    assert int(state.position) == 3
    assert float(state.length) == 0
    assert int(state.budget_left) == 2


def test_crowding_grows_with_the_square():
    instance = line(budget=4, limit=2.0)
    state = visit(instance, RULES.reset(instance), 1, 2, 3, 4)
    assert float(RULES.forecast(instance, state)) == pytest.approx(0.6 + 0.7 + 0.8 + 0.9 - 0.1 * 9)


def test_the_way_back_counts_on_the_last_day_only():
    """To 4 and back is 2, half over the limit of 1.5: 5 · 0.5 off."""
    instance = line()
    first = visit(instance, RULES.reset(instance), 4)
    assert float(RULES.forecast(instance, first)) == pytest.approx(0.9)
    last, _ = RULES.end_day(instance, RULES.reset(instance), still(instance))
    last = visit(instance, last, 4)
    assert float(RULES.forecast(instance, last)) == pytest.approx(0.9 - 5 * 0.5)
    assert float(RULES.gains(instance, RULES.reset(instance))[4]) == pytest.approx(0.9)
    following, _ = RULES.end_day(instance, RULES.reset(instance), still(instance))
    assert float(RULES.gains(instance, following)[4]) == pytest.approx(0.9 - 5 * 0.5)


def test_a_day_without_a_visit_is_free_even_far_from_home():
    instance = line()
    state, _ = RULES.end_day(instance, visit(instance, RULES.reset(instance), 4), still(instance))
    _, reward = RULES.end_day(instance, state, still(instance))
    assert float(reward) == 0


def test_legal_is_what_can_be_reached_today():
    """With a limit of 0.6, after 3 (at 1/2) only 0.1 is left: nothing is near enough."""
    instance = line(limit=0.6)
    state = RULES.reset(instance)
    assert RULES.legal(instance, state).tolist() == [False, True, True, True, False]
    state = visit(instance, state, 3)
    assert not RULES.legal(instance, state).any()
    following, _ = RULES.end_day(instance, state, still(instance))
    assert RULES.legal(instance, following).tolist() == [False, True, True, False, True]


def test_profits_drift_and_stop_at_the_floor():
    instance = line(drift=0.2, floor=0.5)
    moves = jnp.array([[0.0, -1.0, 0.5, 1.0, -1.0], [0.0, 0.0, 0.0, 0.0, 0.0]])
    state = visit(instance, RULES.reset(instance), 4)
    state, _ = RULES.end_day(instance, state, OrienteeringNoise(moves))
    np.testing.assert_allclose(state.profit, [0, 0.5, 0.8, 1.0, 0], atol=1e-6)


def test_noise_is_uniform_and_differs_by_day():
    """10,000 moves: mean 0 and variance 1/3 within 4 standard errors."""
    cities = GENERATORS["uniform"](1_000, np.random.default_rng(0))
    assert cities.profit is not None
    instance = make_instance(cities, cities.profit, 10, 5, OrienteeringRules())
    moves = np.asarray(RULES.draw_noise(instance, 10, jax.random.key(3)).moves)
    assert moves.shape == (10, 1_000)
    assert abs(moves.mean()) < 4 * np.sqrt(1 / 3 / moves.size)
    assert abs((moves**2).mean() - 1 / 3) < 4 * np.sqrt(4 / 45 / moves.size)
    assert len({tuple(day[:3].tolist()) for day in moves}) == 10


@pytest.mark.parametrize("name", GENERATORS)
def test_generated_cities_have_diameter_one_once_scaled(name):
    cities = GENERATORS[name](60, np.random.default_rng(2))
    assert cities.profit is not None
    assert cities.profit[0] == 0
    assert ((cities.profit[1:] >= 0.5) & (cities.profit[1:] <= 1)).all()
    instance = make_instance(cities, cities.profit, 2, 5, OrienteeringRules())
    assert pdist(np.asarray(instance.coordinates)).max() == pytest.approx(1, abs=1e-6)


def test_largest_distance_of_cities_on_one_line():
    assert largest_distance(np.array([[0.0, 0.0], [1.0, 1.0], [3.0, 3.0]])) == pytest.approx(np.sqrt(18))
    assert largest_distance(np.array([[0.0, 3.0], [1.0, 2.0], [3.0, 0.0]])) == pytest.approx(np.sqrt(18))


def test_the_neighbour_graph_joins_the_nearest():
    """Of 30 cities, each has the 10 nearest others as senders and hears their mean."""
    cities = GENERATORS["uniform"](30, np.random.default_rng(4))
    assert cities.profit is not None
    instance = make_instance(cities, cities.profit, 2, 5, OrienteeringRules())
    xy, graph = np.asarray(instance.coordinates), instance.graph
    real = np.asarray(graph.edge_mask)
    distance = np.linalg.norm(xy[:, None] - xy[None], axis=-1)
    for city in range(30):
        mine = real & (np.asarray(graph.receivers) == city)
        nearest = np.argsort(distance[city])[1:11]
        assert set(np.asarray(graph.senders)[mine].tolist()) == set(nearest.tolist())
        np.testing.assert_allclose(np.asarray(graph.weight)[mine], np.full(10, 0.1), atol=1e-6)


def test_padding_cities_are_never_legal():
    small, large = (
        make_instance(c, c.profit, 2, 3, OrienteeringRules())
        for c in (GENERATORS["uniform"](n, np.random.default_rng(n)) for n in (8, 20))
        if c.profit is not None
    )
    stacked = RULES.stack([small, large])
    legal = jax.vmap(lambda i: RULES.legal(i, RULES.reset(i)))(stacked)
    assert np.asarray(legal).sum(axis=1).tolist() == [7, 19]
