"""A classical policy: a budget rule that grants today's picks and a node rule that makes them."""

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from jaxtyping import Int, UInt32

from lmta.devices import map_over_cores
from lmta.lazy import Array, eqx, jax, jit, jnp
from lmta.policies.player import AbstractPlayer, Choice
from lmta.problems.base import (
    AbstractInstance,
    AbstractState,
    DayRecord,
    HostRules,
    Problem,
    empty_day,
    pick_day,
    play_day,
)
from lmta.problems.batch import Batch, unstack
from lmta.problems.heuristics import (
    BudgetRule,
    DayPlan,
    DayRule,
    NodeRule,
    Numbers,
    PlanRule,
    ScoreRule,
    plan_by_scores,
    score_chooser,
)
from lmta.sparse import padded_size

Prepared = tuple[Any, Any]
"""(schedule of the budget rule, what the node rule has worked out for the instance)."""


@dataclass(frozen=True)
class Policy(AbstractPlayer):
    """A budget rule with a node rule, for one problem."""

    name: str
    problem: Problem
    budget_rule: BudgetRule
    node_rule: NodeRule
    on_host: HostRules | None = None
    """The rules by which one instance is decided for without a compilation, where the problem has them."""

    @property
    def decides_on_host(self) -> bool:
        """Whether nothing is compiled for an instance of a new size."""
        if self.on_host is None or isinstance(self.node_rule, PlanRule):
            return isinstance(self.node_rule, PlanRule)
        return self.node_rule.on_host is not None

    def prepare(self, instance: AbstractInstance, seed: int) -> Prepared:
        """What both rules work out once for an instance."""
        make_schedule = self.budget_rule.make_schedule
        schedule = make_schedule(self.problem, instance, seed) if make_schedule else None
        own = self.node_rule.prepare(instance) if isinstance(self.node_rule, PlanRule) else None
        return schedule, own

    def choose(self, instance: AbstractInstance, state: AbstractState, prepared: Prepared, seed: int) -> Choice:
        """Today's budget, picks and their values, for one instance."""
        budget, day = self._plan(instance, state, prepared, seed)
        rule, count = self.budget_rule, len(day.picks)
        if rule.num_today is not None:
            count = rule.num_today(instance, state, day.picks, seed)
        waits = rule.may_wait and int(state.day) + 1 < int(instance.days)
        return Choice(budget, day.picks[:count], day.values[:count], note=day.note, waits=waits)

    def _plan(
        self, instance: AbstractInstance, state: AbstractState, prepared: Prepared, seed: int
    ) -> tuple[int, DayPlan]:
        """Today's budget, and how the node rule spends it."""
        schedule, own = prepared
        if self.decides_on_host:
            budget = _granted(self.budget_rule, instance, state, schedule)
            if budget <= 0:
                return 0, DayPlan(np.zeros(0, int), np.zeros(0))
            return budget, self._plan_on_host(instance, state, own, budget, seed)
        max_picks = padded_size(int(instance.budget))
        budget, record = decide_day(self, max_picks, instance, state, schedule, np.uint32(seed))
        count = int(record.num_picks)
        return int(budget), DayPlan(np.asarray(record.picks)[:count], np.asarray(record.values)[:count])

    def _plan_on_host(
        self, instance: AbstractInstance, state: AbstractState, own: Any, budget: int, seed: int
    ) -> DayPlan:
        rule = self.node_rule
        if isinstance(rule, PlanRule):
            planned = rule.plan(own, state, budget, seed)
            return planned if isinstance(planned, DayPlan) else DayPlan(*planned)
        assert rule.on_host is not None
        if isinstance(rule, DayRule):
            return rule.on_host(instance, state, budget)
        assert self.on_host is not None
        return plan_by_scores(self.on_host, rule.on_host, instance, state, budget)

    def play_day(self, batch: Batch, states: Any, prepared: list[Prepared], seeds: list[int]) -> tuple[Any, DayRecord]:
        """One day of a batch: all at once where nodes are scored, one after the other on each core where days are
        planned under jit, and on the host otherwise."""
        if isinstance(self.node_rule, PlanRule) or self.budget_rule.num_today:
            return play_one_by_one(self, batch, states, prepared, seeds)
        max_picks = padded_size(batch.budget)
        schedules = jax.tree.map(lambda *rows: jnp.stack(rows), *[schedule for schedule, _ in prepared])
        varying = states, batch.noise, schedules, jnp.asarray(seeds, jnp.uint32)
        if isinstance(self.node_rule, ScoreRule):
            return _play_together(self, batch.axis, max_picks, batch.stacked, *varying)
        common, own = (batch.stacked, None) if batch.shared else (None, batch.stacked)
        return map_over_cores(_Day(self, max_picks), common, own, *varying)

    def why(self, choice: Choice, budget_left: int) -> str:
        """What the budget rule granted, what came of it, and the node rule's reason."""
        granted = f"{choice.budget} of {budget_left} left by the rule '{self.budget_rule.name}'"
        note = f" {choice.note}" if choice.note else ""
        return f"{granted}{_unspent(choice)}; {self.node_rule.why}{note}"

    def optimum(self, prepared: Prepared) -> float | None:
        """The best score there is in expectation, where the node rule knows it."""
        return self.node_rule.optimum(prepared[1]) if isinstance(self.node_rule, PlanRule) else None


