"""Numbers on a support and back."""

import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lmta.nn.categorical import mean_on, squash, two_hot, unsquash

SUPPORT = jnp.linspace(-2.0, 2.0, 5)


@given(st.floats(-1e4, 1e4))
def test_unsquash_undoes_squash(x):
    assert float(unsquash(squash(jnp.float32(x)))) == pytest.approx(x, rel=1e-3, abs=1e-2)


def test_squash_by_hand():
    """√(3 + 1) - 1 + 0.003 = 1.003."""
    np.testing.assert_allclose(squash(jnp.array([3.0, 0.0, -3.0])), [1.003, 0, -1.003], rtol=1e-6)


def test_two_hot_by_hand():
    np.testing.assert_allclose(two_hot(jnp.array(0.25), SUPPORT), [0, 0, 0.75, 0.25, 0], atol=1e-6)
    np.testing.assert_allclose(two_hot(jnp.array(-1.0), SUPPORT), [0, 1, 0, 0, 0], atol=1e-6)
    np.testing.assert_allclose(two_hot(jnp.array(9.0), SUPPORT), [0, 0, 0, 0, 1], atol=1e-6)


@given(st.floats(-2, 2))
def test_the_mean_of_two_hot_is_the_number(y):
    weights = two_hot(jnp.float32(y), SUPPORT)
    assert float(weights.sum()) == pytest.approx(1, abs=1e-5)
    assert float(weights @ SUPPORT) == pytest.approx(y, abs=1e-5)


def test_mean_on_by_hand():
    logits = jnp.log(jnp.array([0.25, 0.25, 0.25, 0.25, 1e-9]))
    assert float(mean_on(logits, SUPPORT)) == pytest.approx(-0.5, abs=1e-5)
