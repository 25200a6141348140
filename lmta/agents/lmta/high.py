"""The objective of the high level: L_MuZero + λ_mts L_unified + λ_bud L_budget (App. G), and its terms."""

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Real

from lmta.agents.base import Terms
from lmta.agents.lmta import losses
from lmta.agents.lmta.networks import HighLevel, chordal, first_biases
from lmta.agents.lmta.replay import HighBatch, LowBatch
from lmta.agents.lmta.settings import LmtaSettings
from lmta.nn.categorical import squash, unsquash
from lmta.nn.discrete import entropy
from lmta.problems.base import Problem
from lmta.sparse import first_best

ANCHOR = 4.0
"""How strongly tilts are drawn to where biased subgoals have them."""

Latents = Float[Array, " batch latent"]


def high_loss(
    high: HighLevel,
    target: HighLevel | None,
    problem: Problem,
    settings: LmtaSettings,
    batch: HighBatch,
    steps: LowBatch,
    learn_budgets: Any,
) -> tuple[Float[Array, ""], Terms]:
    """The combined objective and its terms; `target` is the target network of variant F."""
    weights, departures, ablation = settings.loss, settings.departures, settings.ablation
    latents = _encode(high, problem, batch.instance, batch.state)
    terms = _muzero_terms(high, problem, latents, batch)
    if target is not None:
        terms["policy"] = _subgoal_q_loss(high, target, problem, settings, latents, batch)
    muzero = weights.policy * terms["policy"] + weights.value * terms["value"] + weights.reward * terms["reward"]
    muzero += departures.consistency * terms["consistency"]
    terms |= _geometry_terms(high, problem, settings, latents, batch, steps)
    kept = {"cap": "pull", "push": "push", "order": "order"}
    unified = sum(getattr(weights, name) * terms[name] for name, word in kept.items() if word not in ablation.without)
    unified += weights.margin * terms["margin"] + departures.order_of_intents * terms["order_of_intents"]
    terms |= _budget_terms(high, settings, latents, batch)
    actor = weights.budget_actor * terms["budget_actor"] - weights.entropy * terms["budget_entropy"]
    actor += ANCHOR * (departures.subgoal_bias > 0) * terms["anchor"]
    budget = weights.budget_critic * terms["budget_critic"] + jnp.where(learn_budgets, actor, 0.0)
    return muzero + weights.mts * ablation.has_mts * unified + weights.budget * budget, terms


def _mean_where(mask: Bool[Array, " batch"], values: Float[Array, " batch"]) -> Float[Array, ""]:
    """The mean of the values that count; 0 where none does."""
    return jnp.where(mask, values, 0.0).sum() / jnp.maximum(mask.sum(), 1)


def _encode(high: HighLevel, problem: Problem, instances: Any, states: Any) -> Latents:
    return jax.vmap(lambda i, s: high.encoder(problem.observe(i, s)))(instances, states)


def _muzero_terms(high: HighLevel, problem: Problem, latents: Latents, batch: HighBatch) -> Terms:
    """Policy, value, reward and consistency along the unroll h⁰ = h(s_k), hᵘ⁺¹ = g(hᵘ, z_{k+u})."""
    each_step = jax.vmap(lambda states: _encode(high, problem, batch.instance, states), in_axes=1, out_axes=1)
    encoded = each_step(batch.next_states)

    def unroll(latent, encoded, subgoal, budget, reward, policy, value, teaches_values, live):
        def step(h, inputs):
            encoded, subgoal, budget, reward, policy, value, teaches_value, live = inputs
            logits, predicted = high.predict(h)
            following, reward_logits = high.step(h, high.subgoals[subgoal], budget)
            terms = (
                live * losses.policy_loss(logits, policy),
                teaches_value * losses.value_loss(predicted, value),
                live * losses.reward_loss(reward_logits, reward, high.support),
                live * losses.consistency_loss(following, encoded),
            )
            return following, terms

        inputs = (encoded, subgoal, budget, reward, policy[:-1], value[:-1], teaches_values[:-1], live[:-1])
        last, (policies, values, rewards, distances) = jax.lax.scan(step, latent, inputs)
        logits, predicted = high.predict(last)
        end_policy = live[-1] * losses.policy_loss(logits, policy[-1])
        end_value = teaches_values[-1] * losses.value_loss(predicted, value[-1])
        return policies.sum() + end_policy, values.sum() + end_value, rewards.sum(), distances.sum()

    policy, value, reward, consistency = jax.vmap(unroll)(
        latents,
        encoded,
        batch.subgoal,
        batch.budget,
        batch.reward,
        batch.policy,
        batch.value,
        batch.teaches_values,
        batch.live,
    )
    return {
        "policy": policy.mean(),
        "value": value.sum() / jnp.maximum(batch.teaches_values.mean(axis=1).sum(), 1.0),
        "reward": _mean_where(batch.teaches_model, reward),
        "consistency": _mean_where(batch.teaches_model, consistency),
    }


