"""What learners may observe beside the plain features of orienteering: detours, and what is near."""

from dataclasses import dataclass

from lmta.lazy import jnp
from lmta.problems.base import Bounds
from lmta.problems.orienteering.rules import Orienteering, OrienteeringInstance, OrienteeringState
from lmta.sparse import at_ranks
from lmta.types import Observation


@dataclass(frozen=True)
class OrienteeringWithLookahead(Orienteering):
    """The same rules; observations tell how fast profits fall and what is near."""

    def observe(self, instance: OrienteeringInstance, state: OrienteeringState) -> Observation:
        """As before, and of all: numbers of days and budget left, the rules, and how fast profits fall from the best
        to the last that the budget of a day, and all of it, would buy."""
        seen = super().observe(instance, state)
        open_cities = ~state.visited
        days_left = instance.days - state.day
        a_day = state.budget_left / jnp.maximum(days_left, 1)
        ranks = jnp.stack([jnp.zeros(()), a_day, 2 * a_day, state.budget_left.astype(jnp.float32)])
        ranks = jnp.minimum(ranks.astype(jnp.int32), open_cities.shape[0] - 1)
        falling = at_ranks(jnp.where(open_cities, state.profit, 0.0), ranks)
        near = jnp.where(open_cities & (self.distances(instance, state) < instance.limit / 4), state.profit, 0.0)
        more = [
            jnp.log1p(days_left) / 3,
            jnp.log1p(state.budget_left) / 5,
            jnp.log1p(a_day) / 2,
            state.budget_left / jnp.maximum(open_cities.sum(), 1),
            jnp.log1p(open_cities.sum()) / 8,
            instance.limit,
            instance.crowding,
            instance.drift * 5,
            jnp.log1p(near.sum()) / 3,
            near.max(),
            *falling,
        ]
        return Observation(
            nodes=seen.nodes,
            globals=jnp.concatenate([seen.globals, jnp.stack(more).astype(jnp.float32)]),
            graph=seen.graph,
            gain=seen.gain,
        )

    def bounds(self, instance: OrienteeringInstance) -> Bounds:
        """Shares, logarithms of numbers, and the rules themselves."""
        plain = super().bounds(instance)
        rules = max(float(instance.limit), float(instance.crowding), 5 * float(instance.drift))
        numbers = max(
            float(jnp.log1p(x)) for x in (instance.days, instance.budget, instance.graph.num_nodes * plain.nodes)
        )
        return Bounds(plain.nodes, max(plain.globals, plain.nodes, rules, numbers))
