"""Orienteering with a guide: a day's route by insertion, and observations that tell what the guide sees."""

from dataclasses import dataclass
from typing import ClassVar

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int

from lmta.problems.base import DayRecord, pick_in_order
from lmta.problems.orienteering.routes import plan_route
from lmta.problems.orienteering.rules import Orienteering, OrienteeringInstance, OrienteeringState, next_morning
from lmta.types import Observation

PRICES = (0.0, 0.25, 0.5, 1.0, 2.0)
"""What a unit of length may cost when cities are chosen; the unit is the largest distance on the map."""
DAYS_AHEAD = 2
"""Days after today that a price is judged by: where a route ends is where tomorrow's begins."""


@dataclass(frozen=True)
class GuidedOrienteering(Orienteering):
    """The same problem, with a rule of thumb for the route of a day."""

    value_of_a_pick: ClassVar[str] = "its profit"

    def plan_day(
        self, instance: OrienteeringInstance, state: OrienteeringState, budget: Int[Array, ""], most: int
    ) -> DayRecord:
        """The route by insertion at the price of length that promises most over today and the days after it."""

        def promise(price):
            today = self._route(instance, state, budget, price, most)
            tomorrow, reward = self._drive(instance, state, today)

            def later(_, carry):
                state, total = carry
                pace = -(-state.budget_left // jnp.maximum(instance.days - state.day, 1))
                allowed = jnp.where(state.day < instance.days, pace, 0)
                following, reward = self._drive(instance, state, self._route(instance, state, allowed, price, most))
                return following, total + reward

            return today, jax.lax.fori_loop(0, DAYS_AHEAD, later, (tomorrow, reward))[1]

        routes, promises = jax.lax.map(promise, jnp.array(PRICES))
        best = jnp.argmax(promises)
        return jax.tree.map(lambda leaf: leaf[best], routes)

    def _route(
        self,
        instance: OrienteeringInstance,
        state: OrienteeringState,
        budget: Int[Array, ""],
        price: Float[Array, ""],
        most: int,
    ) -> DayRecord:
        cities, count = plan_route(instance, state, budget, price, most)
        made = jnp.arange(most) < count
        return DayRecord(
            picks=jnp.where(made, cities, -1),
            values=jnp.where(made, state.profit[cities], 0.0),
            num_picks=count,
            reward=jnp.zeros(()),
        )

    def _drive(
        self, instance: OrienteeringInstance, state: OrienteeringState, record: DayRecord
    ) -> tuple[OrienteeringState, Float[Array, ""]]:
        """The next morning, if profits stand still, and the day's reward."""
        evening = pick_in_order(self, instance, state, record)
        return next_morning(evening, evening.profit), self.forecast(instance, evening)

    def observe(self, instance: OrienteeringInstance, state: OrienteeringState) -> Observation:
        """As without a guide, and of all: numbers of days and budget left, the rules, and how fast profits fall
        from the best to the last that the budget of a day, and all of it, would buy."""
        seen = super().observe(instance, state)
        open_cities = ~state.visited
        days_left = instance.days - state.day
        pace = state.budget_left / jnp.maximum(days_left, 1)
        falling = -jnp.sort(-jnp.where(open_cities, state.profit, 0.0))
        ranks = jnp.stack([jnp.zeros(()), pace, 2 * pace, state.budget_left.astype(jnp.float32)])
        ranks = jnp.minimum(ranks.astype(jnp.int32), falling.shape[0] - 1)
        near = jnp.where(open_cities & (self.distances(instance, state) < instance.limit / 4), state.profit, 0.0)
        more = [
            jnp.log1p(days_left) / 3,
            jnp.log1p(state.budget_left) / 5,
            jnp.log1p(pace) / 2,
            state.budget_left / jnp.maximum(open_cities.sum(), 1),
            jnp.log1p(open_cities.sum()) / 8,
            instance.limit,
            instance.crowding,
            instance.drift * 5,
            jnp.log1p(near.sum()) / 3,
            near.max(),
            *falling[ranks],
        ]
        return Observation(
            nodes=seen.nodes,
            globals=jnp.concatenate([seen.globals, jnp.stack(more).astype(jnp.float32)]),
            graph=seen.graph,
            gain=seen.gain,
        )
