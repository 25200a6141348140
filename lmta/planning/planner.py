"""The adviser of a problem that thinks: its own decision and others are tried in sampled worlds before it decides."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from math import inf
from typing import Any

import numpy as np

from lmta.planning.effort import Effort, make_effort
from lmta.planning.reasons import reasons
from lmta.planning.rules_simulator import simulator_of
from lmta.planning.search import Search, Standing, search
from lmta.policies.base import Policy, play_one_by_one
from lmta.policies.player import AbstractPlayer, Choice, day_seed
from lmta.policies.registry import adviser
from lmta.problems.base import AbstractInstance, AbstractState, DayRecord, Problem
from lmta.problems.batch import Batch
from lmta.problems.heuristics import DayPlan
from lmta.problems.registry import spec_of
from lmta.problems.simulator import AbstractSimulator, Candidate
from lmta.types import Thinking, Tried

DEFAULT_SECONDS = 10.0
SHARE_OF_STRATEGIES = 0.6
"""How much of the effort goes into which strategy to follow; the rest goes into which picks to exchange."""
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
        """The adviser's choice, or a better one: first which strategy, then which picks."""
        of_adviser, simulator = prepared
        own = self.adviser.choose(instance, state, of_adviser, seed)
        first = Candidate(simulator.name_of(len(own.picks)), np.asarray(own.picks), np.asarray(own.values))
        simulator.try_out(state, [first], range(1), seed)  # the first time it is compiled, which is no thinking
        begun = time.perf_counter()
        others = simulator.candidates(state, DayPlan(first.picks, first.values), day_seed(seed, 0))
        strategies = self._collect([first], others, self.effort.part(SHARE_OF_STRATEGIES), begun)
        if len(strategies) == 1:
            return own
        found = self._search(simulator, state, strategies, self.effort.part(SHARE_OF_STRATEGIES), begun, seed)
        chosen = strategies[found.chosen]
        left = self.effort.without(found.rollouts)
        exchanged = self._collect([chosen], simulator.exchanges(state, chosen), left, begun)
        finer = self._search(simulator, state, exchanged, left, begun, day_seed(seed, 1))
        best = exchanged[finer.chosen]
        return own._replace(
            budget=max(own.budget, len(best.picks)),
            picks=best.picks,
            values=best.values,
            thinking=report(found, strategies, finer, time.perf_counter() - begun),
        )

    def _collect(
        self, first: list[Candidate], others: Iterator[Candidate], effort: Effort, begun: float
    ) -> list[Candidate]:
        """The first and the others, as many as half of the time is enough for."""
        end = inf if effort.seconds is None else begun + effort.seconds / 2
        return [*first, *takewhile(lambda _: time.perf_counter() < end, others)]

    def _search(
        self,
        simulator: AbstractSimulator,
        state: AbstractState,
        candidates: Sequence[Candidate],
        effort: Effort,
        begun: float,
        seed: int,
    ) -> Search:
        """Try candidates in worlds of their own."""
        worlds = day_seed(seed, 2)

        def try_out(some: Sequence[int], numbers: range) -> tuple[np.ndarray, np.ndarray]:
            outcome = simulator.try_out(state, [candidates[i] for i in some], numbers, worlds)
            return outcome.rewards.sum(axis=2, dtype=np.float64), outcome.by_chance

        return search(
            try_out,
            len(candidates),
            effort,
            begun=begun,
            stoppable=self.stoppable,
            on_progress=lambda standing: self.on_progress(standing, candidates),
        )

    def play_day(self, batch: Batch, states: Any, prepared: list[Any], seeds: list[int]) -> tuple[Any, DayRecord]:
        """One decision after the other, each on all cores."""
        return play_one_by_one(self, batch, states, prepared, seeds)

    def why(self, choice: Choice, budget_left: int) -> str:
        """What the rollouts told; and the adviser's own reason where there was nothing to think about."""
        if choice.thinking is None:
            return self.adviser.why(choice, budget_left)
        return " ".join([*reasons(choice.thinking), f"In detail: {self.adviser.node_rule.why}", choice.note]).strip()


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
    return Planner(f"{own.name}@{effort}", spec.problem, own, simulator_of(spec), effort)


def report(found: Search, strategies: Sequence[Candidate], finer: Search, seconds: float) -> Thinking:
    """What was tried, in the order of what it promises beside the chosen strategy, and what an exchange adds."""
    next_best = found.runner_up()
    tried = [i for i in range(len(strategies)) if found.num_worlds(i) > 2]
    less = {i: found.margin(found.chosen, i) for i in tried}
    tried.sort(key=lambda i: (i != found.chosen, i != next_best, less[i].mean))
    rows = tuple(
        Tried(
            name=strategies[i].name,
            num_picks=len(strategies[i].picks),
            rollouts=found.num_worlds(i),
            value=found.value(i).mean,
            value_error=found.value(i).error,
            less=less[i].mean,
            less_error=less[i].error,
        )
        for i in tried
    )
    gained = finer.margin(finer.chosen, 0)
    exchange = (gained.mean, gained.error) if finer.chosen else None
    own = tried.index(0) if 0 in tried else 0
    return Thinking(rows, own, exchange, found.rollouts + finer.rollouts, seconds)
