"""The route engine: an iterated local search for orienteering that gets better the longer it runs.

A route is torn open, filled again with what pays for its detour, put in order, and kept by the rule of simulated
annealing, whose cycles double in length; each begins with the best route so far.
"""

from typing import NamedTuple

import numpy as np

from lmta.kernels.compiled import kernel, part
from lmta.kernels.route_moves import MOST_PASSES, Draft, change_end, cheapest_place, close, insert, remove, shorten
from lmta.kernels.route_task import Task, candidates_of, cost, detour_by, distance, path_length, worth

HOT, COLD = 1.0, 0.03
"""Temperatures at which a cycle begins and ends, in units of a city's mean value."""
FIRST_CYCLE = 100
"""Iterations of the first cycle."""
LARGEST_RUIN = 20
"""So many cities at most are torn out of a route."""
SQUEEZE = 0.5
"""How often a city from outside is taken in at the cost of others; otherwise something is torn out:"""
STRETCH, VICINITY = 0.5, 0.3
"""how often a stretch of the route, or visits near some city; else visits here and there."""
NOISE = 0.7
"""A city's appeal is lowered by up to this share when a route is filled again."""
TIE_BREAK = 1e-6
"""Of routes worth the same the shorter is better: the whole limit costs this share of the highest value."""
NUM_GREEDS = 4
"""Ways in which a city appeals: by its gain, or by its gain squared, itself, or the same over its detour squared."""


class Search(NamedTuple):
    """A search under way; `improve` goes on with it."""

    task: Task
    """What is asked, with a tie-break: of routes worth the same the shorter is better."""
    scale: float
    """The mean of the values above 0, the unit of temperatures."""
    last_counts: bool
    """Whether it matters for more than the length which city is the last."""
    draft: Draft
    """The route that the next iteration changes."""
    candidates: np.ndarray
    """Int64: the cities that may be visited."""
    current: np.ndarray
    """Int64: the start and the visits of the route that was accepted last."""
    best: np.ndarray
    """Int64: the same of the best route so far."""
    counts: np.ndarray
    """Int64 (6,): see CURRENT and the others below."""
    worths: np.ndarray
    """Float64 (2,): of the current and of the best route, the tie-break included."""
    unwanted: np.ndarray
    """Bool (cities,): to be torn out; all False between iterations."""
    detour: np.ndarray
    """Float64 (cities,): by how much each city outside would lengthen the route at least, before its last visit …"""
    place: np.ndarray
    """… and behind which place."""
    appeal: np.ndarray
    """Float64 (cities,): the noise of this iteration."""
    random: np.ndarray
    """UInt64 (1,): the state of the random numbers."""


CURRENT, BEST, NOTHING, ITERATION, CYCLE, IN_CYCLE = range(6)
"""Where `counts` has the visits of the current, of the best and of an empty route, the iterations done, and the length
and progress of the cycle; and `worths` those of the current and the best route."""


@part
def generator(seed):
    """The state of random numbers that follow from a seed."""
    return np.full(1, (np.uint64(seed) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15))


@part
def uniform(random):
    """A number from [0, 1) by xorshift64*: the same in every thread, however a run is cut into pieces."""
    x = random[0]
    x ^= x >> np.uint64(12)
    x ^= x << np.uint64(25)
    x ^= x >> np.uint64(27)
    random[0] = x
    return np.float64((x * np.uint64(2685821657736338717)) >> np.uint64(11)) * 2.0**-53


@part
def below(random, count):
    """A whole number from 0 to count - 1."""
    return int(uniform(random) * count)


@kernel
def begin(task, seed):
    """A search that has done nothing yet; the first iterations of `improve` build routes."""
    candidates = candidates_of(task)
    num_cities, count = len(task.value), len(candidates)
    num_worthy, total, top = 0, 1e-300, 1e-300
    last_counts = task.penalty < np.inf
    for city in candidates:
        last_counts |= task.end_value[city] != 0.0
        if task.value[city] > 0.0:
            num_worthy += 1
            total += task.value[city]
            top = max(top, task.value[city])
    tie_break = TIE_BREAK * top / max(task.limit, 1e-300)
    draft = Draft(
        visits=np.zeros(1, np.int64),
        route=np.full(count + 2, task.start),
        position=np.full(num_cities, -1),
        outside=candidates.copy(),
        fresh=np.zeros(num_cities + 1, np.bool_),
        backward=np.zeros(count + 2),
    )
    draft.position[task.start] = 0
    counts = np.zeros(6, np.int64)
    counts[CYCLE] = FIRST_CYCLE
    return Search(
        task=Task(
            value=task.value,
            available=task.available,
            end_value=task.end_value,
            start=task.start,
            end=task.end,
            through=task.through,
            visits=min(task.visits, count),
            limit=task.limit,
            penalty=task.penalty,
            crowding=task.crowding,
            length_price=task.length_price + tie_break,
        ),
        scale=total / max(num_worthy, 1),
        last_counts=last_counts,
        draft=draft,
        candidates=candidates,
        current=np.full(count + 1, task.start),
        best=np.full(count + 1, task.start),
        counts=counts,
        worths=np.full(2, -np.inf),
        unwanted=np.zeros(num_cities, np.bool_),
        detour=np.empty(num_cities),
        place=np.empty(num_cities, np.int64),
        appeal=np.ones(num_cities),
        random=generator(seed),
    )


