"""Node rules for influence that score every node: degree, score, lookahead."""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, PRNGKeyArray

from lmta.problems.influence.rules import ACTIVE, INACTIVE, InfluenceInstance, InfluenceState, hit_probability
from lmta.sparse import over_edges

LOOKAHEAD_HOPS = 5


def degree(instance: InfluenceInstance, state: InfluenceState, key: PRNGKeyArray) -> Float[Array, " nodes"]:
    """The number of inactive out-neighbours."""
    graph = instance.graph
    return over_edges(_inactive(state), graph.edge_mask.astype(jnp.float32), graph.receivers, graph.senders)


def score(instance: InfluenceInstance, state: InfluenceState, key: PRNGKeyArray) -> Float[Array, " nodes"]:
    """The expected number of inactive out-neighbours that a seed would hit by itself."""
    graph = instance.graph
    return over_edges(_inactive(state), graph.weight, graph.receivers, graph.senders)


def lookahead(instance: InfluenceInstance, state: InfluenceState, key: PRNGKeyArray) -> Float[Array, " nodes"]:
    """Mean-field estimate of how many more nodes will be influenced in the days left if a node is seeded now.

    First the running cascade is followed as if nodes were independent, which gives the probability w(v) that v stays
    out of it: what the cascade would reach anyway is worth nothing. Then the gain of a seed is
    G(v) = w(v)·(1 + Σᵤ p(v,u) m(v→u)), where m(v→u) is the gain of u without the way back to v:
    m₀ = w(u), mₕ(v→u) = w(u)·(1 + Σₓ≠ᵥ p(u,x) mₕ₋₁(u→x)). A few hops are enough, and never more than the days left.
    """
    graph = instance.graph
    hops = jnp.minimum(LOOKAHEAD_HOPS, instance.days - state.day)

    def spread(_, carry):
        active, untouched = carry
        hit = hit_probability(graph, active)
        return untouched * hit, untouched * (1 - hit)

    def extend(_, message):
        onward = graph.weight * message
        back = jnp.where(graph.reverse >= 0, onward[graph.reverse], 0.0)
        return untouched[graph.receivers] * (1 + _sum_out(instance, onward)[graph.receivers] - back)

    now_active = (state.status == ACTIVE).astype(jnp.float32)
    _, untouched = jax.lax.fori_loop(0, hops, spread, (now_active, _inactive(state)))
    message = jax.lax.fori_loop(1, hops, extend, untouched[graph.receivers])
    return untouched * (1 + _sum_out(instance, graph.weight * message))


def _inactive(state: InfluenceState) -> Float[Array, " nodes"]:
    return (state.status == INACTIVE).astype(jnp.float32)


def _sum_out(instance: InfluenceInstance, of_edge: Float[Array, " edges"]) -> Float[Array, " nodes"]:
    """The sum over each node's out-edges."""
    graph = instance.graph
    everyone = jnp.ones(graph.num_nodes)
    return over_edges(everyone, of_edge, source=graph.receivers, target=graph.senders)
