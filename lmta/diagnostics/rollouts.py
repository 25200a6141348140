"""Episodes as the agent plays them, and subgoals forced at given states: all that the measurements are made on."""

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int, Key

from lmta.agents.lmta import Agent, Intent
from lmta.model.networks import Lmta, chordal
from lmta.nn.categorical import unsquash
from lmta.problems.base import along_picks, live_day, pick_in_order
from lmta.training.game import macro_reward, step_rewards


class Rollouts(eqx.Module):
    """Episodes, with leading axes episode and day; values and rewards in true units."""

    mornings: Any
    """States before each day, and after the last."""
    latents: Float[Array, " episodes days_and_one latent"]
    """h(s) of each of them."""
    subgoal: Int[Array, " episodes days"]
    budget: Int[Array, " episodes days"]
    picks: Int[Array, " episodes days max_picks"]
    num_picks: Int[Array, " episodes days"]
    """Executed durations τ."""
    reward: Float[Array, " episodes days"]
    macro_reward: Float[Array, " episodes days"]
    """R_k, with the primitive-time discount inside."""
    pick_reward: Float[Array, " episodes days max_picks"]
    q_value: Float[Array, " episodes days max_picks"]
    """What the low level expected of each pick."""
    step_distance: Float[Array, " episodes days max_picks"]
    """d(h(s'_t), h(s'_{t+1})) of each pick; the last of a day leads to the next morning."""
    model_distance: Float[Array, " episodes days"]
    """d(h(s), g(h(s), z)) of the chosen subgoal."""
    search_value: Float[Array, " episodes days"]
    value: Float[Array, " episodes days"]
    """V(h(s)) of the value head …"""
    model_value: Float[Array, " episodes days"]
    """… and V(g(h(s), z)); 0 past the last day, as in search."""
    unroll_error: Float[Array, " episodes days depths"]
    """d(gᵏ(h(s), z…), h(s_{+k})) along the subgoals played, k = 1, 2, …; NaN where the episode is over."""


class Executions(eqx.Module):
    """Every subgoal forced at a state (or at a batch of states), each for several runs."""

    duration: Int[Array, " subgoals runs"]
    reward: Float[Array, " subgoals runs"]
    """The macro reward R."""
    model_error: Float[Array, " subgoals runs"]
    """d(g(h(s), z), h(s⁺))."""
    chord: Float[Array, " subgoals runs"]
    """d(h(s), h(s⁺))."""
    next_value: Float[Array, " subgoals runs"]
    """V(h(s⁺)) of the value head, 0 after the last day."""
    distance: Float[Array, " subgoals"]
    """d(h(s), g(h(s), z))."""
    predicted_reward: Float[Array, " subgoals"]
    expected_budget: Float[Array, " subgoals"]
    """The mean of the budget policy b_ψ(· | h(s), z)."""


@eqx.filter_jit
def roll_out(agent: Agent, model: Lmta, instances: Any, noise: Any, key: Key[Array, ""], explore: bool) -> Rollouts:
    """Play every instance once with its noise."""
    problem, high = agent.problem, model.high
    encode = jax.vmap(lambda i, s: high.encoder(problem.observe(i, s)))

    def day(states, key):
        keys = jax.random.split(key, instances.days.shape[0])
        intend = lambda one: agent.intend(model, *one, explore=explore)  # noqa: E731
        intent = jax.lax.map(intend, (instances, states, keys))
        inputs = (instances, states, noise, intent)
        following, played = jax.lax.map(lambda one: _played_day(agent, model, *one), inputs)
        return following, (states, played | {"search_value": intent.plan.value})

    first = jax.vmap(problem.reset)(instances)
    last, (mornings, played) = jax.lax.scan(day, first, jax.random.split(key, agent.max_days))
    mornings = jax.tree.map(lambda days, end: jnp.concatenate([days, end[None]]), mornings, last)
    latents = jax.lax.map(lambda states: encode(instances, states), mornings)
    mornings, played, latents = jax.tree.map(lambda leaf: jnp.swapaxes(leaf, 0, 1), (mornings, played, latents))
    forecasts = played.pop("forecasts")
    predict = jax.vmap(jax.vmap(high.step))
    modelled, _ = predict(latents[:, :-1], played["subgoal"])
    value = lambda h: unsquash(high.prediction(h)[1])  # noqa: E731
    goes_on = jnp.arange(agent.max_days) + 1 < instances.days[:, None]
    return Rollouts(
        mornings=mornings,
        latents=latents,
        pick_reward=jax.vmap(step_rewards)(played["num_picks"], forecasts, played["reward"]),
        model_distance=jax.vmap(jax.vmap(chordal))(latents[:, :-1], modelled),
        value=jax.vmap(jax.vmap(value))(latents[:, :-1]),
        model_value=jnp.where(goes_on, jax.vmap(jax.vmap(value))(modelled), 0.0),
        unroll_error=jax.vmap(lambda h, z: _unroll_errors(model, h, z))(latents, played["subgoal"]),
        **played,
    )


