"""Value targets by hand."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from lmta.nn.targets import n_step_returns, scale_gradient

REWARDS, VALUES = jnp.array([1.0, 2.0, 4.0]), jnp.array([10.0, 20.0, 30.0])


@pytest.mark.parametrize(
    ("count", "discount", "wanted"),
    [
        (1, 1.0, [21, 32, 4]),
        (2, 1.0, [33, 6, 4]),
        (3, 1.0, [7, 6, 4]),
        (99, 1.0, [7, 6, 4]),
        (1, 0.5, [11, 17, 4]),
        (2, 0.5, [1 + 1 + 7.5, 2 + 2, 4]),
    ],
)
def test_n_step_returns_by_hand(count, discount, wanted):
    np.testing.assert_allclose(n_step_returns(REWARDS, VALUES, count, discount), wanted)


def test_a_scaled_gradient_leaves_the_number():
    value, gradient = jax.value_and_grad(lambda x: (scale_gradient(x, 0.5) ** 2).sum())(jnp.array([3.0]))
    assert (float(value), float(gradient[0])) == (9.0, 3.0)