@kernel
def improve(ground, search, iterations):
    """Go on for so many iterations. Pieces add up: twice 50 is the same as 100."""
    task, draft, counts, worths = search.task, search.draft, search.counts, search.worths
    for _ in range(iterations):
        greed = _make_room(ground, task, search)
        while _fill(ground, task, search, greed):
            movable = draft.visits[0] - search.last_counts
            improved = shorten(ground, task, draft, movable)
            for _ in range(MOST_PASSES):
                if not search.last_counts or not change_end(ground, task, draft):
                    break
                shorten(ground, task, draft, movable)
                improved = True
            if not improved:
                break
        visits = draft.visits[0]
        new = worth(ground, task, draft.route, visits)
        if new > worths[BEST]:
            worths[BEST], counts[BEST] = new, visits
            _copy(draft.route, search.best, visits)
        heat = search.scale * HOT * (COLD / HOT) ** (counts[IN_CYCLE] / counts[CYCLE])
        if new >= worths[CURRENT] or uniform(search.random) < np.exp((new - worths[CURRENT]) / heat):
            worths[CURRENT], counts[CURRENT] = new, visits
            _copy(draft.route, search.current, visits)
        else:
            _load(task, search, search.current, counts[CURRENT])
        counts[ITERATION] += 1
        counts[IN_CYCLE] += 1
        if counts[IN_CYCLE] == counts[CYCLE]:
            counts[IN_CYCLE], counts[CYCLE] = 0, 2 * counts[CYCLE]
            worths[CURRENT], counts[CURRENT] = worths[BEST], counts[BEST]
            _copy(search.best, search.current, counts[BEST])
            _load(task, search, search.best, counts[BEST])


@kernel
def best_route(ground, task, iterations, seed):
    """(cities in order without start and end, what they are worth) after so many iterations.

    Without any visit where none pays; worth minus infinity where no route keeps to the rules.
    """
    search = begin(task, seed)
    improve(ground, search, iterations)
    visits = search.counts[BEST]
    is_found = search.worths[BEST] > -np.inf
    return search.best[1 : visits + 1], worth(ground, task, search.best, visits) if is_found else -np.inf


@part
def _copy(route, onto, visits):
    for i in range(visits + 1):
        onto[i] = route[i]


@part
def _load(task, search, route, visits):
    """Make a route the draft."""
    draft = search.draft
    for city in search.candidates:
        draft.position[city] = -1
    draft.visits[0] = visits
    for i in range(1, visits + 1):
        draft.route[i] = route[i]
        draft.position[route[i]] = i
    close(task, draft)
    count = 0
    for city in search.candidates:
        if draft.position[city] < 0:
            draft.outside[count] = city
            count += 1


@part
def _make_room(ground, task, search):
    """Make room on the draft, and say by which greed it is to be filled: the first routes are built from nothing."""
    draft, random = search.draft, search.random
    if search.counts[ITERATION] < NUM_GREEDS or search.worths[BEST] == -np.inf:
        _load(task, search, search.best, search.counts[NOTHING])
        for which in range(len(search.candidates)):
            if draft.outside[which] == task.through:
                insert(task, draft, len(search.candidates), which, draft.visits[0])
                break
        return search.counts[ITERATION] % NUM_GREEDS
    for city in search.candidates:
        search.appeal[city] = 1.0 - NOISE * uniform(random)
    if draft.visits[0] < len(search.candidates) and uniform(random) < SQUEEZE:
        _squeeze_in(ground, task, search)
    elif draft.visits[0] > 0:
        _ruin(ground, task, search)
    return int(uniform(random) * NUM_GREEDS)


@part
def _ruin(ground, task, search):
    """Tear out a stretch, the visits near some city, or some here and there."""
    draft, unwanted, random = search.draft, search.unwanted, search.random
    visits = draft.visits[0]
    count = 1 + below(random, min(LARGEST_RUIN, visits))
    kind = uniform(random)
    if kind < STRETCH:
        first = below(random, visits)
        for i in range(first, first + count):
            unwanted[draft.route[1 + i % visits]] = True
    elif kind < STRETCH + VICINITY:
        centre = search.candidates[below(random, len(search.candidates))]
        unwanted[centre] = draft.position[centre] > 0
        for k in range(ground.near.shape[1]):
            city = ground.near[centre, k]
            if 0 < draft.position[city] <= visits and count > 1:
                unwanted[city] = True
                count -= 1
    else:
        for _ in range(count):
            unwanted[draft.route[1 + below(random, visits)]] = True
    if task.through >= 0:
        unwanted[task.through] = False
    remove(task, draft, len(search.candidates), unwanted)


