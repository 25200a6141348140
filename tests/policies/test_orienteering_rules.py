"""Greedy, insertion and the genetic algorithm on tours that can be checked by plain Python."""

import itertools
import math
from typing import Any

import jax
import numpy as np
import pytest

from lmta import Tour, policy
from lmta.arena.play import play
from lmta.policies.base import Policy
from lmta.policies.player import day_seed
from lmta.problems.batch import make_batch
from lmta.problems.orienteering.genetic import Genetic, make_genetic
from lmta.problems.orienteering.heuristics import GREEDY
from lmta.problems.orienteering.importer import Cities
from lmta.problems.orienteering.rules import Orienteering, OrienteeringRules, make_instance

LIMIT, PENALTY, CROWDING, DRIFT, FLOOR = 1.5, 5.0, 0.1, 0.05, 0.3
PROBLEM = Orienteering()
SMALL = make_genetic(Genetic(population=12, generations=8, elite=2, futures=4))
UNEVOLVED = make_genetic(Genetic(population=12, generations=0, elite=2, futures=4))
DAYS, BUDGET = 3, 6

# On a line of length 1, so that coordinates are distances.
LINE = {
    "home": (0.0, 0.0, 0.0),
    "far": (1.0, 0.0, 0.9),
    "near": (0.2, 0.0, 0.8),
    "middle": (0.6, 0.0, 0.7),
    "beyond": (0.45, 0.0, 0.65),
    "between": (0.55, 0.0, 0.5),
}


def test_greedy_takes_the_highest_profit_within_reach():
    """far (1.0 gone); near is 0.8 away, out of reach; middle (1.4); beyond is 0.15 away; between (1.45)."""
    tour = Tour(LINE, days=2, budget=5)
    decision = policy("greedy").decide(tour)
    assert decision.nodes == ("far", "middle", "between")
    assert [pick.value for pick in decision.picks] == pytest.approx([0.9, 0.7, 0.5])
    assert decision.budget == 5

    # The next day begins where this one ended, with what is left and with new profits.
    reward = tour.advance(decision.nodes, {"near": 0.4})
    assert reward == pytest.approx(0.9 + 0.7 + 0.5 - 0.1 * 2**2)
    following = policy("greedy").decide(tour)
    assert following.nodes == ("beyond", "near")
    assert [pick.value for pick in following.picks] == pytest.approx([0.65, 0.4])
    assert following.budget == 2


def test_greedy_obeys_the_budget_rule():
    assert policy("cap2-greedy").decide(Tour(LINE, days=2, budget=5)).nodes == ("far", "middle")
    assert policy("average-greedy").decide(Tour(LINE, days=5, budget=5)).nodes == ("far",)


def small_instance(seed):
    rng = np.random.default_rng(seed)
    profit = rng.uniform(0.5, 1.0, 15)
    profit[0] = 0.0
    cities = Cities(tuple(range(15)), rng.random((15, 2)), profit)
    return make_instance(cities, profit, DAYS, BUDGET, OrienteeringRules())


def greedy_reward(instance, schedule, moves):
    """One episode of greedy under fixed daily budgets, in plain Python from the rules of the problem."""
    xy, profit = np.asarray(instance.coordinates, float).tolist(), np.asarray(instance.profit, float).tolist()
    visited, here, left, total = {0}, 0, BUDGET, 0.0
    for day, allowance in enumerate(schedule):
        length, gain, visits = 0.0, 0.0, 0
        for _ in range(min(allowance, left)):
            reach = [c for c in range(15) if c not in visited and length + math.dist(xy[here], xy[c]) <= LIMIT]
            if not reach:
                break
            city = max(reach, key=lambda c: profit[c])
            length += math.dist(xy[here], xy[city])
            gain += profit[city]
            here, visits, left = city, visits + 1, left - 1
            visited.add(city)
        if visits:
            if day == len(schedule) - 1:
                length += math.dist(xy[here], xy[0])
            total += gain - CROWDING * (visits - 1) ** 2 - PENALTY * max(0.0, length - LIMIT)
        profit = [max(p + DRIFT * float(m), FLOOR) for p, m in zip(profit, moves[day], strict=True)]
    return total


def schedule_for(instance, seed, rule=SMALL):
    assert rule.make_schedule is not None
    return tuple(np.asarray(rule.make_schedule(PROBLEM, instance, seed)).tolist())


@pytest.mark.parametrize("seed", range(5))
def test_genetic_schedule_keeps_to_the_budget_and_the_seed(seed):
    instance = small_instance(0)
    schedule = schedule_for(instance, seed)
    assert len(schedule) == DAYS
    assert min(schedule) >= 0
    assert 0 < sum(schedule) <= BUDGET
    assert schedule == schedule_for(instance, seed)


