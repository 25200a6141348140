"""Parts of deep Q-learning: exploration, targets, losses, and the copy of the target network."""

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int, Key

from lmta.sparse import first_best

MASKED = -1e9
"""In place of minus infinity, where a logit must stay finite."""


def epsilon(first: float, last: float, decay: float, steps: Int[Array, ""]) -> Float[Array, ""]:
    """The rate of random actions: from first to last, shrinking by `decay` with every gradient step."""
    return jnp.maximum(first * decay**steps, last)


def epsilon_greedy(
    values: Float[Array, " actions"], legal: Bool[Array, " actions"], rate: Any, key: Key[Array, ""] | None
) -> Int[Array, ""]:
    """The legal action with the highest value, or any legal one with probability `rate`; without a key the best."""
    scores = values
    if key is not None:
        explore_key, noise_key = jax.random.split(key)
        noise = jax.random.uniform(noise_key, values.shape)
        scores = jnp.where(jax.random.bernoulli(explore_key, rate), noise, values)
    return first_best(jnp.where(legal, scores, MASKED))


def q_target(
    reward: Float[Array, ""],
    discount: Float[Array, ""],
    values: Float[Array, " actions"],
    preference: Float[Array, " actions"],
    legal: Bool[Array, " actions"],
) -> Float[Array, ""]:
    """y = r + γ Q'(s', a') with a' the legal action preferred most, 0 where none is legal.

    With the values themselves as preference this is the plain maximum of DQN, which noise biases upward, the more so
    the more actions are legal; with those of the learning network it is double DQN.
    """
    best = first_best(jnp.where(legal, preference, -jnp.inf))
    return reward + discount * jnp.where(legal.any(), values[best], 0.0)


def q_loss(value: Float[Array, ""], target: Float[Array, ""]) -> Float[Array, ""]:
    """Squared Bellman error."""
    return (value - jax.lax.stop_gradient(target)) ** 2


def copied_every(every: int, steps: Int[Array, ""], network: Any, target: Any) -> Any:
    """The target network, which becomes a copy of the network every so many steps."""
    fresh, rest = eqx.partition(network, eqx.is_array)
    stale = eqx.filter(target, eqx.is_array)
    copy = steps % every == 0
    return eqx.combine(jax.tree.map(lambda new, old: jnp.where(copy, new, old), fresh, stale), rest)