def _unspent(choice: Choice) -> str:
    """Why less is picked than was granted, as the end of a clause."""
    made = len(choice.picks)
    left = choice.budget - made
    if left <= 0:
        return ""
    if choice.waits:
        return ", of which 1 waits for a later day" if left == 1 else f", of which {left} wait for later days"
    pay = {0: "none pays", 1: "only 1 pays"}.get(made, f"only {made} pay")
    return f", but {pay} or can be reached today"


def _granted(rule: BudgetRule, instance: AbstractInstance, state: AbstractState, schedule: Any) -> int:
    """What a rule grants today, on the host; nothing is compiled for an instance of a new size."""
    if rule.looks_at_nodes:
        return int(_grant(rule, instance, state, schedule))
    numbers = Numbers(int(instance.days), int(instance.budget), int(state.day), int(state.budget_left))
    return min(int(rule.grant(numbers, numbers, schedule)), numbers.budget_left)


@partial(jit, static_argnums=0)
def _grant(rule: BudgetRule, instance: Any, state: Any, schedule: Any) -> Int[Array, ""]:
    return jnp.minimum(rule.grant(instance, state, schedule), state.budget_left)


@partial(jit, static_argnums=(0, 1))
def decide_day(
    policy: Policy, max_picks: int, instance: Any, state: Any, schedule: Any, seed: UInt32[Array | np.ndarray, ""]
) -> tuple[Int[Array, ""], DayRecord]:
    """(today's budget, picks) of a policy whose rules run under jit."""
    granted = _grant(policy.budget_rule, instance, state, schedule)
    budget = jnp.where(state.day < instance.days, granted, 0)
    rule = policy.node_rule
    if isinstance(rule, DayRule):
        return budget, rule.plan(instance, state, budget, max_picks)
    assert isinstance(rule, ScoreRule)
    chooser = score_chooser(policy.problem, rule, instance, jax.random.key(seed))
    return budget, pick_day(policy.problem, instance, state, chooser, budget, max_picks)


@dataclass(frozen=True)
class _Day:
    """Plays one day of one episode."""

    policy: Policy
    max_picks: int

    def __call__(
        self, common: Any, instance: Any, state: Any, noise: Any, schedule: Any, seed: UInt32[Array, ""]
    ) -> tuple[Any, DayRecord]:
        """`common` is the instance where all episodes have the same."""
        instance = instance if common is None else common
        _, record = decide_day(self.policy, self.max_picks, instance, state, schedule, seed)
        return play_day(self.policy.problem, instance, state, noise, record)


@partial(jit, static_argnums=(0, 1, 2))
def _play_together(
    policy: Policy,
    instance_axis: int | None,
    max_picks: int,
    instances: Any,
    states: Any,
    noise: Any,
    schedules: Any,
    seeds: UInt32[Array, " batch"],
) -> tuple[Any, DayRecord]:
    """One day of a batch as one vectorised program."""

    def day(instance, state, noise, schedule, seed):
        return _Day(policy, max_picks)(None, instance, state, noise, schedule, seed)

    return jax.vmap(day, (instance_axis, 0, 0, 0, 0))(instances, states, noise, schedules, seeds)


def play_one_by_one(
    player: AbstractPlayer, batch: Batch, states: Any, prepared: list[Any], seeds: list[int]
) -> tuple[Any, DayRecord]:
    """One day of a batch for a player who chooses on the host."""
    max_picks = padded_size(batch.budget)
    picks = np.full((batch.size, max_picks), -1, np.int32)
    counts = np.zeros(batch.size, np.int32)
    for n, (instance, state) in enumerate(zip(batch.instances, unstack(states), strict=True)):
        if state.day < instance.days:
            chosen = player.choose(instance, state, prepared[n], seeds[n]).picks
            picks[n, : len(chosen)], counts[n] = chosen, len(chosen)

    def record(picks: Array, count: Array) -> DayRecord:
        return eqx.tree_at(lambda day: (day.picks, day.num_picks), empty_day(max_picks), (picks, count))

    records = jax.vmap(record)(jnp.asarray(picks), jnp.asarray(counts))
    return _carry_out(batch.problem, batch.axis, batch.stacked, states, batch.noise, records)


@partial(jit, static_argnums=(0, 1))
def _carry_out(
    problem: Problem, instance_axis: int | None, instances: Any, states: Any, noise: Any, records: DayRecord
) -> tuple[Any, DayRecord]:
    """One day of a batch with the picks given."""
    day = lambda instance, state, noise, record: play_day(problem, instance, state, noise, record)  # noqa: E731
    return jax.vmap(day, (instance_axis, 0, 0, 0))(instances, states, noise, records)
