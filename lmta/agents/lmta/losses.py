"""Every loss as a pure function on one example; sums and weights are the caller's."""

import jax
import jax.numpy as jnp
import optax
from jaxtyping import Array, Float, Int, Real

from lmta.nn.categorical import squash, two_hot

LARGEST_RATIO = 10.0
"""How much one replayed decision may count in a policy gradient."""


def policy_loss(logits: Float[Array, " subgoals"], target: Float[Array, " subgoals"]) -> Float[Array, ""]:
    """Cross-entropy to the search policy (eq. of L_MuZero, first term)."""
    return optax.softmax_cross_entropy(logits, target)


def value_loss(squashed: Float[Array, ""], target: Float[Array, ""]) -> Float[Array, ""]:
    """Squared error to the value target, in squashed units (eq. of L_MuZero, second term)."""
    return (squashed - squash(target)) ** 2


def reward_loss(
    logits: Float[Array, " bins"], reward: Float[Array, ""], support: Float[Array, " bins"]
) -> Float[Array, ""]:
    """Cross-entropy to the macro reward on the categorical support (eq. of L_MuZero, third term)."""
    return optax.softmax_cross_entropy(logits, two_hot(reward, support))


def consistency_loss(predicted: Float[Array, " latent"], encoded: Float[Array, " latent"]) -> Float[Array, ""]:
    """d(g(h, z), sg(h(s⁺)))²: the dynamics say what the encoder will see (L_dyn of App. A)."""
    return jnp.sum((predicted - jax.lax.stop_gradient(encoded)) ** 2)


def cap_loss(distance: Float[Array, ""], cap: float) -> Float[Array, ""]:
    """(d - κ)₊²: one primitive step moves the latent little (L_cap)."""
    return jnp.maximum(distance - cap, 0.0) ** 2


def push_loss(margin: Float[Array, ""], distance: Float[Array, ""]) -> Float[Array, ""]:
    """(m - d)₊: a macro step moves the latent at least by the subgoal's margin (L_push)."""
    return jnp.maximum(margin - distance, 0.0)


def order_loss(
    score_i: Float[Array, ""],
    score_j: Float[Array, ""],
    duration_i: Real[Array, ""],
    duration_j: Real[Array, ""],
    per_step: float | None = None,
) -> Float[Array, ""]:
    """(1 - YΔσ)₊ with Y = sign(τᵢ - τⱼ): longer subgoals score higher; a tie costs 1 and teaches nothing (L_order).

    With `per_step` the scores of a pair need to differ by so much for each step between the durations, instead of 1.
    """
    longer = duration_i - duration_j
    gap = 1.0 if per_step is None else per_step * jnp.abs(longer)
    return jnp.maximum(gap - jnp.sign(longer) * (score_i - score_j), 0.0)


def margin_loss(margins: Float[Array, " subgoals"]) -> Float[Array, ""]:
    """‖m‖², the regulariser that keeps margins from growing."""
    return jnp.sum(margins**2)


def actor_loss(
    logits: Float[Array, " budgets"], budget: Int[Array, ""], advantage: Float[Array, ""]
) -> Float[Array, ""]:
    """-log b_ψ(b) sg(A): the budget policy's gradient (eq. of L_budget, second term)."""
    return -jax.nn.log_softmax(logits)[budget] * jax.lax.stop_gradient(advantage)


def corrected_actor_loss(
    logits: Float[Array, " budgets"], budget: Int[Array, ""], advantage: Float[Array, ""], behaviour: Float[Array, ""]
) -> Float[Array, ""]:
    """The same with replayed budgets counted by how likely they are now against when they were chosen.

    `behaviour` is their log-probability then. Without that a budget that is never chosen any more would be pushed down
    for ever.
    """
    ratio = jnp.exp(jax.nn.log_softmax(logits)[budget] - behaviour)
    return actor_loss(logits, budget, jnp.minimum(ratio, LARGEST_RATIO) * advantage)


def anchor_loss(
    tilts: Float[Array, " subgoals"], biases: Float[Array, " subgoals"], favourite: Int[Array, ""]
) -> Float[Array, ""]:
    """Mean of (t(z) - (a(z) - a(z*)))²: the search's favourite z* spends evenly, others keep their bias beside it."""
    return jnp.mean((tilts - (biases - biases[favourite])) ** 2)


def critic_loss(squashed: Float[Array, ""], target: Float[Array, ""]) -> Float[Array, ""]:
    """Squared error of the budget critic, in squashed units (eq. of L_budget, first term)."""
    return (squashed - squash(target)) ** 2
