"""Rank correlations with their ties in the open, bootstrap intervals, and predictions beside what happened."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy import stats


class Interval(NamedTuple):
    """A 95 % interval."""

    low: float
    high: float


class Ranks(NamedTuple):
    """How two lists agree in order; NaN where a list is constant, so that there is no order to agree on."""

    tau_b: float
    """Kendall's τ_b: ties shrink the denominator."""
    tau_a: float
    """Concordant less discordant pairs, over all pairs."""
    without_ties: float
    """The same over the pairs that are tied in neither list (Goodman and Kruskal's γ)."""
    tied: float
    """Share of pairs that are tied in the second list."""


def ranks(scores: np.ndarray, outcomes: np.ndarray) -> Ranks:
    """Kendall's measures of `scores` against `outcomes`."""
    above = np.triu_indices(len(scores), 1)
    by_score = np.sign(np.subtract.outer(scores, scores))[above]
    by_outcome = np.sign(np.subtract.outer(outcomes, outcomes))[above]
    agreement = (by_score * by_outcome).sum()
    untied = np.count_nonzero(by_score * by_outcome)
    pairs = len(by_score)
    return Ranks(
        tau_b=kendall(scores, outcomes),
        tau_a=float(agreement / pairs) if pairs else math.nan,
        without_ties=float(agreement / untied) if untied else math.nan,
        tied=float(np.mean(by_outcome == 0)) if pairs else math.nan,
    )


def kendall(x: np.ndarray, y: np.ndarray) -> float:
    """Kendall's τ_b; NaN where a list is constant."""
    return math.nan if _constant(x) or _constant(y) else _statistic(stats.kendalltau(x, y))


def spearman(x: np.ndarray, y: np.ndarray) -> float:
    """Spearman's ρ; NaN where a list is constant."""
    return math.nan if _constant(x) or _constant(y) else _statistic(stats.spearmanr(x, y))


def _statistic(result: Any) -> float:
    return float(result.statistic)


def _constant(x: np.ndarray) -> bool:
    return len(x) == 0 or bool(np.ptp(x) == 0)


def bootstrap(statistic: Callable[[np.ndarray], float], size: int, repeats: int, rng: np.random.Generator) -> Interval:
    """The percentile interval of `statistic(chosen)`, where `chosen` are `size` members drawn with replacement.

    Draws without a statistic (NaN) are left out.
    """
    drawn = np.array([statistic(rng.integers(0, size, size)) for _ in range(repeats)])
    kept = drawn[np.isfinite(drawn)]
    return Interval(*map(float, np.percentile(kept, [2.5, 97.5]))) if len(kept) else Interval(math.nan, math.nan)


def mean_where_known(values: np.ndarray) -> float:
    """The mean of what is not NaN, or NaN where nothing is."""
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else math.nan


@dataclass(frozen=True)
class Calibration:
    """Predictions beside what happened."""

    count: int
    predicted: float
    """Mean prediction …"""
    realised: float
    """… and mean of what happened."""
    bias: float
    mean_error: float
    """Mean absolute error."""
    root_mean_square: float
    slope: float
    """Of the least-squares line from prediction to outcome: 1 is right, less means predictions vary too much.

    NaN where predictions hardly vary beside what happens (by less than 1 %).
    """
    spearman: float


def calibration(predicted: np.ndarray, realised: np.ndarray) -> Calibration:
    """How far predictions can be trusted; NaN where there are none."""
    if len(predicted) == 0:
        return Calibration(0, *[math.nan] * 7)
    error = predicted - realised
    varies = np.std(predicted) > 0.01 * np.std(realised)
    covariance = np.mean((predicted - predicted.mean()) * (realised - realised.mean()))
    return Calibration(
        count=len(predicted),
        predicted=float(predicted.mean()),
        realised=float(realised.mean()),
        bias=float(error.mean()),
        mean_error=float(np.abs(error).mean()),
        root_mean_square=float(np.sqrt(np.mean(error**2))),
        slope=float(covariance / np.var(predicted)) if varies else math.nan,
        spearman=spearman(predicted, realised),
    )
