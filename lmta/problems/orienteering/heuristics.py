"""Node rules for orienteering: greedy and insertion."""

from abc import abstractmethod
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from lmta.kernels.route_rules import Rules, Today, task_of_day
from lmta.kernels.route_task import NOWHERE, Ground, Task, survey, with_distances
from lmta.kernels.routes import insertion_route, make_room
from lmta.lazy import Array, PRNGKeyArray
from lmta.problems.heuristics import PlanRule, ScoreRule
from lmta.problems.orienteering.rules import OrienteeringInstance, OrienteeringState


def greedy(instance: OrienteeringInstance, state: OrienteeringState, key: PRNGKeyArray) -> Float[Array, " nodes"]:
    """The profit of each city."""
    return state.profit


GREEDY = ScoreRule(
    "greedy",
    greedy,
    "the highest profit within reach, again and again; the value is the profit.",
    on_host=lambda instance, state: np.asarray(state.profit),
)


class Map(NamedTuple):
    """An instance on the host."""

    ground: Ground
    rules: Rules


def on_host(instance: OrienteeringInstance) -> Map:
    """Coordinates and rules as plain numbers."""
    return Map(
        ground=with_distances(survey(np.asarray(instance.coordinates, np.float64))),
        rules=Rules(
            days=int(instance.days),
            limit=float(instance.limit),
            penalty=float(instance.penalty),
            crowding=float(instance.crowding),
            drift=float(instance.drift),
            floor=float(instance.floor),
        ),
    )


def today_of(state: OrienteeringState) -> Today:
    """Where a tour stands, as plain numbers."""
    return Today(
        profit=np.asarray(state.profit, np.float64),
        available=~np.asarray(state.visited),
        position=int(state.position),
        day=int(state.day),
        budget_left=int(state.budget_left),
    )


class RouteRule(PlanRule):
    """Plans a day's route in compiled loops; the value of a city is its profit."""

    def prepare(self, instance: OrienteeringInstance) -> Map:
        """Coordinates and rules as plain numbers."""
        return on_host(instance)

    def plan(self, prepared: Map, state: OrienteeringState, budget: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
        """Today's route; on the last day the way back counts."""
        today = today_of(state)
        route = self.route(prepared, today, budget, seed)
        return route.astype(np.int32), today.profit[route]

    @abstractmethod
    def route(self, prepared: Map, today: Today, budget: int, seed: int) -> np.ndarray:
        """Today's cities in order, at most so many."""

    def task(self, prepared: Map, today: Today, budget: int) -> Task:
        """What is asked of a route that counts for today alone."""
        return task_of_day(prepared.rules, *today[:4], budget, 0.0, NOWHERE)


@dataclass(frozen=True)
class Insertion(RouteRule):
    """Cities by falling profit, each inserted where it lengthens the day's route least; then 2-opt."""

    name: str = "insertion"
    why: str = "cities by falling profit, each where it lengthens the route least; the value is the profit."

    def route(self, prepared: Map, today: Today, budget: int, seed: int) -> np.ndarray:
        """Built from nothing."""
        room = make_room(len(today.profit), budget)
        return room.route[1 : insertion_route(prepared.ground, self.task(prepared, today, budget), room) + 1]
