"""Node rules for orienteering: greedy and insertion."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from jaxtyping import Array, Float, PRNGKeyArray

from lmta.kernels.routes import insertion_route
from lmta.problems.heuristics import PlanRule, ScoreRule
from lmta.problems.orienteering.rules import START, OrienteeringInstance, OrienteeringState


def greedy(instance: OrienteeringInstance, state: OrienteeringState, key: PRNGKeyArray) -> Float[Array, " nodes"]:
    """The profit of each city."""
    return state.profit


GREEDY = ScoreRule(
    "greedy", greedy, "the highest profit within reach, again and again; the value is the profit.", "profit"
)


class Map(NamedTuple):
    """An instance on the host."""

    xy: np.ndarray
    days: int
    limit: float
    penalty: float
    crowding: float


@dataclass(frozen=True)
class Insertion(PlanRule):
    """Cities by falling profit, each inserted where it lengthens the day's route least; then 2-opt."""

    name: str = "insertion"
    why: str = "cities by falling profit, each where it lengthens the route least; the value is the profit."
    value: str = "profit"

    def prepare(self, instance: OrienteeringInstance) -> Map:
        """Coordinates and rules as plain numbers."""
        return Map(
            xy=np.asarray(instance.coordinates, np.float64),
            days=int(instance.days),
            limit=float(instance.limit),
            penalty=float(instance.penalty),
            crowding=float(instance.crowding),
        )

    def plan(self, prepared: Map, state: OrienteeringState, budget: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
        """Today's route; on the last day the way back counts."""
        profit = np.asarray(state.profit, np.float64)
        end = START if int(state.day) == prepared.days - 1 else -1
        route = insertion_route(
            prepared.xy,
            profit,
            ~np.asarray(state.visited),
            int(state.position),
            end,
            prepared.limit,
            prepared.penalty,
            prepared.crowding,
            budget,
        )
        return route.astype(np.int32), profit[route]
