"""One gradient step of the high level and of the low level."""

from functools import partial
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import optax
from jaxtyping import Array, Float, Int, Real

from lmta.config import Config, TrainConfig
from lmta.model.networks import HighLevel, Lmta, QNetwork, chordal, first_ambitions
from lmta.nn.categorical import unsquash
from lmta.problems.base import Problem
from lmta.sparse import first_best
from lmta.training import losses
from lmta.training.replay import HighBatch, LowBatch

Terms = dict[str, Float[Array, ""]]


class Learner(eqx.Module):
    """What training changes: the model, the target of its low level, the optimisers and the count of steps."""

    average: Lmta
    """The mean of the latest models: steadier than any one of them, and what plays once training is over."""
    model: Lmta
    low_target: QNetwork | None
    high_optimiser: optax.OptState
    low_optimiser: optax.OptState
    low_steps: Int[Array, ""]


def make_optimisers(config: Config) -> tuple[optax.GradientTransformation, optax.GradientTransformation]:
    """Adam with clipping and weight decay beside the gradient, for the high and the low level.

    Inside the gradient, Adam would blow the decay of a head that rests up to whole steps. It does so with noise too:
    where a policy gradient says nothing yet, a budget policy with the rate of its critic wanders off.
    """
    train = config.train

    def adam(rate: float, decay: float) -> optax.GradientTransformation:
        schedule = lambda step: rate / jnp.sqrt(1 + decay * step)  # noqa: E731
        return optax.adamw(schedule, weight_decay=train.weight_decay)

    clip = optax.clip_by_global_norm(train.clip)
    by_part = optax.partition(
        {
            "budget": adam(train.budget_rate, train.budget_decay),
            "rest": adam(train.high_rate, train.high_decay),
        },
        _part_of_high,
    )
    return optax.chain(clip, by_part), optax.chain(clip, adam(train.low_rate, train.low_decay))


def _part_of_high(high: Any) -> Any:
    """Which rate each weight of the high level learns at."""
    rest = jax.tree.map(lambda _: "rest", high)
    return eqx.tree_at(
        lambda h: (h.budget.policy, h.budget.ambition),
        rest,
        jax.tree.map(lambda _: "budget", (high.budget.policy, high.budget.ambition)),
    )


def make_learner(model: Lmta, config: Config) -> Learner:
    """A learner at the beginning."""
    high, low = make_optimisers(config)
    return Learner(
        average=model,
        model=model,
        low_target=model.low,
        high_optimiser=high.init(eqx.filter(model.high, eqx.is_array)),
        low_optimiser=low.init(eqx.filter(model.low, eqx.is_array)),
        low_steps=jnp.zeros((), jnp.int32),
    )


def high_loss(
    high: HighLevel, problem: Problem, config: Config, batch: HighBatch, steps: LowBatch, learn_budget: Any
) -> tuple[Float[Array, ""], Terms]:
    """The combined objective L_MuZero + λ_mts L_unified + λ_bud L_budget, and its terms."""
    weights = config.loss
    latents = _encode(high, problem, batch.instance, batch.state)
    terms = _muzero_terms(high, problem, latents, batch)
    if config.search.planner == "model-free":
        terms["policy"] = _subgoal_actor(high, config, latents, batch)
    terms |= _geometry_terms(high, problem, config, latents, batch, steps)
    terms |= _budget_terms(high, config, latents, batch)
    muzero = weights.policy * terms["policy"] + weights.value * terms["value"] + weights.reward * terms["reward"]
    muzero += weights.dynamics * terms["dynamics"]
    unified = weights.cap * terms["cap"] + weights.push * terms["push"] + weights.order * terms["order"]
    unified += weights.order_intended * terms["order_intended"] + weights.margin * terms["margin"]
    actor = weights.budget_actor * terms["budget_actor"] - weights.entropy * terms["budget_entropy"]
    actor += weights.urgency * terms["urgency"] + weights.ambition * terms["ambition"]
    budget = weights.budget_critic * terms["budget_critic"] + jnp.where(learn_budget, actor, 0.0)
    return muzero + weights.mts * unified + weights.budget * budget, terms


