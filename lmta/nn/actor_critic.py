"""Parts of actor-critic learning: λ-returns, policy gradients, and a weight that steers a quantity to its target."""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

SMALLEST_SPREAD = 1e-8
"""What advantages are divided by, at least."""


def lambda_returns(
    reward: Float[Array, " steps"],
    discount: Float[Array, " steps"],
    next_value: Float[Array, " steps"],
    trace: Float[Array, " steps"],
) -> Float[Array, " steps"]:
    """R_t = r_t + γ_t ((1 - λ_t) V_{t+1} + λ_t R_{t+1}); the last step, and any with λ_t = 0, counts on V alone."""

    def step(following, given):
        reward, discount, value, trace = given
        total = reward + discount * ((1 - trace) * value + trace * following)
        return total, total

    given = reward, discount, next_value, trace
    return jax.lax.scan(step, next_value[-1], given, reverse=True)[1]


def spread(values: Float[Array, " *shape"], weight: Float[Array, " *shape"]) -> Float[Array, ""]:
    """The weighted standard deviation."""
    share = weight / jnp.maximum(weight.sum(), SMALLEST_SPREAD)
    mean = (share * values).sum()
    return jnp.sqrt(jnp.maximum((share * (values - mean) ** 2).sum(), SMALLEST_SPREAD**2))


def standardised(values: Float[Array, " *shape"], weight: Float[Array, " *shape"]) -> Float[Array, " *shape"]:
    """Values with weighted mean 0 and standard deviation 1."""
    share = weight / jnp.maximum(weight.sum(), SMALLEST_SPREAD)
    return (values - (share * values).sum()) / spread(values, weight)


def reinforce(
    log_prob: Float[Array, " *shape"], advantage: Float[Array, " *shape"], weight: Float[Array, " *shape"]
) -> Float[Array, ""]:
    """- log π(a) A, averaged by weight; no gradient flows through the advantage."""
    return -(weight * log_prob * jax.lax.stop_gradient(advantage)).mean()


def adapted(
    scale: Float[Array, " *shape"],
    measured: Float[Array, " *shape"],
    target: float,
    limits: tuple[float, float],
    *,
    raises: bool,
    rate: float = 0.1,
    tolerance: float = 0.1,
) -> Float[Array, " *shape"]:
    """The weight of a term after a step: 1 + `rate` times as much, or as little, where what was measured is off by more
    than a share of the target. A term that `raises` its quantity needs more weight where there is too little of it."""
    too_much = measured > (1 + tolerance) * target
    too_little = measured < target / (1 + tolerance)
    more, less = (too_little, too_much) if raises else (too_much, too_little)
    factor = jnp.where(more, 1 + rate, jnp.where(less, 1 / (1 + rate), 1.0))
    return jnp.clip(scale * factor, *limits)
