"""The built-in problems pass the conformance check, and the check catches what breaks the contract."""

from dataclasses import dataclass

import equinox as eqx
import jax
import jax.numpy as jnp
import pytest

from lmta.problems.base import Bounds, ForecastingProblem
from lmta.problems.conformance import ConformanceError, check_problem
from lmta.problems.influence.rules import Influence
from lmta.problems.registry import spec_of, specs

SMALL = {"nodes": 9, "days": 3, "budget": 5}


def two_instances(name, **settings):
    spec = spec_of(name)
    stacked = spec.problem.stack(spec.instances(spec.settings(**SMALL | settings), 0, 2))
    return [jax.tree.map(lambda leaf, n=n: leaf[n], stacked) for n in range(2)]


RULES = {spec.problem.name: spec for spec in reversed([*specs().values()])}
"""One spec for each set of rules: several may share them."""


@pytest.mark.parametrize(("name", "features"), [(s.name, f) for s in RULES.values() for f in s.features])
def test_the_problems_conform(name, features):
    one, other = two_instances(name)
    check_problem(spec_of(name).features[features], one, other=other)


class WithoutForecast:
    """Influence with its forecast hidden: what a problem without closed forms looks like."""

    name = "influence without a forecast"

    def __getattr__(self, method):
        if method in ("forecast", "gains"):
            raise AttributeError(method)
        return getattr(Influence(), method)

    def observe(self, instance, state):
        return eqx.tree_at(lambda seen: seen.gain, Influence().observe(instance, state), None)


def test_a_problem_without_a_forecast_conforms():
    one, other = two_instances("aim")
    problem = WithoutForecast()
    assert not isinstance(problem, ForecastingProblem)
    check_problem(problem, one, other=other)


class Silent(WithoutForecast):
    def observe(self, instance, state):
        return Influence().observe(instance, state)


class HalfAForecast(WithoutForecast):
    def forecast(self, instance, state):
        return Influence().forecast(instance, state)


class WithoutBounds(WithoutForecast):
    def __getattr__(self, method):
        if method == "bounds":
            raise AttributeError(method)
        return super().__getattr__(method)


@dataclass(frozen=True)
class ForgetsGains(Influence):
    def observe(self, instance, state):
        return eqx.tree_at(lambda seen: seen.gain, super().observe(instance, state), None)


@dataclass(frozen=True)
class ForgetsBudget(Influence):
    def pick(self, instance, state, node):
        return eqx.tree_at(lambda s: s.budget_left, super().pick(instance, state, node), state.budget_left)


@dataclass(frozen=True)
class TakesMasked(Influence):
    def pick(self, instance, state, node):
        after = super().pick(instance, state, node)
        return eqx.tree_at(lambda s: s.budget_left, after, state.budget_left - 1)


@dataclass(frozen=True)
class NeverEnds(Influence):
    def legal(self, instance, state):
        return (state.status == 0) & (state.budget_left > 0)


@dataclass(frozen=True)
class ChangesType(Influence):
    def end_day(self, instance, state, noise):
        after, reward = super().end_day(instance, state, noise)
        return eqx.tree_at(lambda s: s.status, after, after.status.astype(jnp.int16)), reward


@dataclass(frozen=True)
class SkipsADay(Influence):
    def end_day(self, instance, state, noise):
        after, reward = super().end_day(instance, state, noise)
        return eqx.tree_at(lambda s: s.day, after, after.day + 1), reward


@dataclass(frozen=True)
class Dreams(Influence):
    def forecast(self, instance, state):
        return 42.0 * state.seeded_today**2

    def gains(self, instance, state):
        return jnp.full(instance.graph.num_nodes, 42.0 * (2 * state.seeded_today + 1))


@dataclass(frozen=True)
class Flatters(Influence):
    def gains(self, instance, state):
        return super().gains(instance, state) + 1


@dataclass(frozen=True)
class TakesOutside(Influence):
    def pick(self, instance, state, node):
        outside = node >= instance.graph.num_nodes
        after = super().pick(instance, state, node)
        return eqx.tree_at(lambda s: s.budget_left, after, after.budget_left - outside)


@dataclass(frozen=True)
class CountsSeeds(Influence):
    """The second seed of a day is one too many for the bound."""

    def observe(self, instance, state):
        seen = super().observe(instance, state)
        return eqx.tree_at(lambda o: o.globals, seen, seen.globals.at[0].set(state.seeded_today.astype(jnp.float32)))


@dataclass(frozen=True)
class TooNarrow(Influence):
    def bounds(self, instance):
        return Bounds(0.5, 1.0)


@dataclass(frozen=True)
class Negative(Influence):
    def observe(self, instance, state):
        seen = super().observe(instance, state)
        return eqx.tree_at(lambda o: o.nodes, seen, -seen.nodes)


@dataclass(frozen=True)
class SeedsPadding(Influence):
    def legal(self, instance, state):
        return super().legal(instance, state) | (~instance.graph.node_mask & (state.day < instance.days))


BROKEN = {
    "forecast": (Dreams(), "forecast: differs by"),
    "gain": (Flatters(), "observe: the gain of node"),
    "no gain": (ForgetsGains(), "observe: gains come with a forecast"),
    "gain without forecast": (Silent(), "observe: without a forecast there are no gains"),
    "half a forecast": (HalfAForecast(), "forecast: forecast and gains come together"),
    "missing": (WithoutBounds(), "bounds: is missing"),
    "outside": (TakesOutside(), "node 9 is masked but changes the state"),
    "budget": (ForgetsBudget(), "legal node .* was not accepted"),
    "mask": (TakesMasked(), "is masked but changes the state"),
    "end": (NeverEnds(), "picks are allowed after the last day"),
    "type": (ChangesType(), "end_day: shapes or types of the state change"),
    "day": (SkipsADay(), "the day must advance by one"),
    "globals": (CountsSeeds(), "bounds: globals hold 2, more than the bound of 1"),
    "nodes": (TooNarrow(), "bounds: nodes hold 1, more than the bound of 0.5"),
    "negative": (Negative(), "observe: nodes hold -1, features must be at least 0"),
    "padding": (SeedsPadding(), "stack: padding changes which picks are legal"),
}


@pytest.mark.parametrize(("problem", "message"), BROKEN.values(), ids=BROKEN)
def test_what_breaks_the_contract_is_found(problem, message):
    # more budget than the random picks will spend, so that some is left after the last day
    instance = two_instances("aim", days=1, budget=9)[0]
    with pytest.raises(ConformanceError, match=message):
        check_problem(problem, instance, episodes=8)
