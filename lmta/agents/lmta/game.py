"""A game: what an episode of self-play leaves behind, and what follows from it."""

from typing import Any

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int


class Game(eqx.Module):
    """One episode. Day by day: the pre-decision state, the decision, the picks, the reward, what search said."""

    instance: Any
    states: Any
    """The pre-decision state of each day, and the state after the last: a leading axis of days + 1."""
    subgoal: Int[Array, " days"]
    budget: Int[Array, " days"]
    budget_log_prob: Float[Array, " days"]
    """How likely the budget was when it was chosen."""
    picks: Int[Array, " days max_picks"]
    num_picks: Int[Array, " days"]
    """Executed durations τ."""
    forecasts: Float[Array, " days max_picks_and_one"]
    """The day's expected reward before its first pick and after each; 0 where the problem has no forecast."""
    reward: Float[Array, " days"]
    policy: Float[Array, " days subgoals"]
    """The search policy."""
    value: Float[Array, " days"]
    """The search-backed value v^TS."""
    teaches_budgets: Bool[Array, ""]
    """Whether the budget policy learns from the game …"""
    teaches_values: Bool[Array, " days"]
    """… and which days teach values: not where picks are random or subgoals from then on are not the search's own …"""
    teaches_model: Bool[Array, ""]
    """… and whether the world model does: not where picks are random."""
    advantage: Float[Array, ""]
    """How much more the game earned than the others of its group, on average; 0 where it teaches no budgets."""


def leave_one_out(scores: Float[Array, " games"], group_size: int) -> Float[Array, " games"]:
    """Each score less the mean of the others of its group, which stand side by side; 0 without others."""
    if group_size == 1:
        return jnp.zeros_like(scores)
    groups = scores.reshape(-1, group_size)
    others = groups.sum(axis=1, keepdims=True) - groups
    return (groups - others / (group_size - 1)).ravel()


def macro_reward(
    num_picks: Int[Array, ""], forecasts: Float[Array, " max_picks_and_one"], reward: Float[Array, ""], discount: float
) -> Float[Array, ""]:
    """R = Σ γ_LLⁱ rᵢ over the picks of a day; what remains of the day's reward comes with the last pick.

    With a discount of 1 it is the reward of the day.
    """
    index = jnp.arange(forecasts.shape[0] - 1)
    gains = jnp.where(index < num_picks, jnp.diff(forecasts), 0.0)
    rest = reward - gains.sum()
    last = jnp.maximum(num_picks - 1, 0)
    return (discount**index * gains).sum() + discount**last * rest
