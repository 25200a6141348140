"""Means with their errors, and paired comparisons."""

import math
from typing import NamedTuple

import numpy as np
from scipy.special import stdtr


class Mean(NamedTuple):
    """A mean and its standard error, which is NaN for a single value."""

    mean: float
    sem: float


class Comparison(NamedTuple):
    """How a policy differs from another on the same instances: paired difference, and Welch's p for unpaired."""

    difference: Mean
    welch_p: float


def mean_of(values: np.ndarray) -> Mean:
    """Mean and standard error."""
    count = len(values)
    sem = float(np.std(values, ddof=1) / np.sqrt(count)) if count > 1 else math.nan
    return Mean(float(np.mean(values)), sem)


def compare(values: np.ndarray, baseline: np.ndarray) -> Comparison:
    """The paired difference of two policies; p is NaN where there is too little to tell."""
    difference = mean_of(values - baseline)
    if len(values) < 2 or (np.ptp(values) == 0 and np.ptp(baseline) == 0):
        return Comparison(difference, math.nan)
    mean, other = mean_of(values), mean_of(baseline)
    count = len(values)
    variance, other_variance = mean.sem**2, other.sem**2
    freedom = (variance + other_variance) ** 2 * (count - 1) / (variance**2 + other_variance**2)
    t = (mean.mean - other.mean) / math.sqrt(variance + other_variance)
    return Comparison(difference, float(2 * stdtr(freedom, -abs(t))))
