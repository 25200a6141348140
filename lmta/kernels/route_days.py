"""Days of routes: several routes for today, and which of them earns most over today and the days after it."""

from typing import NamedTuple

import numpy as np

from lmta.kernels.compiled import kernel, part
from lmta.kernels.route_engine import best_route, generator, uniform
from lmta.kernels.route_rules import considered, make_play, play_on, reward_of_day, task_of_day
from lmta.kernels.route_task import NOWHERE, distance
from lmta.kernels.routes import insertion_route, make_room

NOW, LATER = 0, 1
"""Where `Proposals.earned` has what."""


class Foresight(NamedTuple):
    """How routes are proposed for today, and how the days after it are played."""

    prices: np.ndarray
    """Float64: what a unit of length costs on the way, one route by insertion and one by the engine for each."""
    destinations: int
    """So many cities, the most profitable in reach, are tried as one that a route goes through …"""
    price: float
    """… at this price."""
    iterations: int
    """Of the engine for each of its routes."""
    days_ahead: int
    futures: int
    """So often the drift of profits is drawn for these days in the first round, the same for all routes …"""
    rounds: int
    """… of so many, where the better half of the routes goes on to twice as many futures."""


class Proposals(NamedTuple):
    """Routes for today."""

    cities: np.ndarray
    """Int64 (proposals, visits): in order."""
    visits: np.ndarray
    """Int64 (proposals,)."""
    promise: np.ndarray
    """Float64 (proposals,): what each earns today and, on average, on the days after it."""
    earned: np.ndarray
    """Float64 (proposals, 2): today, and in all futures on the days after it."""
    number: np.ndarray
    """Int64 (1,): so many are different."""


@kernel
def plan_day(ground, rules, today, budget, foresight, seed):
    """Today's cities in order: of several routes the one that promises most. The same seed gives the same route."""
    proposals = weigh(ground, rules, today, budget, foresight, seed)
    return proposals.cities[0, : proposals.visits[0]].copy()


@kernel
def weigh(ground, rules, today, budget, foresight, seed):
    """Proposals in the order of what they promise over today and the days after it, the most first."""
    proposals = propose(ground, rules, today, budget, foresight, seed)
    days_ahead = min(foresight.days_ahead, rules.days - 1 - today.day)
    if days_ahead > 0 and proposals.number[0] > 1:
        _look_ahead(ground, rules, considered(today), foresight, days_ahead, proposals, generator(seed))
    else:
        _sort(proposals, proposals.number[0])
    return proposals


@kernel
def propose(ground, rules, today, budget, foresight, seed):
    """Routes at every price and through every destination, by insertion and by the engine, with what they earn today.

    Visits that a day leaves over are no use to it. So at a price of length every visit is worth that price for the
    whole limit more to the engine: the price then says which cities to visit, not how many.
    """
    num_prices, num_cities = len(foresight.prices), len(today.profit)
    visits = min(budget, today.budget_left)
    most = 2 * (num_prices + foresight.destinations)
    proposals = Proposals(
        cities=np.zeros((most, max(visits, 0)), np.int64),
        visits=np.zeros(most, np.int64),
        promise=np.zeros(most),
        earned=np.zeros((most, 2)),
        number=np.zeros(1, np.int64),
    )
    in_reach = _in_reach(ground, rules, today)
    untried, room = in_reach.copy(), make_room(num_cities, visits)
    for which in range(num_prices + foresight.destinations):
        price, through = _asked_for(today, foresight, untried, which)
        if which >= num_prices and through == NOWHERE:
            break
        task = task_of_day(rules, today.profit, in_reach, today.position, today.day, visits, price, through)
        made = insertion_route(ground, task, room)
        _add(ground, rules, today, proposals, room.route, made)
        worthier = today.profit + price * rules.limit
        task = task_of_day(rules, worthier, in_reach, today.position, today.day, visits, price, through)
        route, worth = best_route(ground, task, foresight.iterations, seed)
        if worth > -np.inf:
            for i in range(len(route)):
                room.route[i + 1] = route[i]
            _add(ground, rules, today, proposals, room.route, len(route))
    return proposals


@kernel
def plan_day_by_insertion(ground, rules, today, budget, foresight):
    """Today's cities in order: of the routes by insertion, at every price and through every destination, the one that
    promises most if profits stand still and the days after it are planned at the same price."""
    num_prices, num_cities = len(foresight.prices), len(today.profit)
    visits, days_ahead = min(budget, today.budget_left), min(foresight.days_ahead, rules.days - 1 - today.day)
    room, play = make_room(num_cities, today.budget_left), make_play(num_cities, today.budget_left)
    moves, rewards = np.zeros((days_ahead, num_cities)), np.empty(days_ahead)
    in_reach = _in_reach(ground, rules, today)
    untried, best, most = in_reach.copy(), np.zeros(0, np.int64), -np.inf
    for which in range(num_prices + foresight.destinations):
        price, through = _asked_for(today, foresight, untried, which)
        if which >= num_prices and through == NOWHERE:
            break
        task = task_of_day(rules, today.profit, in_reach, today.position, today.day, visits, price, through)
        made = insertion_route(ground, task, room)
        cities = room.route[1 : made + 1].copy()
        promise = reward_of_day(ground, rules, today.profit, today.day, room.route, made)
        prices = np.full(1, price)
        promise += play_on(ground, rules, today, prices, cities, made, moves, np.inf, room, play, rewards)[0]
        if promise > most:
            best, most = cities, promise
    return best


