"""Episodes as an agent plays them on held-out instances: all that the measurements are made on."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int, UInt32

from lmta.agents.base import AbstractAgent, AgentDay, Model
from lmta.agents.settings import RunSettings
from lmta.agents.steps import pick_rewards
from lmta.devices import map_over_cores
from lmta.policies.player import day_seed
from lmta.problems.base import along_picks, expected_today, play_episode
from lmta.problems.batch import Batch


@dataclass(frozen=True)
class Subject:
    """A trained run, and the held-out instances that it is looked at on."""

    run: RunSettings
    agent: AbstractAgent
    """With room for the days and picks of the instances."""
    model: Model
    batch: Batch


class Rollouts(eqx.Module):
    """An episode, with an axis of days; or episodes, with an axis of episodes before it."""

    states: Any
    """The pre-decision state of each day, and the state after the last."""
    budget: Int[Array, " days"]
    picks: Int[Array, " days max_picks"]
    num_picks: Int[Array, " days"]
    reward: Float[Array, " days"]
    forecasts: Float[Array, " days max_picks_and_one"]
    """The day's expected reward before its first pick and after each; 0 where the problem has no forecast."""
    value: Float[Array, " days max_picks"]
    """What the agent expected of each pick …"""
    pick_reward: Float[Array, " days max_picks"]
    """… and the reward that fell to it."""
    report: Any
    """What the agent's search found, if it searches."""


DecideAs = Callable[[Any, Model, Any, Any, Any], AgentDay]
"""(agent, model, instance, state, key) → the decision of a day."""


def greedy(agent: AbstractAgent, model: Model, instance: Any, state: Any, key: Any) -> AgentDay:
    """As in the arena."""
    return agent.decide(model, instance, state, key)


def roll_out(subject: Subject, decide: DecideAs = greedy) -> Rollouts:
    """Play every instance once with its noise, with the seeds that the arena would take."""
    batch = subject.batch
    seeds = [[day_seed(batch.seed, n, day) for day in range(batch.days)] for n in range(batch.size)]
    play = _PlayOut(subject.agent, decide)
    return map_over_cores(play, subject.model, batch.stacked, batch.noise, jnp.array(seeds, jnp.uint32))


@dataclass(frozen=True)
class _PlayOut:
    """Plays one instance."""

    agent: AbstractAgent
    decide: DecideAs

    def __call__(self, model: Model, instance: Any, noise: Any, seeds: UInt32[Array, " days"]) -> Rollouts:
        problem = self.agent.problem

        def decide(state, seed):
            day = self.decide(self.agent, model, instance, state, jax.random.key(seed))
            forecast = partial(expected_today, problem, instance)
            forecasts = along_picks(problem, instance, state, day.record.picks, day.record.num_picks, forecast)
            return day.record, (day.budget, forecasts, day.report)

        episode = play_episode(problem, instance, noise, decide, seeds)
        record, (budget, forecasts, report) = episode.record, episode.kept
        return Rollouts(
            states=episode.states,
            budget=budget,
            picks=record.picks,
            num_picks=record.num_picks,
            reward=record.reward,
            forecasts=forecasts,
            value=record.values,
            pick_reward=pick_rewards(record.num_picks, forecasts, record.reward),
            report=report,
        )


def at(batch: Any, *index: int) -> Any:
    """One member of a batch."""
    return jax.tree.map(lambda leaf: leaf[index], batch)
