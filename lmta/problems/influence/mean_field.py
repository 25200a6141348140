"""What a seed is worth until the end, as a mean-field estimate: message passing without weights to learn."""

from typing import NamedTuple

from jaxtyping import Float

from lmta.kernels.mean_field import HOPS
from lmta.kernels.seeding import DAYS_TO_SPARE, SEED_OR_WAIT, SeedOrWait
from lmta.lazy import Array, jax, jnp
from lmta.problems.influence.rules import ACTIVE, INACTIVE, InfluenceInstance, InfluenceState, hit_probability
from lmta.sparse import over_edges


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


def seed_or_wait_index(
    instance: InfluenceInstance, state: InfluenceState, ahead: Outlook, constants: SeedOrWait = SEED_OR_WAIT
) -> Float[Array, ""]:
    """Whether the next seed promises more today than on a later day: above 0 it does; on the last day always.

    For today speak how much the best seed adds, and how many seeds there are for each day left. For waiting, which
    tells where the cascade goes, speak how many days are left and how much of a cascade is under way: beside what a
    seed adds, and, the more days are left, as a share of who is inactive. `SeedOrWait` has the constants.
    """
    c = constants
    days_left = jnp.maximum(instance.days - state.day, 1)
    num_inactive = jnp.maximum((state.status == INACTIVE).sum(), 1)
    under_way = jnp.maximum(num_inactive - ahead.untouched.sum(), 0.0)
    best = jnp.clip(ahead.gain.max(), 1.0, num_inactive)  # estimates of gains count walks, more than there are nodes
    seeds_a_day = jnp.maximum(state.budget_left, 1) / days_left
    value = (
        c.constant
        + c.best_gain * jnp.log(best)
        + c.seeds_a_day * jnp.log(seeds_a_day)
        - c.days_left * jnp.log(days_left)
        - c.cascade * jnp.log1p(under_way / best)
        - c.cascade_share * jnp.log(days_left / 3) * under_way / num_inactive
    )
    return jnp.where(days_left > 1, value, jnp.inf)


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
