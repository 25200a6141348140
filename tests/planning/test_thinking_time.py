"""Thinking ends when its seconds are over, however slow and unsteady the machine is: by a clock that tests move."""

import sys
from itertools import cycle
from types import SimpleNamespace

import numpy as np
import pytest

from lmta.planning.effort import Effort
from lmta.planning.planner import Planner
from lmta.planning.search import LEAST_WORLDS
from lmta.policies.player import Choice
from lmta.problems.registry import spec_of
from lmta.problems.simulator import AbstractSimulator, Candidate, Outcome, work_through
from lmta.problems.task import Task


class Clock:
    """Seconds that pass only when something is done."""

    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    for module in ("search", "planner"):
        monkeypatch.setattr(sys.modules[f"lmta.planning.{module}"], "time", SimpleNamespace(perf_counter=clock))
    return clock


class SlowSimulator(AbstractSimulator):
    """Candidates of one pick each, all about as good; every rollout takes its time, the more the busier the machine."""

    def __init__(self, clock, rollout, candidate, busy):
        self.clock, self.rollout, self.candidate, self.busy = clock, rollout, candidate, cycle(busy)
        self.rollouts = 0

    def candidates(self, state, own, seed):
        for i in range(1, 12):
            self.clock.now += self.candidate
            yield Candidate(f"pick {i}", np.array([i]), np.ones(1))

    def exchanges(self, state, chosen):
        yield from self.candidates(state, None, 0)

    def try_out(self, state, candidates, worlds, seed):
        self.rollouts += len(candidates) * len(worlds)
        self.clock.now += self.rollout * len(candidates) * len(worlds) * next(self.busy)
        rng = np.random.default_rng([seed, worlds.start])
        return Outcome(rng.normal(50, 1, (len(candidates), len(worlds), 1)), np.zeros((len(candidates), len(worlds))))


def think(clock, seconds, rollout, candidate, busy):
    simulator = SlowSimulator(clock, rollout, candidate, busy)
    own = SimpleNamespace(choose=lambda *given: Choice(1, np.array([0]), np.ones(1)))
    planner = Planner("slow", None, own, None, Effort(seconds=seconds))
    choice = planner.choose(None, None, (None, simulator), 0)
    return simulator, choice


@pytest.mark.parametrize("busy", [(1.0,), (1.0, 1.0, 4.0), (0.3, 0.3, 0.3, 3.0, 3.0)])
@pytest.mark.parametrize("rollout", [2e-4, 0.01, 0.3])
@pytest.mark.parametrize("seconds", [1.0, 10.0])
def test_seconds_are_exceeded_by_no_more_than_one(clock, seconds, rollout, busy):
    before = 2 * max(busy) * rollout  # a rollout or two before it begins to think
    _, choice = think(clock, seconds, rollout, 0.001, busy)
    assert clock.now < seconds + 1 + before
    enough = seconds / rollout > 4 * 2 * LEAST_WORLDS  # for a rival in both rounds of both searches
    assert not enough or choice.thinking.rollouts > 0.1 * seconds / (max(busy) * rollout)
    assert choice.thinking.seconds < seconds + 1


def test_rollouts_that_take_longer_than_a_moment_are_made(clock):
    """A world for all candidates takes more than a second, and a minute has dozens of them."""
    simulator, choice = think(clock, 60.0, 0.1, 0.001, (1.0,))
    assert len(choice.thinking.tried) > 5
    assert 30 < clock.now < 61
    assert simulator.rollouts > 300


def test_a_machine_too_slow_for_any_comparison_takes_the_rule(clock):
    simulator, choice = think(clock, 10.0, 30.0, 0.001, (1.0,))
    assert simulator.rollouts == 2
    assert clock.now == pytest.approx(60, abs=1)
    assert choice.picks.tolist() == [0]


def test_candidates_that_take_long_to_work_out_are_not_begun_when_time_is_over(clock):
    _, choice = think(clock, 2.0, 1e-3, 0.4, (1.0,))
    assert clock.now < 2.5
    assert choice.thinking.seconds < 2.5


@pytest.mark.parametrize("problem", ["aim", "sop"])
def test_nothing_is_compiled_while_time_runs(problem):
    """After practice on something tiny, candidates of another size and their like need no program that is not there."""
    task = Task.of(problem, nodes=30, days=4, budget=8)
    (instance,) = task.instances(0, 1)
    simulator = spec_of(problem).policies.simulator(instance)
    simulator.practise()
    state = spec_of(problem).session.on_host.reset(instance)
    before = _programs()
    work_through(simulator, state, 1)
    assert _programs() == before > 0


def _programs():
    """How many programs the kernels of the package have compiled or loaded in this process."""
    modules = [module for name, module in sys.modules.items() if name.startswith("lmta.kernels.")]
    kernels = {
        id(found): found for module in modules for found in vars(module).values() if hasattr(found, "signatures")
    }
    return sum(len(found.signatures) for found in kernels.values())
