"""A classical policy: a budget rule that grants today's picks and a node rule that makes them."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol, runtime_checkable

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int, Key, PRNGKeyArray

from lmta.problems.base import (
    AbstractInstance,
    AbstractState,
    Choose,
    DayRecord,
    Problem,
    pick_day,
    play_day,
)
from lmta.problems.session import Session, check_seed
from lmta.sparse import first_best, padded_size
from lmta.types import Decision, InputError, Pick


@dataclass(frozen=True)
class BudgetRule:
    """How many picks to grant today, given an instance, its state and the schedule made for the instance, if any."""

    name: str
    grant: Callable[[Any, Any, Any], Int[Array, ""]]
    make_schedule: Callable[[Problem, Any, int], Any] | None = None
    """(problem, instance, seed) → a schedule for the whole episode."""


@dataclass(frozen=True)
class ScoreRule:
    """Takes the legal node with the highest score, again and again; runs under jit and in batches."""

    name: str
    scores: Callable[[Any, Any, PRNGKeyArray], Float[Array, " nodes"]]
    """(instance, state, key of this pick) → scores."""
    why: str


@runtime_checkable
class PlanRule(Protocol):
    """Plans the day's picks on the host, in order; may leave budget unspent."""

    @property
    def name(self) -> str:
        """The second half of a policy's name."""
        ...

    @property
    def why(self) -> str:
        """The reason for its picks, and what their values mean."""
        ...

    def prepare(self, instance: Any) -> Any:
        """What can be worked out once for an instance."""
        ...

    def plan(self, prepared: Any, state: Any, budget: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
        """Today's picks and the value of each."""
        ...


@dataclass(frozen=True)
class Policy:
    """A budget rule with a node rule, for one problem."""

    name: str
    problem: Problem
    budget_rule: BudgetRule
    node_rule: "ScoreRule | PlanRule"

    def prepare(self, instance: AbstractInstance, seed: int) -> tuple[Any, Any]:
        """(schedule of the budget rule, preparation of the node rule) for one instance."""
        make_schedule = self.budget_rule.make_schedule
        schedule = make_schedule(self.problem, instance, seed) if make_schedule else None
        return schedule, None if isinstance(self.node_rule, ScoreRule) else self.node_rule.prepare(instance)

    def choose(
        self, instance: AbstractInstance, state: AbstractState, prepared: tuple[Any, Any], seed: int
    ) -> tuple[int, np.ndarray, np.ndarray]:
        """Today's budget, picks and their values, for one instance."""
        schedule, plan = prepared
        if isinstance(self.node_rule, ScoreRule):
            max_picks = padded_size(int(instance.budget))
            budget, record = _pick_by_score(self, instance, state, schedule, jax.random.key(seed), max_picks)
            count = int(record.num_picks)
            return int(budget), np.asarray(record.picks)[:count], np.asarray(record.values)[:count]
        budget = int(_grant(self.budget_rule, instance, state, schedule))
        picks, values = self.node_rule.plan(plan, state, budget, seed) if budget > 0 else (np.zeros(0, int),) * 2
        return budget, picks, values

    def decide(self, session: Any, *, seed: Any = 0) -> Decision:
        """What to do today in a campaign or a tour. `seed` matters only to policies that draw samples."""
        if not isinstance(session, Session):
            raise InputError(f"{self.name} decides for a Campaign or a Tour, not for {session!r}.")
        if session.problem.name != self.problem.name:
            raise InputError(f"{self.name} plays {self.problem.name}, not {session.problem.name}.")
        check_seed(seed)
        if session.finished:
            raise InputError(f"All {session.days} days are over; there is nothing to decide.")
        key = (self.name, seed)
        if key not in session.prepared:
            session.prepared[key] = self.prepare(session.instance, seed)
        budget, picks, values = self.choose(
            session.instance, session.state, session.prepared[key], day_seed(seed, session.day)
        )
        return Decision(
            policy=self.name,
            day=session.day,
            budget=budget,
            picks=tuple(Pick(session.ids[int(node)], float(value)) for node, value in zip(picks, values, strict=True)),
            why=self._why(budget, session.budget_left, len(picks)),
        )

    def _why(self, budget: int, budget_left: int, num_picks: int) -> str:
        granted = f"{budget} of {budget_left} left by the rule '{self.budget_rule.name}'"
        short = f", but only {num_picks} pay or can be reached today" if num_picks < budget else ""
        return f"{granted}{short}; {self.node_rule.why}"


def day_seed(seed: int, *parts: int) -> int:
    """A 31-bit seed of its own for each day (and instance), from one seed."""
    return int(np.random.SeedSequence([seed, len(parts), *parts]).generate_state(1)[0] >> 1)


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


@partial(jax.jit, static_argnums=(0, 5))
def _pick_by_score(
    policy: Policy, instance: Any, state: Any, schedule: Any, key: PRNGKeyArray, max_picks: int
) -> tuple[Int[Array, ""], DayRecord]:
    budget = _grant(policy.budget_rule, instance, state, schedule)
    assert isinstance(policy.node_rule, ScoreRule)
    chooser = score_chooser(policy.problem, policy.node_rule, instance, key)
    _, record = pick_day(policy.problem, instance, state, chooser, budget, max_picks)
    return budget, record


@partial(jax.jit, static_argnums=(0, 1, 2))
def play_day_by_score(
    policy: Policy,
    instance_axis: int | None,
    max_picks: int,
    instances: Any,
    states: Any,
    luck: Any,
    schedules: Any,
    keys: Key[Array, " batch"],
) -> tuple[Any, DayRecord]:
    """One day of a batch under a policy whose node rule scores nodes."""
    rule = policy.node_rule
    assert isinstance(rule, ScoreRule)

    def play(instance, state, luck, schedule, key):
        budget = _grant(policy.budget_rule, instance, state, schedule)
        chooser = score_chooser(policy.problem, rule, instance, key)
        return play_day(policy.problem, instance, state, luck, chooser, budget, max_picks)

    return jax.vmap(play, (instance_axis, 0, 0, 0, 0))(instances, states, luck, schedules, keys)


@partial(jax.jit, static_argnums=(0, 1))
def play_day_in_order(
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
