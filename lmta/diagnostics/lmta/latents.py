"""Episodes as the latent space sees them, and subgoals forced at single states."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int, Key

from lmta.agents.base import AgentDay
from lmta.agents.lmta.agent import Lmta
from lmta.agents.lmta.game import macro_reward
from lmta.agents.lmta.networks import HighLevel, LmtaModel, chordal
from lmta.devices import map_over_cores
from lmta.diagnostics.rollouts import Rollouts
from lmta.nn.categorical import unsquash
from lmta.problems.base import along_picks, expected_today, pick_in_order


class Traces(eqx.Module):
    """What the networks say along an episode (axis of days) or episodes; values and rewards in true units."""

    latents: Float[Array, " days_and_one latent"]
    """h(s) of each pre-decision state, and of the state after the last day."""
    subgoal: Int[Array, " days"]
    search_value: Float[Array, " days"]
    macro_reward: Float[Array, " days"]
    """R_k as it is learned."""
    step_distance: Float[Array, " days max_picks"]
    """d(h(s'_t), h(s'_{t+1})) of each pick, as L_cap sees it: the last of a day leads to the next day's state."""
    model_distance: Float[Array, " days"]
    """d(h(s), g(h(s), z)) of the chosen subgoal."""
    value: Float[Array, " days"]
    """V(h(s)) of the value head …"""
    model_value: Float[Array, " days"]
    """… and V(g(h(s), z)); 0 past the last day, as in search."""
    unroll_error: Float[Array, " days depths"]
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


def exploring(agent: Lmta, model: LmtaModel, instance: Any, state: Any, key: Key[Array, ""]) -> AgentDay:
    """A day as in training, but with the best picks: noise at the root, subgoal and budget drawn."""
    intent = agent.intend(model, instance, state, key, explore=True)
    record = agent.make_picks(model, instance, state, intent.subgoal, intent.budget)
    return AgentDay(intent.budget, record, intent.plan)


def trace(agent: Lmta, model: LmtaModel, instances: Any, rollouts: Rollouts) -> Traces:
    """What the networks say of episodes that were played."""
    return map_over_cores(_Trace(agent), model, instances, rollouts)


@dataclass(frozen=True)
class _Trace:
    """Looks at one episode."""

    agent: Lmta

    def __call__(self, model: LmtaModel, instance: Any, rollouts: Rollouts) -> Traces:
        agent, high, plan = self.agent, model.high, rollouts.report
        encode = _encoder(agent, high, instance)
        latents = jax.lax.map(encode, rollouts.states)
        modelled, _ = jax.vmap(high.step)(latents[:-1], high.subgoals[plan.subgoal], rollouts.budget)
        goes_on = jnp.arange(plan.subgoal.shape[0]) + 1 < instance.days

        def steps(day):
            state, picks, num_picks, following = day
            along = along_picks(agent.problem, instance, state, picks, num_picks, encode)
            along = along.at[num_picks].set(following)
            return jax.vmap(chordal)(along[:-1], along[1:])

        states = jax.tree.map(lambda leaf: leaf[:-1], rollouts.states)
        rewards = jax.vmap(macro_reward, (0, 0, 0, None))
        return Traces(
            latents=latents,
            subgoal=plan.subgoal,
            search_value=plan.value,
            macro_reward=rewards(
                rollouts.num_picks, rollouts.forecasts, rollouts.reward, agent.settings.discount_in_day
            ),
            step_distance=jax.lax.map(steps, (states, rollouts.picks, rollouts.num_picks, latents[1:])),
            model_distance=jax.vmap(chordal)(latents[:-1], modelled),
            value=jax.vmap(partial(_value, high))(latents[:-1]),
            model_value=jnp.where(goes_on, jax.vmap(partial(_value, high))(modelled), 0.0),
            unroll_error=_unroll_errors(high, latents, plan.subgoal, rollouts.budget),
        )


def _encoder(agent: Lmta, high: HighLevel, instance: Any) -> Callable[[Any], Float[Array, " latent"]]:
    return lambda state: high.encoder(agent.problem.observe(instance, state))


def _value(high: HighLevel, latent: Float[Array, " latent"]) -> Float[Array, ""]:
    return unsquash(high.predict(latent)[1])


