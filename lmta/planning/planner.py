"""The adviser of a problem that thinks: its own decision and others are tried in sampled worlds before it decides."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from math import inf
from typing import Any

import numpy as np

from lmta.planning.effort import Effort, make_effort
from lmta.planning.explain import explain
from lmta.planning.reasons import reasons
from lmta.planning.rules_simulator import simulator_of
from lmta.planning.search import SHORTEST, Search, Standing, search, seconds_of
from lmta.policies.base import Policy, play_one_by_one
from lmta.policies.player import AbstractPlayer, Choice, day_seed
from lmta.policies.registry import adviser
from lmta.problems.base import AbstractInstance, AbstractState, DayRecord, Problem
from lmta.problems.batch import Batch
from lmta.problems.heuristics import DayPlan
from lmta.problems.registry import spec_of
from lmta.problems.simulator import AbstractSimulator, Candidate
from lmta.problems.spec import Spec
from lmta.types import Thinking, Tried

DEFAULT_SECONDS = 10.0
SHARE_OF_SEARCH, SHARE_OF_STRATEGIES = 0.9, 0.54
"""How much of the effort goes into a decision, and of that into which strategy to follow; then come which picks to
exchange, and, with what is left, what each pick adds."""
MOST_EXPLAINING = 0.4
"""Seconds for that at most."""
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
        simulator.practise()  # compiling is no thinking
        each = seconds_of(lambda: simulator.try_out(state, [first], range(1), seed))
        begun = time.perf_counter()
        others = simulator.candidates(state, DayPlan(first.picks, first.values), day_seed(seed, 0))
        effort = self.effort.part(SHARE_OF_STRATEGIES)
        strategies = [first, *_while_time_is_left(others, effort.part(0.5), begun)]
        if len(strategies) == 1:
            return own
        found = self._search(simulator, state, strategies, effort, (begun, each), day_seed(seed, 1))
        closer = [strategies[found.chosen]]
        left = self.effort.part(SHARE_OF_SEARCH).without(found.rollouts)
        if not found.stopped:
            closer += _while_time_is_left(_look_closer(simulator, state, strategies, found), left, begun)
        finer = self._search(simulator, state, closer, left, (begun, each), day_seed(seed, 2))
        best = closer[finer.chosen]
        return own._replace(
            budget=max(own.budget, len(best.picks)),
            picks=best.picks,
            values=best.values,
            thinking=self._report(simulator, state, (found, strategies), (finer, closer), begun, day_seed(seed, 3)),
        )

    def _report(
        self,
        simulator: AbstractSimulator,
        state: AbstractState,
        found: tuple[Search, Sequence[Candidate]],
        closer: tuple[Search, Sequence[Candidate]],
        begun: float,
        seed: int,
    ) -> Thinking:
        """What was tried, and with the effort that is left what each pick adds."""
        told = report(*found, *closer, time.perf_counter() - begun)
        if found[0].stopped or closer[0].stopped or not told.rollouts:
            return told
        best = closer[1][closer[0].chosen]
        if self.effort.rollouts is not None:
            rollouts = float(self.effort.rollouts - told.rollouts)
        else:
            left = (self.effort.seconds or 0.0) - told.seconds
            rollouts = min(left, MOST_EXPLAINING) * told.rollouts / max(told.seconds, SHORTEST)
        adds, idle = explain(simulator, state, best, rollouts, seed)
        return replace(told, adds=adds, idle=idle, seconds=time.perf_counter() - begun)

    def _search(
        self,
        simulator: AbstractSimulator,
        state: AbstractState,
        candidates: Sequence[Candidate],
        effort: Effort,
        clock: tuple[float, float],
        seed: int,
    ) -> Search:
        """Try candidates in worlds of their own; `clock` is when it began, and how long a rollout takes."""

        def try_out(some: Sequence[int], numbers: range) -> tuple[np.ndarray, np.ndarray]:
            outcome = simulator.try_out(state, [candidates[i] for i in some], numbers, seed)
            return outcome.rewards.sum(axis=2, dtype=np.float64), outcome.by_chance

        return search(
            try_out,
            len(candidates),
            effort,
            begun=clock[0],
            each=clock[1],
            stoppable=self.stoppable,
            on_progress=lambda standing: self.on_progress(standing, candidates),
        )

    def play_day(self, batch: Batch, states: Any, prepared: list[Any], seeds: list[int]) -> tuple[Any, DayRecord]:
        """One decision after the other, each on all cores."""
        return play_one_by_one(self, batch, states, prepared, seeds)

    def why(self, choice: Choice, budget_left: int) -> str:
        """What the rollouts told; the adviser's own reason where there was nothing to think about, or no time."""
        if choice.thinking is None:
            return self.adviser.why(choice, budget_left)
        told = reasons(choice.thinking)
        if not choice.thinking.tried:
            return " ".join([*told, self.adviser.why(choice, budget_left)])
        return " ".join([*told, f"In detail: {self.adviser.node_rule.why}", choice.note]).strip()