def _encode(high: HighLevel, problem: Problem, instances: Any, states: Any) -> Float[Array, " batch latent"]:
    return jax.vmap(lambda i, s: high.encoder(problem.observe(i, s)))(instances, states)


def _muzero_terms(high: HighLevel, problem: Problem, latents: Float[Array, " batch latent"], batch: HighBatch) -> Terms:
    """Policy, value, reward and dynamics losses along the unroll h⁰ = h(s_k), hᵘ⁺¹ = g(hᵘ, z_{k+u})."""
    each_morning = jax.vmap(lambda states: _encode(high, problem, batch.instance, states), in_axes=1, out_axes=1)
    encoded = each_morning(batch.next_states)

    def unroll(latent, encoded, subgoal, reward, policy, value, live):
        def step(h, inputs):
            encoded, subgoal, reward, policy, value, live = inputs
            logits, predicted = high.prediction(h)
            following, reward_logits = high.step(h, subgoal)
            terms = (
                live * losses.policy_loss(logits, policy),
                losses.value_loss(predicted, value),
                live * losses.reward_loss(reward_logits, reward, high.support),
                live * losses.dynamics_loss(following, encoded),
            )
            return following, terms

        inputs = (encoded, subgoal, reward, policy[:-1], value[:-1], live[:-1])
        last, (policies, values, rewards, distances) = jax.lax.scan(step, latent, inputs)
        logits, predicted = high.prediction(last)
        end_policy = live[-1] * losses.policy_loss(logits, policy[-1])
        end_value = losses.value_loss(predicted, value[-1])
        return policies.sum() + end_policy, values.sum() + end_value, rewards.sum(), distances.sum()

    terms = jax.vmap(unroll)(latents, encoded, batch.subgoal, batch.reward, batch.policy, batch.value, batch.live)
    return dict(zip(("policy", "value", "reward", "dynamics"), (term.mean() for term in terms), strict=True))


def _geometry_terms(
    high: HighLevel,
    problem: Problem,
    config: Config,
    latents: Float[Array, " batch latent"],
    batch: HighBatch,
    steps: LowBatch,
) -> Terms:
    """Pull on primitive steps, push on macro steps, order on pairs, and the size of the margins."""
    here = _encode(high, problem, steps.instance, steps.state)
    there = _encode(high, problem, steps.instance, steps.next_state)
    cap = jax.vmap(lambda u, v: losses.cap_loss(chordal(u, v), config.loss.cap_distance))(here, there)
    margins = high.margins(fixed_margin(config, batch.instance))
    subgoal = batch.subgoal[:, 0]
    following, _ = jax.vmap(high.step)(latents, subgoal)
    distance = jax.vmap(chordal)(latents, following)
    days_left = batch.instance.days - batch.state.day
    intended = jax.vmap(lambda h, left, days: _order_of_intents(high, config, margins, h, left, days))
    return {
        "cap": cap.mean(),
        "push": jax.vmap(losses.push_loss)(margins[subgoal], distance).mean(),
        "order": _order_over_pairs(distance + margins[subgoal], batch.duration),
        "order_intended": intended(latents, batch.state.budget_left, days_left).mean(),
        "margin": losses.margin_loss(margins),
    }


def _order_over_pairs(
    score: Float[Array, " items"], duration: Real[Array, " items"], per_step: float | None = None
) -> Float[Array, ""]:
    """The mean order loss over all pairs of different items."""
    loss = partial(losses.order_loss, per_step=per_step)
    order = jax.vmap(jax.vmap(loss, (None, 0, None, 0)), (0, None, 0, None))(score, score, duration, duration)
    size = order.shape[0]
    return (order.sum() - jnp.trace(order)) / max(1, size * (size - 1))


