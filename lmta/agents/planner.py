"""A trained agent put to use: it decides for a user's campaign or tour, and plays in the arena."""

import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Int, UInt32

from lmta.agents.lmta import Agent
from lmta.agents.saved import SHIPPED, read_model
from lmta.agents.settings import problem_of
from lmta.devices import map_over_cores
from lmta.model.networks import Lmta
from lmta.policies.player import AbstractPlayer, Choice
from lmta.problems.base import AbstractInstance, AbstractState, DayRecord, Problem, live_day
from lmta.problems.batch import Batch
from lmta.problems.registry import BENCHMARKS
from lmta.problems.session import whole_number
from lmta.search.planner import Plan
from lmta.sparse import padded_size
from lmta.types import InputError, SearchReport

PREFIX = "lmta:"
"""What the name of a trained agent begins with, before the folder of its training run or the name of a shipped one."""
MOST_SIMULATIONS = 100_000


@dataclass(frozen=True, eq=False)
class Planner(AbstractPlayer):
    """An agent and its weights, playing without exploration."""

    name: str
    problem: Problem
    agent: Agent
    """With room for the days and picks of a training episode."""
    model: Lmta

    def prepare(self, instance: AbstractInstance, seed: int) -> None:
        """All was learned before."""

    def choose(self, instance: AbstractInstance, state: AbstractState, prepared: None, seed: int) -> Choice:
        """Observe, encode, search, budget and picks in one compiled step."""
        agent = self.fitted(int(instance.days), int(instance.budget))
        chosen = _choose(agent, self.model, instance, state, np.asarray(seed, np.uint32))
        plan, budget, record = jax.tree.map(np.asarray, chosen)
        count = int(record.num_picks)
        report = SearchReport(int(plan.subgoal), plan.policy, float(plan.value), plan.subgoal_values)
        return Choice(int(budget), record.picks[:count], record.values[:count], report)

    def play_day(self, batch: Batch, states: Any, prepared: list[Any], seeds: list[int]) -> tuple[Any, DayRecord]:
        """One day of a batch."""
        day = _Day(self.fitted(batch.days, batch.budget))
        common, own = (batch.stacked, None) if batch.shared else (None, batch.stacked)
        return map_over_cores(day, (self.model, common), own, states, batch.noise, jnp.asarray(seeds, jnp.uint32))

    def why(self, choice: Choice, budget_left: int) -> str:
        """The budget, the subgoal with its weight in the search, and what the model itself makes of it."""
        search = choice.search
        assert search is not None
        short = ""
        if len(choice.picks) < choice.budget:
            short = ", but no more than these are in reach and worth it"
        elif self.agent.guide_paces and choice.budget < budget_left:
            short = "; to wait with the others promises more"
        rough = np.format_float_positional(search.value, 3, unique=False, fractional=False, trim="-")
        return (
            f"{choice.budget} of {budget_left} left for subgoal {search.subgoal}, which the search chose "
            f"({search.policy[search.subgoal]:.0%}){short}; a pick's value is {self.agent.value_of_a_pick}; "
            f"the model's own rough estimate is {rough} more by the end."
        )

    def fitted(self, days: int, budget: int) -> Agent:
        """The agent with room for so many days, as in training or more, in steps that share a compilation.

        A budget policy with free logits knows no larger budget than in training; others serve any.
        """
        trained = self.agent
        max_days = trained.max_days if days <= trained.max_days else padded_size(days)
        max_picks = trained.max_picks if trained.config.model.free_budgets else padded_size(budget)
        return replace(trained, max_days=max_days, max_picks=max_picks)


def load(path: Any, *, simulations: Any = None) -> Planner:
    """The planner that a training run has made, from the run's folder or from a file with its model.

    "aim" and "sop" are the models that come with the package; a folder of such a name is "./aim" or Path("aim").
    `simulations` is how many the search makes for each decision, instead of as many as in training; with 0 the policy
    prior decides without search.
    """
    if not isinstance(path, str | os.PathLike):
        raise InputError(f"path: {path!r} given, the folder of a training run is needed, or {' or '.join(SHIPPED)}.")
    shipped = SHIPPED.get(path) if isinstance(path, str) else None
    settings, model = read_model(shipped or Path(path))
    benchmark, config = BENCHMARKS[settings.problem], settings.config
    if simulations is not None:
        if whole_number(simulations, "simulations", 0) > MOST_SIMULATIONS:
            raise InputError(f"simulations: {simulations} given, at most {MOST_SIMULATIONS:,} are possible.")
        config = replace(config, search=replace(config.search, simulations=int(simulations)))
    size = benchmark.size(settings.instance)
    agent = Agent(problem_of(settings), config, size.days, size.budget)
    return Planner(f"{PREFIX}{os.fspath(path)}", benchmark.problem, agent, model)


@eqx.filter_jit
def _choose(
    agent: Agent, model: Lmta, instance: Any, state: Any, seed: UInt32[Array | np.ndarray, ""]
) -> tuple[Plan, Int[Array, ""], DayRecord]:
    """What the search found, the budget and the picks, and no more: each array takes time to fetch."""
    intent = agent.intend(model, instance, state, jax.random.key(seed), explore=False)
    return intent.plan, *agent.carry_out(model, instance, state, intent)


@dataclass(frozen=True)
class _Day:
    """Plays one day of one episode."""

    agent: Agent

    def __call__(
        self, shared: tuple[Lmta, Any], instance: Any, state: Any, noise: Any, seed: UInt32[Array, ""]
    ) -> tuple[Any, DayRecord]:
        """`shared` is the model and the instance, which stands beside the episodes where all have the same."""
        model, common = shared
        instance = instance if common is None else common
        intent = self.agent.intend(model, instance, state, jax.random.key(seed), explore=False)
        _, record = self.agent.carry_out(model, instance, state, intent)
        return live_day(self.agent.problem, instance, state, noise, record)
