"""Distributions over discrete choices, given by their logits: draws, entropies, and codes that gradients pass."""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int, Key

from lmta.nn.q_learning import MASKED
from lmta.sparse import first_best


def draw(logits: Float[Array, " choices"], key: Key[Array, ""] | None) -> Int[Array, ""]:
    """A choice by its probability; without a key the most likely one."""
    noise = 0.0 if key is None else jax.random.gumbel(key, logits.shape)
    return first_best(logits + noise)


def entropy(logits: Float[Array, " choices"]) -> Float[Array, ""]:
    """H over the choices that are not masked."""
    log = jax.nn.log_softmax(logits)
    return -jnp.sum(jnp.exp(log) * jnp.where(log > MASKED / 10, log, 0.0))


def entropy_share(logits: Float[Array, " choices"]) -> Float[Array, ""]:
    """H beside the largest that so many choices can have: from 0 to 1, and 1 where there is nothing to choose."""
    most = jnp.log((logits > MASKED / 10).sum().astype(jnp.float32))
    return jnp.where(most > 0, entropy(logits) / jnp.where(most > 0, most, 1.0), 1.0)


def kl_to_uniform(logits: Float[Array, " choices"]) -> Float[Array, ""]:
    """KL to the even distribution: log n - H."""
    return jnp.log(jnp.float32(logits.shape[0])) - entropy(logits)


def straight_through(logits: Float[Array, " choices"], key: Key[Array, ""] | None) -> Float[Array, " choices"]:
    """A choice as a one-hot vector, whose gradient is that of the probabilities."""
    probability = jax.nn.softmax(logits)
    one_hot = jax.nn.one_hot(draw(logits, key), logits.shape[0])
    return one_hot + probability - jax.lax.stop_gradient(probability)
