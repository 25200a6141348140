"""What an episode with search leaves behind, and unrolls drawn from it with their targets."""

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Float16, Int, Key

from lmta.agents.muzero.settings import TrainSettings
from lmta.agents.steps import Played, after_picks, count_steps, gains_of, place_of, returns_to_go
from lmta.nn.replay import Ring, newest_steps
from lmta.nn.targets import n_step_returns
from lmta.problems.base import Problem


class SearchedGame(eqx.Module):
    """One episode (or a batch), and what search said at each of its steps, in order; 0 where there was none."""

    played: Played
    actions: Int[Array, " steps options"] | None
    """What the policies are about; None for all actions."""
    policy: Float16[Array, " steps options"]
    value: Float[Array, " steps"]

    @property
    def reward(self) -> Float[Array, " *games days"]:
        """Of each day."""
        return self.played.reward

    @property
    def num_picks(self) -> Int[Array, " *games days"]:
        """Of each day."""
        return self.played.num_picks

    @property
    def forecasts(self) -> Float[Array, " *games days max_picks_and_one"]:
        """Of each day, before its first pick and after each."""
        return self.played.forecasts


class Unroll(eqx.Module):
    """A root (or a batch of them), the actions that followed it, and targets for each step."""

    instance: Any
    state: Any
    action: Int[Array, " unroll"]
    reward: Float[Array, " unroll"]
    value: Float[Array, " unroll_and_one"]
    options: Int[Array, " unroll_and_one options"] | None
    policy: Float[Array, " unroll_and_one options"]
    """0 where there was no search."""
    live: Float[Array, " unroll_and_one"]
    """1 until the last day has ended, 0 after."""


def sample_unrolls(problem: Problem, train: TrainSettings, replay: Ring, key: Key[Array, ""]) -> Unroll:
    """Roots drawn evenly from all steps of the games."""
    games: SearchedGame = replay.items
    counts = newest_steps(replay, jax.vmap(count_steps)(games.played))
    game_key, step_key = jax.random.split(key)
    numbers = jax.random.categorical(game_key, jnp.log(counts.astype(jnp.float32)), shape=(train.batch,))
    draws = jax.random.uniform(step_key, (train.batch,))
    return jax.vmap(lambda number, draw: unroll_of(problem, train, replay.item(number), draw))(numbers, draws)


def unroll_of(problem: Problem, train: TrainSettings, game: SearchedGame, draw: Float[Array, ""]) -> Unroll:
    """A root of a game, by a number from 0 to 1, with what follows it."""
    played, total = game.played, count_steps(game.played)
    action, reward = primitive_steps(played, game.value.shape[0])
    value = value_targets(train, game, reward)
    number = jnp.minimum((draw * total).astype(jnp.int32), total - 1)
    ahead = number + jnp.arange(train.unroll + 1)
    live, at = ahead < total, jnp.minimum(ahead, action.shape[0] - 1)
    day, index = place_of(played, number)
    return Unroll(
        instance=played.instance,
        state=after_picks(problem, played, day, index),
        action=action[at[:-1]],
        reward=reward[at[:-1]],
        value=value[at],
        options=None if game.actions is None else game.actions[at],
        policy=jnp.where(live[:, None], game.policy[at], 0).astype(jnp.float32),
        live=live.astype(jnp.float32),
    )


def primitive_steps(game: Played, max_steps: int) -> tuple[Int[Array, " steps"], Float[Array, " steps"]]:
    """(actions in order, what each earned): a pick what it adds to today's forecast, the end of a day the rest of the
    day's reward; 0 past the last step."""
    number = jnp.arange(max_steps)
    day, index = place_of(game, number)
    gains = gains_of(game.num_picks, game.forecasts)
    ends = index >= game.num_picks[day]
    at = jnp.minimum(index, gains.shape[1] - 1)
    action = jnp.where(ends, game.instance.graph.num_nodes, game.picks[day, at])
    reward = jnp.where(ends, (game.reward - gains.sum(axis=1))[day], gains[day, at])
    return action, jnp.where(number < count_steps(game), reward, 0.0)


def value_targets(train: TrainSettings, game: SearchedGame, reward: Float[Array, " steps"]) -> Float[Array, " steps"]:
    """n-step returns on the values of the search, and on what really followed where there was no search."""
    followed = returns_to_go(reward, count_steps(game.played), train.discount)
    searched = (game.policy > 0).any(axis=1)
    return n_step_returns(reward, jnp.where(searched, game.value, followed), train.bootstrap, train.discount)
