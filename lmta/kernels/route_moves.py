"""A route being worked on, and what shortens it: 2-opt and or-opt among near cities, and another last city."""

from typing import NamedTuple

import numpy as np

from lmta.kernels.compiled import part
from lmta.kernels.route_task import cost, detour_by, distance, path_length

LONGEST_SHIFT = 3
"""Or-opt moves so many cities at most."""
LEAST = 1e-10
"""A move must gain more than this share of the limit: what is less may be rounding …"""
MOST_PASSES = 1_000
"""… which must not go round in circles, whatever the limit."""
ROUNDING = 1e-12
"""Another last city must gain more than this share of what its costs are made of."""

SCANNED = 30
"""On routes of up to so many visits every place is tried for a new city; on longer ones those beside near cities."""


class Draft(NamedTuple):
    """A route being worked on; places count from the start, which is place 0."""

    visits: np.ndarray
    """Int64 (1,): how many."""
    route: np.ndarray
    """Int64: the start, the visits in order, the end (or NOWHERE)."""
    position: np.ndarray
    """Int64 (cities,): the place of each city on the route, or -1."""
    outside: np.ndarray
    """Int64: the candidates that are not on the route come first."""
    fresh: np.ndarray
    """Bool (cities,): has other neighbours on the route than when it last looked for a better order."""
    backward: np.ndarray
    """Float64: by how much the way up to each place is longer the other way round."""


@part
def close(task, draft):
    """Put the end behind the visits."""
    behind = draft.visits[0] + 1
    draft.route[behind] = task.end
    if task.end >= 0 and task.end != task.start:
        draft.position[task.end] = behind


@part
def cheapest_place(ground, draft, city):
    """By how much a city lengthens the way to the last visit at least, and behind which place before that visit."""
    route, visits = draft.route, draft.visits[0]
    least, behind = np.inf, 0
    if visits > SCANNED:
        for k in range(ground.near.shape[1]):
            i = draft.position[ground.near[city, k]]
            for j in range(max(i - 1, 0), min(i + 1, visits)):
                extra = detour_by(ground, route[j], city, route[j + 1])
                if extra < least:
                    least, behind = extra, j
        if least < np.inf:
            return least, behind
    for j in range(visits):
        extra = detour_by(ground, route[j], city, route[j + 1])
        if extra < least:
            least, behind = extra, j
    return least, behind


@part
def insert(task, draft, num_candidates, which, behind):
    """Take the city at `outside[which]` into the route behind a place."""
    route, visits = draft.route, draft.visits[0]
    city, last = draft.outside[which], num_candidates - visits - 1
    draft.outside[which] = draft.outside[last]
    for i in range(visits, behind, -1):
        route[i + 1] = route[i]
        draft.position[route[i]] = i + 1
    route[behind + 1] = city
    draft.position[city] = behind + 1
    draft.visits[0] = visits + 1
    close(task, draft)
    for i in range(behind, behind + 3):
        draft.fresh[route[i]] = True  # NOWHERE marks the spare last place


@part
def remove(task, draft, num_candidates, unwanted):
    """Take the unwanted cities off the route, and want them again."""
    route, visits, kept = draft.route, draft.visits[0], 0
    for i in range(1, visits + 1):
        city = route[i]
        if unwanted[city]:
            unwanted[city] = False
            draft.position[city] = -1
            draft.outside[num_candidates - visits + i - 1 - kept] = city
            draft.fresh[route[kept]] = True
            draft.fresh[route[i + 1]] = True
        else:
            kept += 1
            route[kept] = city
            draft.position[city] = kept
    draft.visits[0] = kept
    close(task, draft)


@part
def reverse(draft, i, j):
    """Turn places i to j round."""
    route, position = draft.route, draft.position
    while i < j:
        a, b = route[i], route[j]
        route[i], route[j] = b, a
        position[b], position[a] = i, j
        i += 1
        j -= 1


@part
def shift(draft, i, j, behind):
    """Move places i to j, as they are, behind a place that is not among them."""
    if behind < i:
        reverse(draft, behind + 1, i - 1)
        reverse(draft, i, j)
        reverse(draft, behind + 1, j)
    else:
        reverse(draft, i, j)
        reverse(draft, j + 1, behind)
        reverse(draft, i, behind)


@part
def measure_backward(ground, draft):
    """How much longer the way is the other way round, where directions differ."""
    if ground.symmetric:
        return
    route, backward = draft.route, draft.backward
    for i in range(1, draft.visits[0] + 1):
        a, b = route[i - 1], route[i]
        backward[i] = backward[i - 1] + distance(ground, b, a) - distance(ground, a, b)


@part
def lengthening(ground, route, backward, i, j):
    """By how much the route grows if places i to j are turned round."""
    a, b, c, d = route[i - 1], route[i], route[j], route[j + 1]
    change = distance(ground, a, c) - distance(ground, a, b) + distance(ground, b, d) - distance(ground, c, d)
    return change if ground.symmetric else change + backward[j] - backward[i]


