"""A day's route by insertion, under jit: the best city next, where it lengthens the route least, then 2-opt."""

from typing import NamedTuple

from jaxtyping import Float, Int

from lmta.lazy import Array, jax, jnp
from lmta.problems.orienteering.rules import START, OrienteeringInstance, OrienteeringState, distance_between
from lmta.sparse import first_best

ANYWHERE = -1
"""In place of a city to go through: none."""
SLACK = 1e-5
"""Kept from the limit: a route is measured here in another order than it is driven."""


class Route(NamedTuple):
    """Today's cities in order behind where the day begins; only the first `visits` places after it count."""

    cities: Int[Array, " places"]
    """Where the day begins, then the cities; what follows them is of no account."""
    visits: Int[Array, ""]


def plan_route(
    instance: OrienteeringInstance,
    state: OrienteeringState,
    budget: Int[Array, ""],
    price: Float[Array, ""],
    through: Int[Array, ""] | int,
    most: int,
) -> tuple[Int[Array, " most"], Int[Array, ""]]:
    """(cities in order, how many): at most `budget` of at most `most`.

    The city that is worth most joins next: its profit less what one more visit costs today, and less `price` for each
    unit by which it lengthens the route. It must be worth having at any price of length, and the route must stay
    within the limit. On the last day the route is arranged for the way back, whose excess counts. The city `through`
    joins before all others, where there is one (or ANYWHERE).
    """
    xy = instance.coordinates
    cities = jnp.arange(len(xy))
    last_day = state.day == instance.days - 1
    spare = instance.limit - state.length - SLACK
    budget = jnp.minimum(jnp.minimum(budget, state.budget_left), most)

    def home(city: Int[Array, ""]) -> Float[Array, ""]:
        return jnp.where(last_day, distance_between(xy[city], xy[START]), 0.0)

    def excess(route: Route) -> Float[Array, ""]:
        length = state.length + _length(xy, route) + home(route.cities[route.visits])
        counts = last_day & (state.visits_today + route.visits > 0)
        return instance.penalty * jnp.where(counts, jnp.maximum(length - instance.limit, 0.0), 0.0)

    def join(carry):
        route, open_cities, _ = carry
        visits = state.visits_today + route.visits
        margin = state.profit - instance.crowding * jnp.maximum(2 * visits - 1, 0)
        extra, place = _cheapest(xy, route, last_day)
        worth = jnp.where(open_cities & (margin > 0), margin - price * extra, -jnp.inf)
        before_all = (cities == through) & (route.visits == 0) & (worth > -jnp.inf)
        city = first_best(jnp.where(before_all, jnp.inf, worth))
        longer = _two_opt(xy, _insert(route, city, place[city]), last_day)
        fits = (_length(xy, longer) <= spare) & (margin[city] > excess(longer) - excess(route))
        route = jax.tree.map(lambda new, old: jnp.where(fits, new, old), longer, route)
        return route, open_cities.at[city].set(False), worth[city]

    def goes_on(carry):
        route, open_cities, worth = carry
        return (route.visits < budget) & (worth > -jnp.inf) & open_cities.any()

    first = Route(
        cities=jnp.full(most + 1, state.position, jnp.int32),
        visits=jnp.zeros((), jnp.int32),
    )
    route, _, _ = jax.lax.while_loop(goes_on, join, (first, ~state.visited, jnp.zeros(())))
    return route.cities[1:], route.visits


def _cheapest(
    xy: Float[Array, " nodes 2"], route: Route, way_back: Array
) -> tuple[Float[Array, " nodes"], Int[Array, " nodes"]]:
    """By how much each city would lengthen the route at least, and behind which place."""

    def behind(place, carry):
        least, where, from_here = carry
        is_last = place == route.visits
        here, following = route.cities[place], jnp.where(is_last, START, route.cities[place + 1])
        from_next = distance_between(xy, xy[following])
        extra = from_here + jnp.where(is_last & ~way_back, 0.0, from_next - from_next[here])
        return jnp.minimum(extra, least), jnp.where(extra < least, place, where), from_next

    nodes = xy.shape[0]
    first = jnp.full(nodes, jnp.inf), jnp.zeros(nodes, jnp.int32), distance_between(xy, xy[route.cities[0]])
    return jax.lax.fori_loop(0, route.visits + 1, behind, first)[:2]


def _insert(route: Route, city: Int[Array, ""], behind: Int[Array, ""]) -> Route:
    places = jnp.arange(len(route.cities))
    shifted = jnp.where(places > behind + 1, jnp.roll(route.cities, 1), route.cities)
    cities = jnp.where(places == behind + 1, city, shifted)
    return Route(cities, route.visits + 1)


def _two_opt(xy: Float[Array, " nodes 2"], route: Route, way_back: Array) -> Route:
    """Turn the stretch round that shortens the route most, again and again, as long as one does."""
    places = jnp.arange(len(route.cities))

    def best_turn(cities):
        point = xy[cities]
        after = jnp.where((places == route.visits)[:, None], xy[START], jnp.roll(point, -1, axis=0))
        onward = (places < route.visits) | way_back

        def from_place(first, found):
            before, here = point[first - 1], point[first]
            gain = distance_between(before, here) - distance_between(before, point)
            gain += jnp.where(onward, distance_between(point, after) - distance_between(here, after), 0.0)
            gain = jnp.where((places > first) & (places <= route.visits), gain, 0.0)
            last = jnp.argmax(gain)
            better = gain[last] > found[0]
            return jax.tree.map(lambda new, old: jnp.where(better, new, old), (gain[last], first, last), found)

        return jax.lax.fori_loop(1, route.visits, from_place, (jnp.zeros(()), jnp.int32(0), jnp.int32(0)))

    def turn(carry):
        cities, (_, first, last) = carry
        inside = (places >= first) & (places <= last)
        cities = cities[jnp.where(inside, first + last - places, places)]
        return cities, best_turn(cities)

    worthwhile = lambda carry: carry[1][0] > 1e-6  # noqa: E731
    cities, _ = jax.lax.while_loop(worthwhile, turn, (route.cities, best_turn(route.cities)))
    return route._replace(cities=cities)


def _length(xy: Float[Array, " nodes 2"], route: Route) -> Float[Array, ""]:
    steps = distance_between(xy[route.cities[1:]], xy[route.cities[:-1]])
    return jnp.where(jnp.arange(len(steps)) < route.visits, steps, 0.0).sum()
