"""Random cities in the unit square, with first profits U(0.5, 1)."""

from collections.abc import Callable

import numpy as np

from lmta.problems.orienteering.importer import Cities

Generator = Callable[[int, np.random.Generator], Cities]
"""(number of cities, random numbers) → cities."""


def uniform(num_cities: int, rng: np.random.Generator) -> Cities:
    """Cities anywhere in the square."""
    return _with_profits(rng.random((num_cities, 2)), rng)


def clustered(num_cities: int, rng: np.random.Generator) -> Cities:
    """Cities in towns of about 50, scattered around each centre with deviation 0.05."""
    centres = rng.random((max(1, round(num_cities / 50)), 2))
    town = rng.integers(len(centres), size=num_cities)
    return _with_profits(np.clip(centres[town] + rng.normal(0, 0.05, (num_cities, 2)), 0, 1), rng)


GENERATORS: dict[str, Generator] = {"uniform": uniform, "clustered": clustered}


def draw_profits(num_cities: int, rng: np.random.Generator) -> np.ndarray:
    """First profits U(0.5, 1); the start has none."""
    profit = rng.uniform(0.5, 1.0, num_cities)
    profit[0] = 0.0
    return profit


def _with_profits(coordinates: np.ndarray, rng: np.random.Generator) -> Cities:
    return Cities(tuple(range(len(coordinates))), coordinates, draw_profits(len(coordinates), rng))