def _order_of_intents(
    high: HighLevel,
    config: Config,
    margins: Float[Array, " subgoals"],
    latent: Float[Array, " latent"],
    left: Any,
    days_left: Any,
) -> Float[Array, ""]:
    """The order loss over the subgoals of one state, with the budgets they would get in place of durations.

    Search executes a few subgoals only, so executed durations say nothing of the others. Scores are to differ by κ a
    step, as far as a step may move the latent: with a gap of 1 for every pair the margins of half of them end at 0.
    """
    logits, _, _ = jax.vmap(high.budget, (None, 0, None, None))(latent, high.subgoals, left, days_left)
    budgets = jax.lax.stop_gradient(jax.nn.softmax(logits)) @ jnp.arange(logits.shape[1], dtype=jnp.float32)
    following, _ = jax.vmap(high.dynamics, (None, 0))(latent, high.subgoals)
    distance = jax.vmap(chordal, (None, 0))(latent, following)
    return _order_over_pairs(distance + margins, budgets, config.loss.cap_distance)


def fixed_margin(config: Config, instances: Any) -> Float[Array, ""]:
    """The margin of the ablation without learned margins: the average budget a day times κ."""
    return config.loss.cap_distance * jnp.mean(instances.budget / instances.days)


def _subgoal_actor(
    high: HighLevel, config: Config, latents: Float[Array, " batch latent"], batch: HighBatch
) -> Float[Array, ""]:
    """The policy gradient of the high level without search (ablation F): like the budget's, on the same targets."""
    logits, value = jax.vmap(high.prediction)(latents)
    advantage = _advantage(config, batch, value)
    actor = jax.vmap(losses.actor_loss)(logits, batch.subgoal[:, 0], advantage, batch.subgoal_log_prob)
    return (actor - config.loss.entropy * jax.vmap(losses.entropy)(logits)).mean()


def _decision_target(config: Config, batch: HighBatch) -> Float[Array, " batch"]:
    """Ĝ = R_k + γ V_{k+1}, where V_{k+1} is what the value of the next decision is fitted to.

    With `value_steps` 0 that is v^TS(s_{k+1}), as in the paper.
    """
    return batch.reward[:, 0] + config.search.discount * batch.next_value


def _advantage(config: Config, batch: HighBatch, squashed: Float[Array, " batch"]) -> Float[Array, " batch"]:
    """What a decision was worth beyond expectation, scaled over the batch so that the entropy bonus weighs alike.

    That is Ĝ - V as in the paper, or the surplus of its game over others with the same noise, where there are others.
    """
    critic = _decision_target(config, batch) - unsquash(squashed)
    advantage = critic if config.train.futures == 1 else batch.surplus
    return advantage / (jnp.sqrt(jnp.mean(advantage**2)) + 1e-3)


def _budget_terms(high: HighLevel, config: Config, latents: Float[Array, " batch latent"], batch: HighBatch) -> Terms:
    """Actor, critic and entropy on Ĝ, and what draws paces to where they began."""
    target = _decision_target(config, batch)
    embedding = high.subgoals[batch.subgoal[:, 0]]
    days_left = batch.instance.days - batch.state.day
    logits, urgency, value = jax.vmap(high.budget)(latents, embedding, batch.state.budget_left, days_left)
    advantage, spread = _advantage(config, batch, value), config.train.haste
    if spread > 0:
        pace_loss = jax.vmap(losses.pace_loss, (0, 0, 0, None, 0))
        actor = pace_loss(urgency, batch.urgency, batch.haste, spread, advantage)
    else:
        actor = jax.vmap(losses.actor_loss)(logits, batch.budget, advantage, batch.budget_log_prob)
    return {
        "budget_actor": actor.mean(),
        "budget_critic": jax.vmap(losses.critic_loss)(value, target).mean(),
        "budget_entropy": jax.vmap(losses.entropy)(logits).mean(),
        "urgency": jnp.where(batch.teaches_budgets, urgency**2, 0.0).mean(),
        "ambition": jnp.where(batch.teaches_budgets, _ambition_terms(high, config, latents, batch), 0.0).mean(),
    }


