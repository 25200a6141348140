"""Orienteering with a guide: a day's route by insertion, and observations that tell what the guide sees."""

from dataclasses import dataclass
from typing import ClassVar

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int

from lmta.problems.base import DayRecord, pick_in_order
from lmta.problems.orienteering.routes import ANYWHERE, plan_route
from lmta.problems.orienteering.rules import Orienteering, OrienteeringInstance, OrienteeringState, next_morning
from lmta.sparse import at_ranks
from lmta.types import Observation

PRICES = (0.0, 0.25, 0.5, 1.0, 2.0)
"""What a unit of length may cost when cities are chosen; the unit is the largest distance on the map."""
DESTINATIONS = 12
"""So many cities are tried as one that today's route goes through, whatever else: towns that pay only together."""
DAYS_AHEAD = 2
"""Days after today that a route is judged by: where a route ends is where tomorrow's begins."""


@dataclass(frozen=True)
class GuidedOrienteering(Orienteering):
    """The same problem, with a rule of thumb for the route of a day."""

    value_of_a_pick: ClassVar[str] = "its profit"
    has_a_pace: ClassVar[bool] = False

    def plan_day(
        self,
        instance: OrienteeringInstance,
        state: OrienteeringState,
        budget: Int[Array, ""],
        most: int,
        urgency: Float[Array, ""] | None = None,
    ) -> DayRecord:
        """Of several routes by insertion the one that promises most over today and the days after it."""
        assert urgency is None, "routes are as long as the budget says"

        def promise(proposal):
            price, through = proposal
            today = self._route(instance, state, budget, price, through, most)
            tomorrow, reward = self._drive(instance, state, today)

            def later(_, carry):
                state, total = carry
                pace = -(-state.budget_left // jnp.maximum(instance.days - state.day, 1))
                allowed = jnp.where(state.day < instance.days, pace, 0)
                route = self._route(instance, state, allowed, price, ANYWHERE, most)
                following, reward = self._drive(instance, state, route)
                return following, total + reward

            return today, jax.lax.fori_loop(0, DAYS_AHEAD, later, (tomorrow, reward))[1]

        routes, promises = jax.lax.map(promise, self._proposals(instance, state))
        best = jnp.argmax(promises)
        return jax.tree.map(lambda leaf: leaf[best], routes)

    def _proposals(
        self, instance: OrienteeringInstance, state: OrienteeringState
    ) -> tuple[Float[Array, " proposals"], Int[Array, " proposals"]]:
        """What each route is built with, a price of length and a city to go through: every price without such a city,
        and the middle one with each of the most profitable cities in reach."""
        legal = self.legal(instance, state)
        _, rich = jax.lax.top_k(jnp.where(legal, state.profit, -1.0), min(DESTINATIONS, legal.shape[0]))
        prices = jnp.concatenate([jnp.array(PRICES), jnp.full(len(rich), PRICES[len(PRICES) // 2])])
        through = jnp.concatenate([jnp.full(len(PRICES), ANYWHERE), jnp.where(legal[rich], rich, ANYWHERE)])
        return prices, through.astype(jnp.int32)

    def _route(
        self,
        instance: OrienteeringInstance,
        state: OrienteeringState,
        budget: Int[Array, ""],
        price: Float[Array, ""],
        through: Int[Array, ""] | int,
        most: int,
    ) -> DayRecord:
        cities, count = plan_route(instance, state, budget, price, through, most)
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
        ranks = jnp.stack([jnp.zeros(()), pace, 2 * pace, state.budget_left.astype(jnp.float32)])
        ranks = jnp.minimum(ranks.astype(jnp.int32), open_cities.shape[0] - 1)
        falling = at_ranks(jnp.where(open_cities, state.profit, 0.0), ranks)
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
            *falling,
        ]
        return Observation(
            nodes=seen.nodes,
            globals=jnp.concatenate([seen.globals, jnp.stack(more).astype(jnp.float32)]),
            graph=seen.graph,
            gain=seen.gain,
        )
