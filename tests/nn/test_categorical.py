"""Numbers on a support and back, in true units."""

import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lmta.nn.categorical import even_support, mean_on, squash, two_hot, unsquash

UNEVEN = jnp.array([-10.0, -2.0, 0.0, 1.0, 6.0])


@given(st.floats(-1e4, 1e4))
def test_unsquash_undoes_squash(x):
    assert float(unsquash(squash(jnp.float32(x)))) == pytest.approx(x, rel=1e-3, abs=1e-2)


def test_squash_by_hand():
    """√(3 + 1) - 1 + 0.003 = 1.003."""
    np.testing.assert_allclose(squash(jnp.array([3.0, 0.0, -3.0])), [1.003, 0, -1.003], rtol=1e-6)


def test_a_support_is_in_true_units_and_finest_around_0():
    """From -8 to 8: squash(8) = 2.008, so the second of five atoms is where squash is 1.004, a little above 3."""
    support = np.asarray(even_support(8.0, 5))
    np.testing.assert_allclose(support, [-8, -3.0032, 0, 3.0032, 8], rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize(
    ("number", "weights"),
    [
        (2.0, [0, 0, 0, 0.8, 0.2]),  # a fifth of the way from 1 to 6
        (-4.0, [0.25, 0.75, 0, 0, 0]),  # three quarters of the way from -10 to -2
        (-2.0, [0, 1, 0, 0, 0]),
        (6.0, [0, 0, 0, 0, 1]),
        (99.0, [0, 0, 0, 0, 1]),
        (-99.0, [1, 0, 0, 0, 0]),
    ],
)
def test_two_hot_on_an_uneven_support_by_hand(number, weights):
    np.testing.assert_allclose(two_hot(jnp.float32(number), UNEVEN), weights, atol=1e-6)


@given(st.floats(-10, 6))
def test_the_mean_of_two_hot_is_the_number_itself(number):
    """Which the mean in squashed units was not: it lay below."""
    weights = two_hot(jnp.float32(number), UNEVEN)
    assert float(weights.sum()) == pytest.approx(1, abs=1e-5)
    assert float(weights @ UNEVEN) == pytest.approx(number, abs=1e-4)


def test_mean_on_by_hand():
    """A quarter each of -10, -2, 0 and 1."""
    logits = jnp.log(jnp.array([0.25, 0.25, 0.25, 0.25, 1e-9]))
    assert float(mean_on(logits, UNEVEN)) == pytest.approx(-11 / 4, abs=1e-4)
