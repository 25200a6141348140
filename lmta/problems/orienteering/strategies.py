"""Routes for a day of a tour, and rollouts that try them."""

from collections.abc import Iterator, Sequence
from functools import cache

import numpy as np

from lmta.kernels.route_days import Foresight, weigh
from lmta.kernels.route_engine import best_route
from lmta.kernels.route_rollouts import roll_out
from lmta.kernels.route_rules import Today
from lmta.kernels.route_task import make_task, path_length
from lmta.kernels.routes import SLACK
from lmta.problems.heuristics import DayPlan
from lmta.problems.orienteering.heuristics import Map, on_host, today_of
from lmta.problems.orienteering.importer import Cities
from lmta.problems.orienteering.on_host import OrienteeringOnHost
from lmta.problems.orienteering.rollout_routes import FORESIGHT
from lmta.problems.orienteering.rules import (
    OrienteeringInstance,
    OrienteeringRules,
    OrienteeringState,
    make_instance,
)
from lmta.problems.simulator import AbstractSimulator, Candidate, Outcome, work_through

PRICES = FORESIGHT.prices
BASES = (*(PRICES[which : which + 1] for which in range(len(PRICES) - 1)), PRICES)
"""Prices of length that the base heuristic may go on with: one of them, or every day the one that earns most."""
TUNING_WORLDS = 32
MOST_TUNED = 50_000_000
"""Visits times cities in all rollouts of the tuning; with more, which would take seconds, the first price serves."""
OTHER_COUNTS, GLANCE = 2, FORESIGHT._replace(destinations=0)
"""So many routes with a visit more, and with one fewer, are tried, and how they are found."""
ITERATIONS = 50
"""Of the engine for each route that is like the chosen one."""


class TourSimulator(AbstractSimulator):
    """Tries routes by rollouts of insertion."""

    def __init__(self, instance: OrienteeringInstance):
        self.map = on_host(instance)
        self.base = tuned(self.map, instance)

    def name_of(self, num_picks: int) -> str:
        """So many visits."""
        return visits(num_picks)

    def practise(self) -> None:
        """Once, on a line of five cities."""
        _practise()

    def candidates(self, state: OrienteeringState, own: DayPlan, seed: int) -> Iterator[Candidate]:
        """Routes at several prices of length and through several cities, by what they promise over the next days; then
        routes with a visit more and with one fewer, and to stay."""
        today, count = today_of(state), len(own.picks)
        if today.day == self.map.rules.days - 1:
            return  # nothing comes after it, and what a route earns today is known
        routes = self._routes(today, count, FORESIGHT, seed)
        for other in (count + 1, count - 1):
            routes += self._routes(today, other, GLANCE, seed)[:OTHER_COUNTS]
        different = {tuple(own.picks.tolist())}
        for route in [*routes, np.zeros(0, np.int64)]:
            if tuple(route.tolist()) not in different:
                different.add(tuple(route.tolist()))
                yield self._candidate(today, route)

    def exchanges(self, state: OrienteeringState, chosen: Candidate) -> Iterator[Candidate]:
        """The same cities in an order that ends elsewhere; and each city, the last first, exchanged for another."""
        today, route = today_of(state), np.asarray(chosen.picks, np.int64)
        different = {tuple(route.tolist())}
        for change in (self._ending_with, self._without):
            for city in route[::-1]:
                changed = change(today, route, int(city))
                if len(changed) == len(route) and tuple(changed.tolist()) not in different:
                    different.add(tuple(changed.tolist()))
                    yield self._candidate(today, changed)

    def try_out(self, state: OrienteeringState, candidates: Sequence[Candidate], worlds: range, seed: int) -> Outcome:
        """Rewards are profits less what crowding and excess cost."""
        counts = np.array([len(candidate.picks) for candidate in candidates])
        cities = np.zeros((len(candidates), max(1, counts.max())), np.int64)
        for row, candidate in zip(cities, candidates, strict=True):
            row[: len(candidate.picks)] = candidate.picks
        played = roll_out(*self.map, today_of(state), cities, counts, worlds=worlds, seed=seed, prices=self.base)
        return Outcome(*played)

    def _routes(self, today: Today, count: int, foresight: Foresight, seed: int) -> list[np.ndarray]:
        """Proposals with at most so many visits, the most promising first."""
        if not 0 < count <= today.budget_left:
            return []
        found = weigh(*self.map, today, count, foresight, seed)
        return [found.cities[which, : found.visits[which]] for which in range(found.number[0])]

    def _ending_with(self, today: Today, route: np.ndarray, city: int) -> np.ndarray:
        """The shortest order of these cities that ends with one of them, if the day is long enough."""
        available = np.zeros(len(today.profit), bool)
        available[route] = True
        task = make_task(
            np.ones(len(available)),
            self.map.rules.limit - SLACK,
            start=today.position,
            end=city,
            available=available,
        )
        return np.append(best_route(self.map.ground, task, ITERATIONS, 0)[0], city)

    def _without(self, today: Today, route: np.ndarray, city: int) -> np.ndarray:
        """The best route with another in place of one of these cities."""
        available, value = today.available.copy(), today.profit.copy()
        available[city] = False
        value[route] += value.sum()  # so that the others stay
        limit = self.map.rules.limit - SLACK
        task = make_task(value, limit, start=today.position, available=available, visits=len(route))
        return best_route(self.map.ground, task, ITERATIONS, 0)[0]

    def _candidate(self, today: Today, route: np.ndarray) -> Candidate:
        return Candidate(self._describe(today, route), route.astype(np.int32), today.profit[route])

    def _describe(self, today: Today, route: np.ndarray) -> str:
        """How many visits, how long the way is, and where it ends."""
        if not len(route):
            return visits(0)
        length = path_length(self.map.ground, np.append(today.position, route), len(route))
        where = region(self.map.ground.xy, int(route[-1]))
        return f"{visits(len(route))} on a way of {length:.2f} that ends {where}"


