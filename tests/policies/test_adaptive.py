"""The policy `adaptive-lookahead`: whom to seed today, and when to wait."""

import equinox as eqx
import jax
import jax.numpy as jnp
import networkx as nx
import numpy as np
import pytest

from lmta import Campaign, policy
from lmta.problems.influence.adaptive import plan_day
from lmta.problems.influence.features import InfluenceWithLookahead
from lmta.problems.influence.mean_field import gain_over_waiting, look_ahead, seed_or_wait_index
from lmta.problems.influence.rules import Influence
from lmta.problems.task import Task

RULES = Influence()
plan = jax.jit(plan_day, static_argnums=3)


@jax.jit
def index_of(instance, state):
    return seed_or_wait_index(instance, state, look_ahead(instance, state))


def picks(record):
    return [int(node) for node in record.picks if node >= 0]


def drawn(**settings):
    instance = Task.of("aim", **settings).instances(0, 1)[0]
    return instance, RULES.reset(instance)


def on_day(state, day):
    return eqx.tree_at(lambda s: s.day, state, jnp.int32(day))


def test_on_the_last_day_seeds_are_those_of_lookahead():
    """Nothing can be left to later days."""
    instance, state = drawn(nodes=30, days=1, budget=5)
    classical = policy("average-lookahead")
    expected = classical.choose(instance, state, classical.prepare(instance, 0), 0).picks
    assert picks(plan(instance, state, jnp.int32(5), 6)) == np.asarray(expected).tolist()


@pytest.mark.parametrize(("days", "first", "gain"), [(1, "centre", 2.0), (10, "alone", 1.0)])
def test_whom_the_cascade_may_reach_waits_while_there_is_time(days, first, gain):
    """An active node reaches the centre of a star by a half. On the last day the centre would add ½·(1 + 3). With ten
    days it adds ½·(1 + 3·½) = 1.25, more than a node that stands alone; but nine days later half of that is spared by
    half, and 1.25 - 1.25·½·½ is less than 1."""
    star = nx.DiGraph([("source", "centre"), *(("centre", f"leaf {i}") for i in range(3))])
    star.add_node("alone")
    nx.set_edge_attributes(star, {edge: 0.5 if edge[0] == "source" else 1.0 for edge in star.edges}, "probability")
    campaign = Campaign(star, days=days, budget=2)
    instance = campaign.instance
    seeded = RULES.pick(instance, campaign.state, jnp.int32(campaign.ids.index("source")))
    ahead = look_ahead(instance, seeded)
    best = int(jnp.argmax(gain_over_waiting(instance, seeded, ahead)))
    assert campaign.ids[best] == first
    assert float(ahead.gain[best]) == pytest.approx(gain)


def test_in_a_large_network_a_look_serves_seeds_that_are_no_neighbours():
    """Two seeds at a look for 1,000 nodes: a hub, then not the hub that it leads to but one that stands apart."""
    hubs = [("a", "b"), *((hub, f"{hub}{i}") for hub, size in (("a", 9), ("b", 8), ("c", 5)) for i in range(size))]
    network = nx.DiGraph(hubs)
    network.add_nodes_from(range(1_000 - len(network)))
    campaign = Campaign(network, days=1, budget=16)

    def day(budget):
        record = plan(campaign.instance, campaign.state, jnp.int32(budget), 20)
        return [campaign.ids[node] for node in picks(record)], np.asarray(record.values)

    assert day(1)[0] == ["a"]
    (few, _), (many, values) = day(3), day(99)
    assert few[:2] == many[:2] == ["a", "c"]
    assert len(set(many)) == 16
    assert values[:3].tolist() == [11.0, 6.0, 1.0]


def test_the_index_by_hand():
    """Twelve nodes without edges, six seeds for three days: the best seed adds 1, two seeds are left for each day, and
    nothing is under way."""
    campaign = Campaign(nx.empty_graph(12, nx.DiGraph), days=3, budget=6)
    by_hand = 1.8 + 0.95 * np.log(2) - 0.9 * np.log(3)
    assert float(index_of(campaign.instance, campaign.state)) == pytest.approx(by_hand, rel=1e-5)
    assert float(index_of(campaign.instance, on_day(campaign.state, 2))) == np.inf


def test_a_cascade_under_way_and_days_to_come_speak_for_waiting():
    instance, fresh = drawn(nodes=40, days=8, budget=7)
    begun = RULES.pick(instance, fresh, jnp.int32(0))
    assert index_of(instance, begun) < index_of(instance, fresh)
    by_day = [float(index_of(instance, on_day(begun, day))) for day in range(8)]
    assert by_day == sorted(by_day)
    assert by_day[-1] == np.inf


def test_seeds_are_set_one_by_one_while_the_index_is_above_0():
    """40 nodes, and more seeds than are worth setting on the first of eight days."""
    instance, state = drawn(nodes=40, days=8, budget=7)
    seeds = picks(plan(instance, state, jnp.int32(7), 8))
    assert 0 < len(seeds) < 7
    for seed in seeds:
        assert index_of(instance, state) > 0
        state = RULES.pick(instance, state, jnp.int32(seed))
    assert index_of(instance, state) <= 0


def test_on_the_last_day_nothing_waits():
    instance, fresh = drawn(nodes=40, days=8, budget=7)
    begun = RULES.pick(instance, fresh, jnp.int32(0))
    assert len(picks(plan(instance, on_day(begun, 7), jnp.int32(9), 8))) == 6
    assert len(picks(plan(instance, begun, jnp.int32(9), 8))) < 6


def test_with_nothing_under_way_a_single_seed_does_not_wait():
    """An even schedule would have it wait: a tenth of a seed is due on each of ten days."""
    instance, state = drawn(nodes=40, days=10, budget=1)
    assert len(picks(plan(instance, state, jnp.int32(1), 1))) == 1


def test_gains_beyond_all_nodes_count_as_all_nodes():
    """On a complete graph with likely edges the estimate counts walks, far more than there are nodes."""
    problem = InfluenceWithLookahead()
    instance = Campaign(nx.complete_graph(12), days=5, budget=3, probability=0.5).instance
    state = problem.reset(instance)
    assert float(look_ahead(instance, state).gain.max()) > 12
    seen, bounds = problem.observe(instance, state), problem.bounds(instance)
    assert float(seen.nodes.max()) <= bounds.nodes
    assert float(seen.globals.max()) <= bounds.globals