@part
def _in_reach(ground, rules, today):
    """Bool (cities,): can be visited today."""
    in_reach = today.available.copy()
    for city in range(len(in_reach)):
        in_reach[city] &= distance(ground, today.position, city) <= rules.limit
    return in_reach


@part
def _asked_for(today, foresight, untried, which):
    """(the price of length, the city to go through) of a proposal: every price first, and then the most profitable
    cities that were not tried; NOWHERE where none is left."""
    if which < len(foresight.prices):
        return foresight.prices[which], NOWHERE
    through = _most_profitable(today.profit, untried)
    if through != NOWHERE:
        untried[through] = False
    return foresight.price, through


@part
def _most_profitable(profit, among):
    best = NOWHERE
    for city in range(len(profit)):
        if among[city] and (best == NOWHERE or profit[city] > profit[best]):
            best = city
    return best


@part
def _add(ground, rules, today, proposals, route, visits):
    """Take a route among the proposals, unless it is there."""
    count = proposals.number[0]
    for other in range(count):
        is_same = proposals.visits[other] == visits
        for i in range(visits):
            is_same = is_same and proposals.cities[other, i] == route[i + 1]
        if is_same:
            return
    for i in range(visits):
        proposals.cities[count, i] = route[i + 1]
    proposals.visits[count] = visits
    proposals.promise[count] = reward_of_day(ground, rules, today.profit, today.day, route, visits)
    proposals.number[0] = count + 1


@part
def _look_ahead(ground, rules, today, foresight, days_ahead, proposals, random):
    """Add what the days after today earn, on average over futures that are the same for all, and sort proposals by it.

    By sequential halving: in each round those left are played in new futures, twice as many as before, and the worse
    half is dropped. The days are played at the price of length that earns most after the first proposal: what length is
    worth depends on how far a day reaches.
    """
    num_cities, number = len(today.profit), proposals.number[0]
    room, play = make_room(num_cities, today.budget_left), make_play(num_cities, today.budget_left)
    moves, rewards = np.empty((days_ahead, num_cities)), np.empty(days_ahead)
    prices = foresight.prices
    earned = np.zeros(len(prices))
    for _ in range(2 * foresight.futures):
        _draw_moves(rules.drift, random, moves)
        for which in range(len(prices)):
            tried = prices[which : which + 1]
            earned[which] += _promised(ground, rules, today, tried, proposals, 0, moves, room, play, rewards)
    best = _largest(earned)
    price = prices[best : best + 1]
    for which in range(number):
        proposals.earned[which, NOW] = proposals.promise[which]
    left, futures, made = number, foresight.futures, 0
    for _ in range(foresight.rounds):
        for _ in range(futures):
            _draw_moves(rules.drift, random, moves)
            for which in range(left):
                later = _promised(ground, rules, today, price, proposals, which, moves, room, play, rewards)
                proposals.earned[which, LATER] += later
        made += futures
        for which in range(left):
            proposals.promise[which] = proposals.earned[which, NOW] + proposals.earned[which, LATER] / made
        _sort(proposals, left)
        left, futures = (left + 1) // 2, 2 * futures


@part
def _draw_moves(drift, random, moves):
    for day in range(moves.shape[0]):
        for city in range(moves.shape[1]):
            moves[day, city] = drift * (2.0 * uniform(random) - 1.0)


@part
def _largest(numbers):
    best = 0
    for which in range(len(numbers)):
        if numbers[which] > numbers[best]:
            best = which
    return best


@part
def _sort(proposals, count):
    """Put the first proposals in the order of what they promise, the most first; equal ones stay in their order."""
    for which in range(1, count):
        place = which
        while place > 0 and proposals.promise[place - 1] < proposals.promise[place]:
            _swap(proposals.visits, place)
            _swap(proposals.promise, place)
            for i in range(proposals.cities.shape[1]):
                _swap(proposals.cities[:, i], place)
            for i in range(proposals.earned.shape[1]):
                _swap(proposals.earned[:, i], place)
            place -= 1


@part
def _swap(numbers, place):
    numbers[place - 1], numbers[place] = numbers[place], numbers[place - 1]


@part
def _promised(ground, rules, today, price, proposals, which, moves, room, play, rewards):
    """What the days after a proposal earn at a price of length, if profits move like this."""
    cities, visits = proposals.cities[which], proposals.visits[which]
    return play_on(ground, rules, today, price, cities, visits, moves, np.inf, room, play, rewards)[0]
