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


@dataclass(frozen=True)
class PlayGame:
    """Plays one instance under exploration, as a game."""

    agent: "Lmta"

    def __call__(
        self,
        shared: tuple[LmtaModel, Bool[Array, ""]],
        instance: Any,
        epsilon: Float[Array, ""],
        noise_key: Key[Array, ""],
        play_key: Key[Array, ""],
    ) -> Game:
        """`shared` is the model and whether budgets are those of the average allocation; `epsilon` is the rate of
        random picks."""
        model, average_budgets = shared
        agent, problem = self.agent, self.agent.problem
        noise = problem.draw_noise(instance, agent.max_days, noise_key)

        def decide(state, key):
            intent_key, pick_key = jax.random.split(key)
            intent = agent.intend(model, instance, state, intent_key, explore=True, epsilon=epsilon)
            allotted = jnp.minimum(average(instance, state, None), intent.budget_logits.shape[0] - 1)
            budget = jnp.where(average_budgets, allotted, intent.budget)
            record = agent.make_picks(model, instance, state, intent.plan.subgoal, budget, epsilon, pick_key)
            return record, {
                "subgoal": intent.plan.subgoal,
                "budget": budget,
                "budget_log_prob": jax.nn.log_softmax(intent.budget_logits)[budget],
                "forecasts": forecasts_of(problem, instance, state, record),
                "policy": intent.plan.policy,
                "value": intent.plan.value,
            }

        episode = play_episode(problem, instance, noise, decide, jax.random.split(play_key, agent.max_days))
        record = episode.record
        return Game(
            instance=instance,
            states=episode.states,
            picks=record.picks,
            num_picks=record.num_picks,
            reward=record.reward,
            teaches=(epsilon == 0) | (agent.group_size == 1),
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
    there differ by subgoals and budgets alone. While warming up budgets are average.
    """
    num_games, group_size = instances.days.shape[0], agent.group_size
    noise_key, play_key = jax.random.split(key)
    noise_keys = jnp.repeat(jax.random.split(noise_key, num_games // group_size), group_size)
    play_keys = jax.random.split(play_key, num_games)
    group = jnp.arange(num_games) // group_size
    rates = jnp.where((group_size == 1) | (group % 2 == 1), epsilon, 0.0)
    average_budgets = epoch < agent.settings.train.warm_up
    games = map_over_cores(PlayGame(agent), (model, average_budgets), instances, rates, noise_keys, play_keys)
    compared = leave_one_out(games.reward.sum(axis=1), group_size)
    return eqx.tree_at(lambda g: g.advantage, games, jnp.where(games.teaches, compared, 0.0))
