"""Guides: a day's picks by the problem's own rule of thumb, under jit."""

import itertools

import equinox as eqx
import jax
import jax.numpy as jnp
import networkx as nx
import numpy as np
import pytest

from lmta.policies.orienteering import Insertion
from lmta.policies.registry import policy
from lmta.problems.batch import make_batch, unstack
from lmta.problems.conformance import check_problem
from lmta.problems.influence.campaign import Campaign
from lmta.problems.orienteering.guided import PRICES
from lmta.problems.orienteering.importer import Cities
from lmta.problems.orienteering.routes import ANYWHERE, plan_route
from lmta.problems.orienteering.rules import OrienteeringRules, make_instance
from lmta.problems.registry import BENCHMARKS, InstanceSettings

RULES = OrienteeringRules(limit=0.8)
MOST = 6


@pytest.mark.parametrize("name", ["aim", "sop"])
def test_a_guided_problem_keeps_the_contract(name):
    benchmark = BENCHMARKS[name]
    first, second = benchmark.instances(InstanceSettings(nodes=9, days=3, budget=4), 0, 2)
    stacked = benchmark.problem.stack([first, second])
    one, other = (jax.tree.map(lambda leaf, n=n: leaf[n], stacked) for n in (0, 1))
    check_problem(benchmark.guided, one, other=other)


def test_without_a_price_the_route_is_that_of_insertion():
    """Twelve maps, three days each; the last day counts the way back."""
    problem, insertion = BENCHMARKS["sop"].guided, Insertion()
    settings = InstanceSettings(nodes=25, days=3, budget=9, rules=RULES)
    batch = make_batch(problem, BENCHMARKS["sop"].instances(settings, 3, 12), 3)
    plan = jax.jit(lambda i, s, b: plan_route(i, s, b, jnp.float32(0.0), ANYWHERE, MOST))

    @jax.jit
    def live(instance, state, noise, cities, count):
        evening = jax.lax.fori_loop(0, count, lambda i, s: problem.pick(instance, s, cities[i]), state)
        return problem.end_day(instance, evening, noise)[0]

    states = [jax.jit(problem.reset)(instance) for instance in batch.instances]
    noises = unstack(batch.noise)
    lengths = set()
    for day in range(3):
        for n, instance in enumerate(batch.instances):
            budget = min(2 + day, int(states[n].budget_left))
            expected, _ = insertion.plan(insertion.prepare(instance), states[n], budget, 0)
            cities, count = plan(instance, states[n], jnp.int32(budget))
            got = np.asarray(cities)[: int(count)]
            np.testing.assert_array_equal(got, expected)
            states[n] = live(instance, states[n], noises[n], cities, count)
            lengths.add(len(got))
    assert lengths >= {2, 3}


def test_on_the_last_day_a_city_must_pay_for_the_way_back():
    """A day without visits costs nothing, however far the start is; the city's 0.7 is less than the way back costs."""
    problem, instance, state, _ = _line(0.0, {0.9: 0.7}, 1, 1, limit=0.6)
    far = eqx.tree_at(lambda s: s.position, state, jnp.int32(2))
    record = jax.jit(lambda s: problem.plan_day(instance, s, jnp.int32(1), 2))(far)
    assert int(record.num_picks) == 0


def test_values_of_a_route_are_the_profits_of_its_cities():
    """The better city lies behind the other: the route is driven in another order than it was chosen in."""
    problem, instance, state, places = _line(0.0, {0.2: 0.7, 0.4: 0.9}, 2, 2)
    record = jax.jit(lambda b: problem.plan_day(instance, state, b, 2))(jnp.int32(2))
    assert [places[n] for n in np.asarray(record.picks)] == [0.2, 0.4]
    np.testing.assert_allclose(record.values, [0.7, 0.9])


def test_gains_beyond_all_nodes_count_as_all_nodes():
    """On a complete graph with likely edges the estimate counts walks, far more than there are nodes."""
    problem = BENCHMARKS["aim"].guided
    instance = Campaign(nx.complete_graph(12), days=5, budget=3, probability=0.5).instance
    seen = problem.observe(instance, problem.reset(instance))
    assert float(jnp.abs(seen.nodes).max()) <= problem.largest_feature(instance)


