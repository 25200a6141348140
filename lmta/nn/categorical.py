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


def even_support(largest: float, bins: int) -> Float[Array, " bins"]:
    """Atoms from minus to plus `largest`, in true units, evenly spaced once squashed: fine near 0, coarse far away."""
    end = squash(jnp.asarray(largest, jnp.float32))
    return unsquash(jnp.linspace(-end, end, bins))


def two_hot(y: Float[Array, ""], support: Float[Array, " bins"]) -> Float[Array, " bins"]:
    """The distribution on the two neighbouring atoms whose mean is `y`, clipped to the range of the support."""
    y = jnp.clip(y, support[0], support[-1])
    above = jnp.clip(jnp.searchsorted(support, y, side="right"), 1, support.shape[0] - 1)
    low, high = support[above - 1], support[above]
    share = (y - low) / (high - low)
    index = jnp.arange(support.shape[0])
    return jnp.where(index == above, share, 0.0) + jnp.where(index == above - 1, 1 - share, 0.0)


def mean_on(logits: Float[Array, " bins"], support: Float[Array, " bins"]) -> Float[Array, ""]:
    """The mean of a distribution on the support."""
    return jax.nn.softmax(logits) @ support
