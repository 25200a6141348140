"""Node rules for influence that score every node: degree, score, lookahead."""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, PRNGKeyArray

from lmta.problems.influence.rules import ACTIVE, INACTIVE, InfluenceInstance, InfluenceState, hit_probability
from lmta.sparse import over_edges

LOOKAHEAD_HOPS = 5


def degree(instance: InfluenceInstance, state: InfluenceState, key: PRNGKeyArray) -> Float[Array, " nodes"]:
    """The number of inactive out-neighbours."""
    return _sum_over_out_edges(instance, instance.graph.edge_mask.astype(jnp.float32), _inactive(state))


def score(instance: InfluenceInstance, state: InfluenceState, key: PRNGKeyArray) -> Float[Array, " nodes"]:
    """The expected number of inactive out-neighbours that a seed would hit by itself."""
    return _sum_over_out_edges(instance, instance.graph.weight, _inactive(state))


def lookahead(instance: InfluenceInstance, state: InfluenceState, key: PRNGKeyArray) -> Float[Array, " nodes"]:
    """Mean-field estimate of how many more nodes will be influenced in the days left if a node is seeded now.

    First the running cascade is followed as if nodes were independent, which gives the probability w(v) that v stays
    out of it. Then the gain of a seed is G₀ = w, Gₕ(v) = w(v)·(1 + Σᵤ p(v,u) Gₕ₋₁(u)): what the cascade would reach
    anyway is worth nothing. A few hops are enough, and never more than the days left.
    """
    graph, days_left = instance.graph, instance.days - state.day
    hops = jnp.minimum(LOOKAHEAD_HOPS, days_left)

    def spread(_, carry):
        active, untouched = carry
        hit = hit_probability(graph, active)
        return untouched * hit, untouched * (1 - hit)

    def gain_of(_, gain):
        return untouched * (1 + _sum_over_out_edges(instance, graph.weight, gain))

    now_active = (state.status == ACTIVE).astype(jnp.float32)
    _, untouched = jax.lax.fori_loop(0, hops, spread, (now_active, _inactive(state)))
    return jax.lax.fori_loop(0, hops, gain_of, untouched)


def _inactive(state: InfluenceState) -> Float[Array, " nodes"]:
    return (state.status == INACTIVE).astype(jnp.float32)


def _sum_over_out_edges(
    instance: InfluenceInstance, weight: Float[Array, " edges"], value: Float[Array, " nodes"]
) -> Float[Array, " nodes"]:
    return over_edges(value, weight, source=instance.graph.receivers, target=instance.graph.senders)
