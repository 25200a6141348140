"""A game: everything that self-play leaves of one episode, and what follows from it."""

from typing import Any, Literal

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int


class Game(eqx.Module):
    """One episode. Day by day: the state in the morning, the decision, the picks, the reward, what search said."""

    instance: Any
    mornings: Any
    """States before each day, and after the last: a leading axis of days + 1."""
    subgoal: Int[Array, " days"]
    subgoal_log_prob: Float[Array, " days"]
    """How likely the subgoal was under `policy` and straying; without a search that is what it was drawn from."""
    budget: Int[Array, " days"]
    budget_log_prob: Float[Array, " days"]
    """How likely the budget was when it was chosen."""
    urgency: Float[Array, " days"]
    haste: Float[Array, " days"]
    """The urgency that the budget followed from, and how much of it was not learned but tried."""
    picks: Int[Array, " days max_picks"]
    num_picks: Int[Array, " days"]
    """Executed durations τ."""
    forecasts: Float[Array, " days max_picks_and_one"]
    """The day's expected reward before its first pick and after each."""
    reward: Float[Array, " days"]
    """The reward of each day."""
    policy: Float[Array, " days subgoals"]
    value: Float[Array, " days"]
    teaches_budgets: Bool[Array, ""]
    """Whether the budget policy learns from the game, which then chose its subgoals by search, or strays teach too."""
    surplus: Float[Array, ""]
    """How much more the game earned than the others on the same instance with the same noise, on average; 0 where picks
    were left to chance, or the game does not teach budgets."""


def surplus(
    scores: Float[Array, " games"], futures: int, unit: Literal["reward", "percent", "deviations"] = "reward"
) -> Float[Array, " games"]:
    """Each score less the mean of the others of its group of `futures`, which stand side by side; 0 without others.

    It counts as it is, in percent of what the group earned, or in standard deviations of the group: where groups are of
    different kinds, small instances then teach as much as large ones, or noise weighs as much in all.
    """
    if futures == 1:
        return jnp.zeros_like(scores)
    groups = scores.reshape(-1, futures)
    others = groups.sum(axis=1, keepdims=True) - groups
    size = {
        "reward": jnp.ones(()),
        "percent": jnp.maximum(jnp.abs(groups).mean(axis=1, keepdims=True), 1e-6) / 100,
        "deviations": jnp.maximum(groups.std(axis=1, keepdims=True), 1e-3),
    }
    return ((groups - others / (futures - 1)) / size[unit]).ravel()


def step_rewards(
    num_picks: Int[Array, " days"], forecasts: Array, reward: Float[Array, " days"]
) -> Float[Array, " days max_picks"]:
    """Rewards of single picks that add up to the score of the game, from the first pick on.

    A pick earns what it adds to the forecast. The last pick of a day also earns what remains of the day's reward, and
    the rewards of the days without picks that follow: most of a seed's worth comes later.
    """
    days, max_picks = forecasts.shape[0], forecasts.shape[1] - 1
    index = jnp.arange(max_picks)
    made = index < num_picks[:, None]
    gains = jnp.where(made, jnp.diff(forecasts, axis=1), 0.0)
    until = jnp.concatenate([jnp.zeros(1), jnp.cumsum(reward)])
    later = until[_next_day_with_a_pick(num_picks)] - until[jnp.arange(days) + 1]
    rest = reward - gains.sum(axis=1) + later
    is_last = index == num_picks[:, None] - 1
    return gains + jnp.where(is_last, rest[:, None], 0.0)


def _next_day_with_a_pick(num_picks: Int[Array, " days"]) -> Int[Array, " days"]:
    """For each day the next one with a pick, or the number of days where there is none."""
    days = num_picks.shape[0]
    day = jnp.arange(days)
    candidates = jnp.where((day[None, :] > day[:, None]) & (num_picks > 0)[None, :], day[None, :], days)
    return candidates.min(axis=1)


def macro_reward(
    num_picks: Int[Array, ""], forecasts: Float[Array, " max_picks_and_one"], reward: Float[Array, ""], discount: float
) -> Float[Array, ""]:
    """R = Σ γ_LLⁱ rᵢ over the picks of a day; what remains of the day's reward belongs to the last pick."""
    index = jnp.arange(forecasts.shape[0] - 1)
    gains = jnp.where(index < num_picks, jnp.diff(forecasts), 0.0)
    rest = reward - gains.sum()
    last = jnp.maximum(num_picks - 1, 0)
    return (discount**index * gains).sum() + discount**last * rest
