"""What each subgoal does: how often search chooses it, what it spends, and which nodes it goes for (App. K)."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lmta.diagnostics.lmta.latents import Executions, Traces
from lmta.diagnostics.rollouts import Rollouts, at
from lmta.diagnostics.statistics import mean_where_known
from lmta.problems.spec import View


@dataclass(frozen=True)
class Behaviour:
    """What picks are worth, and how far they lie apart."""

    worth: float
    spread: float
    """Mean distance of two picks of a day; NaN where no day has two."""


@dataclass(frozen=True)
class Subgoal:
    """One entry of the dictionary."""

    number: int
    chosen: int
    """Decisions of the rollouts in which search took it."""
    share: float
    budget: float
    """Mean budget where it was chosen …"""
    duration: float
    """… and mean number of picks made."""
    played: Behaviour
    """What was picked where it was chosen."""
    forced_duration: float
    """Mean duration where it was forced."""
    margin: float
    distance: float
    """Mean d(h(s), g(h(s), z)) over states."""
    first: Behaviour
    """What it picks first on the first day, where every subgoal meets the same states."""
    overlap: float
    """Mean share of these picks that it has in common with another subgoal (Jaccard)."""


@dataclass(frozen=True)
class Dictionary:
    """All subgoals, and how varied they are."""

    subgoals: tuple[Subgoal, ...]
    effective_number: float
    """exp of the entropy of the choices: 1 where search always takes the same."""
    first_picks: int
    """Picks on the first day that are compared."""
    overlap: tuple[tuple[float, ...], ...]
    """Jaccard overlap of each two subgoals' first picks, averaged over instances."""
    distinct: float
    """Mean number of different sets of first picks."""
    unlike: tuple[int, int]
    """The two subgoals with least in common; of these, those that differ most in spread."""


@dataclass(frozen=True)
class FirstDay:
    """An instance before its first day, and what every subgoal would pick first."""

    instance: Any
    state: Any
    picks: np.ndarray
    """A row for each subgoal; padding is -1."""


def measure_subgoals(
    view: View,
    instances: Any,
    rollouts: Rollouts,
    traces: Traces,
    executions: Executions,
    margins: np.ndarray,
    first_days: Sequence[FirstDay],
) -> Dictionary:
    """Everything by subgoal."""
    overlap = np.mean([overlaps(day.picks) for day in first_days], axis=0)
    first = [
        mean_behaviour([behaviour(view, d.instance, d.state, d.picks[number]) for d in first_days])
        for number in range(len(margins))
    ]
    chosen, budget = np.asarray(traces.subgoal), np.asarray(rollouts.budget, float)
    count, days = np.asarray(rollouts.num_picks, float), _played(view, instances, rollouts)

    def describe(number: int) -> Subgoal:
        here = chosen == number
        return Subgoal(
            number=number,
            chosen=int(here.sum()),
            share=float(here.mean()),
            budget=mean_where_known(budget[here]),
            duration=mean_where_known(count[here]),
            played=mean_behaviour(days[here]),
            forced_duration=float(np.asarray(executions.duration)[:, number].mean()),
            margin=float(margins[number]),
            distance=float(np.asarray(executions.distance)[:, number].mean()),
            first=first[number],
            overlap=mean_where_known(np.delete(overlap[number], number)),
        )

    subgoals = tuple(map(describe, range(len(margins))))
    return Dictionary(
        subgoals=subgoals,
        effective_number=effective_number(np.array([subgoal.share for subgoal in subgoals])),
        first_picks=first_days[0].picks.shape[-1],
        overlap=tuple(tuple(map(float, row)) for row in overlap),
        distinct=float(np.mean([len(set(_as_sets(day.picks))) for day in first_days])),
        unlike=most_unlike(overlap, np.array([each.spread for each in first])),
    )


def _played(view: View, instances: Any, rollouts: Rollouts) -> np.ndarray:
    """The behaviour of every episode and day."""
    episodes, days = rollouts.num_picks.shape
    found = [
        [
            behaviour(view, at(instances, n), at(rollouts.states, n, day), np.asarray(rollouts.picks[n, day]))
            for day in range(days)
        ]
        for n in range(episodes)
    ]
    return np.array(found, dtype=object)


def behaviour(view: View, instance: Any, state: Any, picks: np.ndarray) -> Behaviour:
    """Mean worth of the picks, and mean distance of two of them; padding (-1) does not count."""
    nodes = picks[picks >= 0]
    worth = mean_where_known(view.worth(instance, state)[nodes].astype(float))
    if len(nodes) < 2:
        return Behaviour(worth, math.nan)
    apart = view.distances(instance, nodes)[np.triu_indices(len(nodes), 1)]
    return Behaviour(worth, mean_where_known(np.where(np.isfinite(apart), apart, np.nan)))


def mean_behaviour(days: Sequence[Behaviour] | np.ndarray) -> Behaviour:
    """The mean over days that have a worth, and over those that have a spread."""
    worth, spread = (np.array([getattr(day, name) for day in days]) for name in ("worth", "spread"))
    return Behaviour(mean_where_known(worth), mean_where_known(spread))


def overlaps(picks: np.ndarray) -> np.ndarray:
    """Jaccard overlap of each two rows of picks; padding does not count, and nothing is like nothing."""
    sets = _as_sets(picks)
    return np.array([[len(a & b) / len(a | b) if a | b else 1.0 for b in sets] for a in sets])


def _as_sets(picks: np.ndarray) -> list[frozenset[int]]:
    return [frozenset(row[row >= 0].tolist()) for row in picks]


def most_unlike(overlap: np.ndarray, spread: np.ndarray) -> tuple[int, int]:
    """The two with the least overlap and, of these, the greatest difference in spread; the more spread one first."""
    spread = np.nan_to_num(spread)
    rows, columns = np.triu_indices(len(overlap), 1)
    if len(rows) == 0:
        return 0, 0
    order = np.lexsort((-np.abs(spread[rows] - spread[columns]), overlap[rows, columns]))
    one, other = int(rows[order[0]]), int(columns[order[0]])
    return (one, other) if spread[one] >= spread[other] else (other, one)


def effective_number(shares: np.ndarray) -> float:
    """exp of the entropy."""
    used = shares[shares > 0]
    return float(np.exp(-(used * np.log(used)).sum()))
