"""Losses and updates of WS-option."""

from typing import TYPE_CHECKING, Any

import equinox as eqx
import jax
import jax.numpy as jnp
import optax
from jaxtyping import Array, Bool, Float, Int, Key

from lmta.agents.base import Terms
from lmta.agents.steps import Played, Step, either, returns_to_go, sample_steps
from lmta.agents.ws_option.networks import BudgetValues, WsOptionModel, condition
from lmta.agents.ws_option.settings import TrainSettings, WsOptionSettings
from lmta.nn.categorical import squash
from lmta.nn.optimisers import adam, apply_gradient, averaged
from lmta.nn.q_learning import copied_every, q_loss, q_target
from lmta.nn.q_network import EndingQNetwork
from lmta.nn.replay import Ring, draw_recent

if TYPE_CHECKING:
    from lmta.agents.ws_option.agent import WsOption


class WsOptionLearner(eqx.Module):
    """What training changes."""

    average: WsOptionModel
    """The mean of the latest weights, which plays once training is over."""
    model: WsOptionModel
    low_target: EndingQNetwork
    high_optimiser: optax.OptState
    low_optimiser: optax.OptState
    low_steps: Int[Array, ""]


class Decision(eqx.Module):
    """A decision of the high level (or a batch), and what followed it."""

    instance: Any
    state: Any
    budget: Int[Array, ""]
    returned: Float[Array, ""]


def make_optimisers(settings: WsOptionSettings) -> tuple[optax.GradientTransformation, optax.GradientTransformation]:
    """Clipped Adam for each level."""
    train = settings.train
    clip = optax.clip_by_global_norm(train.clip)
    make = lambda rate: optax.chain(clip, adam(rate, train.weight_decay, train.rate_decay))  # noqa: E731
    return make(train.high_rate), make(train.low_rate)


def sleeps(train: TrainSettings, epoch: Int[Array, ""]) -> Bool[Array, ""]:
    """Whether the high level rests in the updates of an epoch, counted from 0. It begins to learn in those after the
    last epoch with average budgets, so that it has learned something when it first decides."""
    return epoch + 1 < train.sleep


def sample_decisions(replay: Ring, settings: WsOptionSettings, key: Key[Array, ""]) -> Decision:
    """Decisions drawn evenly from the newest games, with the rewards that followed."""
    train = settings.train
    game_key, day_key = jax.random.split(key)
    numbers = draw_recent(replay, train.recent_games, train.high_batch, game_key)
    draws = jax.random.uniform(day_key, (train.high_batch,))

    def one(number, draw):
        game: Played = replay.item(number)
        days = game.instance.days
        day = jnp.minimum((draw * days).astype(jnp.int32), days - 1)
        state = jax.tree.map(lambda leaf: leaf[day], game.states)
        return Decision(game.instance, state, game.budget[day], returns_to_go(game.reward, days, 1.0)[day])

    return jax.vmap(one)(numbers, draws)


def high_loss(high: BudgetValues, agent: "WsOption", batch: Decision) -> tuple[Float[Array, ""], Terms]:
    """(Q(s, k) - G)² on Monte-Carlo returns, in squashed units: no bootstrap, so errors below do not spread."""

    def one(decision: Decision):
        seen = agent.problem.observe(decision.instance, decision.state)
        days_left = decision.instance.days - decision.state.day
        value = high(seen, decision.state.budget_left, days_left, decision.budget[None])[0]
        return (value - squash(decision.returned)) ** 2

    error = jax.vmap(one)(batch).mean()
    return error, {"budget_value": error}


def low_loss(
    low: EndingQNetwork, target: EndingQNetwork, agent: "WsOption", batch: Step
) -> tuple[Float[Array, ""], Terms]:
    """The squared Bellman error of double DQN over picks and ends of days."""

    def one(step: Step):
        value = low(agent.problem.observe(step.instance, step.state), condition(step.picks_left))[step.action]
        given = agent.problem.observe(step.instance, step.next_state), condition(step.next_picks_left)
        legal = agent.legal(step.instance, step.next_state, step.next_picks_left)
        discount = agent.settings.train.discount * step.goes_on
        return q_loss(value, q_target(step.reward, discount, target(*given), low(*given), legal)), value

    error, value = jax.vmap(one)(batch)
    return error.mean(), {"q": error.mean(), "q_value": value.mean()}


@eqx.filter_jit(donate="none")
def learn(
    agent: "WsOption", learner: WsOptionLearner, replay: Ring, epoch: Int[Array, ""], key: Key[Array, ""]
) -> tuple[WsOptionLearner, Terms]:
    """The low level, then the high level unless it sleeps; terms are means."""
    train = agent.settings.train
    high_optimiser, low_optimiser = make_optimisers(agent.settings)
    low_key, high_key = jax.random.split(key)
    asleep = sleeps(train, epoch)
    learner = eqx.tree_at(lambda a: a.model.awake, learner, ~asleep)
    arrays, static = eqx.partition(learner, eqx.is_array)

    def low_step(arrays, key):
        now = eqx.combine(arrays, static)
        batch = sample_steps(agent.problem, replay, train.steps, train.low_batch, key)
        gradient, terms = eqx.filter_grad(low_loss, has_aux=True)(now.model.low, now.low_target, agent, batch)
        low, state = apply_gradient(low_optimiser, gradient, now.low_optimiser, now.model.low)
        count = now.low_steps + 1
        target = copied_every(train.target_every, count, low, now.low_target)
        where = lambda a: (a.model.low, a.low_target, a.low_optimiser, a.low_steps)  # noqa: E731
        return eqx.filter(eqx.tree_at(where, now, (low, target, state, count)), eqx.is_array), terms

    def high_step(arrays, key):
        now = eqx.combine(arrays, static)
        batch = sample_decisions(replay, agent.settings, key)
        gradient, terms = eqx.filter_grad(high_loss, has_aux=True)(now.model.high, agent, batch)
        high, state = apply_gradient(high_optimiser, gradient, now.high_optimiser, now.model.high)
        after = eqx.tree_at(lambda a: (a.model.high, a.high_optimiser), now, (high, state))
        return either(asleep, arrays, eqx.filter(after, eqx.is_array)), terms

    arrays, low_terms = jax.lax.scan(low_step, arrays, jax.random.split(low_key, train.low_updates))
    arrays, high_terms = jax.lax.scan(high_step, arrays, jax.random.split(high_key, train.high_updates))
    after = eqx.combine(arrays, static)
    levels = lambda model: (model.high, model.low)  # noqa: E731
    mean = averaged(levels(after.average), levels(after.model), train.averaging, epoch)
    average = eqx.tree_at(levels, after.model, mean)
    return eqx.tree_at(lambda a: a.average, after, average), jax.tree.map(jnp.mean, low_terms | high_terms)
