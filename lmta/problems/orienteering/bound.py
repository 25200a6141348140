"""What nobody can earn on average: hindsight with a martingale penalty (Brown, Smith and Sun 2010), travel left out."""

import numpy as np

from lmta.problems.orienteering.rules import START, OrienteeringInstance, OrienteeringNoise


def upper_bound(instance: OrienteeringInstance, noise: OrienteeringNoise) -> float:
    """The most that one who knows the noise could earn if distances were 0, less what knowing it is worth.

    Its mean over noise is at least what any policy earns on average. An unvisited city is an option worth
    w(p) = (p - τ)₊, where τ is the K-th highest profit of the first day. Whoever waits is charged for each move of
    it that exceeds its expectation. Who does not see the future pays nothing on average, whatever they do.
    """
    budget = int(instance.budget)
    profit = profits_by_day(instance, noise)
    cities = profit.shape[1]
    price = np.partition(profit[0], -budget)[-budget] if budget <= cities else 0.0
    charged = _charges(profit, max(float(price), float(instance.floor)), float(instance.drift))
    waited = np.vstack([np.zeros(cities), np.cumsum(charged, axis=0)])
    never = waited[-1]
    worth, crowding = profit - waited + never, float(instance.crowding)
    return best_assignment(worth, crowding, budget) - float(never.sum())


def profits_by_day(instance: OrienteeringInstance, noise: OrienteeringNoise) -> np.ndarray:
    """The profit of each city but the start on each day, as long as it is not visited."""
    first, drift, floor = np.asarray(instance.profit, np.float64), float(instance.drift), float(instance.floor)
    is_city = np.asarray(instance.graph.node_mask) & (np.arange(len(first)) != START)
    profit = [first[is_city]]
    for moves in np.asarray(noise.moves)[: int(instance.days) - 1, is_city]:
        profit.append(np.maximum(profit[-1] + drift * moves, floor))
    return np.stack(profit)


def _charges(profit: np.ndarray, price: float, drift: float) -> np.ndarray:
    """w(p of the next day) - E[w(p of the next day) | p], for each night and city; the price is above the floor."""
    before, after = profit[:-1], profit[1:]
    return np.maximum(after - price, 0.0) - expected_option(before, price, drift)


def expected_option(profit: np.ndarray, price: float, drift: float) -> np.ndarray:
    """E[(p + drift · U(-1, 1) - price)₊]."""
    above = profit - price
    if drift == 0:
        return np.maximum(above, 0.0)
    return np.where(above >= drift, above, np.maximum(above + drift, 0.0) ** 2 / (4 * drift))


def best_assignment(worth: np.ndarray, crowding: float, budget: int) -> float:
    """The best choice of days for at most `budget` cities, each on one day at most, where m on a day cost
    crowding · (m - 1)²: a network flow, so its linear program has a solution in whole numbers."""
    from scipy.optimize import linprog  # noqa: PLC0415 (a decision needs none of it)
    from scipy.sparse import coo_array, hstack, vstack  # noqa: PLC0415

    days, cities = worth.shape
    most = min(budget, cities)
    best = np.argpartition(-worth, most - 1, axis=1)[:, :most]  # any other could be exchanged for one of these
    day, city = np.repeat(np.arange(days), most), best.ravel()
    step = crowding * np.maximum(2 * np.arange(most) - 1, 0)  # what the first, second, … visit of a day costs
    pairs, ones = np.arange(days * most), np.ones(days * most)
    by_day = coo_array((ones, (day, pairs)))
    once = coo_array((ones, (city, pairs)), shape=(cities, days * most))
    in_all = coo_array((ones, (np.zeros_like(pairs), pairs)))
    no_slots = coo_array((cities + 1, days * most))
    found = linprog(
        np.concatenate([-worth[day, city], np.tile(step, days)]),
        A_ub=hstack([vstack([once, in_all]), no_slots]).tocsr(),
        b_ub=np.append(np.ones(cities), budget),
        A_eq=hstack([by_day, -by_day]).tocsr(),
        b_eq=np.zeros(days),
        bounds=(0, 1),
        method="highs",
    )
    return -float(found.fun)
