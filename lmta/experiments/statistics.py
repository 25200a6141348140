"""Statistics of the tables: Welch's test with Holm's correction, and interquartile means with their intervals."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from scipy import stats

LEVEL = 0.05
BOOTSTRAP = 1_000


class Interval(NamedTuple):
    """A figure with its 95 % interval."""

    value: float
    low: float
    high: float


def welch(values: np.ndarray, others: np.ndarray) -> float:
    """The two-sided p of Welch's t-test; NaN where there is too little to tell."""
    if min(len(values), len(others)) < 2 or (np.ptp(values) == 0 and np.ptp(others) == 0):
        return float("nan")
    return float(np.asarray(stats.ttest_ind(values, others, equal_var=False))[1])


def holm(p_values: Mapping[str, float]) -> dict[str, float]:
    """Holm's correction for several tests: the i-th smallest p (from 0) times (n - i), never less than the one before.

    What is NaN was not tested and stays so.
    """
    tested = sorted((name for name, p in p_values.items() if not np.isnan(p)), key=lambda name: p_values[name])
    corrected, least = dict(p_values), 0.0
    for i, name in enumerate(tested):
        least = max(least, min(1.0, p_values[name] * (len(tested) - i)))
        corrected[name] = least
    return corrected


def interquartile_mean(values: np.ndarray) -> np.ndarray:
    """The mean of the middle half, along the last axis."""
    return stats.trim_mean(values, 0.25, axis=-1)


def stratified_iqm(settings: Sequence[np.ndarray], rng: np.random.Generator) -> Interval:
    """The interquartile mean over runs of all settings together, with a bootstrap interval stratified by setting.

    Each setting has an array of scores by run and instance. As in rliable, runs are drawn again within each setting;
    where there is one run, as of a policy that does not learn, its instances are.
    """
    whole = interquartile_mean(np.concatenate([scores.mean(axis=1) for scores in settings]))
    draws = [np.concatenate([_drawn_again(scores, rng).mean(axis=1) for scores in settings]) for _ in range(BOOTSTRAP)]
    low, high = np.quantile(interquartile_mean(np.array(draws)), [0.025, 0.975])
    return Interval(float(whole), float(low), float(high))


def _drawn_again(scores: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    runs, instances = scores.shape
    if runs > 1:
        return scores[rng.integers(runs, size=runs)]
    return scores[:, rng.integers(instances, size=instances)]
