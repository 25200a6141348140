"""A tour through one's own cities, advanced day by day with what was really visited and seen."""

import dataclasses
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from lmta.hints import warn
from lmta.lazy import eqx, jax
from lmta.problems.delimited import LARGEST
from lmta.problems.orienteering.importer import PROFIT, load_cities
from lmta.problems.orienteering.on_host import OrienteeringOnHost, next_day
from lmta.problems.orienteering.rules import Orienteering, OrienteeringRules, make_instance
from lmta.problems.session import AbstractSession, ReportField, check_horizon
from lmta.types import InputError, ModelWarning, quoted

ON_HOST = OrienteeringOnHost()


class Tour(AbstractSession):
    """Which cities to visit today: profits now, where the tour stands, and what is left of days and budget.

    `cities` is a path (CSV or TSPLIB), a mapping `{name: (x, y[, profit])}` or an array of such rows; the first city
    is the start. Without profits every city is worth 1. `rules` is an `OrienteeringRules`.
    """

    problem = Orienteering()
    on_host = ON_HOST
    word = "tour"
    title = "Tour through cities"
    icon = "route"
    verb = "visit, in this order"
    result_name = "earned"
    budget_name = "visits"
    report_fields: ClassVar[tuple[ReportField, ...]] = (
        ReportField("visited", "done", "ids", "Which cities you visited, in order", "the cities that were visited"),
        ReportField("closed", "failed", "ids", "Which of them were closed", "the cities that were closed"),
        ReportField(
            "profits",
            "observed",
            "numbers",
            "What cities will be worth tomorrow",
            "tomorrow's profits",
            number=PROFIT.name,
            aliases=PROFIT.aliases,
            least=0.0,
        ),
    )

    def __init__(
        self,
        cities: Any,
        *,
        days: Any,
        budget: Any,
        rules: Any = None,
    ):
        loaded = load_cities(cities)
        check_horizon(days, budget, len(loaded.names) - 1, "cities besides the start")
        profit = np.ones(len(loaded.names)) if loaded.profit is None else loaded.profit
        rules = OrienteeringRules() if rules is None else rules
        check_rules(rules)
        super().__init__(make_instance(loaded, profit, days, budget, rules), loaded.names)
        self.collected = 0.0
        """Reward so far."""

    @property
    def result(self) -> float:
        """Profit earned so far."""
        return self.collected

    def progress(self) -> str:
        """The profit so far."""
        return f"{self.collected:.4g} earned"

    def tidy(self, report: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
        """A second visit costs the way and brings nothing; profits of visited cities stay 0."""
        tidied, said = super().tidy(report)
        route, shut = tidied["visited"], dict.fromkeys(tidied["closed"])
        seen = np.asarray(self.state.visited)
        for name in route:
            if seen[self.index(name, "visited")] and name not in shut:
                again = f"visited: {quoted(name)} was visited before or is the start"
                said.append(f"{again}; it costs the visit and brings nothing.")
                shut[name] = None
        known = {}
        for name, profit in tidied["profits"].items():
            gone = seen[self.index(name, "profits")] or (name in route and name not in shut)
            if gone and profit != 0:
                said.append(f"profits: {quoted(name)} has been visited or is the start; its profit stays 0.")
            else:
                known[name] = profit
        return tidied | {"closed": tuple(shut), "profits": known}, said

    def advance(self, visited: Any = (), profits: Any = None, closed: Any = ()) -> float:
        """Report the day: the cities visited in order, and tomorrow's profits where they are known.

        Returns the reward of the day. Nothing changes if the report is refused. Profits of cities not named stay as
        they are. A city that was closed costs the way and the visit, brings nothing and stays as it is. A route
        longer than the model allows, and more visits than were left, are taken as true, with a `ModelWarning`.
        """
        route = self._indices(visited, "visited")
        shut = self._some_of(closed, "closed", route, "visited")
        self._check_day()
        seen = np.asarray(self.state.visited)
        for city in route:
            if city not in shut and seen[city]:
                raise InputError(f"visited: {quoted(self.ids[city])} has been visited already or is the start.")
        if not isinstance(profits, Mapping | None):
            raise InputError(f"profits: give a mapping from ids to profits, not {quoted(profits)}.")
        observed = self._observed_profits(profits or {}, [city for city in route if city not in shut])
        left = self._left_after(len(route), "visited")
        state = self.state
        for city in route:
            state = self._pass_by(state, city) if city in shut else ON_HOST.pick(self.instance, state, [city])
        state = eqx.tree_at(lambda s: s.budget_left, state, left)
        if float(state.length) > float(self.instance.limit) * (1 + 1e-6):
            message = f"visited: a route of {float(state.length):.3f} exceeds the day's {float(self.instance.limit):g}"
            warn(f"{message}; taken as true, with the penalty.", ModelWarning, 2)
        reward = ON_HOST.forecast(self.instance, state)
        profit = np.array(state.profit)
        profit[list(observed)] = list(observed.values())
        self.state = next_day(state, profit)
        self.collected += reward
        return reward

    def _pass_by(self, state: Any, city: int) -> Any:
        """The state after a visit that found the city closed."""
        nothing = np.array(state.profit)
        nothing[city] = 0.0
        there = eqx.tree_at(lambda s: s.profit, state, jax.device_put(nothing))
        after = ON_HOST.pick(self.instance, there, [city])
        return eqx.tree_at(lambda s: (s.profit, s.visited), after, (state.profit, state.visited))

    def _observed_profits(self, profits: Mapping[Any, Any], route: list[int]) -> dict[int, float]:
        observed, seen = {}, np.asarray(self.state.visited)
        for name, value in profits.items():
            city = self.index(name, "profits")
            try:
                profit = float(value)
            except (TypeError, ValueError, OverflowError):
                profit = float("nan")
            if not 0 <= profit <= LARGEST:
                raise InputError(
                    f"profits: {quoted(name)} has {quoted(value)}; a profit is a number from 0 to {LARGEST:g}."
                )
            if profit > 0 and (city in route or seen[city]):
                raise InputError(
                    f"profits: {quoted(name)} has been visited or is the start, so its profit is 0 for good."
                )
            observed[city] = profit
        return observed


def check_rules(rules: Any) -> None:
    """Refuse numbers that make no sense."""
    if not isinstance(rules, OrienteeringRules):
        raise InputError(f"rules: {rules!r} given, an OrienteeringRules is needed.")
    for field in dataclasses.fields(rules):
        value = getattr(rules, field.name)
        if not isinstance(value, int | float):
            raise InputError(f"{field.name}: {value!r} given, a number is needed.")
        if not 0 <= value <= LARGEST or (field.name == "limit" and value == 0):
            least = "more than 0" if field.name == "limit" else "at least 0"
            raise InputError(f"{field.name}: {value:g} given; a number of {least} and at most {LARGEST:g} is needed.")
