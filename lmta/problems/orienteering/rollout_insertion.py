"""The node rule `rollout-insertion`: routes by insertion at several prices, judged over today and the next days."""

from dataclasses import dataclass

import numpy as np

from lmta.kernels.route_days import plan_day_by_insertion
from lmta.kernels.route_rules import Today
from lmta.problems.orienteering.heuristics import Map, RouteRule
from lmta.problems.orienteering.rollout_routes import FORESIGHT

DAYS_AHEAD = 2
"""Days after today that a route is judged by: where a route ends is where tomorrow's begins."""


@dataclass(frozen=True)
class RolloutInsertion(RouteRule):
    """Of several routes by insertion the one that promises most, if profits stand still and the budget is even."""

    name: str = "rollout-insertion"
    why: str = (
        "of several routes by insertion, at different prices of length and through different cities, the one that "
        "earns most over today and the next two days; the value is the profit."
    )

    def route(self, prepared: Map, today: Today, budget: int, seed: int) -> np.ndarray:
        """At the prices and through as many destinations as `rollout-routes`."""
        foresight = FORESIGHT._replace(days_ahead=DAYS_AHEAD)
        return plan_day_by_insertion(prepared.ground, prepared.rules, today, budget, foresight)
