"""λ-returns, policy gradients and adaptive weights by hand."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from lmta.nn.actor_critic import adapted, lambda_returns, reinforce, spread, standardised


def test_lambda_returns_by_hand():
    """R₂ = 3 + 0.5 · 8 = 7; R₁ = 2 + 0.5 (0.2 · 6 + 0.8 · 7) = 5.4; R₀ = 1 + 0.5 (0.2 · 4 + 0.8 · 5.4) = 3.56."""
    values, half = jnp.array([4.0, 6.0, 8.0]), jnp.full(3, 0.5)
    got = lambda_returns(jnp.array([1.0, 2.0, 3.0]), half, values, jnp.full(3, 0.8))
    np.testing.assert_allclose(got, [3.56, 5.4, 7.0], rtol=1e-6)


def test_a_piece_ends_where_the_trace_is_0():
    """R₁ = 2 + 0.5 · 6 forgets what comes later; R₀ builds on it."""
    values, half = jnp.array([4.0, 6.0, 8.0]), jnp.full(3, 0.5)
    got = lambda_returns(jnp.array([1.0, 2.0, 3.0]), half, values, jnp.array([0.8, 0.0, 0.8]))
    np.testing.assert_allclose(got, [1 + 0.5 * (0.8 + 0.8 * 5), 5.0, 7.0], rtol=1e-6)


def test_after_the_end_nothing_counts():
    got = lambda_returns(jnp.ones(2), jnp.array([0.9, 0.0]), jnp.full(2, 100.0), jnp.ones(2))
    np.testing.assert_allclose(got, [1.9, 1.0], rtol=1e-6)


def test_weighted_mean_and_spread():
    """Weights 1, 1, 2 on 0, 2, 3: mean 2, variance (4 + 0 + 2) / 4."""
    values, weight = jnp.array([0.0, 2.0, 3.0]), jnp.array([1.0, 1.0, 2.0])
    assert float(spread(values, weight)) == pytest.approx(np.sqrt(1.5), rel=1e-6)
    np.testing.assert_allclose(standardised(values, weight), np.array([-2, 0, 1]) / np.sqrt(1.5), rtol=1e-5)
    np.testing.assert_array_equal(standardised(jnp.ones(3), weight), 0)


def test_the_policy_gradient_pushes_by_advantage_and_weight():
    log_prob, advantage, weight = jnp.array([-1.0, -2.0]), jnp.array([3.0, -1.0]), jnp.array([1.0, 0.5])
    assert float(reinforce(log_prob, advantage, weight)) == pytest.approx((3 - 1) / 2)
    np.testing.assert_allclose(jax.grad(reinforce)(log_prob, advantage, weight), [-1.5, 0.25])
    np.testing.assert_array_equal(jax.grad(reinforce, argnums=1)(log_prob, advantage, weight), 0)


@pytest.mark.parametrize(
    ("scale", "measured", "raises", "after"),
    [
        (0.5, 11.1, False, 0.55),
        (0.5, 10.9, False, 0.5),
        (0.5, 9.1, False, 0.5),
        (0.5, 9.0, False, 0.5 / 1.1),
        (1.0, 20.0, False, 1.0),
        (1e-5, 1.0, False, 1e-5),
        (0.5, 11.1, True, 0.5 / 1.1),
        (0.5, 9.0, True, 0.55),
    ],
)
def test_a_weight_steers_its_term_to_the_target(scale, measured, raises, after):
    """Target 10: more weight on a KL that is too large, less where it is too small; on an entropy the other way."""
    got = adapted(jnp.float32(scale), jnp.float32(measured), 10.0, (1e-5, 1.0), raises=raises)
    assert float(got) == pytest.approx(after, rel=1e-6)
