"""A classical policy: a budget rule that grants today's picks and a node rule that makes them."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int, Key, PRNGKeyArray

from lmta.devices import map_over_cores
from lmta.policies.player import AbstractPlayer, Choice
from lmta.problems.base import (
    AbstractInstance,
    AbstractState,
    Choose,
    DayRecord,
    Problem,
    live_day,
    pick_day,
    play_day,
)
from lmta.problems.batch import Batch, unstack
from lmta.sparse import first_best, padded_size


@dataclass(frozen=True)
class BudgetRule:
    """How many picks to grant today, given an instance, its state and the schedule made for the instance, if any."""

    name: str
    grant: Callable[[Any, Any, Any], Int[Array, ""]]
    make_schedule: Callable[[Problem, Any, int], Any] | None = None
    """(problem, instance, seed) → a schedule for the whole episode."""


class AbstractNodeRule(ABC):
    """How a day's picks are made once a budget rule has granted them, for one instance and for a batch."""

    name: str
    """The second half of a policy's name."""
    why: str
    """The reason for its picks, and what their values mean."""

    def prepare(self, instance: Any) -> Any:
        """What can be worked out once for an instance."""
        return None

    def optimum(self, prepared: Any) -> float | None:
        """The best score there is in expectation, where the rule knows it."""
        return None

    @abstractmethod
    def choose(
        self, problem: Problem, rule: BudgetRule, instance: Any, state: Any, prepared: tuple[Any, Any], seed: int
    ) -> Choice:
        """Today's budget, picks and their values; `prepared` is (schedule of the budget rule, own preparation)."""

    @abstractmethod
    def play_day(
        self, rule: BudgetRule, batch: Batch, states: Any, prepared: list[tuple[Any, Any]], seeds: list[int]
    ) -> tuple[Any, DayRecord]:
        """One day of a batch."""


@dataclass(frozen=True)
class ScoreRule(AbstractNodeRule):
    """Takes the legal node with the highest score, again and again; runs under jit and in batches."""

    name: str
    scores: Callable[[Any, Any, PRNGKeyArray], Float[Array, " nodes"]]
    """(instance, state, key of this pick) → scores."""
    why: str

    def choose(
        self, problem: Problem, rule: BudgetRule, instance: Any, state: Any, prepared: tuple[Any, Any], seed: int
    ) -> Choice:
        """Budget and picks in one compiled step."""
        max_picks = padded_size(int(instance.budget))
        budget, record = _pick_by_score(
            problem, rule, self, max_picks, instance, state, prepared[0], jax.random.key(seed)
        )
        count = int(record.num_picks)
        return Choice(int(budget), np.asarray(record.picks)[:count], np.asarray(record.values)[:count])

    def play_day(
        self, rule: BudgetRule, batch: Batch, states: Any, prepared: list[tuple[Any, Any]], seeds: list[int]
    ) -> tuple[Any, DayRecord]:
        """All episodes at once."""
        schedules = jax.tree.map(lambda *rows: jnp.stack(rows), *[schedule for schedule, _ in prepared])
        keys = jax.vmap(jax.random.key)(jnp.asarray(seeds, jnp.uint32))
        return _play_day_by_score(
            batch.problem,
            rule,
            self,
            batch.axis,
            padded_size(batch.budget),
            batch.stacked,
            states,
            batch.luck,
            schedules,
            keys,
        )


