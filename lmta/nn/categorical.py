"""Numbers of any size as distributions over a fixed support (MuZero, App. F)."""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

EPSILON = 0.001


def squash(x: Float[Array, " *n"]) -> Float[Array, " *n"]:
    """h(x) = sign(x)(√(|x| + 1) - 1) + εx: large rewards and values in a small range."""
    return jnp.sign(x) * (jnp.sqrt(jnp.abs(x) + 1) - 1) + EPSILON * x


def unsquash(y: Float[Array, " *n"]) -> Float[Array, " *n"]:
    """The inverse of `squash`."""
    root = (jnp.sqrt(1 + 4 * EPSILON * (jnp.abs(y) + 1 + EPSILON)) - 1) / (2 * EPSILON)
    return jnp.sign(y) * (root**2 - 1)


def two_hot(y: Float[Array, ""], support: Float[Array, " bins"]) -> Float[Array, " bins"]:
    """The distribution on the two neighbouring atoms of an even support whose mean is `y`, clipped to its range."""
    step = support[1] - support[0]
    place = jnp.clip((y - support[0]) / step, 0, support.shape[0] - 1)
    return jnp.maximum(0.0, 1 - jnp.abs(place - jnp.arange(support.shape[0])))


def mean_on(logits: Float[Array, " bins"], support: Float[Array, " bins"]) -> Float[Array, ""]:
    """The mean of a distribution on the support."""
    return jax.nn.softmax(logits) @ support
