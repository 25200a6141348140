"""One epoch: self-play into the replay, then updates of both levels."""

from functools import partial
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Int, Key

from lmta.agents.lmta import Agent
from lmta.training.collect import self_play
from lmta.training.game import Game
from lmta.training.replay import Replay, add, sample_high, sample_low
from lmta.training.update import Learner, Terms, update_average, update_high, update_low


def epsilon(agent: Agent, low_steps: Int[Array, ""]) -> Array:
    """Exploration of the low level: from first to last, shrinking with every gradient step."""
    train = agent.config.train
    return jnp.maximum(train.epsilon_first * train.epsilon_decay**low_steps, train.epsilon_last)


def play_games(agent: Agent, learner: Learner, instances: Any, epoch: Int[Array, ""], key: Key[Array, ""]) -> Game:
    """Self-play of an epoch.

    While warming up the low level explores in every game. Later it does in every other group of futures, so that it
    goes on learning, and not in those between, so that scores there differ by subgoals and budgets alone.
    """
    train = agent.config.train
    warming_up = epoch < train.warm_up
    stray = jnp.where(warming_up, 1.0, train.stray)
    group = jnp.arange(instances.days.shape[0]) // train.futures
    explores = warming_up | (train.futures == 1) | (group % 2 == 1)
    chance = jnp.where(explores, epsilon(agent, learner.low_steps), 0.0)
    return self_play(agent, learner.model, instances, chance, stray, key)


@partial(jax.jit, donate_argnums=0)
def store(replay: Replay, games: Game) -> Replay:
    """Put games into the replay in place."""
    return add(replay, games)


@eqx.filter_jit(donate="none")
def learn(
    agent: Agent, learner: Learner, replay: Replay, epoch: Int[Array, ""], key: Key[Array, ""]
) -> tuple[Learner, Terms]:
    """All updates of an epoch; terms are means over them."""
    problem, config = agent.problem, agent.config
    train = config.train
    low_key, high_key = jax.random.split(key)
    arrays, static = eqx.partition(learner, eqx.is_array)

    def low_step(arrays, key):
        batch = sample_low(problem, replay, config, key)
        after, terms = update_low(eqx.combine(arrays, static), problem, config, batch)
        return eqx.filter(after, eqx.is_array), terms

    def high_step(arrays, key):
        unroll_key, step_key = jax.random.split(key)
        batch = sample_high(replay, config, unroll_key)
        steps = sample_low(problem, replay, config, step_key)
        learn_budget = epoch >= train.warm_up
        after, terms = update_high(eqx.combine(arrays, static), problem, config, batch, steps, learn_budget)
        return eqx.filter(after, eqx.is_array), terms

    arrays, high_terms = jax.lax.scan(high_step, arrays, jax.random.split(high_key, train.high_updates))
    low_terms = {}
    if learner.model.low is not None:
        arrays, low_terms = jax.lax.scan(low_step, arrays, jax.random.split(low_key, train.low_updates))
    terms = jax.tree.map(jnp.mean, high_terms | low_terms)
    return update_average(eqx.combine(arrays, static), config, epoch), terms