@dataclass(frozen=True)
class DayRule(AbstractNodeRule):
    """Plans a whole day at once, under jit and in batches; may leave budget unspent."""

    name: str
    plan: Callable[[Any, Any, Int[Array, ""], int], DayRecord]
    """(instance, state, budget, room for picks) → the day's picks in order."""
    why: str

    def choose(
        self, problem: Problem, rule: BudgetRule, instance: Any, state: Any, prepared: tuple[Any, Any], seed: int
    ) -> Choice:
        """Budget and picks in one compiled step."""
        max_picks = padded_size(int(instance.budget))
        budget, record = _plan_day(rule, self, max_picks, instance, state, prepared[0])
        count = int(record.num_picks)
        return Choice(int(budget), np.asarray(record.picks)[:count], np.asarray(record.values)[:count])

    def play_day(
        self, rule: BudgetRule, batch: Batch, states: Any, prepared: list[tuple[Any, Any]], seeds: list[int]
    ) -> tuple[Any, DayRecord]:
        """One after the other on each core: every day is a loop with an end of its own."""
        schedules = jax.tree.map(lambda *rows: jnp.stack(rows), *[schedule for schedule, _ in prepared])
        day = _Day(batch.problem, rule, self, padded_size(batch.budget))
        common, own = (batch.stacked, None) if batch.shared else (None, batch.stacked)
        return map_over_cores(day, common, own, states, batch.luck, schedules)


@dataclass(frozen=True)
class _Day:
    """Plays one day of one episode under a rule that plans it at once."""

    problem: Problem
    budget_rule: BudgetRule
    node_rule: DayRule
    max_picks: int

    def __call__(self, common: Any, instance: Any, state: Any, luck: Any, schedule: Any) -> tuple[Any, DayRecord]:
        """`common` is the instance where all episodes have the same."""
        instance = instance if common is None else common
        _, record = _plan_day(self.budget_rule, self.node_rule, self.max_picks, instance, state, schedule)
        return live_day(self.problem, instance, state, luck, record)


@partial(jax.jit, static_argnums=(0, 1, 2))
def _plan_day(
    budget_rule: BudgetRule, node_rule: DayRule, max_picks: int, instance: Any, state: Any, schedule: Any
) -> tuple[Int[Array, ""], DayRecord]:
    granted = _grant(budget_rule, instance, state, schedule)
    budget = jnp.where(state.day < instance.days, granted, 0)
    return budget, node_rule.plan(instance, state, budget, max_picks)


