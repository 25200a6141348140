"""Influence with a guide: a day's seeds by expected gain, and observations that tell what the guide sees."""

from dataclasses import dataclass
from typing import ClassVar

import jax.numpy as jnp
from jaxtyping import Array, Int

from lmta.problems.base import DayRecord, pick_day
from lmta.problems.influence.outlook import gain_over_waiting, look_ahead
from lmta.problems.influence.rules import Influence, InfluenceInstance, InfluenceState
from lmta.sparse import first_best
from lmta.types import Observation


@dataclass(frozen=True)
class GuidedInfluence(Influence):
    """The same problem, with a rule of thumb for the picks of a day."""

    value_of_a_pick: ClassVar[str] = "how many nodes it is estimated to add in the days left"

    def plan_day(
        self, instance: InfluenceInstance, state: InfluenceState, budget: Int[Array, ""], most: int
    ) -> DayRecord:
        """The seed that is expected to add most by being set today, again and again."""

        def choose(state, num_picks):
            legal = self.legal(instance, state)
            ahead = look_ahead(instance, state)
            node = first_best(jnp.where(legal, gain_over_waiting(instance, state, ahead), -jnp.inf))
            return jnp.where(legal.any(), node, -1), ahead.gain[node]

        return pick_day(self, instance, state, choose, budget, most)[1]

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