def _line(start: float, profits: dict[float, float], days: int, budget: int, **rules: float):
    """A problem with a guide, cities on a line from 0 to 1 with their profits, the first morning, and the places."""
    places = [start, *sorted({0.0, 1.0} - {start} | set(profits))]
    cities = Cities(tuple(range(len(places))), np.array([[x, 0.0] for x in places]), None)
    first = np.array([profits.get(x, 0.0) for x in places])
    instance = make_instance(cities, first, days, budget, OrienteeringRules(**rules))
    problem = BENCHMARKS["sop"].guided
    return problem, instance, jax.jit(problem.reset)(instance), places


def test_a_price_on_length_prefers_the_near():
    """A city of 0.9 lies 0.7 away and one of 0.8 lies 0.1 away: at a price of 0.5 the near one is worth more."""
    _, instance, state, places = _line(0.0, {0.1: 0.8, 0.7: 0.9}, 2, 2)
    plan = jax.jit(lambda price: plan_route(instance, state, jnp.int32(1), price, ANYWHERE, 2)[0][0])
    assert [places[int(plan(jnp.float32(price)))] for price in (0.0, 0.5)] == [0.7, 0.1]


def test_a_day_is_planned_at_the_price_that_promises_most():
    """The best city takes all of the day's length; the two near ones earn more together: 1.5 less 0.1 for crowding."""
    problem, instance, state, places = _line(0.5, {0.45: 0.7, 0.4: 0.8, 0.9: 0.9}, 1, 2, limit=0.41, penalty=0.0)
    record = jax.jit(lambda b: problem.plan_day(instance, state, b, 4))(jnp.int32(2))
    assert sorted(places[n] for n in np.asarray(record.picks)[: int(record.num_picks)]) == [0.4, 0.45]
    assert (np.asarray(record.picks)[2:] == -1).all()


def test_a_town_that_pays_only_together_is_found():
    """At any price the city of 0.6 nearby is the first to join, and the town of three is out of reach then; the town
    earns 1.5 less 0.4 for crowding."""
    town = {0.85: 0.5, 0.87: 0.5, 0.9: 0.5}
    problem, instance, state, places = _line(0.5, {0.45: 0.6} | town, 1, 3, limit=0.42, penalty=0.0)
    for price in PRICES:
        first, count = plan_route(instance, state, jnp.int32(3), jnp.float32(price), ANYWHERE, 4)
        assert (places[int(first[0])], int(count)) == (0.45, 1)
    record = jax.jit(lambda b: problem.plan_day(instance, state, b, 4))(jnp.int32(3))
    assert [places[n] for n in np.asarray(record.picks) if n >= 0] == list(town)


def test_a_day_is_planned_with_tomorrow_in_mind():
    """The city of 0.9 to the right is better than that of 0.8 to the left, but on the left another is in reach then."""
    near, left, right = {0.4: 0.8, 0.2: 0.7, 0.78: 0.9}, 0.4, 0.78
    for days, expected in ((1, right), (2, left)):
        problem, instance, state, places = _line(0.5, near, days, days, limit=0.29, penalty=0.0)
        record = jax.jit(lambda b, p=problem, i=instance, s=state: p.plan_day(i, s, b, 4))(jnp.int32(1))
        assert places[int(record.picks[0])] == expected


def test_on_the_last_day_seeds_are_those_of_lookahead():
    """Nothing can be left to later days."""
    problem, classical = BENCHMARKS["aim"].guided, policy("average-lookahead")
    instance = BENCHMARKS["aim"].instances(InstanceSettings(nodes=30, days=1, budget=5), 0, 1)[0]
    state = jax.jit(problem.reset)(instance)
    expected = classical.choose(instance, state, classical.prepare(instance, 0), 0).picks
    record = jax.jit(lambda b: problem.plan_day(instance, state, b, MOST))(jnp.int32(5))
    assert np.asarray(record.picks)[:5].tolist() == np.asarray(expected).tolist()


@pytest.mark.parametrize(("days", "first", "gain"), [(1, "centre", 2.0), (10, "alone", 1.0)])
def test_whom_the_cascade_may_reach_waits_while_there_is_time(days, first, gain):
    """An active node reaches the centre of a star by a half. On the last night the centre would add ½·(1 + 3). With ten
    days it adds ½·(1 + 3·½) = 1.25, more than a node that stands alone; but nine days later half of that is spared by
    half, and 1.25 - 1.25·½·½ is less than 1."""
    star = nx.DiGraph([("source", "centre"), *(("centre", f"leaf {i}") for i in range(3))])
    star.add_node("alone")
    nx.set_edge_attributes(star, {edge: 0.5 if edge[0] == "source" else 1.0 for edge in star.edges}, "probability")
    campaign, problem = Campaign(star, days=days, budget=2), BENCHMARKS["aim"].guided
    seeded = problem.pick(campaign.instance, campaign.state, jnp.int32(campaign.ids.index("source")))
    record = jax.jit(lambda b: problem.plan_day(campaign.instance, seeded, b, 2))(jnp.int32(1))
    assert campaign.ids[int(record.picks[0])] == first
    assert float(record.values[0]) == pytest.approx(gain)