@part
def _squeeze_in(ground, task, search):
    """Take in a city from outside, however long the route becomes, and give up others until it keeps to the rules.

    Given up is what is worth least, or least for its detour; sometimes one city even where there is room.
    """
    draft, random = search.draft, search.random
    num_candidates = len(search.candidates)
    which = below(random, num_candidates - draft.visits[0])
    squeezed = draft.outside[which]
    extra, behind = cheapest_place(ground, draft, squeezed)
    last = draft.route[draft.visits[0]]
    if detour_by(ground, last, squeezed, task.end) < extra:
        behind = draft.visits[0]
    insert(task, draft, num_candidates, which, behind)
    by_detour = uniform(random) < 0.5
    one_more = uniform(random) < 0.5
    while draft.visits[0] > 1:
        visits = draft.visits[0]
        path = path_length(ground, draft.route, visits)
        fits = visits <= task.visits and cost(ground, task, path, draft.route[visits], visits) < np.inf
        if fits and not one_more:
            break
        one_more = False
        least, given_up = np.inf, -1
        for i in range(1, visits + 1):
            city = draft.route[i]
            if city in (squeezed, task.through):
                continue
            loss = task.value[city] * (0.5 + uniform(random))
            if by_detour:
                saved = detour_by(ground, draft.route[i - 1], city, draft.route[i + 1])
                loss /= max(saved, 1e-9 * task.limit + 1e-300)
            if loss < least:
                least, given_up = loss, city
        search.unwanted[given_up if given_up >= 0 else squeezed] = True
        remove(task, draft, num_candidates, search.unwanted)


@part
def _fill(ground, task, search, greed):
    """Insert the city that appeals most, again and again, until none pays or fits. True if there was one."""
    draft, detour, place = search.draft, search.detour, search.place
    num_candidates = len(search.candidates)
    first = draft.visits[0]
    for which in range(num_candidates - first):
        city = draft.outside[which]
        detour[city], place[city] = cheapest_place(ground, draft, city)
    path = path_length(ground, draft.route, first)
    while draft.visits[0] < task.visits:
        which, behind, step = _most_appealing(ground, task, search, path, greed)
        if which < 0:
            break
        city = draft.outside[which]
        insert(task, draft, num_candidates, which, behind)
        path += step
        _look_again(ground, search, behind, city)
    return draft.visits[0] > first


@part
def _most_appealing(ground, task, search, path, greed):
    """(which of those outside, behind which place, by how much the path grows), or (-1, 0, 0) where none pays."""
    draft = search.draft
    visits = draft.visits[0]
    last = draft.route[visits]
    now = cost(ground, task, path, last, visits)
    way_back = distance(ground, last, task.end)
    tiny = TIE_BREAK * task.limit + 1e-300
    most, chosen, behind, growth = 0.0, -1, 0, 0.0
    for which in range(len(search.candidates) - visits):
        city = draft.outside[which]
        before = now + task.value[city]
        step = search.detour[city]
        gain = before - cost(ground, task, path + step, last, visits + 1)
        appeal = search.appeal[city] * _appeal(gain, max(step, 0.0) + tiny, greed)
        if appeal > most:
            most, chosen, behind, growth = appeal, which, search.place[city], step
        step = distance(ground, last, city)
        gain = before - cost(ground, task, path + step, city, visits + 1)
        detour = step + distance(ground, city, task.end) - way_back
        appeal = search.appeal[city] * _appeal(gain, max(detour, 0.0) + tiny, greed)
        if appeal > most:
            most, chosen, behind, growth = appeal, which, visits, step
    return chosen, behind, growth


@part
def _appeal(gain, detour, greed):
    if gain <= 0.0 or greed == 0:
        return gain
    if greed == 1:
        return gain * gain / detour
    if greed == 2:
        return gain / detour
    return gain / (detour * detour)


@part
def _look_again(ground, search, behind, city):
    """Bring the detours of cities outside up to date after a city was inserted behind a place."""
    draft, detour, place = search.draft, search.detour, search.place
    visits = draft.visits[0]
    a, b = draft.route[behind], draft.route[behind + 2]
    is_last = behind + 1 == visits
    for which in range(len(search.candidates) - visits):
        other = draft.outside[which]
        if place[other] == behind and not is_last:
            detour[other], place[other] = cheapest_place(ground, draft, other)
            continue
        if place[other] > behind:
            place[other] += 1
        extra = detour_by(ground, a, other, city)
        if extra < detour[other]:
            detour[other], place[other] = extra, behind
        if not is_last:
            extra = detour_by(ground, city, other, b)
            if extra < detour[other]:
                detour[other], place[other] = extra, behind + 1