@cache
def _practise() -> None:
    line = Cities(tuple(range(5)), np.stack([np.arange(5.0), np.zeros(5)], axis=1), None)
    instance = make_instance(line, np.ones(5), 3, 3, OrienteeringRules())
    work_through(TourSimulator(instance), OrienteeringOnHost().reset(instance), 1)


def tuned(map_: Map, instance: OrienteeringInstance) -> np.ndarray:
    """The prices of length that earn most if the base heuristic plays from the first day to the end."""
    first, days, budget = np.asarray(instance.profit, np.float64), map_.rules.days, int(instance.budget)
    available = np.array(instance.graph.node_mask)
    available[0] = False
    rollouts = TUNING_WORLDS * sum(map(len, BASES))
    if rollouts * budget * len(first) > MOST_TUNED:
        return BASES[0]
    before = Today(first, available, position=0, day=-1, budget_left=budget)  # a day on which nothing is visited
    nothing = np.zeros((1, 1), np.int64), np.zeros(1, np.int64)
    played = [roll_out(*map_, before, *nothing, worlds=range(TUNING_WORLDS), seed=days, prices=base) for base in BASES]
    return BASES[int(np.argmax([rollouts.rewards.sum() for rollouts in played]))]


def region(xy: np.ndarray, city: int) -> str:
    """In which part of the map a city lies, the north above: 'in the north-east'."""
    low, high = xy.min(axis=0), xy.max(axis=0)
    across, up = np.minimum(3 * (xy[city] - low) / np.maximum(high - low, 1e-9), 2).astype(int)
    parts = [("south", "", "north")[up], ("west", "", "east")[across]]
    return f"in the {'-'.join(filter(None, parts)) or 'centre'}"


def visits(count: int) -> str:
    """So many visits, in words."""
    return {0: "stay", 1: "1 visit"}.get(count, f"{count} visits")
