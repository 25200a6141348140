"""What the route engine is asked: the ground with its distances, the task, and what a route is worth."""

from typing import NamedTuple

import numpy as np
from scipy.spatial import KDTree

from lmta.kernels.compiled import kernel, part

NOWHERE = -1
"""In place of a city: none."""
NEIGHBOURS = 12
"""So many nearest cities are looked at when a city looks for a place beside another."""
MOST_WITH_DISTANCES = 1_000
"""Distances of more cities, looked up in memory, would be slower than roots."""


class Ground(NamedTuple):
    """Where the cities lie: a matrix of distances, or coordinates where the matrix is empty."""

    xy: np.ndarray
    """Float64 (cities, 2)."""
    matrix: np.ndarray
    """Float64 (cities, cities), from row to column; or (0, 0), and then distances are Euclidean."""
    near: np.ndarray
    """Int64 (cities, NEIGHBOURS): the nearest other cities of each, the nearest first."""
    symmetric: bool


class Task(NamedTuple):
    """What is asked of a route; see `worth`."""

    value: np.ndarray
    """Float64 (cities,): what a visit is worth, its profit less its price."""
    available: np.ndarray
    """Bool (cities,): which cities may be visited; start and end never count as visits."""
    end_value: np.ndarray
    """Float64 (cities,): what it is worth that a city is the last before the end."""
    start: int
    end: int
    """The city to go to after the last visit: the start, another, or NOWHERE where the route ends with that visit."""
    through: int
    """A city that must be visited, or NOWHERE."""
    visits: int
    """At most so many."""
    limit: float
    penalty: float
    """Price of each unit of length over the limit, which only the way to the end may exceed; infinite: nothing may."""
    crowding: float
    """m visits cost crowding·(m - 1)²."""
    length_price: float
    """Price of each unit of length, the way to the end included."""


@kernel
def distance(ground, a, b):
    """From city a to city b; nothing where b is NOWHERE."""
    if b < 0:
        return 0.0
    if ground.matrix.shape[0] > 0:
        return ground.matrix[a, b]
    dx = ground.xy[a, 0] - ground.xy[b, 0]
    dy = ground.xy[a, 1] - ground.xy[b, 1]
    return np.sqrt(dx * dx + dy * dy)


@part
def detour_by(ground, a, city, b):
    """By how much the way from a to b grows if it goes by a city."""
    return distance(ground, a, city) + distance(ground, city, b) - distance(ground, a, b)


@kernel
def path_length(ground, route, visits):
    """Length from the start to the last of so many visits; `route` begins with the start."""
    total = 0.0
    for i in range(visits):
        total += distance(ground, route[i], route[i + 1])
    return total


@part
def cost(ground, task, path, last, visits):
    """What is taken off the values of so many visits, on a path of this length to the last; infinite if it is too long.

    With a finite penalty the way to the end is not driven where nothing is visited.
    """
    total = path + distance(ground, last, task.end)
    if task.penalty == np.inf:
        if total > task.limit:
            return np.inf
        excess = 0.0
    else:
        if visits == 0:
            return -task.end_value[last]
        if path > task.limit:
            return np.inf
        excess = task.penalty * max(0.0, total - task.limit)
    crowding = task.crowding * (visits - 1) ** 2 if visits > 0 else 0.0
    return crowding + task.length_price * total + excess - task.end_value[last]


@kernel
def worth(ground, task, route, visits):
    """Σ value − crowding·(m − 1)² − length_price·length − penalty·excess + end_value of the last city.

    `route` is the start and so many visits; a route over the limit is worth minus infinity.
    """
    total = 0.0
    for i in range(1, visits + 1):
        total += task.value[route[i]]
    return total - cost(ground, task, path_length(ground, route, visits), route[visits], visits)


@part
def candidates_of(task):
    """The cities that may be visited, in order."""
    found = np.empty(len(task.value), np.int64)
    count = 0
    for city in range(len(task.value)):
        if task.visits > 0 and task.available[city] and city not in (task.start, task.end):
            found[count] = city
            count += 1
    return found[:count]


def survey(xy: np.ndarray) -> Ground:
    """The ground of cities at these coordinates, Euclidean."""
    xy = np.ascontiguousarray(xy, np.float64)
    own = np.arange(len(xy))[:, None]
    count = min(NEIGHBOURS, len(xy) - 1)
    found = np.reshape(KDTree(xy).query(xy, k=count + 1)[1], (len(xy), count + 1))
    others = found != own
    others[others.all(axis=1), -1] = False  # so many cities in one place that a city is not among its own nearest
    return Ground(xy, np.empty((0, 0)), found[others].reshape(-1, count).astype(np.int64), True)


def with_distances(ground: Ground) -> Ground:
    """The same ground with its distances worked out beforehand, to the bit, where there are not too many."""
    xy = ground.xy
    if not 0 < len(xy) <= MOST_WITH_DISTANCES:
        return ground
    dx, dy = (side[:, None] - side[None] for side in xy.T)
    return ground._replace(matrix=np.sqrt(dx * dx + dy * dy))


def survey_matrix(matrix: np.ndarray) -> Ground:
    """The ground of cities with these distances, from row to column."""
    matrix = np.ascontiguousarray(matrix, np.float64)
    apart = matrix.copy()
    np.fill_diagonal(apart, np.inf)
    near = np.argsort(apart, axis=1, kind="stable")[:, : min(NEIGHBOURS, len(matrix) - 1)]
    symmetric = bool((matrix == matrix.T).all())
    return Ground(np.empty((0, 2)), matrix, np.ascontiguousarray(near, np.int64), symmetric)


def make_task(
    value: np.ndarray,
    limit: float,
    *,
    start: int = 0,
    end: int = NOWHERE,
    through: int = NOWHERE,
    visits: int | None = None,
    available: np.ndarray | None = None,
    end_value: np.ndarray | None = None,
    penalty: float = np.inf,
    crowding: float = 0.0,
    length_price: float = 0.0,
) -> Task:
    """A task with types that the kernels have been compiled for, and nothing asked that is not named."""
    count = len(value)
    return Task(
        value=np.ascontiguousarray(value, np.float64),
        available=np.ones(count, np.bool_) if available is None else np.ascontiguousarray(available, np.bool_),
        end_value=np.zeros(count) if end_value is None else np.ascontiguousarray(end_value, np.float64),
        start=int(start),
        end=int(end),
        through=int(through),
        visits=count if visits is None else int(visits),
        limit=float(limit),
        penalty=float(penalty),
        crowding=float(crowding),
        length_price=float(length_price),
    )
