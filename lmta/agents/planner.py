"""A trained agent put to use: it decides for a user's campaign or tour, and plays in the arena."""

import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, UInt32

from lmta.agents.lmta import Agent, Intent
from lmta.agents.saved import read_model
from lmta.model.networks import Lmta
from lmta.policies.player import AbstractPlayer, Choice
from lmta.problems.base import AbstractInstance, AbstractState, Choose, DayRecord, Problem, pick_day, play_day
from lmta.problems.batch import Batch
from lmta.problems.registry import BENCHMARKS
from lmta.problems.session import whole_number
from lmta.sparse import padded_size
from lmta.types import InputError, SearchReport

PREFIX = "lmta:"
"""What the name of a trained agent begins with, before the folder of its training run."""
MOST_SIMULATIONS = 100_000


@dataclass(frozen=True, eq=False)
class Planner(AbstractPlayer):
    """An agent and its weights, playing without exploration."""

    name: str
    problem: Problem
    agent: Agent
    model: Lmta
    max_picks: int
    """The largest budget of a day that the budget policy knows: that of the whole training episode."""

    def prepare(self, instance: AbstractInstance, seed: int) -> None:
        """All was learned before."""

    def choose(self, instance: AbstractInstance, state: AbstractState, prepared: None, seed: int) -> Choice:
        """Observe, encode, search, budget and picks in one compiled step."""
        agent = self._agent(int(instance.days))
        intent, record = jax.device_get(_choose(agent, self.model, self.max_picks, instance, state, jnp.uint32(seed)))
        count, plan = int(record.num_picks), intent.plan
        report = SearchReport(int(plan.subgoal), plan.policy, float(plan.value), plan.subgoal_values)
        return Choice(int(intent.budget), record.picks[:count], record.values[:count], report)

    def play_day(self, batch: Batch, states: Any, prepared: list[Any], seeds: list[int]) -> tuple[Any, DayRecord]:
        """One day of a batch."""
        agent = self._agent(batch.days)
        given = (batch.stacked, states, batch.luck, jnp.asarray(seeds, jnp.uint32))
        return _play_day(agent, self.model, self.max_picks, batch.shared, *given)

    def why(self, choice: Choice, budget_left: int) -> str:
        """The budget, the subgoal with its weight in the search, and what is expected."""
        search = choice.search
        assert search is not None
        short = f", but only {len(choice.picks)} can be reached today" if len(choice.picks) < choice.budget else ""
        return (
            f"{choice.budget} of {budget_left} left for subgoal {search.subgoal}, which has "
            f"{search.policy[search.subgoal]:.0%} of the search policy{short}; {search.value:.4g} is expected from "
            "today to the end; a pick's value is what the low level expects after it."
        )

    def _agent(self, days: int) -> Agent:
        """The agent with room for so many days: as many as in training, or more, in steps that share a compilation."""
        trained = self.agent.max_days
        return self.agent if days <= trained else replace(self.agent, max_days=padded_size(days))


def load(path: Any, *, simulations: Any = None) -> Planner:
    """The planner that a training run has made, from the run's folder or from a file with its model.

    `simulations` is how many the search makes for each decision, instead of as many as in training; with 0 the policy
    prior decides without search.
    """
    if not isinstance(path, str | os.PathLike):
        raise InputError(f"path: {path!r} given, the folder of a training run is needed.")
    settings, model = read_model(Path(path))
    benchmark, config = BENCHMARKS[settings.problem], settings.config
    if simulations is not None:
        if whole_number(simulations, "simulations", 0) > MOST_SIMULATIONS:
            raise InputError(f"simulations: {simulations} given, at most {MOST_SIMULATIONS:,} are possible.")
        config = replace(config, search=replace(config.search, simulations=int(simulations)))
    size = benchmark.size(settings.instance)
    agent = Agent(benchmark.problem, config, size.days)
    return Planner(f"{PREFIX}{os.fspath(path)}", benchmark.problem, agent, model, size.budget)


def _intend(agent: Agent, model: Lmta, instance: Any, state: Any, seed: UInt32[Array, ""]) -> tuple[Intent, Choose]:
    """The intent for one instance, without the axis of a batch, and the low level that carries it out."""
    instances, states = jax.tree.map(lambda leaf: leaf[None], (instance, state))
    intents = agent.intend(model, instances, states, jax.random.key(seed), explore=False)
    intent = jax.tree.map(lambda leaf: leaf[0], intents)
    return intent, agent.chooser(model, instance, intent.plan.subgoal)


@eqx.filter_jit
def _choose(
    agent: Agent, model: Lmta, max_picks: int, instance: Any, state: Any, seed: UInt32[Array, ""]
) -> tuple[Intent, DayRecord]:
    intent, chooser = _intend(agent, model, instance, state, seed)
    _, record = pick_day(agent.problem, instance, state, chooser, intent.budget, max_picks)
    return intent, record


@eqx.filter_jit
def _play_day(
    agent: Agent,
    model: Lmta,
    max_picks: int,
    shared: bool,
    instances: Any,
    states: Any,
    luck: Any,
    seeds: UInt32[Array, " batch"],
) -> tuple[Any, DayRecord]:
    """Episode after episode: on a CPU faster than a batched search, and with the memory of one."""

    def play(instance, state, luck, seed):
        intent, chooser = _intend(agent, model, instance, state, seed)
        return play_day(agent.problem, instance, state, luck, chooser, intent.budget, max_picks)

    if shared:
        return jax.lax.map(lambda episode: play(instances, *episode), (states, luck, seeds))
    return jax.lax.map(lambda episode: play(*episode), (instances, states, luck, seeds))
