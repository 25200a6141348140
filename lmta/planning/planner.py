"""The adviser of a problem that thinks: its own decision and others are tried in sampled worlds before it decides."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from lmta.planning.effort import Effort, make_effort
from lmta.planning.search import Search, Standing, search
from lmta.policies.base import Policy, play_one_by_one
from lmta.policies.player import AbstractPlayer, Choice, day_seed
from lmta.policies.registry import adviser
from lmta.problems.base import AbstractInstance, AbstractState, DayRecord, Problem
from lmta.problems.batch import Batch
from lmta.problems.heuristics import DayPlan
from lmta.problems.registry import spec_of
from lmta.problems.simulator import AbstractSimulator, Candidate
from lmta.types import InputError, Thinking, Tried

DEFAULT_SECONDS = 10.0
Prepared = tuple[Any, AbstractSimulator]
"""(what the adviser has prepared, what tries strategies on the instance)."""
OnProgress = Callable[[Standing, Sequence[Candidate]], None]


@dataclass(frozen=True)
class Planner(AbstractPlayer):
    """Follows the adviser unless rollouts are evidence that another strategy earns more."""

    name: str
    problem: Problem
    adviser: Policy
    simulator: Callable[[Any], AbstractSimulator]
    effort: Effort
    stoppable: bool = False
    """Whether Ctrl-C ends the thinking, and what is best by then is done."""
    on_progress: OnProgress = field(default=lambda standing, candidates: None, compare=False)

    def prepare(self, instance: AbstractInstance, seed: int) -> Prepared:
        """What the adviser works out once for an instance, and a simulator."""
        return self.adviser.prepare(instance, seed), self.simulator(instance)

    def choose(self, instance: AbstractInstance, state: AbstractState, prepared: Prepared, seed: int) -> Choice:
        """The adviser's choice, or a better one."""
        begun = time.perf_counter()
        of_adviser, simulator = prepared
        own = self.adviser.choose(instance, state, of_adviser, seed)
        name = simulator.name_of(len(own.picks))
        day = DayPlan(np.asarray(own.picks), np.asarray(own.values))
        candidates = [Candidate(name, *day[:2]), *simulator.candidates(state, day, day_seed(seed, 0))]
        if len(candidates) == 1:
            return own
        worlds = day_seed(seed, 1)

        def try_out(some: Sequence[int], numbers: range) -> tuple[np.ndarray, np.ndarray]:
            outcome = simulator.try_out(state, [candidates[i] for i in some], numbers, worlds)
            return outcome.rewards.sum(axis=2, dtype=np.float64), outcome.by_chance

        found = search(
            try_out,
            len(candidates),
            self.effort,
            begun=begun,
            stoppable=self.stoppable,
            on_progress=lambda standing: self.on_progress(standing, candidates),
        )
        chosen = candidates[found.chosen]
        thinking = report(found, candidates, time.perf_counter() - begun)
        return own._replace(
            budget=max(own.budget, len(chosen.picks)), picks=chosen.picks, values=chosen.values, thinking=thinking
        )

    def play_day(self, batch: Batch, states: Any, prepared: list[Any], seeds: list[int]) -> tuple[Any, DayRecord]:
        """One decision after the other, each on all cores."""
        return play_one_by_one(self, batch, states, prepared, seeds)

    def why(self, choice: Choice, budget_left: int) -> str:
        """The adviser's own reason."""
        return self.adviser.why(choice, budget_left)


def planner(problem: Any, *, think: Any = None, rollouts: Any = None) -> AbstractPlayer:
    """The adviser of a problem that thinks about each decision, 10 seconds where nothing else is asked for.

    With `rollouts` instead of seconds the same question has the same answer every time.
    """
    effort = make_effort(DEFAULT_SECONDS if think is None and rollouts is None else think, rollouts)
    return thinking_adviser(problem, effort)


def thinking_adviser(problem: Any, effort: Effort | None) -> AbstractPlayer:
    """The adviser, who thinks if there is an effort; its name says how much."""
    spec, own = spec_of(problem), adviser(problem)
    if effort is None:
        return own
    simulator = spec.policies.simulator
    if simulator is None:
        raise InputError(f"think: {spec.name} has no simulator.")
    return Planner(f"{own.name}@{effort}", spec.problem, own, simulator, effort)


def report(found: Search, candidates: Sequence[Candidate], seconds: float) -> Thinking:
    """What was tried, in the order of what it promises beside the chosen strategy."""
    next_best = found.runner_up()
    tried = [i for i in range(len(candidates)) if found.num_worlds(i) > 2]
    less = {i: found.margin(found.chosen, i) for i in tried}
    tried.sort(key=lambda i: (i != found.chosen, i != next_best, less[i].mean))
    rows = tuple(
        Tried(
            name=candidates[i].name,
            num_picks=len(candidates[i].picks),
            rollouts=found.num_worlds(i),
            value=found.value(i).mean,
            value_error=found.value(i).error,
            less=less[i].mean,
            less_error=less[i].error,
        )
        for i in tried
    )
    return Thinking(rows, candidates[0].name, found.rollouts, seconds)