def test_in_a_large_network_a_look_serves_seeds_that_are_no_neighbours():
    """Two seeds at a look for 1,000 nodes: a hub, then not the hub that it leads to but one that stands apart."""
    hubs = [("a", "b"), *((hub, f"{hub}{i}") for hub, size in (("a", 9), ("b", 8), ("c", 5)) for i in range(size))]
    network = nx.DiGraph(hubs)
    network.add_nodes_from(range(1_000 - len(network)))
    campaign, problem = Campaign(network, days=3, budget=16), BENCHMARKS["aim"].guided
    plan = jax.jit(lambda b: problem.plan_day(campaign.instance, campaign.state, b, 20))
    names = lambda record: [campaign.ids[n] for n in np.asarray(record.picks) if n >= 0]  # noqa: E731
    assert names(plan(jnp.int32(1))) == ["a"]
    few, many = names(plan(jnp.int32(3))), plan(jnp.int32(99))
    assert few[:2] == names(many)[:2] == ["a", "c"]
    assert int(many.num_picks) == len(set(names(many))) == 16
    assert np.asarray(many.values)[:3].tolist() == [19.0, 6.0, 1.0]


@pytest.fixture(scope="module")
def seeds_at_an_urgency():
    """(campaign's day, urgency) → the seeds of that day, of 6 in 4 days on 40 nodes of whom one is active."""
    problem = BENCHMARKS["aim"].guided
    instance = BENCHMARKS["aim"].instances(InstanceSettings(nodes=40, days=4, budget=7), 0, 1)[0]
    begun = problem.pick(instance, problem.reset(instance), jnp.int32(0))
    plan = jax.jit(lambda s, b, u: problem.plan_day(instance, s, b, 8, u))
    exact = jax.jit(lambda s, b: problem.plan_day(instance, s, b, 8))
    on = lambda day: eqx.tree_at(lambda s: s.day, begun, jnp.int32(day))  # noqa: E731
    made = lambda record: [int(n) for n in record.picks if n >= 0]  # noqa: E731
    return lambda day, urgency: made(
        exact(on(day), jnp.int32(9)) if urgency is None else plan(on(day), jnp.int32(9), jnp.float32(urgency))
    )


def test_the_more_urgent_the_more_seeds_in_the_same_order(seeds_at_an_urgency):
    days = [seeds_at_an_urgency(0, urgency) for urgency in (-9, -3, -1, 0, 1, 3, 9)]
    everything = seeds_at_an_urgency(0, None)
    assert days[0] == [] and days[-1] == everything and len(everything) == 6
    assert len({len(day) for day in days}) > 2
    for fewer, more in itertools.pairwise(days):
        assert more[: len(fewer)] == fewer


def test_on_the_last_day_nothing_waits(seeds_at_an_urgency):
    assert seeds_at_an_urgency(3, -99) == seeds_at_an_urgency(3, None)
    assert len(seeds_at_an_urgency(3, -99)) == 6


def test_with_nothing_under_way_a_single_seed_does_not_wait():
    """An even pace would have it wait: a tenth of a seed is due on each of ten days."""
    problem = BENCHMARKS["aim"].guided
    instance = BENCHMARKS["aim"].instances(InstanceSettings(nodes=40, days=10, budget=1), 0, 1)[0]
    record = jax.jit(lambda s: problem.plan_day(instance, s, jnp.int32(1), 1, jnp.zeros(())))(problem.reset(instance))
    assert int(record.num_picks) == 1


def test_a_mixture_has_all_kinds_within_the_largest_size():
    settings = InstanceSettings(nodes=400, days=9, budget=12)
    for name in ("aim", "sop"):
        drawn = BENCHMARKS[name].mixture(settings, 0, 12)
        assert all(int(i.graph.node_mask.sum()) <= 400 and int(i.days) <= 9 and int(i.budget) <= 12 for i in drawn)
        assert len({int(i.days) for i in drawn}) > 2
        assert len({int(i.graph.node_mask.sum()) for i in drawn}) > 2
