"""Values: smooth in the latent geometry (App. M), true to what happens, and budgets by day."""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from lmta.arena.statistics import Mean, mean_of
from lmta.diagnostics.rollouts import Rollouts
from lmta.diagnostics.statistics import Calibration, Interval, bootstrap, calibration, kendall, spearman


@dataclass(frozen=True)
class Smoothness:
    """Rank correlation of latent displacement d(u, v) and value difference |ΔV| over decisions."""

    what: str
    points: int
    kendall: float
    kendall_interval: Interval
    spearman: float
    spearman_interval: Interval
    steepest: float
    """The largest |ΔV| / d: what a Lipschitz constant L_S must be at least."""


class Quartiles(NamedTuple):
    """Where a quarter, a half and three quarters lie below."""

    low: float
    median: float
    high: float


@dataclass(frozen=True)
class DayBudget:
    """Budgets on one day."""

    day: int
    chosen: Mean
    executed: Mean
    quartiles: Quartiles
    """Of the budgets chosen."""
    left: float
    """Mean budget left on the morning."""


@dataclass(frozen=True)
class Values:
    """How far the agent's expectations can be trusted."""

    score: Mean
    search: Calibration
    """Value of the root against the discounted return that followed."""
    search_by_day: tuple[Calibration, ...]
    head: Calibration
    """The value head against the same."""
    q: Calibration
    """Q of each pick against the discounted rewards of this and all later picks."""


def measure_smoothness(
    rollouts: Rollouts, returns: np.ndarray, repeats: int, rng: np.random.Generator
) -> tuple[Smoothness, ...]:
    """|V(u) - V(v)| for u = h(s), v = g(h(s), z), with V the value head; and V(s) - V(s⁺) by two training targets."""
    distance = np.asarray(rollouts.model_distance)
    search = np.asarray(rollouts.search_value)
    differences = {
        "value head at h(s) and g(h(s), z)": np.asarray(rollouts.value) - np.asarray(rollouts.model_value),
        "search value at s and s⁺": search - following(search),
        "return from s and from s⁺": returns - following(returns),
    }
    return tuple(
        smoothness(what, distance, np.abs(difference), repeats, rng) for what, difference in differences.items()
    )


def smoothness(
    what: str, distance: np.ndarray, difference: np.ndarray, repeats: int, rng: np.random.Generator
) -> Smoothness:
    """τ_b and ρ over all decisions; the bootstrap draws whole episodes (rows), whose decisions hang together."""

    def interval(correlation):
        draw = lambda rows: correlation(distance[rows].ravel(), difference[rows].ravel())  # noqa: E731
        return bootstrap(draw, len(distance), repeats, rng)

    moved = distance > 0
    return Smoothness(
        what=what,
        points=distance.size,
        kendall=kendall(distance.ravel(), difference.ravel()),
        kendall_interval=interval(kendall),
        spearman=spearman(distance.ravel(), difference.ravel()),
        spearman_interval=interval(spearman),
        steepest=float((difference[moved] / distance[moved]).max()) if moved.any() else math.nan,
    )


def following(values: np.ndarray) -> np.ndarray:
    """The value one decision later; 0 after the last."""
    return np.concatenate([values[:, 1:], np.zeros((len(values), 1))], axis=1)


def returns_to_go(rewards: np.ndarray, discount: float) -> np.ndarray:
    """Σ_j γʲ r_{k+j} along the last axis."""
    total, found = np.zeros(rewards.shape[:-1]), np.empty(rewards.shape)
    for step in reversed(range(rewards.shape[-1])):
        total = rewards[..., step] + discount * total
        found[..., step] = total
    return found


def pick_returns(rewards: np.ndarray, num_picks: np.ndarray, discount: float) -> np.ndarray:
    """For each pick of each day the discounted rewards of it and all later picks; one list over all that were made."""
    made = np.arange(rewards.shape[-1]) < num_picks[..., None]
    return np.concatenate([returns_to_go(episode[mask], discount) for episode, mask in zip(rewards, made, strict=True)])


def measure_values(rollouts: Rollouts, returns: np.ndarray, low_discount: float) -> Values:
    """Search value and value head beside returns, Q beside the returns of picks."""
    count = np.asarray(rollouts.num_picks)
    made = np.arange(rollouts.picks.shape[-1]) < count[..., None]
    search, head = np.asarray(rollouts.search_value), np.asarray(rollouts.value)
    expected = np.asarray(rollouts.q_value)[made]
    return Values(
        score=mean_of(np.asarray(rollouts.reward).sum(axis=1)),
        search=calibration(search.ravel(), returns.ravel()),
        search_by_day=tuple(calibration(search[:, day], returns[:, day]) for day in range(returns.shape[1])),
        head=calibration(head.ravel(), returns.ravel()),
        q=calibration(expected, pick_returns(np.asarray(rollouts.pick_reward), count, low_discount)),
    )


def measure_budgets(rollouts: Rollouts) -> tuple[DayBudget, ...]:
    """Budgets chosen and executed on each day."""
    chosen, executed = np.asarray(rollouts.budget), np.asarray(rollouts.num_picks)
    left = np.asarray(rollouts.mornings.budget_left)
    return tuple(
        DayBudget(
            day=day + 1,
            chosen=mean_of(chosen[:, day]),
            executed=mean_of(executed[:, day]),
            quartiles=Quartiles(*map(float, np.percentile(chosen[:, day], [25, 50, 75]))),
            left=float(left[:, day].mean()),
        )
        for day in range(chosen.shape[1])
    )
