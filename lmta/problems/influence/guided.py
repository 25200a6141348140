"""Influence with a guide: a day's seeds by expected gain, and observations that tell what the guide sees."""

from dataclasses import dataclass
from typing import ClassVar

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Int

from lmta.problems.base import DayRecord, empty_day
from lmta.problems.influence.outlook import gain_over_waiting, look_ahead
from lmta.problems.influence.rules import Influence, InfluenceInstance, InfluenceState
from lmta.sparse import first_best
from lmta.types import Graph, Observation

NODES_FOR_A_SEED = 800
"""A network with so many nodes takes one seed more at a look."""


@dataclass(frozen=True)
class GuidedInfluence(Influence):
    """The same problem, with a rule of thumb for the picks of a day."""

    value_of_a_pick: ClassVar[str] = "how many nodes it is estimated to add in the days left"

    def plan_day(
        self, instance: InfluenceInstance, state: InfluenceState, budget: Int[Array, ""], most: int
    ) -> DayRecord:
        """The seeds that are expected to add most by being set today, one by one.

        In large networks a look ahead serves a few of them, no two side by side: so far apart they hardly ever meet.
        """
        graph = instance.graph
        at_a_look = jnp.maximum(1, graph.node_mask.sum() // NODES_FOR_A_SEED)
        several = graph.num_nodes >= 2 * NODES_FOR_A_SEED
        budget = jnp.minimum(budget, most)

        def spent(state, record):
            return (record.num_picks >= budget) | ~self.legal(instance, state).any()

        def look(carry):
            state, record = carry
            ahead = look_ahead(instance, state)
            score = jnp.where(self.legal(instance, state), gain_over_waiting(instance, state, ahead), -jnp.inf)
            end = jnp.minimum(record.num_picks + at_a_look, budget)

            def pick(carry):
                state, record, score = carry
                node, slot = first_best(score), record.num_picks
                record = DayRecord(
                    picks=record.picks.at[slot].set(node),
                    values=record.values.at[slot].set(ahead.gain[node]),
                    num_picks=slot + 1,
                    reward=record.reward,
                )
                if several:
                    score = jnp.where(_around(graph, node), -jnp.inf, score)
                return self.pick(instance, state, node), record, score

            goes_on = lambda carry: (carry[1].num_picks < end) & (carry[2].max() > -jnp.inf)  # noqa: E731
            return jax.lax.while_loop(goes_on, pick, (state, record, score))[:2]

        return jax.lax.while_loop(lambda carry: ~spent(*carry), look, (state, empty_day(most)))[1]

    def observe(self, instance: InfluenceInstance, state: InfluenceState) -> Observation:
        """Of nodes: status, the probability to stay out of the running cascade, the expected gain.

        Of all: shares and numbers of days and budget left, and how fast the gains fall from the best to the last that
        the budget of a day, and all of it, would buy.
        """
        seen = super().observe(instance, state)
        num_nodes = jnp.maximum(instance.graph.node_mask.sum(), 1)
        untouched, gain = look_ahead(instance, state)
        gain = jnp.minimum(gain, num_nodes)
        days_left = instance.days - state.day
        falling = -jnp.sort(-jnp.where(self._may_be_seeded(instance, state), gain, 0.0))
        pace = state.budget_left / jnp.maximum(days_left, 1)
        ranks = jnp.stack([jnp.zeros(()), pace, 2 * pace, state.budget_left.astype(jnp.float32)])
        ranks = jnp.minimum(ranks.astype(jnp.int32), falling.shape[0] - 1)
        more = [
            jnp.log1p(days_left) / 3,
            jnp.log1p(state.budget_left) / 5,
            jnp.log1p(pace) / 3,
            state.budget_left / num_nodes,
            jnp.log1p(num_nodes) / 8,
            untouched.sum() / num_nodes,
            *jnp.log1p(falling[ranks]),
        ]
        columns = [untouched, jnp.log1p(gain)]
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


def _around(graph: Graph, node: Int[Array, ""]) -> Bool[Array, " nodes"]:
    """The node and its neighbours in both directions."""
    beside = jnp.zeros(graph.num_nodes, bool).at[node].set(True)
    beside = beside.at[graph.receivers].max(graph.senders == node, mode="drop")
    return beside.at[graph.senders].max(graph.receivers == node, mode="drop")
