"""Rewards of single picks, which add up to the score of an episode: what low levels learn from."""

import jax.numpy as jnp
from jaxtyping import Array, Float, Int


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
