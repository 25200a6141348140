"""Every loss by hand."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from lmta.agents.lmta import losses

F, N = jnp.float32, jnp.int32


def test_policy_is_cross_entropy():
    logits = jnp.log(jnp.array([0.5, 0.25, 0.25]))
    target = jnp.array([0.5, 0.5, 0.0])
    assert float(losses.policy_loss(logits, target)) == pytest.approx(0.5 * np.log(2) + 0.5 * np.log(4))


def test_value_counts_in_squashed_units():
    """squash(3) = 1.003."""
    assert float(losses.value_loss(F(2.003), F(3.0))) == pytest.approx(1.0, rel=1e-5)
    assert float(losses.critic_loss(F(0.003), F(3.0))) == pytest.approx(1.0, rel=1e-5)


def test_reward_is_cross_entropy_on_the_support_in_true_units():
    """3 lies halfway from 1 to 5: half the weight on each."""
    support = jnp.array([-5.0, -1.0, 0.0, 1.0, 5.0])
    logits = jnp.log(jnp.array([0.1, 0.1, 0.3, 0.3, 0.2]))
    assert float(losses.reward_loss(logits, F(0.0), support)) == pytest.approx(-np.log(0.3), rel=1e-5)
    expected = -0.5 * np.log(0.3) - 0.5 * np.log(0.2)
    assert float(losses.reward_loss(logits, F(3.0), support)) == pytest.approx(expected, rel=1e-5)


def test_consistency_is_the_squared_distance_and_teaches_the_prediction_only():
    predicted, encoded = jnp.array([1.0, 0.0]), jnp.array([0.6, 0.8])
    assert float(losses.consistency_loss(predicted, encoded)) == pytest.approx(0.16 + 0.64)
    to_predicted, to_encoded = jax.grad(losses.consistency_loss, (0, 1))(predicted, encoded)
    np.testing.assert_allclose(to_predicted, [0.8, -1.6], rtol=1e-6)
    np.testing.assert_array_equal(to_encoded, 0)


@pytest.mark.parametrize(("distance", "loss"), [(0.05, 0.0), (0.10, 0.0), (0.30, 0.04)])
def test_cap(distance, loss):
    assert float(losses.cap_loss(F(distance), 0.10)) == pytest.approx(loss, abs=1e-7)


@pytest.mark.parametrize(("margin", "distance", "loss"), [(0.5, 0.2, 0.3), (0.2, 0.5, 0.0)])
def test_push(margin, distance, loss):
    assert float(losses.push_loss(F(margin), F(distance))) == pytest.approx(loss)


@pytest.mark.parametrize(
    ("score_i", "score_j", "duration_i", "duration_j", "loss"),
    [(2.0, 0.5, 7, 3, 0.0), (0.9, 0.5, 7, 3, 0.6), (0.5, 0.9, 7, 3, 1.4), (0.9, 0.5, 3, 7, 1.4), (2.0, 0.5, 3, 3, 1.0)],
)
def test_order(score_i, score_j, duration_i, duration_j, loss):
    got = losses.order_loss(F(score_i), F(score_j), N(duration_i), N(duration_j))
    assert float(got) == pytest.approx(loss, rel=1e-5)


@pytest.mark.parametrize(
    ("score_i", "score_j", "duration_i", "duration_j", "loss"),
    [(0.9, 0.5, 7.5, 3.5, 0.0), (0.7, 0.5, 7.5, 3.5, 0.2), (0.5, 0.7, 7.5, 3.5, 0.6), (2.0, 0.5, 3.0, 3.0, 0.0)],
)
def test_order_with_a_gap_for_each_step(score_i, score_j, duration_i, duration_j, loss):
    got = losses.order_loss(F(score_i), F(score_j), F(duration_i), F(duration_j), per_step=0.1)
    assert float(got) == pytest.approx(loss, abs=1e-6)


def test_a_tie_teaches_nothing():
    gradient = jax.grad(losses.order_loss)(F(0.9), F(0.5), N(4), N(4))
    assert float(gradient) == 0


def test_margin_is_the_sum_of_squares():
    assert float(losses.margin_loss(jnp.array([1.0, 2.0]))) == 5


def test_actor_pushes_by_the_advantage_and_stops_its_gradient():
    logits = jnp.log(jnp.array([0.25, 0.75]))
    assert float(losses.actor_loss(logits, N(0), F(2.0))) == pytest.approx(2 * np.log(4), rel=1e-5)
    assert float(jax.grad(losses.actor_loss, argnums=2)(logits, N(0), F(2.0))) == 0
    np.testing.assert_allclose(jax.grad(losses.actor_loss)(logits, N(0), F(2.0)), [-1.5, 1.5], rtol=1e-5)


@pytest.mark.parametrize(("behaviour", "weight"), [(0.5, 0.5), (0.25, 1.0), (0.1, 2.5), (0.001, 10.0)])
def test_replayed_budgets_count_by_their_ratio_up_to_ten(behaviour, weight):
    """A budget that has a quarter now counts by 0.25 over what it had; no gradient flows through the ratio."""
    logits = jnp.log(jnp.array([0.25, 0.75]))
    gradient = jax.grad(losses.corrected_actor_loss)(logits, N(0), F(2.0), F(np.log(behaviour)))
    np.testing.assert_allclose(gradient, [-1.5 * weight, 1.5 * weight], rtol=1e-5)


def test_the_favourite_is_anchored_to_an_even_share_and_the_others_beside_it():
    """Biases -1, 0, 2 beside the last one: -3, -2, 0. Tilts 0, 0, 1 miss that by 3, 2, 1: (9 + 4 + 1) / 3."""
    biases = jnp.array([-1.0, 0.0, 2.0])
    assert float(losses.anchor_loss(jnp.array([0.0, 0.0, 1.0]), biases, N(2))) == pytest.approx(14 / 3)
    assert float(losses.anchor_loss(jnp.array([-3.0, -2.0, 0.0]), biases, N(2))) == 0
    assert float(losses.anchor_loss(biases, biases, N(1))) == 0
