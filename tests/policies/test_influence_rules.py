"""Node rules for influence: scores computed by hand, and the same under padding and in batches."""

import itertools
from functools import partial

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from lmta import Campaign, policy
from lmta.problems.graphs import pad_graph
from lmta.problems.influence.heuristics import degree, lookahead, score
from lmta.problems.influence.importer import Network
from lmta.problems.influence.rules import Influence, InfluenceState, make_instance

INACTIVE, ACTIVE, REMOVED = 0, 1, 2
KEY = jax.random.key(0)
RULES = {rule.__name__: jax.jit(rule) for rule in (degree, score, lookahead)}
CHAIN = {(0, 1): 0.5, (1, 2): 0.8, (2, 3): 0.5}


def instance_of(num_nodes, edges, days=3):
    network = Network(
        ids=tuple(range(num_nodes)),
        senders=np.array([u for u, _ in edges], np.int32),
        receivers=np.array([v for _, v in edges], np.int32),
        probability=np.array(list(edges.values()), np.float32),
    )
    return make_instance(network, days, 1)


def state_of(status, day=0):
    return InfluenceState(
        status=jnp.array(status, jnp.int8), day=jnp.int32(day), budget_left=jnp.int32(1), seeded_today=jnp.int32(0)
    )


def scores(name, instance, status, day=0):
    return np.asarray(RULES[name](instance, state_of(status, day), KEY))


FOUR = {(0, 1): 0.5, (0, 2): 0.25, (0, 3): 1.0, (1, 0): 0.5, (2, 3): 0.125, (3, 2): 0.75}


@pytest.mark.parametrize(
    ("status", "degrees", "sums"),
    [
        ((0, 0, 0, 0), (3, 1, 1, 1), (1.75, 0.5, 0.125, 0.75)),
        ((0, ACTIVE, 0, 0), (2, 1, 1, 1), (1.25, 0.5, 0.125, 0.75)),
        ((0, 0, 0, REMOVED), (2, 1, 0, 1), (0.75, 0.5, 0.0, 0.75)),
        ((REMOVED, 0, ACTIVE, ACTIVE), (1, 0, 0, 0), (0.5, 0.0, 0.0, 0.0)),
    ],
)
def test_degree_and_score_count_inactive_out_neighbours(status, degrees, sums):
    four = instance_of(4, FOUR)
    np.testing.assert_array_equal(scores("degree", four, status), degrees)
    np.testing.assert_allclose(scores("score", four, status), sums, rtol=1e-6)


@pytest.mark.parametrize(
    ("days", "day", "status", "expected"),
    [
        # Three nights: 0 reaches 1 + 0.5 (1 + 0.8 (1 + 0.5)).
        (3, 0, (0, 0, 0, 0), (2.1, 2.2, 1.5, 1.0)),
        # Two nights: the third hop comes too late.
        (3, 1, (0, 0, 0, 0), (1.9, 2.2, 1.5, 1.0)),
        # One night.
        (3, 2, (0, 0, 0, 0), (1.5, 1.8, 1.5, 1.0)),
        # 0 is active and two nights are left: 1 stays out with 0.5, 2 with 1 - 0.5 · 0.8, and 3 is not reached.
        # G₁ = (0, 0.5 (1 + 0.8 · 0.6), 0.6 (1 + 0.5), 1); G₂(1) = 0.5 (1 + 0.8 · 0.9).
        (3, 1, (ACTIVE, 0, 0, 0), (0.0, 0.86, 0.9, 1.0)),
        # The same on the last day: 2 is not reached either.
        (3, 2, (ACTIVE, 0, 0, 0), (0.0, 0.5 * 1.8, 1.5, 1.0)),
        # A removed node neither spreads nor counts.
        (3, 0, (0, REMOVED, 0, 0), (1.0, 0.0, 1.5, 1.0)),
        (3, 0, (REMOVED, 0, ACTIVE, 0), (0.0, 1.0, 0.0, 0.5)),
    ],
)
def test_lookahead_on_a_chain(days, day, status, expected):
    chain = instance_of(4, CHAIN, days)
    np.testing.assert_allclose(scores("lookahead", chain, status, day), expected, atol=1e-5)


def test_lookahead_joins_chances_to_be_hit_anyway():
    """0 and 1 are active and each hits 2 with one half: 2 stays out with one quarter."""
    fork = instance_of(4, {(0, 2): 0.5, (1, 2): 0.5, (2, 3): 0.8}, days=1)
    expected = (0.0, 0.0, 0.25 * 1.8, 1.0)
    np.testing.assert_allclose(scores("lookahead", fork, (ACTIVE, ACTIVE, 0, 0)), expected, atol=1e-5)


def test_lookahead_lets_nobody_be_active_twice():
    """0 is active, and 1 would hit it again if it could: 2 stays out with one half after one night and after three."""
    triangle = instance_of(4, {(0, 1): 0.5, (1, 0): 1.0, (0, 2): 0.5}, days=3)
    np.testing.assert_allclose(scores("lookahead", triangle, (ACTIVE, 0, 0, 0)), (0, 0.5, 0.5, 1), atol=1e-5)


def test_lookahead_gives_nothing_for_what_is_hit_for_sure():
    chain = instance_of(4, {(0, 1): 1.0, (1, 2): 1.0, (2, 3): 0.5}, days=3)
    np.testing.assert_allclose(scores("lookahead", chain, (ACTIVE, 0, 0, 0)), (0, 0, 0, 0.5), atol=1e-5)


