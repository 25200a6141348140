"""The days of a tour in compiled loops: what a route is asked for, what a day earns, and how the days after it go."""

from typing import NamedTuple

import numpy as np

from lmta.kernels.compiled import kernel, part
from lmta.kernels.route_task import NOWHERE, Task, distance, path_length
from lmta.kernels.routes import SLACK, insertion_route

HOME = 0
"""The city where a tour begins; on its last day the way back counts."""

FEW, FOR_EACH_VISIT = 120, 3
"""So many cities, or so many for each visit that is left if that is more, are considered when days are played on."""
HALVINGS = 40


class Rules(NamedTuple):
    """What the days of a tour are judged by."""

    days: int
    limit: float
    penalty: float
    crowding: float
    drift: float
    floor: float


class Today(NamedTuple):
    """Where a tour stands before a day."""

    profit: np.ndarray
    """Float64 (cities,)."""
    available: np.ndarray
    """Bool (cities,): not visited yet."""
    position: int
    day: int
    budget_left: int


class Play(NamedTuple):
    """Where days are played on; `make_play` makes it."""

    profit: np.ndarray
    available: np.ndarray
    route: np.ndarray
    """Int64: where a day begins, and its visits."""


@kernel
def task_of_day(rules, profit, available, position, day, visits, price, through):
    """What is asked of a route on a day of a tour."""
    is_last = day == rules.days - 1
    return Task(
        value=profit,
        available=available,
        end_value=np.zeros(len(profit)),
        start=position,
        end=HOME if is_last else NOWHERE,
        through=through,
        visits=visits,
        limit=rules.limit - SLACK,
        penalty=rules.penalty if is_last else np.inf,
        crowding=rules.crowding,
        length_price=price,
    )


@kernel
def reward_of_day(ground, rules, profit, day, route, visits):
    """What a day earns; `route` is where it begins and so many visits."""
    if visits == 0:
        return 0.0
    length = path_length(ground, route, visits)
    if day == rules.days - 1:
        length += distance(ground, route[visits], HOME)
    total = -rules.crowding * (visits - 1) ** 2 - rules.penalty * max(0.0, length - rules.limit)
    for i in range(1, visits + 1):
        total += profit[route[i]]
    return total


@kernel
def considered(today):
    """The same day with the most profitable cities alone, where there are many: the others are hardly ever visited.

    On ties a few more stay.
    """
    most, count, highest = max(FEW, FOR_EACH_VISIT * today.budget_left), 0, 0.0
    for city in range(len(today.profit)):
        if today.available[city]:
            count += 1
            highest = max(highest, today.profit[city])
    if count <= most:
        return today
    low, high = 0.0, highest
    for _ in range(HALVINGS):
        middle, above = 0.5 * (low + high), 0
        for city in range(len(today.profit)):
            above += today.available[city] and today.profit[city] >= middle
        if above >= most:
            low = middle
        else:
            high = middle
    available = today.available.copy()
    for city in range(len(available)):
        available[city] &= today.profit[city] >= low
    return Today(today.profit, available, today.position, today.day, today.budget_left)


@part
def make_play(num_cities, budget_left):
    """Room for days with at most so many visits."""
    return Play(
        profit=np.empty(num_cities),
        available=np.empty(num_cities, np.bool_),
        route=np.zeros(min(budget_left, num_cities) + 1, np.int64),
    )


@part
def play_on(ground, rules, today, prices, cities, visits, moves, option_price, room, play, rewards):
    """Fill the rewards of the days after today, as many as there is room for, if today's route visits these cities.

    The base heuristic makes the routes: by insertion at each of some prices of length, with an even share of the
    budget, and the one that earns most that day is taken. Profits move by `moves`, a row for each night. Returns what
    the days earn, and what of it is owed to chance: every night an unvisited city, as an option to take its profit at a
    price, becomes worth more or less than expected. That is 0 in expectation, whatever is visited.
    """
    for city in range(len(today.profit)):
        play.profit[city], play.available[city] = today.profit[city], today.available[city]
    position, left, total, by_chance = today.position, today.budget_left - visits, 0.0, 0.0
    for i in range(visits):
        position = cities[i]
        play.available[position] = False
    for ahead in range(len(rewards)):
        day = today.day + 1 + ahead
        for city in range(len(play.profit)):
            if play.available[city]:
                expected = _worth_of_option(play.profit[city] - option_price, rules.drift)
                play.profit[city] = max(play.profit[city] + moves[ahead, city], rules.floor)
                by_chance += max(play.profit[city] - option_price, 0.0) - expected
        share = min(-(-left // (rules.days - day)), left)
        rewards[ahead], made = _best_by_insertion(ground, rules, play, position, day, share, prices, room)
        total += rewards[ahead]
        for i in range(1, made + 1):
            play.available[play.route[i]] = False
        position, left = play.route[made], left - made
    return total, by_chance


@part
def _worth_of_option(above, drift):
    """E[(above + U(-drift, drift))₊]."""
    if above >= drift:
        return above
    if above <= -drift:
        return 0.0
    return (above + drift) ** 2 / (4 * drift)


@part
def _best_by_insertion(ground, rules, play, position, day, visits, prices, room):
    """(what it earns, how many visits it has) of the route that is left in `play.route`."""
    best, most = -np.inf, np.int64(0)
    for price in prices:
        task = task_of_day(rules, play.profit, play.available, position, day, visits, price, NOWHERE)
        made = insertion_route(ground, task, room)
        reward = reward_of_day(ground, rules, play.profit, day, room.route, made)
        if reward > best:
            best, most = reward, made
            for i in range(made + 1):
                play.route[i] = room.route[i]
    return best, most
