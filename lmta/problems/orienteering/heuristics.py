"""Node rules for orienteering: greedy and insertion."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from jaxtyping import Array, Float, PRNGKeyArray

from lmta.kernels.route_days import Rules, task_of_day
from lmta.kernels.route_task import NOWHERE, Ground, survey
from lmta.kernels.routes import insertion_route, make_room
from lmta.problems.heuristics import PlanRule, ScoreRule
from lmta.problems.orienteering.rules import OrienteeringInstance, OrienteeringState


def greedy(instance: OrienteeringInstance, state: OrienteeringState, key: PRNGKeyArray) -> Float[Array, " nodes"]:
    """The profit of each city."""
    return state.profit


GREEDY = ScoreRule(
    "greedy", greedy, "the highest profit within reach, again and again; the value is the profit.", "profit"
)


class Map(NamedTuple):
    """An instance on the host."""

    ground: Ground
    rules: Rules


def on_host(instance: OrienteeringInstance) -> Map:
    """Coordinates and rules as plain numbers."""
    return Map(
        ground=survey(np.asarray(instance.coordinates, np.float64)),
        rules=Rules(
            days=int(instance.days),
            limit=float(instance.limit),
            penalty=float(instance.penalty),
            crowding=float(instance.crowding),
            drift=float(instance.drift),
            floor=float(instance.floor),
        ),
    )


@dataclass(frozen=True)
class Insertion(PlanRule):
    """Cities by falling profit, each inserted where it lengthens the day's route least; then 2-opt."""

    name: str = "insertion"
    why: str = "cities by falling profit, each where it lengthens the route least; the value is the profit."
    value: str = "profit"

    def prepare(self, instance: OrienteeringInstance) -> Map:
        """Coordinates and rules as plain numbers."""
        return on_host(instance)

    def plan(self, prepared: Map, state: OrienteeringState, budget: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
        """Today's route; on the last day the way back counts."""
        profit, available = np.asarray(state.profit, np.float64), ~np.asarray(state.visited)
        position, day = int(state.position), int(state.day)
        task = task_of_day(prepared.rules, profit, available, position, day, budget, 0.0, NOWHERE)
        room = make_room(len(profit), budget)
        route = room.route[1 : insertion_route(prepared.ground, task, room) + 1]
        return route.astype(np.int32), profit[route]
