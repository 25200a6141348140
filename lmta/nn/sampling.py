"""Actions drawn without replacement, and what each then stands for."""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int, Key

from lmta.nn.q_learning import MASKED


def gumbel_top_k(
    logits: Float[Array, " actions"], count: int, key: Key[Array, ""]
) -> tuple[Int[Array, " count"], Float[Array, " count"]]:
    """(`count` different actions, drawn one after the other from softmax(logits), and the log-probability of each to be
    among them).

    The largest of log p + Gumbel noise are such a draw. Given κ, the largest of those that are left out, an action is
    in with probability 1 - exp(-exp(log p - κ)) (Kool et al. 2019), which is 1 where nothing is left out.
    """
    log_p = jax.nn.log_softmax(logits)
    perturbed = log_p + jax.random.gumbel(key, logits.shape)
    best, actions = jax.lax.top_k(perturbed, min(count + 1, logits.shape[0]))
    threshold = best[count] if count < logits.shape[0] else MASKED
    actions = actions[:count]
    return actions, jnp.log(-jnp.expm1(-jnp.exp(log_p[actions] - threshold)))


def corrected_prior(
    logits: Float[Array, " actions"], actions: Int[Array, " count"], log_included: Float[Array, " count"]
) -> Float[Array, " count"]:
    """Logits of the policy π on a draw of actions: π(a) / P(a is drawn), which adds up to 1 on average over draws.

    With replacement this is (empirical share / β) π (Hubert et al. 2021). Where π is what was drawn from and no action
    stands out, all weigh the same; an action that is always drawn keeps its π.
    """
    log_pi = jax.nn.log_softmax(logits)[actions]
    return jnp.where(log_pi > MASKED / 2, log_pi - log_included, MASKED)
