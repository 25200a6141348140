"""Every loss by hand."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from lmta.training import losses

F, N = jnp.float32, jnp.int32


def test_policy_is_cross_entropy():
    logits = jnp.log(jnp.array([0.5, 0.25, 0.25]))
    target = jnp.array([0.5, 0.5, 0.0])
    assert float(losses.policy_loss(logits, target)) == pytest.approx(0.5 * np.log(2) + 0.5 * np.log(4))


def test_value_counts_in_squashed_units():
    """squash(3) = 1.003."""
    assert float(losses.value_loss(F(2.003), F(3.0))) == pytest.approx(1.0, rel=1e-5)
    assert float(losses.critic_loss(F(0.003), F(3.0))) == pytest.approx(1.0, rel=1e-5)


def test_reward_is_cross_entropy_on_the_support():
    support = jnp.array([-1.0, 0.0, 1.0])
    logits = jnp.log(jnp.array([0.2, 0.5, 0.3]))
    assert float(losses.reward_loss(logits, F(0.0), support)) == pytest.approx(-np.log(0.5), rel=1e-5)


def test_dynamics_is_the_squared_distance_and_teaches_the_prediction_only():
    predicted, encoded = jnp.array([1.0, 0.0]), jnp.array([0.6, 0.8])
    assert float(losses.dynamics_loss(predicted, encoded)) == pytest.approx(0.16 + 0.64)
    to_predicted, to_encoded = jax.grad(losses.dynamics_loss, (0, 1))(predicted, encoded)
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
    chosen_so = F(np.log(0.25))
    assert float(losses.actor_loss(logits, N(0), F(2.0), chosen_so)) == pytest.approx(2 * np.log(4), rel=1e-5)
    assert float(jax.grad(losses.actor_loss, argnums=2)(logits, N(0), F(2.0), chosen_so)) == 0
    gradient = jax.grad(losses.actor_loss)(logits, N(0), F(2.0), chosen_so)
    np.testing.assert_allclose(gradient, [-1.5, 1.5], rtol=1e-5)


@pytest.mark.parametrize(("behaviour", "weight"), [(0.5, 0.5), (0.25, 1.0), (0.1, 2.5), (0.001, 10.0)])
def test_replayed_budgets_count_by_their_ratio_up_to_ten(behaviour, weight):
    logits = jnp.log(jnp.array([0.25, 0.75]))
    gradient = jax.grad(losses.actor_loss)(logits, N(0), F(2.0), F(np.log(behaviour)))
    np.testing.assert_allclose(gradient, [-1.5 * weight, 1.5 * weight], rtol=1e-5)


def test_a_pace_is_pushed_toward_what_was_tried_by_the_advantage():
    """Tried 0.5 above the urgency of then and now: d/du of (u - 1.5)²/(2·0.5²) is -2; twice that for an advantage of 2.

    Where the urgency is 2 by now, 1.5 is as likely as it was then, and is pulled down to; at 1.5 nothing is left to do.
    """
    pushed = lambda u: float(jax.grad(losses.pace_loss)(F(u), F(1.5), F(0.5), 0.5, F(2.0)))  # noqa: E731
    assert pushed(1.0) == pytest.approx(-4.0)
    assert pushed(2.0) == pytest.approx(4.0)
    assert pushed(1.5) == 0
    assert float(losses.pace_loss(F(1.0), F(1.5), F(0.5), 0.5, F(2.0))) == pytest.approx(2 * 0.5)
    assert float(jax.grad(losses.pace_loss, argnums=4)(F(1.0), F(1.5), F(0.5), 0.5, F(2.0))) == 0


def test_the_favourite_is_drawn_to_an_even_pace_and_the_others_keep_their_distance():
    """Ambitions -1, 0, 2 beside the last one: -3, -2, 0. Urgencies 0, 0, 1 miss that by 3, 2, 1: (9 + 4 + 1) / 3."""
    ambitions = jnp.array([-1.0, 0.0, 2.0])
    assert float(losses.ambition_loss(jnp.array([0.0, 0.0, 1.0]), ambitions, N(2))) == pytest.approx(14 / 3)
    assert float(losses.ambition_loss(jnp.array([-3.0, -2.0, 0.0]), ambitions, N(2))) == 0
    assert float(losses.ambition_loss(ambitions, ambitions, N(1))) == 0


def test_entropy_counts_only_what_is_allowed():
    assert float(losses.entropy(jnp.array([0.0, 0.0, -1e9]))) == pytest.approx(np.log(2), rel=1e-5)
    gradient = jax.grad(losses.entropy)(jnp.array([0.0, 1.0, -1e9]))
    assert np.isfinite(gradient).all()


def test_q_is_the_squared_bellman_error_toward_a_fixed_target():
    assert float(losses.q_loss(F(1.0), F(3.0))) == 4
    assert float(jax.grad(losses.q_loss, argnums=1)(F(1.0), F(3.0))) == 0


def test_the_target_of_the_low_level_by_hand():
    """1 + ½·Q'(a'): a' is the best legal value, or the legal node that another network prefers; none legal, nothing."""
    values, other = jnp.array([3.0, 9.0, 5.0, 7.0]), jnp.array([8.0, 9.0, 2.0, 1.0])
    legal = jnp.array([True, False, True, True])
    target = lambda preference, legal: float(losses.q_target(jnp.ones(()), jnp.float32(0.5), values, preference, legal))  # noqa: E731
    assert target(values, legal) == 1 + 3.5
    assert target(other, legal) == 1 + 1.5
    assert target(other, jnp.zeros(4, bool)) == 1
