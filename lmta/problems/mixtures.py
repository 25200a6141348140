"""Random numbers for mixtures of instances."""

import numpy as np


def log_uniform(rng: np.random.Generator, low: float, high: float) -> float:
    """A number whose logarithm is uniform."""
    return float(np.exp(rng.uniform(np.log(low), np.log(max(low, high)))))


def between(rng: np.random.Generator, low: int, high: int) -> int:
    """A whole number whose logarithm is uniform, and at most `high`."""
    return min(high, round(log_uniform(rng, float(min(low, high)), float(high))))
