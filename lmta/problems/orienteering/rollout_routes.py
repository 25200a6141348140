"""Node rules with routes of the engine: the best for today alone, and the best over today and the next days."""

from dataclasses import dataclass, field

import numpy as np

from lmta.kernels.route_days import Foresight, plan_day
from lmta.kernels.route_engine import best_route
from lmta.kernels.route_rules import Today
from lmta.problems.orienteering.heuristics import Map, RouteRule

ITERATIONS = 2_000
"""Of the engine, where today is all that counts."""
FORESIGHT = Foresight(
    prices=np.array([0.0, 0.25, 0.5, 1.0, 2.0]),
    destinations=12,
    price=0.5,
    iterations=50,
    days_ahead=4,
    futures=16,
    rounds=4,
)


@dataclass(frozen=True)
class Routes(RouteRule):
    """The route that earns most today."""

    name: str = "routes"
    why: str = "the route that earns most today, by the route engine; the value is the profit."

    def route(self, prepared: Map, today: Today, budget: int, seed: int) -> np.ndarray:
        """One long search."""
        return best_route(prepared.ground, self.task(prepared, today, budget), ITERATIONS, seed)[0]


@dataclass(frozen=True)
class RolloutRoutes(Routes):
    """Of several routes the one that promises most over today and the days after it, while profits drift."""

    name: str = "rollout-routes"
    why: str = (
        "of several routes, at different prices of length and through different cities, the one that earns most over "
        "today and the next four days as profits drift; the value is the profit."
    )
    foresight: Foresight = field(default=FORESIGHT, hash=False, compare=False)

    def route(self, prepared: Map, today: Today, budget: int, seed: int) -> np.ndarray:
        """On the last day there is nothing to look ahead to, and one long search."""
        if today.day == prepared.rules.days - 1:
            return super().route(prepared, today, budget, seed)
        return plan_day(prepared.ground, prepared.rules, today, budget, self.foresight, seed)
