"""The rules of influence on networks small enough to follow by hand."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from lmta.problems.base import primitive_rewards
from lmta.problems.influence.generators import GENERATORS, erdos_renyi
from lmta.problems.influence.importer import load_network
from lmta.problems.influence.rules import ACTIVE, INACTIVE, REMOVED, Influence, InfluenceNoise, make_instance
from lmta.problems.task import Task

RULES = Influence()


def chain(probability, days=3, budget=2):
    """0 → 1 → 2 → 3, every edge with the same probability."""
    senders = np.arange(3)
    return make_instance(load_network((senders, senders + 1, np.full(3, probability))), days, budget)


def noise_of(instance, *edges):
    """Noise in which exactly the named edges fire."""
    ends = list(zip(instance.graph.senders.tolist(), instance.graph.receivers.tolist(), strict=True))
    real = np.asarray(instance.graph.edge_mask)
    return InfluenceNoise(jnp.array([bool(r) and e in edges for r, e in zip(real, ends, strict=True)]))


def test_a_cascade_by_hand():
    instance = chain(0.5)
    noise = noise_of(instance, (0, 1), (1, 2))
    state = RULES.pick(instance, RULES.reset(instance), jnp.int32(0))
    assert state.status.tolist() == [ACTIVE, INACTIVE, INACTIVE, INACTIVE]
    state, reward = RULES.end_day(instance, state, noise)
    assert state.status.tolist() == [REMOVED, ACTIVE, INACTIVE, INACTIVE]
    assert reward == 2  # the seed and node 1
    state = RULES.pick(instance, state, jnp.int32(3))
    state, reward = RULES.end_day(instance, state, noise)
    assert state.status.tolist() == [REMOVED, REMOVED, ACTIVE, REMOVED]
    assert reward == 2  # the seed 3 and node 2
    state, reward = RULES.end_day(instance, state, noise)
    assert state.status.tolist() == [REMOVED] * 4
    assert reward == 0
    assert int(state.budget_left) == 0


def test_an_edge_is_tried_once_only():
    """Node 0 is removed after its try, so node 1 stays out for good."""
    instance = chain(0.5)
    state = RULES.pick(instance, RULES.reset(instance), jnp.int32(0))
    state, _ = RULES.end_day(instance, state, noise_of(instance))
    state, reward = RULES.end_day(instance, state, noise_of(instance, (0, 1)))
    assert reward == 0
    assert state.status.tolist() == [REMOVED, INACTIVE, INACTIVE, INACTIVE]


def test_a_pick_is_refused_when_the_budget_is_spent():
    instance = chain(1.0, budget=1)
    state = RULES.pick(instance, RULES.reset(instance), jnp.int32(0))
    assert not RULES.legal(instance, state).any()
    after = RULES.pick(instance, state, jnp.int32(2))
    assert after.status.tolist() == state.status.tolist()


def test_forecast_by_hand():
    """Two active neighbours miss with (1 - 0.5)(1 - 0.2) = 0.4, so the third is hit with 0.6."""
    instance = make_instance(load_network(([0, 1], [2, 2], [0.5, 0.2])), 2, 2)
    start = RULES.reset(instance)
    one = RULES.pick(instance, start, jnp.int32(0))
    both = RULES.pick(instance, one, jnp.int32(1))
    forecasts = [float(RULES.forecast(instance, s)) for s in (start, one, both)]
    np.testing.assert_allclose(forecasts, [0, 1.5, 2.6], rtol=1e-6)
    rewards = primitive_rewards(jnp.array(forecasts), jnp.array(3.0))
    np.testing.assert_allclose(rewards, [1.5, 1.1, 0.4], rtol=1e-5)


def test_gains_by_hand():
    """0 → 2 fires with 0.5, 1 → 2 with 0.2. Once 0 is active, 1 adds itself and 0.2 of the half that 0 misses; 2 adds
    the half of itself that was not expected anyway."""
    instance = make_instance(load_network(([0, 1], [2, 2], [0.5, 0.2])), 2, 2)
    start = RULES.reset(instance)
    np.testing.assert_allclose(RULES.observe(instance, start).gain, [1.5, 1.2, 1], rtol=1e-6)
    seeded = RULES.pick(instance, start, jnp.int32(0))
    np.testing.assert_allclose(RULES.observe(instance, seeded).gain[1:], [1.1, 0.5], rtol=1e-6)


def test_the_forecast_is_the_mean_of_what_happens():
    """4,000 nights on one random network: the mean reward lies within 4 s.e.m. of the forecast."""
    instance = make_instance(erdos_renyi(40, 5.0, np.random.default_rng(1)), 3, 5)
    state = RULES.reset(instance)
    for node in (3, 17, 28):
        state = RULES.pick(instance, state, jnp.int32(node))

    def night(key):
        return RULES.end_day(instance, state, RULES.draw_noise(instance, 3, key))[1]

    rewards = np.asarray(jax.vmap(night)(jax.random.split(jax.random.key(0), 4_000)))
    sem = rewards.std() / np.sqrt(len(rewards))
    assert abs(rewards.mean() - float(RULES.forecast(instance, state))) < 4 * sem


def test_many_hits_on_one_node_count_once():
    """300 sure hits: more than a byte can count."""
    senders = np.arange(1, 301)
    instance = make_instance(load_network((senders, np.zeros(300, int), np.ones(300))), 1, 300)
    state = RULES.reset(instance)
    status = jnp.where(jnp.arange(301) > 0, ACTIVE, INACTIVE).astype(jnp.int8)
    state = type(state)(status=status, day=state.day, budget_left=state.budget_left, seeded_today=state.seeded_today)
    state, reward = RULES.end_day(instance, state, RULES.draw_noise(instance, 1, jax.random.key(0)))
    assert reward == 1
    assert int(state.status[0]) == ACTIVE


def test_padding_changes_nothing():
    small, large = (make_instance(erdos_renyi(n, 4.0, np.random.default_rng(n)), 2, 3) for n in (12, 30))
    stacked = RULES.stack([small, large])
    padded = jax.tree.map(lambda leaf: leaf[0], stacked)
    key = jax.random.key(5)
    states = []
    for instance in (small, padded):
        state = RULES.pick(instance, RULES.reset(instance), jnp.int32(4))
        for _ in range(2):
            state, _ = RULES.end_day(instance, state, RULES.draw_noise(instance, 2, key))
        states.append(np.asarray(state.status)[:12])
        assert np.asarray(RULES.legal(instance, RULES.reset(instance))).sum() == 12
    np.testing.assert_array_equal(*states)


@pytest.mark.parametrize("name", GENERATORS)
def test_generators_have_the_mean_degree_asked_for(name):
    """Mean over 10 networks within 6 %; no self-loops, no repeats; in-probabilities of a node add up to 1."""
    degrees = []
    for seed in range(10):
        network = GENERATORS[name](200, 6.0, np.random.default_rng(seed))
        assert network.num_nodes == 200
        assert (network.senders != network.receivers).all()
        pairs = set(zip(network.senders.tolist(), network.receivers.tolist(), strict=True))
        assert len(pairs) == len(network.senders)
        total = np.bincount(network.receivers, network.probability, minlength=200)
        np.testing.assert_allclose(total[total > 0], 1, rtol=1e-5)
        degrees.append(len(pairs) / 200)
    assert abs(np.mean(degrees) - 6) < 0.36


def test_random_probabilities_are_even_up_to_twice_the_inverse_degree():
    """For a mean degree of 4 they lie in [0, 0.5] with a mean of 0.25; over some 1,600 edges within 0.02."""
    task = Task.of("aim", nodes=400, days=3, budget=5, degree=4.0, probabilities="random")
    graph = task.instances(1, 1)[0].graph
    chance = np.asarray(graph.weight)[np.asarray(graph.edge_mask)]
    assert 0 <= chance.min() < 0.02 and 0.48 < chance.max() <= 0.5
    assert chance.mean() == pytest.approx(0.25, abs=0.02)
    assert chance.std() == pytest.approx(0.5 / np.sqrt(12), abs=0.02)


def test_generators_shape_their_networks():
    """Hubs in power-law networks, communities in block networks, short cycles in small worlds."""
    rng = np.random.default_rng(0)
    hubs = np.bincount(GENERATORS["power-law"](400, 6.0, rng).senders).max()
    plain = np.bincount(erdos_renyi(400, 6.0, rng).senders).max()
    assert hubs > 2 * plain
    block = GENERATORS["block"](200, 6.0, rng)
    assert (block.senders // 50 == block.receivers // 50).mean() > 0.8
    ring = GENERATORS["small-world"](200, 6.0, rng)
    distance = np.abs(ring.senders - ring.receivers)
    assert (np.minimum(distance, 200 - distance) <= 3).mean() > 0.8
