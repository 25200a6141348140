"""A day's route by insertion: cities by falling profit, each put where it lengthens the route least, then 2-opt."""

import numba
import numpy as np

SLACK = 1e-5  # routes are planned in double precision and driven in single


@numba.njit(cache=True)
def _distance(xy, a, b):
    return np.sqrt((xy[a, 0] - xy[b, 0]) ** 2 + (xy[a, 1] - xy[b, 1]) ** 2)


@numba.njit(cache=True)
def route_length(xy, route):
    """Length of an open route."""
    total = 0.0
    for i in range(len(route) - 1):
        total += _distance(xy, route[i], route[i + 1])
    return total


@numba.njit(cache=True)
def two_opt(xy, route, end):
    """Reverse stretches of the route, whose first city is fixed, as long as that shortens it.

    `end` is the city to go to afterwards, or -1 where the route may end anywhere.
    """
    count = len(route)
    improved = True
    while improved:
        improved = False
        for i in range(1, count - 1):
            for j in range(i + 1, count):
                after = route[j + 1] if j + 1 < count else end
                gain = _distance(xy, route[i - 1], route[i]) - _distance(xy, route[i - 1], route[j])
                if after >= 0:
                    gain += _distance(xy, route[j], after) - _distance(xy, route[i], after)
                if gain > 1e-12:
                    route[i : j + 1] = route[i : j + 1][::-1].copy()
                    improved = True
    return route


@numba.njit(cache=True)
def _with_city(xy, route, city, end):
    """The route with `city` where it lengthens it least, then 2-opt."""
    best_place, best_extra = 1, np.inf
    for place in range(1, len(route) + 1):
        before = route[place - 1]
        after = route[place] if place < len(route) else end
        extra = _distance(xy, before, city)
        if after >= 0:
            extra += _distance(xy, city, after) - _distance(xy, before, after)
        if extra < best_extra:
            best_place, best_extra = place, extra
    longer = np.empty(len(route) + 1, np.int64)
    longer[:best_place] = route[:best_place]
    longer[best_place] = city
    longer[best_place + 1 :] = route[best_place:]
    return two_opt(xy, longer, end)


@numba.njit(cache=True)
def _penalty(xy, route, end, limit, penalty):
    length = route_length(xy, route)
    if end >= 0:
        length += _distance(xy, route[-1], end)
    return penalty * max(0.0, length - limit)


@numba.njit(cache=True)
def insertion_route(xy, profit, available, position, end, limit, penalty, crowding, budget):
    """The cities of today's route in order, without the position it starts from.

    A city joins if the route stays within the limit and its profit exceeds what one more visit costs today.
    """
    route = np.full(1, position, np.int64)
    paid = 0.0
    for city in np.argsort(-profit, kind="mergesort"):
        visits = len(route) - 1
        if visits == budget:
            break
        if not available[city]:
            continue
        margin = profit[city] - crowding * (visits**2 - max(visits - 1, 0) ** 2)
        if margin <= 0:
            break
        longer = _with_city(xy, route, city, end)
        if route_length(xy, longer) > limit - SLACK:
            continue
        price = _penalty(xy, longer, end, limit, penalty)
        if margin > price - paid:
            route, paid = longer, price
    return route[1:]
