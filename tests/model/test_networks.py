"""The modules of LMTA keep what the paper asks of them."""

from dataclasses import replace

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from lmta.config import ModelConfig
from lmta.model.networks import HighLevel, Lmta, QNetwork, chordal, on_sphere
from lmta.problems.influence.generators import erdos_renyi
from lmta.problems.influence.rules import Influence, make_instance

RULES = Influence()
LEFT = jnp.int32(2)
"""Picks of the day that are left."""
SMALL = ModelConfig(
    latent=8,
    subgoals=4,
    subgoal_size=3,
    hidden=8,
    encoder_hidden=6,
    q_hidden=6,
    q_layers=2,
    reward_bins=11,
    known_gains=True,
)


@pytest.fixture(scope="module")
def view():
    instance = make_instance(erdos_renyi(15, 3.0, np.random.default_rng(0)), 3, 5)
    return RULES.observe(instance, RULES.pick(instance, RULES.reset(instance), jnp.int32(2)))


@pytest.fixture(scope="module")
def model():
    return Lmta(3, 2, 5, SMALL, key=jax.random.key(0))


def test_latents_live_on_the_sphere(model, view):
    h = model.high.encoder(view)
    following, logits = model.high.step(h, jnp.int32(1))
    assert float(jnp.linalg.norm(h)) == pytest.approx(1, abs=1e-5)
    assert float(jnp.linalg.norm(following)) == pytest.approx(1, abs=1e-5)
    assert logits.shape == (11,)


def test_chordal_distance_by_hand_and_where_points_meet():
    u, v = jnp.array([1.0, 0.0]), jnp.array([0.0, 1.0])
    assert float(chordal(u, v)) == pytest.approx(np.sqrt(2))
    assert jax.grad(lambda a: chordal(a, u))(u).tolist() == [0, 0]
    assert np.isfinite(jax.grad(lambda a: on_sphere(a).sum())(jnp.zeros(2))).all()


@pytest.mark.parametrize("left", [0, 3, 5])
def test_budgets_beyond_what_is_left_are_impossible(model, view, left):
    logits, _, _ = model.high.budget(model.high.encoder(view), model.high.subgoals[0], jnp.int32(left), jnp.int32(2))
    chance = jax.nn.softmax(logits)
    assert float(chance[left + 1 :].sum()) == 0
    assert (np.asarray(chance[: left + 1]) > 0).all()


def test_budgets_start_at_an_even_pace_weighted_by_the_ambition(view):
    """20 left for 4 days are 5 a day. If today counts twice a later day it gets 2 of 5 parts; the last day gets all."""
    model = Lmta(3, 2, 20, SMALL, key=jax.random.key(0))
    last = lambda m: m.high.budget.policy.layers[-1]  # noqa: E731
    model = eqx.tree_at(lambda m: (last(m).weight, last(m).bias), model, replace_fn=jnp.zeros_like)
    h, ambition = model.high.encoder(view), model.high.budget.ambition

    def likeliest(weight_of_today, left, days_left):
        z = np.log(weight_of_today) * ambition / (ambition @ ambition)
        return int(jnp.argmax(model.high.budget(h, z, jnp.int32(left), jnp.int32(days_left))[0]))

    assert likeliest(1, 20, 4) == 5
    assert likeliest(2, 20, 4) == 8
    assert likeliest(1 / 2, 14, 4) == 2
    assert likeliest(1, 3, 9) == 0
    assert likeliest(1 / 9, 17, 1) == 17
    assert float(jnp.linalg.norm(ambition)) == pytest.approx(SMALL.ambition, rel=1e-5)
    urgent = eqx.tree_at(lambda m: last(m).bias, model, replace_fn=lambda bias: bias.at[-1].set(np.log(2)))
    for far in (-500.0, 500.0):
        gone = eqx.tree_at(lambda m: last(m).bias, model, replace_fn=lambda bias, far=far: bias.at[-1].set(far))
        assert bool(jnp.isfinite(gone.high.budget(h, jnp.zeros(3), jnp.int32(9), jnp.int32(1))[0]).all())
    of = lambda m: m.high.budget(h, jnp.zeros(3), jnp.int32(20), jnp.int32(4))[0]  # noqa: E731
    assert (int(jnp.argmax(of(model))), int(jnp.argmax(of(urgent)))) == (5, 8)


@pytest.mark.parametrize(("round_from", "one_for_three", "two_for_three"), [(0.5, 0, 1), (0.1, 1, 1), (0.9, 0, 0)])
def test_what_counts_as_a_whole_pick(view, round_from, one_for_three, two_for_three):
    """A third or two thirds of a pick are made today or wait; on the last day nothing waits, and nothing is added."""
    model = Lmta(3, 2, 20, replace(SMALL, round_from=round_from), key=jax.random.key(0))
    last = lambda m: m.high.budget.policy.layers[-1]  # noqa: E731
    even = eqx.tree_at(lambda m: (last(m).weight, last(m).bias), model, replace_fn=jnp.zeros_like)
    h = even.high.encoder(view)

    def likeliest(left, days_left):
        return int(jnp.argmax(even.high.budget(h, jnp.zeros(3), jnp.int32(left), jnp.int32(days_left))[0]))

    assert (likeliest(1, 3), likeliest(2, 3)) == (one_for_three, two_for_three)
    assert (likeliest(0, 3), likeliest(6, 3), likeliest(7, 1)) == (0, 2, 7)