def _played_day(
    agent: Agent, model: Lmta, instance: Any, state: Any, noise: Any, intent: Intent
) -> tuple[Any, dict[str, Array]]:
    """One day of one episode: the next morning, and what is kept of the day."""
    problem, subgoal = agent.problem, intent.plan.subgoal
    budget, chosen = agent.carry_out(model, instance, state, intent)
    following, record = live_day(problem, instance, state, noise, chosen)
    encode = lambda state: model.high.encoder(problem.observe(instance, state))  # noqa: E731
    note = lambda state: (problem.forecast(instance, state), encode(state))  # noqa: E731
    forecasts, latents = along_picks(problem, instance, state, record.picks, record.num_picks, note)
    latents = latents.at[record.num_picks].set(encode(following))
    distance = jax.vmap(chordal)(latents[:-1], latents[1:])
    discount = agent.config.train.low_discount
    return following, {
        "subgoal": subgoal,
        "budget": budget,
        "picks": record.picks,
        "num_picks": record.num_picks,
        "reward": record.reward,
        "macro_reward": macro_reward(record.num_picks, forecasts, record.reward, discount),
        "q_value": record.values,
        "step_distance": distance,
        "forecasts": forecasts,
    }


def _unroll_errors(model: Lmta, latents: Array, subgoals: Array) -> Float[Array, " days depths"]:
    """How far the model is from the truth after k steps from each day, where day + k is still a decision."""
    days = subgoals.shape[0]

    def from_day(day):
        def step(h, ahead):
            at = jnp.minimum(day + ahead, days - 1)
            h, _ = model.high.step(h, subgoals[at])
            error = chordal(h, latents[jnp.minimum(at + 1, days)])
            return h, jnp.where(day + ahead + 1 < days, error, jnp.nan)

        return jax.lax.scan(step, latents[day], jnp.arange(days))[1]

    return jax.vmap(from_day)(jnp.arange(days))


@eqx.filter_jit
def force_subgoals(agent: Agent, model: Lmta, instance: Any, state: Any, key: Key[Array, ""], runs: int) -> Executions:
    """Execute every subgoal at one state `runs` times, with budgets drawn from the budget policy.

    Where the guide sets the pace, it says how much of what is left a subgoal's urgency is worth, every time the same.
    Every subgoal meets the same nights.
    """
    problem, high = agent.problem, model.high
    budget_key, noise_key = jax.random.split(key)
    latent = high.encoder(problem.observe(instance, state))
    num_subgoals = high.subgoals.shape[0]
    days_left = instance.days - state.day
    left = state.budget_left
    logits, urgencies, _ = jax.vmap(high.budget, (None, 0, None, None))(latent, high.subgoals, left, days_left)
    draw = lambda k: jax.random.categorical(k, logits).astype(jnp.int32)  # noqa: E731
    budgets = jax.vmap(draw, out_axes=1)(jax.random.split(budget_key, runs))
    budgets = jnp.full_like(budgets, left) if agent.guide_paces else budgets
    noises = jax.vmap(lambda k: problem.draw_noise(instance, agent.max_days, k))(jax.random.split(noise_key, runs))

    def one(inputs):
        subgoal, budgets = inputs
        modelled, reward_logits = high.step(latent, subgoal)

        def run(budget, noise):
            record = agent.make_picks(model, instance, state, subgoal, budget, urgency=urgencies[subgoal])
            evening = pick_in_order(problem, instance, state, record)
            forecast = lambda state: problem.forecast(instance, state)  # noqa: E731
            forecasts = along_picks(problem, instance, state, record.picks, record.num_picks, forecast)
            following, reward = problem.end_day(instance, evening, noise)
            after = high.encoder(problem.observe(instance, following))
            value = jnp.where(following.day < instance.days, unsquash(high.prediction(after)[1]), 0.0)
            return {
                "duration": record.num_picks,
                "reward": macro_reward(record.num_picks, forecasts, reward, agent.config.train.low_discount),
                "model_error": chordal(modelled, after),
                "chord": chordal(latent, after),
                "next_value": value,
            }

        found = jax.lax.map(lambda given: run(*given), (budgets, noises))
        return found | {"distance": chordal(latent, modelled), "predicted_reward": high.reward(reward_logits)}

    found = jax.lax.map(one, (jnp.arange(num_subgoals), budgets))
    expected = jax.nn.softmax(logits) @ jnp.arange(logits.shape[1], dtype=logits.dtype)
    return Executions(**found, expected_budget=expected)


@eqx.filter_jit
def picks_under_all(
    agent: Agent, model: Lmta, instance: Any, state: Any, budgets: Int[Array, " subgoals"]
) -> tuple[Int[Array, " subgoals max_picks"], Int[Array, " subgoals"]]:
    """What the low level picks under each subgoal with its budget, and how many."""

    def one(inputs):
        subgoal, budget = inputs
        record = agent.make_picks(model, instance, state, subgoal, budget)
        return record.picks, record.num_picks

    return jax.lax.map(one, (jnp.arange(budgets.shape[0]), budgets))