@part
def find_turn(ground, draft, movable, i, least):
    """2-opt: a stretch of the first `movable` places to turn round, so that the city at i comes beside a near one."""
    route, position, backward = draft.route, draft.position, draft.backward
    city = route[i]
    before = distance(ground, route[i - 1], city) if i > 0 else 0.0
    after = distance(ground, city, route[i + 1]) if i <= draft.visits[0] else 0.0
    longest = max(before, after)
    for k in range(ground.near.shape[1]):
        other = ground.near[city, k]
        step = distance(ground, city, other)
        if step >= longest:
            break
        j = position[other]
        if j < 0:
            continue
        low, high = min(i, j), max(i, j)
        is_open = step < after and low + 1 < high <= movable
        if is_open and lengthening(ground, route, backward, low + 1, high) < -least:
            return low + 1, high
        is_open = step < before and 0 < low < high - 1 <= movable
        if is_open and lengthening(ground, route, backward, low, high - 1) < -least:
            return low, high - 1
    return 0, 0


@part
def find_shift(ground, draft, movable, i, least):
    """Or-opt: a short stretch that begins or ends at place i, a place to put it behind, and whether turned round."""
    route = draft.route
    city, back_at_start = route[i], draft.visits[0] + 1
    for choice in range(2 * LONGEST_SHIFT):
        size, ends_here = 1 + choice // 2, choice % 2 == 1
        first = i - size + 1 if ends_here else i
        last = first + size - 1
        if first < 1 or last > movable or (ends_here and size == 1):
            continue
        before, after = route[first - 1], route[last + 1]
        freed = distance(ground, before, route[first]) + distance(ground, route[last], after)
        freed -= distance(ground, before, after) + least
        far = route[first] if ends_here else route[last]
        turned = 0.0 if ground.symmetric else draft.backward[last] - draft.backward[first]
        if_behind, if_before = (turned, 0.0) if ends_here else (0.0, turned)
        for k in range(ground.near.shape[1]):
            other = ground.near[city, k]
            step = distance(ground, city, other)
            if step >= freed:
                break
            j = draft.position[other]
            if j < 0 or first <= j <= last:
                continue
            if j <= movable and j != first - 1:
                added = distance(ground, other, city) + distance(ground, far, route[j + 1])
                if added + if_behind - distance(ground, other, route[j + 1]) < freed:
                    return first, last, j, ends_here
            if j == 0 and other == route[back_at_start]:
                j = back_at_start
            if 0 < j <= movable + 1 and j != last + 1:
                added = step + distance(ground, route[j - 1], far)
                if added + if_before - distance(ground, route[j - 1], other) < freed:
                    return first, last, j - 1, not ends_here
    return 0, 0, 0, False


@part
def shorten(ground, task, draft, movable):
    """2-opt and or-opt of the first `movable` places, around fresh cities until there are none. True if any helped."""
    route, fresh = draft.route, draft.fresh
    least = LEAST * max(task.limit, 0.0)
    measure_backward(ground, draft)
    improved = False
    for _ in range(MOST_PASSES):
        again = False
        for i in range(draft.visits[0] + 2):
            city = route[i]
            if city < 0 or not fresh[city]:
                continue
            fresh[city] = i == 0 and city == task.end  # the start of a closed route is looked at as its end too
            first, last = find_turn(ground, draft, movable, i, least)
            behind, turned, shifted = first, first > 0, False
            if not turned and 0 < i <= movable:
                first, last, behind, turned = find_shift(ground, draft, movable, i, least)
                shifted = first > 0
            if not turned and not shifted:
                continue
            for place in (first - 1, first, last, last + 1, behind, behind + 1):
                fresh[route[place]] = True
            if turned:
                reverse(draft, first, last)
            if shifted:
                shift(draft, first, last, behind)
            measure_backward(ground, draft)
            improved = again = True
        if not again:
            break
    return improved


@part
def change_end(ground, task, draft):
    """Make another city the last, by turning the end of the route round or by moving one city. True if it helped.

    For routes whose last city counts: `shorten` leaves it where it is.
    """
    route, visits = draft.route, draft.visits[0]
    measure_backward(ground, draft)
    path, final = path_length(ground, route, visits), route[visits]
    best = cost(ground, task, path, final, visits)
    price = task.length_price + (task.penalty if task.penalty < np.inf else 0.0)
    best -= ROUNDING * (abs(best) + abs(task.end_value[final]) + task.limit * price)
    kind, at = -1, visits
    for i in range(1, visits):
        before, city, after = route[i - 1], route[i], route[i + 1]
        turned = path + distance(ground, before, final) - distance(ground, before, city)
        if not ground.symmetric:
            turned += draft.backward[visits] - draft.backward[i]
        new = cost(ground, task, turned, city, visits)
        if new < best:
            best, kind, at = new, 0, i
        without = (
            path + distance(ground, before, after) - distance(ground, before, city) - distance(ground, city, after)
        )
        new = cost(ground, task, without + distance(ground, final, city), city, visits)
        if new < best:
            best, kind, at = new, 1, i
        earlier = path - distance(ground, route[visits - 1], final) - distance(ground, before, city)
        earlier += distance(ground, before, final) + distance(ground, final, city)
        new = cost(ground, task, earlier, route[visits - 1], visits)
        if new < best:
            best, kind, at = new, 2, i
    if kind < 0:
        return False
    for place in (at - 1, at, at + 1, visits - 1, visits):
        draft.fresh[route[place]] = True
    if kind == 0:
        reverse(draft, at, visits)
    elif kind == 1:
        shift(draft, at, at, visits)
    else:
        shift(draft, visits, visits, at - 1)
    return True
