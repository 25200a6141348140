"""Self-play: a batch of episodes under exploration, as games."""

from dataclasses import dataclass
from functools import partial
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int, Key

from lmta.agents.lmta import SEARCHED, Agent
from lmta.devices import map_over_cores
from lmta.model.networks import Lmta
from lmta.problems.base import along_picks, live_day
from lmta.training.game import Game, surplus


@dataclass(frozen=True)
class Episode:
    """Plays one instance under exploration, as a game."""

    agent: Agent

    def __call__(
        self,
        shared: tuple[Lmta, Array],
        instance: Any,
        epsilon: Float[Array, ""],
        instead: Int[Array, ""],
        noise_key: Key[Array, ""],
        play_key: Key[Array, ""],
    ) -> Game:
        """`shared` is the model and how likely an episode strays: keeps to one subgoal, `instead` of searching."""
        model, stray = shared
        agent, problem = self.agent, self.agent.problem
        noise = problem.draw_noise(instance, agent.max_days, noise_key)
        haste_key, play_key = jax.random.split(play_key)
        hastes = _hastes(agent.config.train.haste, agent.max_days, haste_key)

        def day(state, given):
            haste, key = given
            intent_key, pick_key = jax.random.split(key)
            intent = agent.intend(model, instance, state, intent_key, explore=True, instead=instead, haste=haste)
            subgoal, policy = intent.plan.subgoal, intent.plan.policy
            budget, chosen = agent.carry_out(model, instance, state, intent, epsilon, pick_key)
            following, record = live_day(problem, instance, state, noise, chosen)
            kept = {
                "subgoal": subgoal,
                "subgoal_log_prob": jnp.log((1 - stray) * policy[subgoal] + stray / len(policy)),
                "budget": budget,
                "budget_log_prob": jax.nn.log_softmax(intent.budget_logits)[budget],
                "urgency": intent.urgency,
                "haste": haste,
                "picks": record.picks,
                "num_picks": record.num_picks,
                "forecasts": along_picks(
                    problem, instance, state, record.picks, record.num_picks, partial(problem.forecast, instance)
                ),
                "reward": record.reward,
                "policy": policy,
                "value": intent.plan.value,
            }
            return following, (state, kept)

        days = hastes, jax.random.split(play_key, agent.max_days)
        last, (mornings, kept) = jax.lax.scan(day, problem.reset(instance), days)
        mornings = jax.tree.map(lambda days, end: jnp.concatenate([days, end[None]]), mornings, last)
        teaches = (instead == SEARCHED) | agent.config.train.strays_teach
        return Game(instance=instance, mornings=mornings, teaches_budgets=teaches, surplus=jnp.zeros(()), **kept)


def self_play(
    agent: Agent,
    model: Lmta,
    instances: Any,
    epsilon: Float[Array, " games"],
    stray: Float[Array, ""],
    key: Key[Array, ""],
) -> Game:
    """Play every instance of a batch once; those of a group of futures, which are the same, with the same noise.

    A game has a surplus if no pick of it was left to chance, and if it teaches budgets.
    """
    num_games, train = instances.days.shape[0], agent.config.train
    futures = train.futures
    noise_key, play_key, stray_key = jax.random.split(key, 3)
    noise_key = jnp.repeat(jax.random.split(noise_key, num_games // futures), futures)
    play_keys = jax.random.split(play_key, num_games)
    instead = _strays(stray, agent.config.model.subgoals, num_games, stray_key)
    games = map_over_cores(Episode(agent), (model, stray), instances, epsilon, instead, noise_key, play_keys)
    compares = (epsilon == 0) & games.teaches_budgets
    over_others = jnp.where(compares, surplus(games.reward.sum(axis=1), futures, train.surplus_in), 0.0)
    return eqx.tree_at(lambda g: g.surplus, games, over_others)


def _hastes(spread: float, days: int, key: Key[Array, ""]) -> Float[Array, " days"]:
    """How much hastier than learned every day of an episode is: half of the variance is common to all of them.

    What a pace is worth shows when it is kept; on a single day it drowns in noise.
    """
    common_key, own_key = jax.random.split(key)
    return spread * jnp.sqrt(0.5) * (jax.random.normal(common_key) + jax.random.normal(own_key, (days,)))


def _strays(
    probability: Float[Array, ""], num_subgoals: int, num_games: int, key: Key[Array, ""]
) -> Int[Array, " games"]:
    """For each game any subgoal with the given probability, the search's otherwise."""
    whether_key, which_key = jax.random.split(key)
    anyone = jax.random.randint(which_key, (num_games,), 0, num_subgoals)
    return jnp.where(jax.random.bernoulli(whether_key, probability, (num_games,)), anyone, SEARCHED)
