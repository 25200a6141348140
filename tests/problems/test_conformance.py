"""The built-in problems pass the conformance check, and the check catches what breaks the contract."""

from dataclasses import dataclass

import equinox as eqx
import jax
import jax.numpy as jnp
import pytest

from lmta.problems.conformance import ConformanceError, check_problem
from lmta.problems.influence.rules import Influence
from lmta.problems.registry import BENCHMARKS, InstanceSettings

SMALL = InstanceSettings(nodes=9, days=3, budget=5)


def two_instances(name, settings=SMALL):
    benchmark = BENCHMARKS[name]
    stacked = benchmark.problem.stack(benchmark.instances(settings, 0, 2))
    return benchmark.problem, *[jax.tree.map(lambda leaf, n=n: leaf[n], stacked) for n in range(2)]


@pytest.mark.parametrize("name", BENCHMARKS)
def test_the_problems_conform(name):
    problem, one, other = two_instances(name)
    check_problem(problem, one, other=other)


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


BROKEN = {
    "forecast": (Dreams(), "forecast: differs by"),
    "gain": (Flatters(), "observe: the gain of node"),
    "outside": (TakesOutside(), "node 9 is masked but changes the state"),
    "budget": (ForgetsBudget(), "legal node .* was not accepted"),
    "mask": (TakesMasked(), "is masked but changes the state"),
    "end": (NeverEnds(), "picks are allowed after the last day"),
    "type": (ChangesType(), "end_day: shapes or types of the state change"),
    "day": (SkipsADay(), "the day must advance by one"),
}


@pytest.mark.parametrize(("problem", "message"), BROKEN.values(), ids=BROKEN)
def test_what_breaks_the_contract_is_found(problem, message):
    # more budget than the random picks will spend, so that some is left after the last day
    settings = InstanceSettings(nodes=9, days=1, budget=9)
    instance = two_instances("aim", settings)[1]
    with pytest.raises(ConformanceError, match=message):
        check_problem(problem, instance, episodes=8)
