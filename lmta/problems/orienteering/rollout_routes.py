"""Node rules with routes of the engine: the best for today alone, and the best over today and the next days."""

from dataclasses import dataclass, field

import numpy as np

from lmta.kernels.route_days import Foresight, Today, plan_day, task_of_day
from lmta.kernels.route_engine import best_route
from lmta.kernels.route_task import NOWHERE
from lmta.problems.heuristics import PlanRule
from lmta.problems.orienteering.heuristics import Map, on_host
from lmta.problems.orienteering.rules import OrienteeringInstance, OrienteeringState

ITERATIONS = 2_000
"""Of the engine, where today is all that counts."""
FORESIGHT = Foresight(
    prices=np.array([0.0, 0.25, 0.5, 1.0, 2.0]),
    destinations=12,
    price=0.5,
    iterations=50,
    days_ahead=4,
    futures=32,
)


@dataclass(frozen=True)
class Routes(PlanRule):
    """The route that earns most today."""

    name: str = "routes"
    why: str = "the route that earns most today, by the route engine; the value is the profit."
    value: str = "profit"

    def prepare(self, instance: OrienteeringInstance) -> Map:
        """Coordinates and rules as plain numbers."""
        return on_host(instance)

    def plan(self, prepared: Map, state: OrienteeringState, budget: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
        """Today's route; on the last day the way back counts."""
        profit, available = np.asarray(state.profit, np.float64), ~np.asarray(state.visited)
        position, day = int(state.position), int(state.day)
        task = task_of_day(prepared.rules, profit, available, position, day, budget, 0.0, NOWHERE)
        route, _ = best_route(prepared.ground, task, ITERATIONS, seed)
        return route.astype(np.int32), profit[route]


@dataclass(frozen=True)
class RolloutRoutes(Routes):
    """Of several routes the one that promises most over today and the days after it, while profits drift."""

    name: str = "rollout-routes"
    why: str = (
        "of several routes, at different prices of length and through different cities, the one that earns most over "
        "today and the next four days as profits drift; the value is the profit."
    )
    foresight: Foresight = field(default=FORESIGHT, hash=False, compare=False)

    def plan(self, prepared: Map, state: OrienteeringState, budget: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
        """Today's route; on the last day there is nothing to look ahead to, and one long search."""
        if int(state.day) == prepared.rules.days - 1:
            return super().plan(prepared, state, budget, seed)
        today = Today(
            profit=np.asarray(state.profit, np.float64),
            available=~np.asarray(state.visited),
            position=int(state.position),
            day=int(state.day),
            budget_left=int(state.budget_left),
        )
        route = plan_day(prepared.ground, prepared.rules, today, budget, self.foresight, seed)
        return route.astype(np.int32), today.profit[route]
