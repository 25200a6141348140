"""Influence with a guide: a day's seeds by expected gain, and observations that tell what the guide sees."""

from dataclasses import dataclass
from typing import ClassVar

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int

from lmta.problems.base import DayRecord, empty_day
from lmta.problems.influence.outlook import eagerness, gain_over_waiting, look_ahead
from lmta.problems.influence.rules import Influence, InfluenceInstance, InfluenceState
from lmta.sparse import at_ranks, first_best
from lmta.types import Graph, Observation

NODES_FOR_A_SEED = 500
"""A network with so many nodes takes one seed more at a look …"""
LOOKS_A_DAY = 5
"""… unless a day may have fewer looks than this: few seeds are worth a look each."""


@dataclass(frozen=True)
class GuidedInfluence(Influence):
    """The same problem, with a rule of thumb for the picks of a day."""

    value_of_a_pick: ClassVar[str] = "how many nodes it is estimated to add in the days left"
    has_a_pace: ClassVar[bool] = True

    def plan_day(
        self,
        instance: InfluenceInstance,
        state: InfluenceState,
        budget: Int[Array, ""],
        most: int,
        urgency: Float[Array, ""] | None = None,
    ) -> DayRecord:
        """The seeds that are expected to add most by being set today, one by one.

        With an urgency, as long as seeding is worth more than waiting. In large networks a look ahead serves a few of
        many, no two side by side: so far apart they hardly ever meet.
        """
        graph = instance.graph
        budget = jnp.minimum(jnp.minimum(budget, state.budget_left), most)
        days_left = jnp.maximum(instance.days - state.day, 1)
        likely = budget if urgency is None else budget // days_left
        most_at_a_look = graph.node_mask.sum() // NODES_FOR_A_SEED

        def may_go_on(state, record):
            return (record.num_picks < budget) & self.legal(instance, state).any()

        def wants_more(carry):
            state, record, ahead = carry
            more = may_go_on(state, record)
            return more if urgency is None else more & (eagerness(instance, state, ahead) + urgency > 0)

        def seed_some(carry):
            state, record, ahead = carry
            score = jnp.where(self.legal(instance, state), gain_over_waiting(instance, state, ahead), -jnp.inf)
            made = record.num_picks
            at_a_look = jnp.clip(jnp.maximum(likely, made) // LOOKS_A_DAY, 1, jnp.maximum(most_at_a_look, 1))
            nodes, taken = _best_apart(graph, score, jnp.minimum(at_a_look, budget - made))
            slots = jnp.where(taken, made + jnp.cumsum(taken) - 1, most)
            record = DayRecord(
                picks=record.picks.at[slots].set(nodes, mode="drop"),
                values=record.values.at[slots].set(ahead.gain[nodes], mode="drop"),
                num_picks=made + taken.sum(),
                reward=record.reward,
            )
            seed = lambda i, state: self.pick(instance, state, record.picks[i])  # noqa: E731
            state = jax.lax.fori_loop(made, record.num_picks, seed, state)
            look_again = lambda: look_ahead(instance, state)  # noqa: E731
            return state, record, jax.lax.cond(may_go_on(state, record), look_again, lambda: ahead)

        first = look_ahead(instance, state)  # that of `observe`; compiled together they are one
        begin = state, empty_day(most), first
        return jax.lax.while_loop(wants_more, seed_some, begin)[1]

    def observe(self, instance: InfluenceInstance, state: InfluenceState) -> Observation:
        """Of nodes: status, the probability to stay out of the running cascade, the expected gain.

        Of all: shares and numbers of days and budget left, how eager the guide is, and how fast the gains fall from the
        best to the last that the budget of a day, and all of it, would buy.
        """
        seen = super().observe(instance, state)
        num_nodes = jnp.maximum(instance.graph.node_mask.sum(), 1)
        ahead = look_ahead(instance, state)
        gain = jnp.minimum(ahead.gain, num_nodes)
        days_left = instance.days - state.day
        pace = state.budget_left / jnp.maximum(days_left, 1)
        ranks = jnp.stack([jnp.zeros(()), pace, 2 * pace, state.budget_left.astype(jnp.float32)])
        ranks = jnp.minimum(ranks.astype(jnp.int32), gain.shape[0] - 1)
        falling = at_ranks(jnp.where(self._may_be_seeded(instance, state), gain, 0.0), ranks)
        more = [
            jnp.log1p(days_left) / 3,
            jnp.log1p(state.budget_left) / 5,
            jnp.log1p(pace) / 3,
            state.budget_left / num_nodes,
            jnp.log1p(num_nodes) / 8,
            ahead.untouched.sum() / num_nodes,
            jnp.clip(eagerness(instance, state, ahead), -3, 3) / 3,
            *jnp.log1p(falling),
        ]
        columns = [ahead.untouched, jnp.log1p(gain)]
        return Observation(
            nodes=jnp.concatenate([seen.nodes, jnp.stack(columns, axis=-1)], axis=-1),
            globals=jnp.concatenate([seen.globals, jnp.stack(more).astype(jnp.float32)]),
            graph=seen.graph,
            gain=seen.gain,
        )

    def largest_feature(self, instance: InfluenceInstance) -> float:
        """A gain counts as all nodes at most: where edges are likely to fire, its estimate is far beyond."""
        return float(jnp.log1p(instance.graph.num_nodes)) + 1

    @staticmethod
    def _may_be_seeded(instance: InfluenceInstance, state: InfluenceState) -> Array:
        return (state.status == 0) & instance.graph.node_mask


def _best_apart(
    graph: Graph, score: Float[Array, " nodes"], count: Int[Array, ""]
) -> tuple[Int[Array, " candidates"], Bool[Array, " candidates"]]:
    """The nodes with the highest scores, and which of them to take: the first `count` that are no neighbours."""
    num_candidates = 3 * (graph.num_nodes // NODES_FOR_A_SEED)
    if num_candidates <= 3:
        return first_best(score)[None], jnp.ones(1, bool)
    best, nodes = jax.lax.top_k(score, num_candidates)
    rank = jnp.full(graph.num_nodes, num_candidates).at[nodes].set(jnp.arange(num_candidates))
    ends = (rank.at[end].get(mode="fill", fill_value=num_candidates) for end in (graph.senders, graph.receivers))
    joined = jnp.zeros((num_candidates, num_candidates), bool).at[tuple(ends)].set(graph.edge_mask, mode="drop")
    joined |= joined.T

    def consider(i, taken):
        alone = ~(joined[i] & taken).any()
        return taken.at[i].set(alone & (best[i] > -jnp.inf) & (taken.sum() < count))

    return nodes, jax.lax.fori_loop(0, num_candidates, consider, jnp.zeros(num_candidates, bool))
