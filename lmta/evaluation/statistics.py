"""Means with their errors, and paired comparisons."""

from typing import NamedTuple

import numpy as np
from scipy import stats


class Mean(NamedTuple):
    """A mean and its standard error."""

    mean: float
    sem: float


class Comparison(NamedTuple):
    """How a policy differs from another on the same instances: paired difference, and Welch's p for unpaired."""

    difference: Mean
    welch_p: float


def mean_of(values: np.ndarray) -> Mean:
    """Mean and standard error; a single value has an error of 0."""
    count = len(values)
    sem = float(np.std(values, ddof=1) / np.sqrt(count)) if count > 1 else 0.0
    return Mean(float(np.mean(values)), sem)


def compare(values: np.ndarray, baseline: np.ndarray) -> Comparison:
    """The paired difference of two policies; p is 1 where neither varies and both agree."""
    difference = mean_of(values - baseline)
    if len(values) < 2 or (np.ptp(values) == 0 and np.ptp(baseline) == 0):
        return Comparison(difference, float(difference.mean == 0))
    test = stats.ttest_ind(values, baseline, equal_var=False)
    return Comparison(difference, float(test.pvalue))  # pyright: ignore[reportAttributeAccessIssue]
