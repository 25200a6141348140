"""Gradient steps of both levels, and all updates of an epoch."""

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import optax
from jaxtyping import Array, Float, Int, Key

from lmta.agents.base import Terms
from lmta.agents.lmta.high import high_loss
from lmta.agents.lmta.networks import HighLevel, LmtaModel, LowLevel
from lmta.agents.lmta.replay import LowBatch, sample_high, sample_low
from lmta.agents.lmta.settings import LmtaSettings
from lmta.nn.optimisers import adam, apply_gradient, averaged
from lmta.nn.q_learning import copied_every, q_loss, q_target
from lmta.nn.replay import Ring
from lmta.problems.base import Problem


class LmtaLearner(eqx.Module):
    """What training changes: the model, the targets, the optimisers and the counts of steps."""

    average: LmtaModel
    """The mean of the latest models, which plays once training is over; without averaging the newest."""
    model: LmtaModel
    low_target: LowLevel
    high_target: HighLevel | None
    """Of variant F."""
    high_optimiser: optax.OptState
    low_optimiser: optax.OptState
    high_steps: Int[Array, ""]
    low_steps: Int[Array, ""]


def make_optimisers(settings: LmtaSettings) -> tuple[optax.GradientTransformation, optax.GradientTransformation]:
    """Clipped Adam for the high level, and for the low level with the subgoals."""
    train, decay = settings.train, settings.departures.rate_decay
    clip = optax.clip_by_global_norm(train.clip)
    return (
        optax.chain(clip, adam(train.high_rate, train.weight_decay, decay)),
        optax.chain(clip, adam(train.low_rate, train.weight_decay, decay / 10)),
    )


def begin(model: LmtaModel, settings: LmtaSettings) -> LmtaLearner:
    """A learner before its first step."""
    high, low = make_optimisers(settings)
    return LmtaLearner(
        average=model,
        model=model,
        low_target=model.low,
        high_target=None if settings.ablation.searches else model.high,
        high_optimiser=high.init(eqx.filter(model.high, eqx.is_array)),
        low_optimiser=low.init(eqx.filter((model.low, model.high.subgoals), eqx.is_array)),
        high_steps=jnp.zeros((), jnp.int32),
        low_steps=jnp.zeros((), jnp.int32),
    )


@eqx.filter_jit(donate="none")
def learn(
    problem: Problem,
    settings: LmtaSettings,
    learner: LmtaLearner,
    replay: Ring,
    epoch: Int[Array, ""],
    key: Key[Array, ""],
) -> tuple[LmtaLearner, Terms]:
    """All updates of an epoch: the high level, then the low level; terms are means over them."""
    train = settings.train
    low_key, high_key = jax.random.split(key)
    arrays, static = eqx.partition(learner, eqx.is_array)

    def high_step(arrays, key):
        unroll_key, step_key = jax.random.split(key)
        batch, steps = sample_high(replay, settings, unroll_key), sample_low(problem, replay, settings, step_key)
        learn_budgets = epoch >= train.warm_up
        after, terms = update_high(eqx.combine(arrays, static), problem, settings, batch, steps, learn_budgets)
        return eqx.filter(after, eqx.is_array), terms

    def low_step(arrays, key):
        batch = sample_low(problem, replay, settings, key)
        after, terms = update_low(eqx.combine(arrays, static), problem, settings, batch)
        return eqx.filter(after, eqx.is_array), terms

    arrays, high_terms = jax.lax.scan(high_step, arrays, jax.random.split(high_key, train.high_updates))
    arrays, low_terms = jax.lax.scan(low_step, arrays, jax.random.split(low_key, train.low_updates))
    terms = jax.tree.map(jnp.mean, high_terms | low_terms)
    return update_average(eqx.combine(arrays, static), settings, epoch), terms


def update_high(
    learner: LmtaLearner, problem: Problem, settings: LmtaSettings, batch: Any, steps: LowBatch, learn_budgets: Any
) -> tuple[LmtaLearner, Terms]:
    """One step of the high level."""
    optimiser, _ = make_optimisers(settings)
    gradient, terms = eqx.filter_grad(high_loss, has_aux=True)(
        learner.model.high, learner.high_target, problem, settings, batch, steps, learn_budgets
    )
    high, state = apply_gradient(optimiser, gradient, learner.high_optimiser, learner.model.high)
    count = learner.high_steps + 1
    target = learner.high_target
    target = None if target is None else copied_every(settings.train.target_every, count, high, target)
    where = lambda a: (a.model.high, a.high_target, a.high_optimiser, a.high_steps)  # noqa: E731
    return eqx.tree_at(where, learner, (high, target, state, count), is_leaf=lambda x: x is None), terms


def low_loss(
    learned: tuple[LowLevel, Float[Array, " subgoals size"]],
    target: LowLevel,
    problem: Problem,
    settings: LmtaSettings,
    batch: LowBatch,
) -> tuple[Float[Array, ""], Terms]:
    """L_LL: the Bellman error of the low level; its gradient reaches the subgoals too.

    The plain network takes the target's maximum under the same subgoal, as in the paper. The others prefer by the
    learning network (double DQN), under the subgoal of the next pick.
    """
    low, subgoals = learned
    plain = low.kind == "plain"

    def one(step: LowBatch):
        z = subgoals[step.subgoal]
        value = low(problem.observe(step.instance, step.state), z, step.picks_left)[step.node]
        next_z = jax.lax.stop_gradient(z if plain else subgoals[step.next_subgoal])
        given = problem.observe(step.instance, step.next_state), next_z, step.next_picks_left
        legal = problem.legal(step.instance, step.next_state)
        following = target(*given)
        preference = following if plain else low(*given)
        bootstraps = step.same_day if settings.departures.q_ends_with_day else step.goes_on
        discount = settings.train.low_discount * bootstraps
        return q_loss(value, q_target(step.reward, discount, following, preference, legal)), value

    error, value = jax.vmap(one)(batch)
    return error.mean(), {"q": error.mean(), "q_value": value.mean()}


def update_low(
    learner: LmtaLearner, problem: Problem, settings: LmtaSettings, batch: LowBatch
) -> tuple[LmtaLearner, Terms]:
    """One step of the low level and of the subgoals; every so often the target becomes a copy."""
    _, optimiser = make_optimisers(settings)
    learned = learner.model.low, learner.model.high.subgoals
    gradient, terms = eqx.filter_grad(low_loss, has_aux=True)(learned, learner.low_target, problem, settings, batch)
    (low, subgoals), state = apply_gradient(optimiser, gradient, learner.low_optimiser, learned)
    count = learner.low_steps + 1
    target = copied_every(settings.train.target_every, count, low, learner.low_target)
    where = lambda a: (a.model.low, a.model.high.subgoals, a.low_target, a.low_optimiser, a.low_steps)  # noqa: E731
    return eqx.tree_at(where, learner, (low, subgoals, target, state, count)), terms


def update_average(learner: LmtaLearner, settings: LmtaSettings, epoch: Int[Array, ""]) -> LmtaLearner:
    """Move the average model toward the model."""
    average = averaged(learner.average, learner.model, settings.departures.averaging, epoch)
    return eqx.tree_at(lambda a: a.average, learner, average)
