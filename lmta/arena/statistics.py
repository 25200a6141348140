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
    """How a policy differs from another on the same instances: the paired difference and its p."""

    difference: Mean
    paired_p: float
    """Of the paired t-test, two-sided."""


def mean_of(values: np.ndarray) -> Mean:
    """Mean and standard error."""
    count = len(values)
    sem = float(np.std(values, ddof=1) / np.sqrt(count)) if count > 1 else math.nan
    return Mean(float(np.mean(values)), sem)


def compare(values: np.ndarray, baseline: np.ndarray) -> Comparison:
    """The paired difference of two policies; p is NaN where there is too little to tell."""
    difference = mean_of(values - baseline)
    if not difference.sem > 0:
        return Comparison(difference, math.nan)
    return Comparison(difference, float(2 * stdtr(len(values) - 1, -abs(difference.mean) / difference.sem)))
