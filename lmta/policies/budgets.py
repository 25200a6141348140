"""Budget rules: how many picks to grant today. Names are the first half of a policy's name."""

import functools
import re
from typing import Any

import numpy as np

from lmta.lazy import jnp
from lmta.problems.heuristics import BudgetRule, Clock, Horizon, Numbers

STATIC_PERIOD = 5
Granted = Any
"""A whole number, or an array with one under jit."""


def _numpy_for(instance: Horizon) -> Any:
    """NumPy for numbers on the host, and JAX's where rules run under jit."""
    return np if isinstance(instance, Numbers) else jnp


def average(instance: Horizon, state: Clock, schedule: None) -> Granted:
    """max(⌊K/T⌋, 1) a day, all that is left on the last."""
    share = _numpy_for(instance).maximum(instance.budget // instance.days, 1)
    return _rest_on_last_day(instance, state, share)


def normal(instance: Horizon, state: Clock, schedule: None) -> Granted:
    """All that is left, at once."""
    return state.budget_left


def static(instance: Horizon, state: Clock, schedule: None) -> Granted:
    """⌊K/⌊T/5⌋⌋ on the first day of each cycle of five, all that is left on the last day."""
    xp = _numpy_for(instance)
    cycles = xp.maximum(instance.days // STATIC_PERIOD, 1)
    share = xp.where(state.day % STATIC_PERIOD == 0, instance.budget // cycles, 0)
    return _rest_on_last_day(instance, state, share)


def even(instance: Horizon, state: Clock, schedule: None) -> Granted:
    """⌊K/T⌋ a day, the rest spread one by one over the last days."""
    xp = _numpy_for(instance)
    share, rest = xp.divmod(instance.budget, instance.days)
    return xp.minimum(share + (state.day >= instance.days - rest), state.budget_left)


def rolling(instance: Horizon, state: Clock, schedule: None) -> Granted:
    """What is left over the days left, rounded down: what a day leaves over goes to those after it."""
    return state.budget_left // _numpy_for(instance).maximum(instance.days - state.day, 1)


def front(instance: Horizon, state: Clock, schedule: None) -> Granted:
    """Shares that fall linearly, T to 1 over the T days; what an earlier day left over is made up for."""
    xp = _numpy_for(instance)
    days, later = instance.days, instance.days - state.day - 1
    share_of_later = (later / days) * ((later + 1) / (days + 1))
    for_later = xp.round(xp.float32(instance.budget * share_of_later)).astype(xp.int32)
    return xp.maximum(state.budget_left - for_later, 0)


def _rest_on_last_day(instance: Horizon, state: Clock, share: Granted) -> Granted:
    xp = _numpy_for(instance)
    last_day = state.day >= instance.days - 1
    return xp.where(last_day, state.budget_left, xp.minimum(share, state.budget_left))


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
    return BudgetRule(name, lambda instance, state, schedule: _numpy_for(instance).minimum(most, state.budget_left))