def _ambition_terms(
    high: HighLevel, config: Config, latents: Float[Array, " batch latent"], batch: HighBatch
) -> Float[Array, " batch"]:
    ambitions = first_ambitions(config.model)

    def one(latent, policy, left, days_left):
        _, urgencies, _ = jax.vmap(lambda z: high.budget(latent, z, left, days_left))(high.subgoals)
        return losses.ambition_loss(urgencies, ambitions, first_best(policy))

    days_left = batch.instance.days - batch.state.day
    return jax.vmap(one)(latents, batch.policy[:, 0], batch.state.budget_left, days_left)


def low_loss(
    low: QNetwork,
    target: QNetwork,
    subgoals: Float[Array, " subgoals size"],
    problem: Problem,
    config: TrainConfig,
    batch: LowBatch,
) -> tuple[Float[Array, ""], Terms]:
    """The Bellman error of the low level; a' is the target network's best, or the learning network's (double DQN)."""

    def one(step: LowBatch):
        value = low(problem.observe(step.instance, step.state), subgoals[step.subgoal], step.picks_left)[step.node]
        seen = problem.observe(step.instance, step.bootstrap_state)
        given = seen, subgoals[step.bootstrap_subgoal], step.bootstrap_picks_left
        legal = problem.legal(step.instance, step.bootstrap_state)
        following = target(*given)
        preference = low(*given) if config.double_q else following
        discount = step.goes_on * config.low_discount**config.low_steps
        return losses.q_loss(value, losses.q_target(step.reward, discount, following, preference, legal)), value

    error, value = jax.vmap(one)(batch)
    return error.mean(), {"q": error.mean(), "q_value": value.mean()}


def update_high(
    learner: Learner, problem: Problem, config: Config, batch: HighBatch, steps: LowBatch, learn_budget: Any
) -> tuple[Learner, Terms]:
    """One step of the high level."""
    optimiser, _ = make_optimisers(config)
    gradient, terms = eqx.filter_grad(high_loss, has_aux=True)(
        learner.model.high, problem, config, batch, steps, learn_budget
    )
    high, state = _apply(optimiser, gradient, learner.high_optimiser, learner.model.high)
    return eqx.tree_at(lambda a: (a.model.high, a.high_optimiser), learner, (high, state)), terms


def update_low(learner: Learner, problem: Problem, config: Config, batch: LowBatch) -> tuple[Learner, Terms]:
    """One step of the low level; every so often the target becomes a copy of it."""
    assert learner.model.low is not None and learner.low_target is not None
    _, optimiser = make_optimisers(config)
    gradient, terms = eqx.filter_grad(low_loss, has_aux=True)(
        learner.model.low,
        learner.low_target,
        learner.model.high.subgoals,
        problem,
        config.train,
        batch,
    )
    low, state = _apply(optimiser, gradient, learner.low_optimiser, learner.model.low)
    steps = learner.low_steps + 1
    copy = steps % config.train.target_every == 0
    fresh, rest = eqx.partition(low, eqx.is_array)
    stale = eqx.filter(learner.low_target, eqx.is_array)
    target = eqx.combine(jax.tree.map(lambda new, old: jnp.where(copy, new, old), fresh, stale), rest)
    where = lambda a: (a.model.low, a.low_target, a.low_optimiser, a.low_steps)  # noqa: E731
    return eqx.tree_at(where, learner, (low, target, state, steps)), terms


def update_average(learner: Learner, config: Config, epoch: Int[Array, ""]) -> Learner:
    """Move the average model toward the model: at first the mean of all epochs, then one that forgets."""
    keep = jnp.minimum(config.train.averaging, epoch / (epoch + 1))
    fresh, rest = eqx.partition(learner.model, eqx.is_array)
    average = eqx.filter(learner.average, eqx.is_array)
    mixed = jax.tree.map(lambda old, new: keep * old + (1 - keep) * new, average, fresh)
    return eqx.tree_at(lambda a: a.average, learner, eqx.combine(mixed, rest))


def _apply(optimiser: optax.GradientTransformation, gradient: Any, state: Any, module: Any) -> tuple[Any, Any]:
    updates, state = optimiser.update(gradient, state, eqx.filter(module, eqx.is_array))
    return eqx.apply_updates(module, updates), state
