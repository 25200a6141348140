"""What a seed is worth until the end, as a mean-field estimate: message passing without weights to learn."""

from typing import NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from lmta.problems.influence.rules import ACTIVE, INACTIVE, InfluenceInstance, InfluenceState, hit_probability
from lmta.sparse import over_edges

HOPS = 5
DAYS_TO_SPARE = 9.0
"""With so many days to come, waiting for the cascade counts half as much as with no end of days."""


class Outlook(NamedTuple):
    """What is to come, node by node."""

    untouched: Float[Array, " nodes"]
    """The probability to stay out of the running cascade; 0 for nodes that are not inactive."""
    gain: Float[Array, " nodes"]
    """How many more nodes will be influenced in the days left if the node is seeded now."""


def look_ahead(instance: InfluenceInstance, state: InfluenceState) -> Outlook:
    """Where the running cascade will go, and what seeds would add to it."""
    untouched = _untouched_by_cascade(instance, state)
    return Outlook(untouched, _expected_gain(instance, state, untouched))


def gain_over_waiting(instance: InfluenceInstance, state: InfluenceState, ahead: Outlook) -> Float[Array, " nodes"]:
    """What to seed today rather than later: the gain, less what waiting for the cascade may spare.

    A node that the cascade reaches anyway, with probability 1 - w, needs no seed; who waits will know, and the seed
    that is spared is worth about as much as the best of today. The fewer days are left, the more a lost one costs:
    G(v) - max G · (1 - w(v)) · L / (L + DAYS_TO_SPARE) with L days after today.
    """
    later_days = jnp.maximum(instance.days - state.day - 1, 0)
    patience = later_days / (later_days + DAYS_TO_SPARE)
    return ahead.gain - patience * ahead.gain.max() * (1 - ahead.untouched)


def _untouched_by_cascade(instance: InfluenceInstance, state: InfluenceState) -> Float[Array, " nodes"]:
    """The probability w(v) that v stays out of the running cascade, followed as if nodes were independent."""

    def spread(_, carry):
        active, untouched = carry
        hit = hit_probability(instance.graph, active)
        return untouched * hit, untouched * (1 - hit)

    now_active = (state.status == ACTIVE).astype(jnp.float32)
    inactive = (state.status == INACTIVE).astype(jnp.float32)
    return jax.lax.fori_loop(0, _hops(instance, state), spread, (now_active, inactive))[1]


def _expected_gain(
    instance: InfluenceInstance, state: InfluenceState, untouched: Float[Array, " nodes"]
) -> Float[Array, " nodes"]:
    """How many more nodes will be influenced in the days left if a node is seeded now.

    What the running cascade would reach anyway is worth nothing, so the gain of a seed is
    G(v) = w(v)·(1 + Σᵤ p(v,u) m(v→u)), where m(v→u) is the gain of u without the way back to v:
    m₀ = w(u), mₕ(v→u) = w(u)·(1 + Σₓ≠ᵥ p(u,x) mₕ₋₁(u→x)). A few hops are enough, and never more than the days left.
    """
    graph = instance.graph
    reached = untouched[graph.receivers]
    goes_back = graph.reverse >= 0

    def extend(_, message):
        onward = graph.weight * message
        back = jnp.where(goes_back, onward.at[graph.reverse].get(mode="clip"), 0.0)
        return reached * (1 + _sum_out(instance, onward).at[graph.receivers].get(mode="clip") - back)

    message = jax.lax.fori_loop(1, _hops(instance, state), extend, reached)
    return untouched * (1 + _sum_out(instance, graph.weight * message))


def _hops(instance: InfluenceInstance, state: InfluenceState) -> Array:
    return jnp.minimum(HOPS, instance.days - state.day)


def _sum_out(instance: InfluenceInstance, of_edge: Float[Array, " edges"]) -> Float[Array, " nodes"]:
    """The sum over each node's out-edges."""
    graph = instance.graph
    return over_edges(jnp.ones(graph.num_nodes), of_edge, source=graph.receivers, target=graph.senders)
