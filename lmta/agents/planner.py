"""A trained agent put to use: it decides for a user's session, and plays in the arena."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, UInt32

from lmta.agents.base import AbstractAgent, AgentDay, Model
from lmta.agents.saved import read_model
from lmta.agents.settings import make_agent
from lmta.devices import map_over_cores
from lmta.policies.player import AbstractPlayer, Choice
from lmta.policies.registry import ADVISER
from lmta.problems.base import AbstractInstance, AbstractState, DayRecord, Problem, play_day
from lmta.problems.batch import Batch
from lmta.problems.registry import specs
from lmta.problems.session import whole_number
from lmta.types import InputError

MOST_SIMULATIONS = 100_000


@dataclass(frozen=True, eq=False)
class TrainedAgent(AbstractPlayer):
    """An agent and its weights, playing without exploration."""

    name: str
    problem: Problem
    agent: AbstractAgent
    """With room for the days and picks of a training episode."""
    model: Model

    def prepare(self, instance: AbstractInstance, seed: int) -> None:
        """All was learned before."""

    def choose(self, instance: AbstractInstance, state: AbstractState, prepared: None, seed: int) -> Choice:
        """The whole decision in one compiled step."""
        agent = self.agent.fitted(int(instance.days), int(instance.budget))
        day = jax.tree.map(np.asarray, _decide(agent, self.model, instance, state, np.asarray(seed, np.uint32)))
        count = int(day.record.num_picks)
        search = agent.search_report(day.report)
        return Choice(int(day.budget), day.record.picks[:count], day.record.values[:count], search)

    def play_day(self, batch: Batch, states: Any, prepared: list[Any], seeds: list[int]) -> tuple[Any, DayRecord]:
        """One day of a batch."""
        day = _Day(self.agent.fitted(batch.days, batch.budget))
        common, own = (batch.stacked, None) if batch.shared else (None, batch.stacked)
        return map_over_cores(day, (self.model, common), own, states, batch.noise, jnp.asarray(seeds, jnp.uint32))

    def why(self, choice: Choice, budget_left: int) -> str:
        """The agent's own reason."""
        return self.agent.why(choice.budget, len(choice.picks), budget_left, choice.search)


def load_agent(path: str | os.PathLike[str], *, simulations: Any = None) -> TrainedAgent:
    """The agent of a training run, from the run's folder or from a file with its model; it is called as given."""
    settings, model = read_model(Path(path))
    agent = make_agent(settings)
    if simulations is not None:
        if whole_number(simulations, "simulations", 0) > MOST_SIMULATIONS:
            raise InputError(f"simulations: {simulations} given, at most {MOST_SIMULATIONS:,} are possible.")
        agent = agent.with_simulations(int(simulations))
    given = os.fspath(path)
    name = f"./{given}" if given in specs() else given
    return TrainedAgent(f"{ADVISER}{name}", settings.spec.problem, agent, model)


@eqx.filter_jit
def _decide(
    agent: AbstractAgent, model: Model, instance: Any, state: Any, seed: UInt32[Array | np.ndarray, ""]
) -> AgentDay:
    return agent.decide(model, instance, state, jax.random.key(seed))


@dataclass(frozen=True)
class _Day:
    """Plays one day of one episode."""

    agent: AbstractAgent

    def __call__(
        self, shared: tuple[Model, Any], instance: Any, state: Any, noise: Any, seed: UInt32[Array, ""]
    ) -> tuple[Any, DayRecord]:
        """`shared` is the model and the instance, which stands beside the episodes where all have the same."""
        model, common = shared
        instance = instance if common is None else common
        decided = self.agent.decide(model, instance, state, jax.random.key(seed))
        return play_day(self.agent.problem, instance, state, noise, decided.record)