def test_lookahead_goes_five_hops():
    """Six nodes of a chain of eight, though ten days are left."""
    chain = instance_of(8, {(i, i + 1): 1.0 for i in range(7)}, days=10)
    np.testing.assert_allclose(scores("lookahead", chain, (0,) * 8), (6, 6, 6, 5, 4, 3, 2, 1), rtol=1e-6)


def expected_spread(edges, seed, nights):
    """By enumeration of every edge's coin."""
    total = 0.0
    for coins in itertools.product([False, True], repeat=len(edges)):
        chance = np.prod([p if fires else 1 - p for p, fires in zip(edges.values(), coins, strict=True)])
        live = [e for e, fires in zip(edges, coins, strict=True) if fires]
        reached, active = {seed}, {seed}
        for _ in range(nights):
            active = {v for u, v in live if u in active} - reached
            reached |= active
        total += chance * len(reached)
    return total


@pytest.mark.parametrize("seed", range(4))
def test_lookahead_is_exact_on_out_trees_that_nobody_has_touched(seed):
    rng = np.random.default_rng(seed)
    edges = {(int(rng.integers(v)), v): float(rng.integers(1, 5)) / 4 for v in range(1, 6)}
    for day in range(3):
        expected = [expected_spread(edges, v, 3 - day) for v in range(6)]
        found = scores("lookahead", instance_of(6, edges), (0,) * 6, day)
        np.testing.assert_allclose(found, expected, rtol=1e-5)


def random_case(seed):
    rng = np.random.default_rng(seed)
    pairs = [p for p in itertools.permutations(range(5), 2) if rng.random() < 0.35]
    edges = {pair: float(rng.uniform(0.1, 1.0)) for pair in pairs[:8]}
    status = rng.choice([INACTIVE, INACTIVE, ACTIVE, REMOVED], 5)
    return instance_of(5, edges, days=4), state_of(status, day=int(rng.integers(4)))


@pytest.mark.parametrize("name", RULES)
def test_padding_changes_no_score(name):
    rule = RULES[name]
    for seed in range(4):
        instance, state = random_case(seed)
        padded = eqx.tree_at(lambda i: i.graph, instance, pad_graph(instance.graph, 9, 24))
        filled = eqx.tree_at(lambda s: s.status, state, jnp.pad(state.status, (0, 4), constant_values=REMOVED))
        found = np.asarray(rule(padded, filled, KEY))
        np.testing.assert_allclose(found[:5], rule(instance, state, KEY), rtol=1e-5, atol=1e-6)
        np.testing.assert_array_equal(found[5:], 0)


@pytest.mark.parametrize("name", RULES)
def test_different_graphs_in_a_batch_score_as_one_by_one(name):
    rule = RULES[name]
    instances, states = zip(*map(random_case, range(6)), strict=True)
    stacked = jax.tree.map(lambda *leaves: jnp.stack(leaves), *states)
    found = jax.jit(jax.vmap(rule, (0, 0, None)))(Influence().stack(instances), stacked, KEY)
    one_by_one = [rule(i, s, KEY) for i, s in zip(instances, states, strict=True)]
    assert len({tuple(np.asarray(row)) for row in one_by_one}) == 6  # the cases differ, so mixing them up would show
    np.testing.assert_allclose(found, np.stack(one_by_one), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", RULES)
def test_different_states_on_one_graph_score_as_one_by_one(name):
    rule = RULES[name]
    instance, _ = random_case(0)
    states = [random_case(seed)[1] for seed in range(6)]
    stacked = jax.tree.map(lambda *leaves: jnp.stack(leaves), *states)
    found = jax.jit(jax.vmap(partial(rule, instance), (0, None)))(stacked, KEY)
    one_by_one = [rule(instance, state, KEY) for state in states]
    assert len({tuple(np.asarray(row)) for row in one_by_one}) > 2
    np.testing.assert_allclose(found, np.stack(one_by_one), rtol=1e-5, atol=1e-6)


def test_picks_take_earlier_picks_into_account():
    """0 knows 1, 2, 3 and 4; 1 knows 2, 3 and 4; 5 knows 0 and 4.

    Once 0 is a seed, 1 still has three inactive out-neighbours and 5 has one, which 1 leaves it.
    """
    edges = [(0, 1), (0, 2), (0, 3), (0, 4), (1, 2), (1, 3), (1, 4), (5, 0), (5, 4)]
    senders, receivers = zip(*edges, strict=True)
    decision = policy("normal-degree").decide(Campaign((senders, receivers), days=2, budget=3))
    assert decision.nodes == (0, 1, 5)
    assert [pick.value for pick in decision.picks] == [4, 3, 1]
    assert decision.budget == 3


def test_active_and_removed_nodes_are_not_picked():
    """0 has the highest degree but has been seeded, and 1 was hit by it."""
    edges = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]
    senders, receivers = zip(*edges, strict=True)
    campaign = Campaign((senders, receivers), days=3, budget=4)
    campaign.advance(seeded=[0], activated=[1])
    decision = policy("normal-degree").decide(campaign)
    assert decision.nodes == (2, 3)
    assert [pick.value for pick in decision.picks] == [1, 0]