def planner(problem: Any, *, think: Any = None, rollouts: Any = None) -> AbstractPlayer:
    """The adviser of a problem that thinks about each decision, 10 seconds where nothing else is asked for.

    With `rollouts` instead of seconds the same question has the same answer every time.
    """
    effort = make_effort(DEFAULT_SECONDS if think is None and rollouts is None else think, rollouts)
    return thinking_adviser(problem, effort)


def thinking_adviser(problem: Any, effort: Effort | None) -> AbstractPlayer:
    """The adviser, who thinks if there is an effort; its name says how much."""
    return thinking(spec_of(problem), adviser(problem), effort)


def thinking(
    spec: Spec, own: Policy, effort: Effort | None, simulator: Callable[[Any], AbstractSimulator] | None = None
) -> AbstractPlayer:
    """A policy that thinks if there is an effort, with a simulator of its own or the problem's."""
    if effort is None:
        return own
    return Planner(f"{own.name}@{effort}", spec.problem, own, simulator or simulator_of(spec), effort)


def _look_closer(
    simulator: AbstractSimulator, state: AbstractState, strategies: Sequence[Candidate], found: Search
) -> Iterator[Candidate]:
    """The runner-up again, and both it and the chosen strategy with single picks exchanged, in turn."""
    next_best = found.runner_up()
    exchanges = [simulator.exchanges(state, strategies[found.chosen])]
    if next_best is not None:
        yield strategies[next_best]
        exchanges.append(simulator.exchanges(state, strategies[next_best]))
    for pair in zip_longest(*exchanges):
        yield from filter(None, pair)


def _while_time_is_left(candidates: Iterator[Candidate], effort: Effort, begun: float) -> Iterator[Candidate]:
    """Candidates as long as there is time to work another out, which takes as long as the longest so far."""
    end = inf if effort.seconds is None else begun + effort.seconds
    now, longest = time.perf_counter(), 0.0
    while now + longest < end:
        candidate = next(candidates, None)
        if candidate is None:
            return
        start, now = now, time.perf_counter()
        longest = max(longest, now - start)
        yield candidate


def report(
    found: Search, strategies: Sequence[Candidate], finer: Search, closer: Sequence[Candidate], seconds: float
) -> Thinking:
    """What was tried, in the order of what it promises beside the chosen strategy, and what a closer look found."""
    next_best = found.runner_up()
    order = [i for i in range(len(strategies)) if found.num_worlds(i) > 2]
    order.sort(key=lambda i: (i != found.chosen, i != next_best, found.margin(found.chosen, i).mean))
    return Thinking(
        tried=tuple(_tried(found, i, strategies[i], found.chosen) for i in order),
        own=order.index(0) if order else 0,
        closer=_tried(finer, finer.chosen, closer[finer.chosen], 0) if finer.chosen else None,
        rollouts=found.rollouts + finer.rollouts,
        seconds=seconds,
    )


def _tried(found: Search, i: int, candidate: Candidate, beside: int) -> Tried:
    value, less = found.value(i), found.margin(beside, i)
    return Tried(
        name=candidate.name,
        num_picks=len(candidate.picks),
        rollouts=found.num_worlds(i),
        value=value.mean,
        value_error=value.error,
        less=less.mean,
        less_error=less.error,
        nodes=tuple(candidate.picks.tolist()),
    )
