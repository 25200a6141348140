"""Tours tried by rollouts: compiled rules as those under jit, routes as they are offered, and names for them."""

import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import lmta
from lmta.kernels.route_rollouts import draw_moves, option_price, roll_out
from lmta.kernels.route_rules import Rules, Today, task_of_day
from lmta.kernels.route_task import NOWHERE, survey, with_distances
from lmta.kernels.routes import insertion_route, make_room
from lmta.problems.heuristics import DayPlan
from lmta.problems.orienteering.heuristics import on_host, today_of
from lmta.problems.orienteering.rules import Orienteering, OrienteeringNoise, OrienteeringRules
from lmta.problems.orienteering.strategies import TourSimulator, region
from lmta.problems.simulator import Candidate, steadied

RULES = Orienteering()
PRICE = np.array([0.25])


@pytest.fixture(scope="module")
def tour():
    rng = np.random.default_rng(3)
    rows = np.column_stack([rng.random((30, 2)), rng.uniform(0.5, 1.0, 30)])
    return lmta.Tour(rows, days=4, budget=11, rules=OrienteeringRules(limit=0.6, drift=0.15))


def insertion(today, rules, ground, visits, price):
    task = task_of_day(rules, *today[:4], visits, price, NOWHERE)
    room = make_room(len(today.profit), visits)
    return room.route[1 : insertion_route(ground, task, room) + 1]


def under_jit(tour, first, moves, price):
    """The rewards of an episode by the rules under jit, with routes by insertion after the first day."""
    ground, rules = on_host(tour.instance)
    noise = OrienteeringNoise(jnp.asarray(moves / rules.drift, jnp.float32))
    state, rewards, pick, end_day = tour.state, [], jax.jit(RULES.pick), jax.jit(RULES.end_day)
    for day in range(rules.days):
        today = today_of(state)
        share = math.ceil(today.budget_left / (rules.days - day))
        route = first if day == 0 else insertion(today, rules, ground, share, price)
        for city in route:
            after = pick(tour.instance, state, jnp.int32(city))
            assert int(after.budget_left) == int(state.budget_left) - 1
            state = after
        state, reward = end_day(tour.instance, state, noise)
        rewards.append(float(reward))
    return rewards


def test_rollouts_are_episodes_by_the_rules(tour):
    """The same moves earn the same rewards, day by day, crowding and the way back included."""
    ground, rules = on_host(tour.instance)
    today = today_of(tour.state)
    route = insertion(today, rules, ground, 3, 0.0)
    assert len(route) == 3
    cities, counts = np.stack([route, route]), np.array([3, 1])
    played = roll_out(ground, rules, today, cities, counts, worlds=range(5, 9), seed=2, prices=PRICE)
    moves = np.zeros((rules.days, len(today.profit)))
    for world in range(4):
        draw_moves(rules.drift, 2, 5 + world, moves[:-1])
        for candidate, count in enumerate(counts):
            rewards = under_jit(tour, route[:count], moves, PRICE[0])
            np.testing.assert_allclose(played.rewards[candidate, world], rewards, atol=1e-5)


def test_worlds_depend_on_their_number_alone_and_threads_change_nothing(tour):
    ground, rules = on_host(tour.instance)
    cities, counts = np.zeros((1, 1), np.int64), np.zeros(1, np.int64)

    def play(worlds, **options):
        return roll_out(ground, rules, today_of(tour.state), cities, counts, worlds=worlds, prices=PRICE, **options)

    whole = play(range(40), seed=1)
    np.testing.assert_array_equal(play(range(40), seed=1, threads=1).rewards, whole.rewards)
    np.testing.assert_array_equal(play(range(30, 40), seed=1).rewards, whole.rewards[:, 30:])
    assert not np.array_equal(play(range(40), seed=2).rewards, whole.rewards)


def test_moves_are_uniform():
    moves = np.empty((50, 40))
    draw_moves(0.2, 0, 0, moves)
    assert np.abs(moves).max() < 0.2
    assert moves.mean() == pytest.approx(0.0, abs=0.01)
    assert moves.var() == pytest.approx(0.2**2 / 3, rel=0.1)


def test_what_is_owed_to_chance_is_nothing_on_average(tour):
    """Whatever is visited, and even where profits meet their floor."""
    ground, rules = on_host(tour.instance)
    today = today_of(tour.state)
    today = today._replace(profit=np.minimum(today.profit, 0.55))
    route = insertion(today, rules, ground, 3, 0.0)
    played = roll_out(
        ground, rules, today, route[None], np.array([len(route)]), worlds=range(4000), seed=0, prices=PRICE
    )
    chance, earned = played.by_chance[0], played.rewards[0].sum(axis=1)
    assert abs(chance.mean()) < 4 * chance.std() / math.sqrt(len(chance))
    assert np.corrcoef(chance, earned)[0, 1] > 0.3
    assert steadied(earned, chance).std() < earned.std()