def _subgoal_q_loss(
    high: HighLevel, target: HighLevel, problem: Problem, settings: LmtaSettings, latents: Latents, batch: HighBatch
) -> Float[Array, ""]:
    """Variant F: (Q(h, z) - (R + γ max Q'(h(s⁺))))², in squashed units; the policy head gives Q."""
    chosen = jax.vmap(lambda h, z: high.predict(h)[0][z])(latents, batch.subgoal[:, 0])
    following = _encode(target, problem, batch.instance, jax.tree.map(lambda leaf: leaf[:, 0], batch.next_states))
    best = jax.vmap(lambda h: unsquash(target.predict(h)[0]).max())(following)
    wanted = batch.reward[:, 0] + settings.search.discount * batch.live[:, 1] * best
    return jnp.mean((chosen - squash(jax.lax.stop_gradient(wanted))) ** 2)


def _geometry_terms(
    high: HighLevel, problem: Problem, settings: LmtaSettings, latents: Latents, batch: HighBatch, steps: LowBatch
) -> Terms:
    """Pull on primitive steps, push on macro steps, order on pairs, and the size of the margins."""
    here = _encode(high, problem, steps.instance, steps.state)
    there = _encode(high, problem, steps.instance, steps.after)
    cap = jax.vmap(lambda u, v: losses.cap_loss(chordal(u, v), settings.loss.cap_distance))(here, there)
    margins = high.margins(fixed_margin(settings, batch.instance))
    subgoal = batch.subgoal[:, 0]
    following, _ = jax.vmap(high.step)(latents, high.subgoals[subgoal], batch.budget[:, 0])
    distance = jax.vmap(chordal)(latents, following)
    days_left = batch.instance.days - batch.state.day
    intents = jax.vmap(lambda h, left, days: _order_of_intents(high, settings, margins, h, left, days))
    by_intent = jnp.zeros(())
    if settings.departures.order_of_intents > 0:
        by_intent = intents(latents, batch.state.budget_left, days_left).mean()
    return {
        "cap": cap.mean(),
        "push": jax.vmap(losses.push_loss)(margins[subgoal], distance).mean(),
        "order": _order_over_pairs(distance + margins[subgoal], batch.duration),
        "order_of_intents": by_intent,
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
    settings: LmtaSettings,
    margins: Float[Array, " subgoals"],
    latent: Float[Array, " latent"],
    left: Any,
    days_left: Any,
) -> Float[Array, ""]:
    """The order loss over the subgoals of one state, with the budgets they would get in place of durations.

    Search executes a few subgoals only, so executed durations say nothing of the others. Scores are to differ by κ a
    step, as far as a step may move the latent: with a gap of 1 for every pair the margins of half of them end at 0.
    """
    logits, _ = high.all_budgets(latent, left, days_left)
    budgets = jax.lax.stop_gradient(jax.nn.softmax(logits)) @ jnp.arange(logits.shape[1], dtype=jnp.float32)
    following, _ = jax.vmap(high.step, (None, 0, 0))(latent, high.subgoals, budgets)
    distance = jax.vmap(chordal, (None, 0))(latent, following)
    return _order_over_pairs(distance + margins, budgets, settings.loss.cap_distance)


def fixed_margin(settings: LmtaSettings, instances: Any) -> Float[Array, ""]:
    """The margin of variant D, without learned margins: the average budget a day times κ."""
    return settings.loss.cap_distance * jnp.mean(instances.budget / instances.days)


def _budget_terms(high: HighLevel, settings: LmtaSettings, latents: Latents, batch: HighBatch) -> Terms:
    """Critic, actor and entropy on Ĝ = R_k + γ V_{k+1}, and what draws tilts to where they began.

    V_{k+1} is what the value of the next decision is fitted to: v^TS(s_{k+1}) in the paper. The advantage is Ĝ - V in
    the critic's squashed units, or the game's leave-one-out advantage, scaled over the batch so that the entropy bonus
    weighs alike.
    """
    target = batch.reward[:, 0] + settings.search.discount * batch.value[:, 1]
    embedding = high.subgoals[batch.subgoal[:, 0]]
    days_left = batch.instance.days - batch.state.day
    logits, _ = jax.vmap(high.budgets)(latents, batch.subgoal[:, 0], batch.state.budget_left, days_left)
    value = jax.vmap(high.critic)(latents, embedding)
    if settings.departures.group_size == 1:
        advantage = squash(target) - value
        actor = jax.vmap(losses.actor_loss)(logits, batch.budget[:, 0], advantage)
    else:
        advantage = batch.advantage / (jnp.sqrt(jnp.mean(batch.advantage**2)) + 1e-3)
        actor = jax.vmap(losses.corrected_actor_loss)(logits, batch.budget[:, 0], advantage, batch.budget_log_prob)
    critic = jax.vmap(losses.critic_loss)(value, target)
    return {
        "budget_actor": jnp.where(batch.teaches_budgets, actor, 0.0).mean(),
        "budget_critic": _mean_where(batch.teaches_values[:, 1], critic),
        "budget_entropy": jax.vmap(entropy)(logits).mean(),
        "anchor": _mean_where(batch.teaches_budgets, _anchors(high, settings, latents, batch)),
    }


def _anchors(high: HighLevel, settings: LmtaSettings, latents: Latents, batch: HighBatch) -> Float[Array, " batch"]:
    if settings.departures.subgoal_bias == 0:
        return jnp.zeros(latents.shape[0])
    biases = first_biases(settings)

    def one(latent, policy, left, days_left):
        _, tilts = high.all_budgets(latent, left, days_left)
        return losses.anchor_loss(tilts, biases, first_best(policy))

    days_left = batch.instance.days - batch.state.day
    return jax.vmap(one)(latents, batch.policy[:, 0], batch.state.budget_left, days_left)