def _unroll_errors(
    high: HighLevel,
    latents: Float[Array, " days_and_one latent"],
    subgoals: Int[Array, " days"],
    budgets: Int[Array, " days"],
) -> Float[Array, " days depths"]:
    """How far the model is from the truth after k steps from each day, where day + k is still a decision."""
    days = subgoals.shape[0]

    def from_day(day):
        def step(h, ahead):
            place = jnp.minimum(day + ahead, days - 1)
            h, _ = high.step(h, high.subgoals[subgoals[place]], budgets[place])
            error = chordal(h, latents[jnp.minimum(place + 1, days)])
            return h, jnp.where(day + ahead + 1 < days, error, jnp.nan)

        return jax.lax.scan(step, latents[day], jnp.arange(days))[1]

    return jax.vmap(from_day)(jnp.arange(days))


@eqx.filter_jit
def force_subgoals(
    agent: Lmta, model: LmtaModel, instance: Any, state: Any, key: Key[Array, ""], runs: int
) -> Executions:
    """Execute every subgoal at one state `runs` times, with budgets drawn from the budget policy.

    Every subgoal meets the same noise.
    """
    problem, high = agent.problem, model.high
    budget_key, noise_key = jax.random.split(key)
    encode = _encoder(agent, high, instance)
    latent, left, days_left = encode(state), state.budget_left, instance.days - state.day
    logits, _ = high.all_budgets(latent, left, days_left, agent.max_picks)
    draw = lambda k: jax.random.categorical(k, logits).astype(jnp.int32)  # noqa: E731
    budgets = jax.vmap(draw, out_axes=1)(jax.random.split(budget_key, runs))
    noises = jax.vmap(lambda k: problem.draw_noise(instance, agent.max_days, k))(jax.random.split(noise_key, runs))

    def one(inputs):
        subgoal, budgets, expected_budget = inputs
        modelled, reward_logits = high.step(latent, high.subgoals[subgoal], expected_budget)

        def run(budget, noise):
            record = agent.make_picks(model, instance, state, subgoal, budget)
            forecast = partial(expected_today, problem, instance)
            forecasts = along_picks(problem, instance, state, record.picks, record.num_picks, forecast)
            following, reward = problem.end_day(instance, pick_in_order(problem, instance, state, record), noise)
            after = encode(following)
            return {
                "duration": record.num_picks,
                "reward": macro_reward(record.num_picks, forecasts, reward, agent.settings.discount_in_day),
                "model_error": chordal(modelled, after),
                "chord": chordal(latent, after),
                "next_value": jnp.where(following.day < instance.days, _value(high, after), 0.0),
            }

        found = jax.lax.map(lambda given: run(*given), (budgets, noises))
        return found | {"distance": chordal(latent, modelled), "predicted_reward": high.reward(reward_logits)}

    expected = _mean_budgets(logits)
    found = jax.lax.map(one, (jnp.arange(high.subgoals.shape[0]), budgets, expected))
    return Executions(**found, expected_budget=expected)


def _mean_budgets(logits: Float[Array, " subgoals budgets"]) -> Float[Array, " subgoals"]:
    return jax.nn.softmax(logits) @ jnp.arange(logits.shape[1], dtype=logits.dtype)


@eqx.filter_jit
def budgets_under_all(
    agent: Lmta, model: LmtaModel, instance: Any, state: Any
) -> tuple[Float[Array, " subgoals"], Int[Array, " subgoals"]]:
    """(the mean of the budget policy under each subgoal, its likeliest budget, which greedy play grants)."""
    latent = _encoder(agent, model.high, instance)(state)
    logits, _ = model.high.all_budgets(latent, state.budget_left, instance.days - state.day, agent.max_picks)
    return _mean_budgets(logits), jnp.argmax(logits, axis=1)


@eqx.filter_jit
def picks_under_all(
    agent: Lmta, model: LmtaModel, instance: Any, state: Any, budgets: Int[Array, " subgoals"]
) -> tuple[Int[Array, " subgoals max_picks"], Int[Array, " subgoals"]]:
    """What the low level picks under each subgoal with its budget, and how many."""

    def one(inputs):
        subgoal, budget = inputs
        record = agent.make_picks(model, instance, state, subgoal, budget)
        return record.picks, record.num_picks

    return jax.lax.map(one, (jnp.arange(budgets.shape[0]), budgets))
