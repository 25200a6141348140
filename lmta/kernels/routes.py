"""A day's route by insertion: the best city next, put where it lengthens the route least, then 2-opt."""

from typing import NamedTuple

import numpy as np

from lmta.kernels.compiled import kernel, part
from lmta.kernels.route_task import NOWHERE, distance, path_length

SLACK = 1e-5
"""Taken off a limit: routes are planned in double precision and driven in single."""


class Room(NamedTuple):
    """Where a route is built; `make_room` makes it."""

    route: np.ndarray
    """Int64: the start and the visits so far."""
    longer: np.ndarray
    """Int64: the same with one more city, on trial."""
    is_open: np.ndarray
    """Bool (cities,): may still join."""
    extra: np.ndarray
    """Float64 (cities,): by how much each open city would lengthen the route at least …"""
    place: np.ndarray
    """… and behind which place."""


@kernel
def make_room(num_cities, visits):
    """Room for routes of at most so many visits."""
    most = min(visits, num_cities)
    return Room(
        route=np.zeros(most + 1, np.int64),
        longer=np.zeros(most + 1, np.int64),
        is_open=np.zeros(num_cities, np.bool_),
        extra=np.zeros(num_cities),
        place=np.zeros(num_cities, np.int64),
    )


@kernel
def two_opt(ground, route, visits, end):
    """Reverse stretches of the route, whose first city is fixed, as long as that shortens it. True if any did.

    `end` is the city to go to afterwards, or NOWHERE where the route may end anywhere.
    """
    improved, again = False, True
    while again:
        again = False
        for i in range(1, visits):
            for j in range(i + 1, visits + 1):
                after = route[j + 1] if j < visits else end
                gain = distance(ground, route[i - 1], route[i]) - distance(ground, route[i - 1], route[j])
                if after >= 0:
                    gain += distance(ground, route[j], after) - distance(ground, route[i], after)
                if gain > 1e-12:
                    for k in range((j - i + 1) // 2):
                        route[i + k], route[j - k] = route[j - k], route[i + k]
                    improved = again = True
    return improved


@kernel
def insertion_route(ground, task, room):
    """Build a route in `room.route` and return how many visits it has.

    The city that is worth most joins next: its value less what one more visit costs, and less `length_price` for each
    unit by which it lengthens the route. It must be worth having at any price of length, and the visits must stay
    within the limit; the excess of the way to the end counts. The city `through` joins before all others.
    """
    route, longer, is_open = room.route, room.longer, room.is_open
    route[0] = task.start
    for city in range(len(is_open)):
        is_open[city] = task.available[city] and distance(ground, task.start, city) <= task.limit
    visits, paid = np.int64(0), 0.0
    _look_for_places(ground, task, room, visits, NOWHERE)
    while visits < task.visits:
        one_more = task.crowding * max(2 * visits - 1, 0)
        city = _worth_most(task, room, visits, one_more)
        if city < 0:
            break
        is_open[city] = False
        behind = room.place[city]
        for i in range(behind + 1):
            longer[i] = route[i]
        longer[behind + 1] = city
        for i in range(behind + 1, visits + 1):
            longer[i + 1] = route[i]
        is_turned = two_opt(ground, longer, visits + 1, task.end)
        path = path_length(ground, longer, visits + 1)
        price = 0.0
        if task.end >= 0:
            price = task.penalty * max(0.0, path + distance(ground, longer[visits + 1], task.end) - task.limit)
        if path <= task.limit and task.value[city] - one_more > price - paid:
            visits += 1
            paid = price
            for i in range(visits + 1):
                route[i] = longer[i]
            _look_for_places(ground, task, room, visits, NOWHERE if is_turned else behind)
    return visits


@part
def _look_for_places(ground, task, room, visits, behind):
    """By how much each open city would lengthen the route at least, and behind which place.

    Where a city has just joined behind a place, and nothing else has changed, only the places beside it are new.
    """
    for city in range(len(room.is_open)):
        if not room.is_open[city]:
            continue
        if behind == NOWHERE or room.place[city] == behind:
            room.extra[city] = np.inf
            first, last = 0, visits
        else:
            room.place[city] += room.place[city] > behind
            first, last = behind, behind + 1
        for i in range(first, last + 1):
            extra = distance(ground, room.route[i], city)
            after = room.route[i + 1] if i < visits else task.end
            if after >= 0:
                extra += distance(ground, city, after) - distance(ground, room.route[i], after)
            if extra < room.extra[city]:
                room.extra[city], room.place[city] = extra, i


@part
def _worth_most(task, room, visits, one_more):
    """The open city to join next, or -1 where none is worth having."""
    most, chosen = -np.inf, -1
    for city in range(len(room.is_open)):
        margin = task.value[city] - one_more
        if room.is_open[city] and margin > 0.0:
            if visits == 0 and city == task.through:
                return city
            worth = margin - task.length_price * room.extra[city]
            if worth > most:
                most, chosen = worth, city
    return chosen
