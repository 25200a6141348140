"""Self-play of LMTA: a batch of episodes under exploration, as games."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int, Key

from lmta.agents.lmta.game import Game, leave_one_out
from lmta.agents.lmta.networks import LmtaModel
from lmta.agents.steps import forecasts_of
from lmta.devices import map_over_cores
from lmta.policies.budgets import average
from lmta.problems.base import play_episode

if TYPE_CHECKING:
    from lmta.agents.lmta.agent import Lmta

SEARCHED = -1
"""Stands for the subgoal that the search finds."""


class Exploration(eqx.Module):
    """How one game (or each of a batch) explores."""

    epsilon: Float[Array, " *games"]
    """The rate of random picks."""
    subgoal: Int[Array, " *games"]
    """What an exploratory episode keeps to …"""
    days: Int[Array, " *games"]
    """… on so many days, before the search takes over; 0 where it is none."""


@dataclass(frozen=True)
class PlayGame:
    """Plays one instance under exploration, as a game."""

    agent: "Lmta"

    def __call__(
        self,
        shared: tuple[LmtaModel, Bool[Array, ""]],
        instance: Any,
        exploration: Exploration,
        noise_key: Key[Array, ""],
        play_key: Key[Array, ""],
    ) -> Game:
        """`shared` is the model and whether budgets are those of the average allocation."""
        model, average_budgets = shared
        epsilon = exploration.epsilon
        agent, problem = self.agent, self.agent.problem
        noise = problem.draw_noise(instance, agent.max_days, noise_key)

        def decide(state, key):
            intent_key, pick_key = jax.random.split(key)
            instead = jnp.where(state.day < exploration.days, exploration.subgoal, SEARCHED)
            intent = agent.intend(model, instance, state, intent_key, explore=True, instead=instead, epsilon=epsilon)
            allotted = jnp.minimum(average(instance, state, None), intent.budget_logits.shape[0] - 1)
            budget = jnp.where(average_budgets, allotted, intent.budget)
            record = agent.make_picks(model, instance, state, intent.subgoal, budget, epsilon, pick_key)
            return record, {
                "subgoal": intent.subgoal,
                "budget": budget,
                "budget_log_prob": jax.nn.log_softmax(intent.budget_logits)[budget],
                "forecasts": forecasts_of(problem, instance, state, record),
                "policy": intent.plan.policy,
                "value": intent.plan.value,
            }

        episode = play_episode(problem, instance, noise, decide, jax.random.split(play_key, agent.max_days))
        record, departures = episode.record, agent.settings.departures
        without_chance = (epsilon == 0) | (departures.group_size == 1)
        searched = jnp.arange(agent.max_days) >= exploration.days
        return Game(
            instance=instance,
            states=episode.states,
            picks=record.picks,
            num_picks=record.num_picks,
            reward=record.reward,
            teaches_budgets=without_chance & (searched[0] | departures.exploratory_teach),
            teaches_values=without_chance & searched,
            teaches_model=without_chance,
            advantage=jnp.zeros(()),
            **episode.kept,
        )


def self_play(
    agent: "Lmta",
    model: LmtaModel,
    instances: Any,
    epsilon: Float[Array, ""],
    epoch: Int[Array, ""],
    key: Key[Array, ""],
) -> Game:
    """Play every instance of a batch once; those of a group, which are the same, with the same noise.

    Where groups are compared, the low level explores in every other group, and not in those between, so that scores
    there differ by subgoals and budgets alone. While warming up budgets are average; with exploratory episodes all
    are such then, with budgets of their own around the average.
    """
    departures = agent.settings.departures
    num_games, group_size = instances.days.shape[0], departures.group_size
    noise_key, play_key, explore_key = jax.random.split(key, 3)
    noise_keys = jnp.repeat(jax.random.split(noise_key, num_games // group_size), group_size)
    play_keys = jax.random.split(play_key, num_games)
    warming_up = epoch < agent.settings.train.warm_up
    group = jnp.arange(num_games) // group_size
    rates = jnp.where((group_size == 1) | (group % 2 == 1), epsilon, 0.0)
    share = jnp.where(warming_up & (departures.exploratory > 0), 1.0, departures.exploratory)
    whether_key, which_key, until_key = jax.random.split(explore_key, 3)
    exploratory = jax.random.bernoulli(whether_key, share, (num_games,))
    until = jax.random.randint(until_key, (num_games,), 1, instances.days + 1)
    exploration = Exploration(
        epsilon=rates,
        subgoal=jax.random.randint(which_key, (num_games,), 0, agent.settings.network.subgoals),
        days=jnp.where(exploratory, until, 0),
    )
    average_budgets = warming_up & (departures.exploratory == 0)
    games = map_over_cores(PlayGame(agent), (model, average_budgets), instances, exploration, noise_keys, play_keys)
    compared = leave_one_out(games.reward.sum(axis=1), group_size)
    return eqx.tree_at(lambda g: g.advantage, games, jnp.where(games.teaches_budgets, compared, 0.0))
