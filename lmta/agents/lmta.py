"""LMTA at work: what the high level intends for a day, and how the low level carries it out."""

from dataclasses import dataclass, replace
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int, Key

from lmta.config import Config
from lmta.model.networks import MASKED, Lmta
from lmta.problems.base import Choose, DayRecord, GuidedProblem, Problem, pick_day
from lmta.search.planner import Plan, plan
from lmta.sparse import first_best

SEARCHED = -1
"""Stands for the subgoal that the search finds."""


class Intent(eqx.Module):
    """A decision of the high level: the search's plan, but for a subgoal that strays, and the subgoal's budget."""

    plan: Plan
    budget: Int[Array, ""]
    """At most so many picks; all that is left where the guide sets the pace."""
    budget_logits: Float[Array, " budgets"]
    urgency: Float[Array, ""]
    """What the budgets followed from: how much more today counts than a later day, as a logarithm."""


@dataclass(frozen=True)
class Agent:
    """The problem and the settings, without weights: every method takes the model and is pure."""

    problem: Problem
    config: Config
    max_days: int
    max_picks: int
    """Room for the picks of a day."""

    @property
    def value_of_a_pick(self) -> str:
        """What the values of the low level say."""
        if isinstance(self.problem, GuidedProblem):
            return self.problem.value_of_a_pick
        return "what the low level expects after it"

    @property
    def guide_paces(self) -> bool:
        """Whether the guide says when a day is over, at the urgency that the high level gives it."""
        return self.config.model.pace == "guide"

    def intend(
        self,
        model: Lmta,
        instance: Any,
        state: Any,
        key: Key[Array, ""],
        *,
        explore: bool,
        instead: Int[Array, ""] | int = SEARCHED,
        haste: Float[Array, ""] | float = 0.0,
    ) -> Intent:
        """Encode, search, choose a subgoal and a budget for it. Greedy play takes the likeliest budget.

        The subgoal `instead` is taken in place of the search's, if there is one; `haste` is added to its urgency.
        """
        search_key, budget_key = jax.random.split(key)
        latent = model.high.encoder(self.problem.observe(instance, state))
        days_left = instance.days - state.day
        found = plan(
            model.high, self.config.search, latent, days_left, search_key, max_depth=self.max_days, explore=explore
        )
        found = replace(found, subgoal=jnp.where(instead == SEARCHED, found.subgoal, instead))
        z = model.high.subgoals[found.subgoal]
        logits, urgency, _ = model.high.budget(latent, z, state.budget_left, days_left, self.max_picks, haste)
        if self.guide_paces:
            budget = state.budget_left
        else:
            budget = jax.random.categorical(budget_key, logits) if explore else jnp.argmax(logits)
        return Intent(found, budget.astype(jnp.int32), logits, urgency)

    def carry_out(
        self,
        model: Lmta,
        instance: Any,
        state: Any,
        intent: Intent,
        epsilon: Float[Array, ""] | float = 0.0,
        key: Key[Array, ""] | None = None,
    ) -> tuple[Int[Array, ""], DayRecord]:
        """(the day's budget, its picks as intended): where the guide sets the pace, the budget is what it picks."""
        record = self.make_picks(
            model, instance, state, intent.plan.subgoal, intent.budget, epsilon, key, urgency=intent.urgency
        )
        return record.num_picks if self.guide_paces else intent.budget, record

    def make_picks(
        self,
        model: Lmta,
        instance: Any,
        state: Any,
        subgoal: Int[Array, ""],
        budget: Int[Array, ""],
        epsilon: Float[Array, ""] | float = 0.0,
        key: Key[Array, ""] | None = None,
        *,
        urgency: Float[Array, ""] | None = None,
    ) -> DayRecord:
        """The day's picks, in the order to make them: by the guide, or one by one by the low level.

        A guide that sets the pace stops by itself where an `urgency` is given, and makes all picks of the budget else.
        """
        budget = jnp.where(state.day < instance.days, budget, 0)
        if isinstance(self.problem, GuidedProblem):
            pace = urgency if self.guide_paces else None
            return self.problem.plan_day(instance, state, budget, self.max_picks, pace)
        chooser = self.chooser(model, instance, subgoal, budget, epsilon, key)
        return pick_day(self.problem, instance, state, chooser, budget, self.max_picks)[1]

    def chooser(
        self,
        model: Lmta,
        instance: Any,
        subgoal: Int[Array, ""],
        budget: Int[Array, ""],
        epsilon: Float[Array, ""] | float = 0.0,
        key: Key[Array, ""] | None = None,
    ) -> Choose:
        """The low level: the legal node with the highest Q given subgoal and budget, or any legal one with probability
        ε."""
        embedding, low = model.high.subgoals[subgoal], model.low
        assert low is not None, "a guided agent has no low level of its own"

        def choose(state, num_picks):
            legal = self.problem.legal(instance, state)
            values = low(self.problem.observe(instance, state), embedding, budget - num_picks)
            scores = values
            if key is not None:
                explore_key, noise_key = jax.random.split(jax.random.fold_in(key, num_picks))
                noise = jax.random.uniform(noise_key, values.shape)
                scores = jnp.where(jax.random.bernoulli(explore_key, epsilon), noise, values)
            node = first_best(jnp.where(legal, scores, MASKED))
            return jnp.where(legal.any(), node, -1), values[node]

        return choose
