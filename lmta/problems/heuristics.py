"""The parts of a classical policy: budget rules, and three kinds of node rules. How they play is in `policies`."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float, Int

from lmta.lazy import Array, PRNGKeyArray, jax, jnp
from lmta.problems.base import AbstractInstance, AbstractState, Choose, DayRecord, HostRules, Problem
from lmta.sparse import first_best


class Numbers(NamedTuple):
    """What most budget rules read of an instance and of its state."""

    days: int
    budget: int
    day: int
    budget_left: int


Horizon = AbstractInstance | Numbers
Clock = AbstractState | Numbers


@dataclass(frozen=True)
class BudgetRule:
    """How many picks to grant today, given an instance, its state and the schedule made for the instance, if any."""

    name: str
    grant: Callable[[Any, Any, Any], Int[Array, ""] | int]
    make_schedule: Callable[[Problem, Any, int], Any] | None = None
    """(problem, instance, seed) → a schedule for the whole episode."""
    looks_at_nodes: bool = False
    """Whether `grant` reads more of instance and state than the numbers of days and picks."""
    num_today: Callable[[Any, Any, np.ndarray, int], int] | None = None
    """(instance, state, the node rule's picks, seed) → how many of them to make today, worked out on the host; all of
    them where there is no such function."""
    may_wait: bool = False
    """Whether it grants all that is left, to be decided pick by pick: what is not picked waits for later days."""


@dataclass(frozen=True)
class ScoreRule:
    """Takes the legal node with the highest score, again and again; runs under jit and in batches."""

    name: str
    scores: Callable[[Any, Any, PRNGKeyArray], Float[Array, " nodes"]]
    """(instance, state, key of this pick) → scores."""
    why: str
    """The reason for its picks, and what their values mean."""
    on_host: Callable[[Any, Any], np.ndarray] | None = None
    """(instance, state) → the same scores, where nothing is compiled for an instance of a new size."""


@dataclass(frozen=True)
class DayRule:
    """Plans a whole day at once, under jit; may leave budget unspent."""

    name: str
    plan: Callable[[Any, Any, Int[Array, ""], int], DayRecord]
    """(instance, state, budget, room for picks) → the day's picks in order, with the reward left at 0."""
    why: str
    on_host: "Callable[[Any, Any, int], DayPlan] | None" = None
    """(instance, state, budget) → the same, where nothing is compiled for an instance of a new size."""
    scores_on_host: Callable[[Any, Any], np.ndarray] | None = None
    """(instance, state with the picks before made) → by what the next pick is chosen, where that can be told."""


class DayPlan(NamedTuple):
    """Today's picks in order, the value of each, and what is to be said of this day beside the rule's reason."""

    picks: np.ndarray
    values: np.ndarray
    note: str = ""


class PlanRule(ABC):
    """Plans a whole day at once on the host, for one instance; may leave budget unspent."""

    name: str
    why: str

    def prepare(self, instance: Any) -> Any:
        """What can be worked out once for an instance."""
        return None

    @abstractmethod
    def plan(self, prepared: Any, state: Any, budget: int, seed: int) -> DayPlan | tuple[np.ndarray, np.ndarray]:
        """Today's picks and the value of each."""

    def scorer(self, prepared: Any, state: Any, budget: int, seed: int) -> Callable[[Any], np.ndarray] | None:
        """By what `plan` chooses each pick of the day that it makes of the same, where that can be told.

        It scores all nodes, given the state with the picks before made.
        """
        return None

    def optimum(self, prepared: Any) -> float | None:
        """The best score there is in expectation, where the rule knows it."""
        return None


NodeRule = ScoreRule | DayRule | PlanRule


@dataclass(frozen=True)
class Pairing:
    """A budget rule of one problem, and the node rules that it goes with."""

    budget_rule: BudgetRule
    node_rules: Mapping[str, NodeRule] | None = None
    """By name, perhaps in a form of their own; it goes with any of the problem where there is none."""


def plan_by_scores(
    rules: HostRules, scores: Callable[[Any, Any], np.ndarray], instance: Any, state: Any, budget: int
) -> DayPlan:
    """The legal node with the highest score, again and again, on the host."""
    picks, values = [], []
    while len(picks) < budget:
        legal = rules.legal(instance, state)
        if not legal.any():
            break
        masked = np.where(legal, scores(instance, state), -np.inf)
        best = int(np.argmax(masked))
        picks.append(best)
        values.append(masked[best])
        state = rules.pick(instance, state, [best])
    return DayPlan(np.array(picks, np.int32), np.array(values, np.float32))


def score_chooser(problem: Problem, rule: ScoreRule, instance: Any, key: PRNGKeyArray) -> Choose:
    """The chooser of a rule that scores nodes, with a key of its own for each pick."""

    def choose(state, num_picks):
        legal = problem.legal(instance, state)
        masked = jnp.where(legal, rule.scores(instance, state, jax.random.fold_in(key, num_picks)), -jnp.inf)
        best = first_best(masked)
        return jnp.where(legal.any(), best, -1), masked[best]

    return choose


def random_scores(instance: Any, state: Any, key: PRNGKeyArray) -> Float[Array, " nodes"]:
    """Any order."""
    return jax.random.uniform(key, instance.graph.node_mask.shape)


RANDOM = ScoreRule("random", random_scores, "any legal node is as likely as another.")