@pytest.fixture(scope="module")
def genetic_ranks():
    """For six instances: what every schedule earns by plain simulation on ten futures, and the schedule found."""
    schedules = [s for s in itertools.product(range(BUDGET + 1), repeat=DAYS) if sum(s) <= BUDGET]
    assert len(schedules) == math.comb(BUDGET + DAYS, DAYS)
    cases = []
    for seed in range(6):
        instance = small_instance(seed)
        futures = np.random.default_rng(seed).uniform(-1, 1, (10, DAYS, 15))
        earns = {s: np.mean([greedy_reward(instance, s, moves) for moves in futures]) for s in schedules}
        cases.append((earns, schedule_for(instance, seed), schedule_for(instance, seed, UNEVOLVED)))
    return cases


def test_genetic_schedule_is_among_the_best_of_all(genetic_ranks):
    """In the top tenth of all 84 schedules, on every instance."""
    for earns, found, _ in genetic_ranks:
        assert earns[found] >= np.quantile(list(earns.values()), 0.9)
        assert earns[found] > np.median(list(earns.values())) + 0.5


def test_genetic_schedule_improves_on_its_first_population(genetic_ranks):
    """The best of twelve at random is above the median; on fresh futures evolution is at most noise worse than it."""
    for earns, _, first in genetic_ranks:
        assert earns[first] > np.median(list(earns.values()))
    gains = [earns[found] - earns[first] for earns, found, first in genetic_ranks]
    assert min(gains) > -0.1
    assert np.mean(gains) > 0.1


def test_genetic_policy_plays_its_schedule():
    """What the arena pays for it is what plain Python pays for the schedule, under the same noise."""
    instance = small_instance(1)
    batch = make_batch(PROBLEM, [instance] * 8, seed=2)
    result = play(Policy("ga", PROBLEM, SMALL, GREEDY), batch)
    schedule = tuple(np.asarray(result.prepared[0][0]).tolist())
    assert schedule == schedule_for(instance, day_seed(2, 0))
    expected = [greedy_reward(instance, schedule, moves) for moves in np.asarray(batch.noise.moves)]
    np.testing.assert_allclose(result.rewards.sum(axis=1), expected, rtol=1e-5)
    assert (result.num_picks <= np.array(schedule)).all()


@pytest.mark.parametrize("seed", range(4))
def test_insertion_plans_are_legal_pick_by_pick(seed):
    """Three days on cities of one's own; a ModelWarning of a route too long would fail the test."""
    rng = np.random.default_rng(seed)
    cities: dict[Any, tuple[float, ...]] = {
        f"c{i}": (*rng.uniform(0, 40, 2), 0.0 if i == 0 else rng.uniform(0.5, 1)) for i in range(12)
    }
    tour = Tour(cities, days=3, budget=10)
    planner = policy("cap4-insertion")
    pick = jax.jit(PROBLEM.pick)
    longest = max(math.dist(a[:2], b[:2]) for a, b in itertools.combinations(cities.values(), 2))
    here: Any = "c0"
    profit = {name: value[2] for name, value in cities.items()}
    for day in range(3):
        decision = planner.decide(tour)
        assert decision.day == day + 1
        assert len(decision.picks) <= min(4, tour.budget_left)
        state = tour.state
        for name in decision.nodes:
            node = tour.ids.index(name)
            assert bool(PROBLEM.legal(tour.instance, state)[node])
            state = pick(tour.instance, state, np.int32(node))
            assert tour.ids[int(state.position)] == name
        assert [p.value for p in decision.picks] == pytest.approx([profit[name] for name in decision.nodes], rel=1e-5)

        stops = [here, *decision.nodes, *(["c0"] if day == 2 else [])]
        length = sum(math.dist(cities[a][:2], cities[b][:2]) for a, b in itertools.pairwise(stops)) / longest
        visits = len(decision.nodes)
        reward = tour.advance(decision.nodes)
        if visits == 0:
            assert day == 2, "before the last day the best city in reach costs nothing"
            assert reward == 0
            continue
        gain = sum(profit[name] for name in decision.nodes) - CROWDING * (visits - 1) ** 2
        assert reward == pytest.approx(gain - PENALTY * max(0.0, length - LIMIT), abs=1e-4)
        assert reward > 0
        here = decision.nodes[-1]


def test_insertion_leaves_budget_unspent_where_a_visit_does_not_pay():
    """Five cities in one place: the fourth visit costs 0.5, more than the 0.45 that the fourth best brings."""
    cities = {"home": (0, 0, 0), "away": (1, 1, 0.0)}
    cities |= {f"c{i}": (0.0, 0.0, p) for i, p in enumerate([0.9, 0.8, 0.7, 0.45, 0.4])}
    decision = policy("normal-insertion").decide(Tour(cities, days=2, budget=6))
    assert set(decision.nodes) == {"c0", "c1", "c2"}
    assert len(decision.nodes) == 3
    assert decision.budget == 6
