"""The node rule `rollout-insertion`: routes by insertion at several prices, judged over today and the next days."""

from jaxtyping import Float, Int

from lmta.lazy import Array, jax, jnp
from lmta.problems.base import DayRecord, pick_in_order
from lmta.problems.heuristics import DayRule
from lmta.problems.orienteering.routes import ANYWHERE, plan_route
from lmta.problems.orienteering.rules import Orienteering, OrienteeringInstance, OrienteeringState, next_day

PRICES = (0.0, 0.25, 0.5, 1.0, 2.0)
"""What a unit of length may cost when cities are chosen; the unit is the largest distance on the map."""
DESTINATIONS = 12
"""So many cities are tried as one that today's route goes through, whatever else: towns that pay only together."""
DAYS_AHEAD = 2
"""Days after today that a route is judged by: where a route ends is where tomorrow's begins."""
RULES = Orienteering()


def plan_day(
    instance: OrienteeringInstance, state: OrienteeringState, budget: Int[Array, ""], max_picks: int
) -> DayRecord:
    """Of several routes by insertion the one that promises most over today and the days after it, if profits stood
    still and the budget were spent evenly."""

    def promise(proposal):
        price, through = proposal
        today = _route(instance, state, budget, price, through, max_picks)
        tomorrow, reward = _drive(instance, state, today)

        def later(_, carry):
            state, total = carry
            even = -(-state.budget_left // jnp.maximum(instance.days - state.day, 1))
            allowed = jnp.where(state.day < instance.days, even, 0)
            route = _route(instance, state, allowed, price, ANYWHERE, max_picks)
            following, reward = _drive(instance, state, route)
            return following, total + reward

        return today, jax.lax.fori_loop(0, DAYS_AHEAD, later, (tomorrow, reward))[1]

    routes, promises = jax.lax.map(promise, _proposals(instance, state))
    best = jnp.argmax(promises)
    return jax.tree.map(lambda leaf: leaf[best], routes)


def _proposals(
    instance: OrienteeringInstance, state: OrienteeringState
) -> tuple[Float[Array, " proposals"], Int[Array, " proposals"]]:
    """What each route is built with, a price of length and a city to go through: every price without such a city, and
    the middle one with each of the most profitable cities in reach."""
    legal = RULES.legal(instance, state)
    _, rich = jax.lax.top_k(jnp.where(legal, state.profit, -1.0), min(DESTINATIONS, legal.shape[0]))
    prices = jnp.concatenate([jnp.array(PRICES), jnp.full(len(rich), PRICES[len(PRICES) // 2])])
    through = jnp.concatenate([jnp.full(len(PRICES), ANYWHERE), jnp.where(legal[rich], rich, ANYWHERE)])
    return prices, through.astype(jnp.int32)


def _route(
    instance: OrienteeringInstance,
    state: OrienteeringState,
    budget: Int[Array, ""],
    price: Float[Array, ""],
    through: Int[Array, ""] | int,
    max_picks: int,
) -> DayRecord:
    cities, count = plan_route(instance, state, budget, price, through, max_picks)
    made = jnp.arange(max_picks) < count
    return DayRecord(
        picks=jnp.where(made, cities, -1),
        values=jnp.where(made, state.profit[cities], 0.0),
        num_picks=count,
        reward=jnp.zeros(()),
    )


def _drive(
    instance: OrienteeringInstance, state: OrienteeringState, record: DayRecord
) -> tuple[OrienteeringState, Float[Array, ""]]:
    """The next day's state, if profits stand still, and the day's reward."""
    ended = pick_in_order(RULES, instance, state, record)
    return next_day(ended, ended.profit), RULES.forecast(instance, ended)


ROLLOUT_INSERTION = DayRule(
    "rollout-insertion",
    plan_day,
    "of several routes by insertion, at different prices of length and through different cities, the one that earns "
    "most over today and the next two days; the value is the profit.",
    value="profit",
)