class AbstractPlanRule(AbstractNodeRule):
    """Plans the day's picks on the host, in order; may leave budget unspent."""

    @abstractmethod
    def plan(self, prepared: Any, state: Any, budget: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
        """Today's picks and the value of each."""

    def choose(
        self, problem: Problem, rule: BudgetRule, instance: Any, state: Any, prepared: tuple[Any, Any], seed: int
    ) -> Choice:
        """The plan for what the budget rule grants."""
        schedule, own = prepared
        budget = int(_grant(rule, instance, state, schedule))
        picks, values = self.plan(own, state, budget, seed) if budget > 0 else (np.zeros(0, int),) * 2
        return Choice(budget, picks, values)

    def play_day(
        self, rule: BudgetRule, batch: Batch, states: Any, prepared: list[tuple[Any, Any]], seeds: list[int]
    ) -> tuple[Any, DayRecord]:
        """Planned one by one, played together."""
        picks = np.full((batch.size, padded_size(batch.budget)), -1, np.int32)
        for n, (instance, state) in enumerate(zip(batch.instances, unstack(states), strict=True)):
            if state.day < instance.days:
                chosen = self.choose(batch.problem, rule, instance, state, prepared[n], seeds[n]).picks
                picks[n, : len(chosen)] = chosen
        return _play_day_in_order(batch.problem, batch.axis, batch.stacked, states, batch.luck, jnp.asarray(picks))


@dataclass(frozen=True)
class Policy(AbstractPlayer):
    """A budget rule with a node rule, for one problem."""

    name: str
    problem: Problem
    budget_rule: BudgetRule
    node_rule: AbstractNodeRule

    def prepare(self, instance: AbstractInstance, seed: int) -> tuple[Any, Any]:
        """(schedule of the budget rule, preparation of the node rule) for one instance."""
        make_schedule = self.budget_rule.make_schedule
        schedule = make_schedule(self.problem, instance, seed) if make_schedule else None
        return schedule, self.node_rule.prepare(instance)

    def choose(self, instance: AbstractInstance, state: AbstractState, prepared: tuple[Any, Any], seed: int) -> Choice:
        """Today's budget, picks and their values, for one instance."""
        return self.node_rule.choose(self.problem, self.budget_rule, instance, state, prepared, seed)

    def play_day(
        self, batch: Batch, states: Any, prepared: list[tuple[Any, Any]], seeds: list[int]
    ) -> tuple[Any, DayRecord]:
        """One day of a batch."""
        return self.node_rule.play_day(self.budget_rule, batch, states, prepared, seeds)

    def why(self, choice: Choice, budget_left: int) -> str:
        """What the budget rule granted, what came of it, and the node rule's reason."""
        granted = f"{choice.budget} of {budget_left} left by the rule '{self.budget_rule.name}'"
        short = f", but only {len(choice.picks)} pay or can be reached today"
        return f"{granted}{short if len(choice.picks) < choice.budget else ''}; {self.node_rule.why}"

    def optimum(self, prepared: tuple[Any, Any]) -> float | None:
        """The best score there is in expectation, where the node rule knows it."""
        return self.node_rule.optimum(prepared[1])


def choose_in_order(picks: Int[Array, " max_picks"], values: Float[Array, " max_picks"]) -> Choose:
    """A chooser that follows a list; -1 ends the day."""

    def choose(state, num_picks):
        return picks[num_picks], values[num_picks]

    return choose


@partial(jax.jit, static_argnums=0)
def _grant(rule: BudgetRule, instance: Any, state: Any, schedule: Any) -> Int[Array, ""]:
    return jnp.minimum(rule.grant(instance, state, schedule), state.budget_left)


def score_chooser(problem: Problem, rule: ScoreRule, instance: Any, key: PRNGKeyArray) -> Choose:
    """The chooser of a rule that scores nodes, with a key of its own for each pick."""

    def choose(state, num_picks):
        legal = problem.legal(instance, state)
        masked = jnp.where(legal, rule.scores(instance, state, jax.random.fold_in(key, num_picks)), -jnp.inf)
        best = first_best(masked)
        return jnp.where(legal.any(), best, -1), masked[best]

    return choose


@partial(jax.jit, static_argnums=(0, 1, 2, 3))
def _pick_by_score(
    problem: Problem,
    budget_rule: BudgetRule,
    node_rule: ScoreRule,
    max_picks: int,
    instance: Any,
    state: Any,
    schedule: Any,
    key: PRNGKeyArray,
) -> tuple[Int[Array, ""], DayRecord]:
    budget = _grant(budget_rule, instance, state, schedule)
    chooser = score_chooser(problem, node_rule, instance, key)
    _, record = pick_day(problem, instance, state, chooser, budget, max_picks)
    return budget, record


@partial(jax.jit, static_argnums=(0, 1, 2, 3, 4))
def _play_day_by_score(
    problem: Problem,
    budget_rule: BudgetRule,
    node_rule: ScoreRule,
    instance_axis: int | None,
    max_picks: int,
    instances: Any,
    states: Any,
    luck: Any,
    schedules: Any,
    keys: Key[Array, " batch"],
) -> tuple[Any, DayRecord]:
    """One day of a batch under a node rule that scores nodes."""

    def play(instance, state, luck, schedule, key):
        budget = _grant(budget_rule, instance, state, schedule)
        chooser = score_chooser(problem, node_rule, instance, key)
        return play_day(problem, instance, state, luck, chooser, budget, max_picks)

    return jax.vmap(play, (instance_axis, 0, 0, 0, 0))(instances, states, luck, schedules, keys)


@partial(jax.jit, static_argnums=(0, 1))
def _play_day_in_order(
    problem: Problem,
    instance_axis: int | None,
    instances: Any,
    states: Any,
    luck: Any,
    picks: Int[Array, " batch max_picks"],
) -> tuple[Any, DayRecord]:
    """One day of a batch with the picks given (padding is -1)."""
    max_picks = picks.shape[1]

    def play(instance, state, luck, picks):
        chooser = choose_in_order(picks, jnp.zeros(max_picks))
        return play_day(problem, instance, state, luck, chooser, jnp.int32(max_picks), max_picks)

    return jax.vmap(play, (instance_axis, 0, 0, 0))(instances, states, luck, picks)
