"""Discrete choices by hand."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from lmta.nn.discrete import draw, entropy, entropy_share, kl_to_uniform, straight_through
from lmta.nn.q_learning import MASKED

HALF_AND_QUARTERS = jnp.log(jnp.array([0.5, 0.25, 0.25]))


def test_entropy_counts_only_what_is_allowed():
    assert float(entropy(jnp.array([0.0, 0.0, MASKED]))) == pytest.approx(np.log(2), rel=1e-5)
    gradient = jax.grad(entropy)(jnp.array([0.0, 1.0, MASKED]))
    assert np.isfinite(gradient).all()


def test_the_share_of_the_largest_entropy():
    """H = 1.5 log 2; three choices have log 3 at most. With one choice or none there is nothing to choose."""
    assert float(entropy_share(HALF_AND_QUARTERS)) == pytest.approx(1.5 * np.log(2) / np.log(3), rel=1e-5)
    assert float(entropy_share(jnp.array([0.0, 0.0, MASKED]))) == pytest.approx(1, rel=1e-5)
    for logits in ([0.0, MASKED], [MASKED, MASKED]):
        assert float(entropy_share(jnp.array(logits))) == 1
        assert np.isfinite(jax.grad(entropy_share)(jnp.array(logits))).all()


def test_kl_to_the_even_distribution():
    assert float(kl_to_uniform(HALF_AND_QUARTERS)) == pytest.approx(np.log(3) - 1.5 * np.log(2), rel=1e-4)
    assert float(kl_to_uniform(jnp.zeros(8))) == pytest.approx(0, abs=1e-6)
    assert float(kl_to_uniform(jnp.array([0.0, MASKED, MASKED]))) == pytest.approx(np.log(3), rel=1e-5)


def test_draws_follow_the_probabilities_and_never_take_what_is_masked():
    logits = jnp.append(HALF_AND_QUARTERS, MASKED)
    drawn = jax.vmap(lambda key: draw(logits, key))(jax.random.split(jax.random.key(0), 4_000))
    np.testing.assert_allclose(np.bincount(drawn, minlength=4) / 4_000, [0.5, 0.25, 0.25, 0], atol=0.03)
    assert int(draw(logits, None)) == 0


def test_a_code_is_one_hot_and_its_gradient_that_of_the_probabilities():
    """∂p₀/∂logits = p₀ (1 - p₀), -p₀ p₁, -p₀ p₂."""
    code = straight_through(HALF_AND_QUARTERS, jax.random.key(1))
    np.testing.assert_allclose(sorted(np.asarray(code)), [0, 0, 1], atol=1e-6)
    np.testing.assert_allclose(straight_through(HALF_AND_QUARTERS, None), [1, 0, 0], atol=1e-6)
    gradient = jax.grad(lambda logits: straight_through(logits, None)[0])(HALF_AND_QUARTERS)
    np.testing.assert_allclose(gradient, [0.25, -0.125, -0.125], rtol=1e-5)
