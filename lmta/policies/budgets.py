"""Budget rules: how many picks to grant today. Names are the first half of a policy's name."""

import functools
import re

import jax.numpy as jnp
from jaxtyping import Array, Int

from lmta.problems.heuristics import BudgetRule, Clock, Horizon

STATIC_PERIOD = 5
Granted = Int[Array, ""] | int


def average(instance: Horizon, state: Clock, schedule: None) -> Granted:
    """max(⌊K/T⌋, 1) a day, all that is left on the last."""
    share = jnp.maximum(instance.budget // instance.days, 1)
    return _rest_on_last_day(instance, state, share)


def normal(instance: Horizon, state: Clock, schedule: None) -> Granted:
    """All that is left, at once."""
    return state.budget_left


def static(instance: Horizon, state: Clock, schedule: None) -> Granted:
    """⌊K/⌊T/5⌋⌋ on the first day of each cycle of five, all that is left on the last day."""
    cycles = jnp.maximum(instance.days // STATIC_PERIOD, 1)
    share = jnp.where(state.day % STATIC_PERIOD == 0, instance.budget // cycles, 0)
    return _rest_on_last_day(instance, state, share)


def even(instance: Horizon, state: Clock, schedule: None) -> Granted:
    """⌊K/T⌋ a day, the rest spread one by one over the last days."""
    share, rest = jnp.divmod(instance.budget, instance.days)
    return jnp.minimum(share + (state.day >= instance.days - rest), state.budget_left)


def rolling(instance: Horizon, state: Clock, schedule: None) -> Granted:
    """What is left over the days left, rounded down: what a day leaves over goes to those after it."""
    return state.budget_left // jnp.maximum(instance.days - state.day, 1)


def front(instance: Horizon, state: Clock, schedule: None) -> Granted:
    """Shares that fall linearly, T to 1 over the T days; what an earlier day left over is made up for."""
    days, later = instance.days, instance.days - state.day - 1
    share_of_later = (later / days) * ((later + 1) / (days + 1))
    for_later = jnp.round(instance.budget * share_of_later).astype(jnp.int32)
    return jnp.maximum(state.budget_left - for_later, 0)


def _rest_on_last_day(instance: Horizon, state: Clock, share: Int[Array, ""]) -> Granted:
    last_day = state.day >= instance.days - 1
    return jnp.where(last_day, state.budget_left, jnp.minimum(share, state.budget_left))


BUDGET_RULES = {
    rule.__name__: BudgetRule(rule.__name__, rule) for rule in (average, normal, static, even, rolling, front)
}
_CAP = re.compile(r"cap([1-9][0-9]{0,5})")


@functools.cache
def cap_rule(name: str) -> BudgetRule | None:
    """`cap5`: at most 5 a day while the budget lasts; None where the name is of another kind."""
    match = _CAP.fullmatch(name)
    if not match:
        return None
    most = int(match[1])
    return BudgetRule(name, lambda instance, state, schedule: jnp.minimum(most, state.budget_left))