def test_subgoals_differ_in_their_ambition_at_first():
    """Four ambitions in the middle of quarters of a normal distribution; nothing else is of account."""
    subgoals = np.asarray(HighLevel(3, 2, 5, SMALL, key=jax.random.key(0)).subgoals)
    np.testing.assert_allclose(subgoals[:, 0], [-1.1503, -0.3186, 0.3186, 1.1503], atol=1e-3)
    assert 0 < np.abs(subgoals[:, 1:]).max() < 0.05


def test_a_dueling_network_centres_its_advantages(view):
    """Q less the value of the state has mean 0 over the nodes; without dueling there is no such value."""
    network = QNetwork(3, 2, SMALL, key=jax.random.key(1))
    plain = QNetwork(3, 2, ModelConfig(**vars(SMALL) | {"dueling": False}), key=jax.random.key(1))
    z = jnp.ones(3)
    moved = eqx.tree_at(lambda n: n.value.layers[-1].bias, network, replace_fn=lambda bias: bias + 7)
    np.testing.assert_allclose(moved(view, z, LEFT), network(view, z, LEFT) + 7, atol=1e-4)
    unmoved = eqx.tree_at(lambda n: n.value.layers[-1].bias, plain, replace_fn=lambda bias: bias + 7)
    np.testing.assert_array_equal(unmoved(view, z, LEFT), plain(view, z, LEFT))
    raised = eqx.tree_at(lambda n: n.advantage.bias, network, replace_fn=lambda bias: bias + 7)
    np.testing.assert_allclose(raised(view, z, LEFT), network(view, z, LEFT), atol=1e-4)


@pytest.mark.parametrize("given", [True, False])
def test_conditioning_on_the_subgoal_can_be_switched_off(view, given):
    conditioned = {"budget_given_subgoal": given, "low_level_given_subgoal": given, "known_gains": False}
    config = ModelConfig(**vars(SMALL) | conditioned)
    model = Lmta(3, 2, 5, config, key=jax.random.key(0))
    h = model.high.encoder(view)
    budgets = [model.high.budget(h, model.high.subgoals[z], jnp.int32(5), jnp.int32(2))[0] for z in (0, 1)]
    values = [model.low(view, model.high.subgoals[z], LEFT) for z in (0, 1)]
    assert bool((budgets[0] == budgets[1]).all()) is not given
    assert bool((values[0] == values[1]).all()) is not given


def test_margins_are_learned_or_one_for_all():
    learned = HighLevel(3, 2, 5, SMALL, key=jax.random.key(0)).margins(jnp.float32(0.7))
    fixed_config = ModelConfig(**vars(SMALL) | {"learned_margin": False})
    fixed = HighLevel(3, 2, 5, fixed_config, key=jax.random.key(0)).margins(jnp.float32(0.7))
    assert (np.asarray(learned) > 0).all()
    assert len(set(np.asarray(learned).tolist())) == 4
    np.testing.assert_allclose(fixed, 0.7)


def test_a_node_is_worth_what_its_surroundings_say_not_its_number(view):
    """Renaming the nodes permutes the values."""
    network = QNetwork(3, 2, replace(SMALL, known_gains=False), key=jax.random.key(1))
    order = np.random.default_rng(0).permutation(15)
    place = jnp.asarray(np.argsort(order))
    graph = view.graph
    renamed = type(graph)(
        senders=place[graph.senders],
        receivers=place[graph.receivers],
        weight=graph.weight,
        reverse=graph.reverse,
        edge_mask=graph.edge_mask,
        node_mask=graph.node_mask,
    )
    other = type(view)(nodes=view.nodes[order], globals=view.globals, graph=renamed, gain=view.gain[order])
    z = jnp.ones(3)
    np.testing.assert_allclose(network(other, z, LEFT), network(view, z, LEFT)[order], rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("dueling", [True, False])
def test_before_learning_picks_are_worth_what_is_known_of_them(view, dueling):
    """Values differ by gains alone; what is learned comes on top. Without known gains they say nothing of them."""
    config, z = replace(SMALL, dueling=dueling), jnp.ones(3)
    values = QNetwork(3, 2, config, key=jax.random.key(1))(view, z, LEFT)
    np.testing.assert_allclose(values - values[0], view.gain - view.gain[0], atol=1e-5)
    plain = QNetwork(3, 2, replace(config, known_gains=False), key=jax.random.key(1))
    doubled = eqx.tree_at(lambda v: v.gain, view, 2 * view.gain)
    np.testing.assert_array_equal(plain(view, z, LEFT), plain(doubled, z, LEFT))


def test_the_last_pick_of_a_day_is_worth_what_is_known_of_it(view):
    """If the network looks to the end of the day; if it looks further, what follows counts."""
    network, z = QNetwork(3, 2, replace(SMALL, low_horizon="day"), key=jax.random.key(1)), jnp.ones(3)
    np.testing.assert_array_equal(network(view, z, jnp.int32(1)), view.gain)
    assert bool((network(view, z, jnp.int32(2)) != view.gain).all())
    further = QNetwork(3, 2, SMALL, key=jax.random.key(1))
    assert bool((further(view, z, jnp.int32(1)) != view.gain).all())
