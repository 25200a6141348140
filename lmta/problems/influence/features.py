"""What learners may observe beside the plain features of influence: what the base heuristic computes."""

from dataclasses import dataclass

from lmta.lazy import jnp
from lmta.problems.base import Bounds
from lmta.problems.influence.mean_field import look_ahead, seed_or_wait_index
from lmta.problems.influence.rules import INACTIVE, Influence, InfluenceInstance, InfluenceState
from lmta.sparse import at_ranks
from lmta.types import Observation


@dataclass(frozen=True)
class InfluenceWithLookahead(Influence):
    """The same rules; observations tell what `lookahead` sees."""

    def observe(self, instance: InfluenceInstance, state: InfluenceState) -> Observation:
        """Of nodes: status, the probability to stay out of the running cascade, the expected gain.

        Of all: shares and numbers of days and budget left, the seed-or-wait index, and how fast the gains fall from
        the best to the last that the budget of a day, and all of it, would buy.
        """
        seen = super().observe(instance, state)
        num_nodes = jnp.maximum(instance.graph.node_mask.sum(), 1)
        ahead = look_ahead(instance, state)
        gain = jnp.minimum(ahead.gain, num_nodes)
        days_left = instance.days - state.day
        a_day = state.budget_left / jnp.maximum(days_left, 1)
        ranks = jnp.stack([jnp.zeros(()), a_day, 2 * a_day, state.budget_left.astype(jnp.float32)])
        ranks = jnp.minimum(ranks.astype(jnp.int32), gain.shape[0] - 1)
        seedable = (state.status == INACTIVE) & instance.graph.node_mask
        falling = at_ranks(jnp.where(seedable, gain, 0.0), ranks)
        more = [
            jnp.log1p(days_left) / 3,
            jnp.log1p(state.budget_left) / 5,
            jnp.log1p(a_day) / 3,
            state.budget_left / num_nodes,
            jnp.log1p(num_nodes) / 8,
            ahead.untouched.sum() / num_nodes,
            (jnp.clip(seed_or_wait_index(instance, state, ahead), -3, 3) + 3) / 6,
            *jnp.log1p(falling),
        ]
        columns = [ahead.untouched, jnp.log1p(gain)]
        return Observation(
            nodes=jnp.concatenate([seen.nodes, jnp.stack(columns, axis=-1)], axis=-1),
            globals=jnp.concatenate([seen.globals, jnp.stack(more).astype(jnp.float32)]),
            graph=seen.graph,
            gain=seen.gain,
            worth=gain,
        )

    def bounds(self, instance: InfluenceInstance) -> Bounds:
        """A gain counts as all nodes at most: where edges are likely to fire, its estimate is far beyond."""
        largest = float(jnp.log1p(instance.graph.num_nodes)) + 1
        return Bounds(largest, max(largest, float(jnp.log1p(instance.days)), float(jnp.log1p(instance.budget))))