def test_the_price_of_an_option_is_the_profit_that_a_visit_is_worth():
    rules = Rules(3, 1.0, 5.0, 0.1, 0.1, 0.3)
    today = Today(np.array([0.0, 0.9, 0.5, 0.7, 0.2]), np.array([False, True, True, True, True]), 0, 0, 2)
    assert option_price(rules, today) == 0.7
    assert option_price(rules, today._replace(budget_left=4)) == 0.3
    assert option_price(rules, today._replace(available=np.zeros(5, bool))) == 0.3


def test_distances_known_beforehand_are_the_same_to_the_bit():
    xy = np.random.default_rng(0).random((60, 2))
    with_matrix = with_distances(survey(xy))
    profit = np.random.default_rng(1).uniform(0.5, 1.0, 60)
    today = Today(profit, np.arange(60) > 0, 0, 0, 40)
    rules = Rules(3, 1.5, 5.0, 0.01, 0.1, 0.3)
    assert len(with_matrix.matrix) == 60
    routes = [insertion(today, rules, ground, 20, 0.3).tolist() for ground in (survey(xy), with_matrix)]
    assert routes[0] == routes[1]
    assert not len(with_distances(survey(np.random.default_rng(0).random((1001, 2)))).matrix)


def is_legal(tour, picks):
    state = tour.state
    for city in picks:
        after = RULES.pick(tour.instance, state, jnp.int32(city))
        if int(after.budget_left) == int(state.budget_left):
            return False
        state = after
    return True


def test_routes_differ_and_keep_to_the_rules(tour):
    simulator = TourSimulator(tour.instance)
    ground, rules = simulator.map
    own = insertion(today_of(tour.state), rules, ground, 3, 0.0)
    found = list(simulator.candidates(tour.state, DayPlan(own, np.ones(3)), 0))
    routes = [tuple(candidate.picks.tolist()) for candidate in found]
    assert len({*routes, tuple(own.tolist())}) == len(routes) + 1
    assert {len(route) for route in routes} == {0, 2, 3, 4}
    assert routes[-1] == ()
    assert found[-1].name == "stay"
    assert all(is_legal(tour, route) for route in routes)


def test_exchanges_end_elsewhere_or_have_one_city_exchanged(tour):
    simulator = TourSimulator(tour.instance)
    route = np.array([11, 3, 25])  # near to each other, so that the day is long enough for any order
    closer = list(simulator.exchanges(tour.state, Candidate("3 visits", route, np.ones(3))))
    changed = [tuple(candidate.picks.tolist()) for candidate in closer]
    assert len({*changed, tuple(route.tolist())}) == len(changed) + 1
    assert all(is_legal(tour, other) and len(other) == 3 for other in changed)
    shared = [len({*other, *route.tolist()}) for other in changed]
    assert set(shared) == {3, 4}
    assert shared == sorted(shared)
    assert len({other[-1] for other in changed if set(other) == set(route.tolist())} - {route[-1]}) > 0
    assert list(simulator.exchanges(tour.state, Candidate("stay", np.zeros(0, int), np.zeros(0)))) == []


def test_the_last_day_is_not_thought_about(tour):
    last = RULES.reset(tour.instance)
    last = type(last)(**{**vars(last), "day": jnp.int32(3)})
    own = DayPlan(np.zeros(0, int), np.zeros(0))
    assert list(TourSimulator(tour.instance).candidates(last, own, 0)) == []


def test_parts_of_the_map():
    xy = np.array([[0, 0], [3, 3], [1.5, 1.5], [0, 1.5], [2.9, 0.1], [1.5, 3]], float)
    assert [region(xy, city) for city in range(6)] == [
        "in the south-west",
        "in the north-east",
        "in the centre",
        "in the west",
        "in the south-east",
        "in the north",
    ]
    assert region(np.zeros((2, 2)), 0) == "in the south-west"


def test_a_tour_is_thought_about(tour):
    planner = lmta.planner("sop", rollouts=200)
    decision = planner.decide(tour, seed=1)
    assert decision.thinking is not None and decision.thinking.rollouts > 100
    assert is_legal(tour, [tour.ids.index(node) for node in decision.nodes])
    assert "visits" in decision.why and "Expected from today to the end" in decision.why
    assert planner.decide(tour, seed=1).nodes == decision.nodes
