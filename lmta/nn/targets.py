"""What values are fitted to."""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float


def n_step_returns(
    rewards: Float[Array, " steps"], values: Float[Array, " steps"], count: int, discount: float
) -> Float[Array, " steps"]:
    """Σ_{i<n} γⁱ r_{t+i} + γⁿ v_{t+n} for every step t; past the last step there is neither reward nor value."""
    length = rewards.shape[0]
    count = min(count, length)
    rewards, values = (jnp.concatenate([array, jnp.zeros(count)]) for array in (rewards, values))
    weights = discount ** jnp.arange(count)
    ahead = jnp.arange(length)[:, None] + jnp.arange(count)
    return rewards[ahead] @ weights + discount**count * values[count:]


def scale_gradient(x: Float[Array, " n"], scale: float) -> Float[Array, " n"]:
    """The same numbers, whose gradient is scaled."""
    return scale * x + (1 - scale) * jax.lax.stop_gradient(x)
