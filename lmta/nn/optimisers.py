"""Adam as the learners use it, one gradient step, and averages of weights."""

from typing import Any, TypeVar

import equinox as eqx
import jax
import jax.numpy as jnp
import optax
from jaxtyping import Array, Int

T = TypeVar("T")


def adam(rate: float, weight_decay: float, rate_decay: float = 0.0) -> optax.GradientTransformation:
    """Plain Adam with the weight decay in the gradient; with `rate_decay` the rate falls as 1/√(1 + that · steps) and
    the decay stands beside the gradient (AdamW), where Adam does not blow it up to whole steps."""
    if rate_decay == 0:
        return optax.chain(optax.add_decayed_weights(weight_decay), optax.adam(rate))
    return optax.adamw(lambda step: rate / jnp.sqrt(1 + rate_decay * step), weight_decay=weight_decay)


def apply_gradient(optimiser: optax.GradientTransformation, gradient: Any, state: Any, module: Any) -> tuple[Any, Any]:
    """(the module after a step, the optimiser's state after it)."""
    updates, state = optimiser.update(gradient, state, eqx.filter(module, eqx.is_array))
    return eqx.apply_updates(module, updates), state


def averaged(average: T, newest: T, most: float, epoch: Int[Array, ""]) -> T:
    """The average of a module after an epoch: at first the mean of all epochs, then one that keeps the share `most`."""
    keep = jnp.minimum(most, epoch / (epoch + 1))
    fresh, rest = eqx.partition(newest, eqx.is_array)
    old = eqx.filter(average, eqx.is_array)
    return eqx.combine(jax.tree.map(lambda a, b: keep * a + (1 - keep) * b, old, fresh), rest)
