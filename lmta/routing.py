"""One route through one's own cities: from a start, within a limit, past the cities that pay most."""

import math
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse.csgraph import csgraph_from_dense, dijkstra

from lmta.kernels.route_engine import BEST, ITERATION, NUM_GREEDS, Search, begin, improve
from lmta.kernels.route_task import (
    NOWHERE,
    Ground,
    Task,
    distance,
    make_task,
    path_length,
    survey,
    survey_matrix,
)
from lmta.problems.delimited import LARGEST, Origin, first_true, numbers, numeric_array
from lmta.problems.orienteering.importer import Cities, load_cities
from lmta.problems.session import check_seed, whole_number
from lmta.types import InputError, NodeId, quoted

BACK = "start"
"""In place of an end: where the route began."""
DEFAULT_SECONDS = 2.0
PIECE = 0.02
"""Seconds between two looks at the clock."""


@dataclass(frozen=True)
class Route:
    """A route, what it collects, and how long it was sought."""

    names: tuple[NodeId, ...]
    """The cities in order, the start first; a route back to its start has it last as well."""
    profit: float
    """Of all its cities, each counted once."""
    length: float
    iterations: int
    seconds: float


def route(
    cities: Any,
    *,
    limit: Any,
    start: Any = None,
    end: Any = BACK,
    visits: Any = None,
    profit: Any = None,
    matrix: Any = None,
    seconds: Any = None,
    iterations: Any = None,
    seed: Any = 0,
) -> Route:
    """The most profitable route no longer than `limit` that could be found in the time.

    `cities` is a path (CSV or TSPLIB), a mapping `{name: (x, y[, profit])}` or an array of such rows; without profits
    every city is worth 1. The route begins at `start`, the first city unless named, and ends there too, or at the city
    `end`, or anywhere (None). It visits at most so many cities; one to end at is a visit too.

    `profit` replaces the profits: a number for each city in order, or a mapping from names for some. What is given for
    the start counts; otherwise the start is worth nothing, and nor is the first city of a table with profits.
    `matrix` replaces Euclidean distances: from row to column, symmetric or not.

    With `iterations` the same seed always finds the same route; without, it is sought for so many `seconds`, 2 unless
    said otherwise.
    """
    if seconds is not None and iterations is not None:
        raise InputError("iterations: does not go with seconds; give one of them.")
    loaded = load_cities(cities)
    first = 0 if start is None else _index(loaded, start, "start")
    final = NOWHERE if end is None else first if end == BACK else _index(loaded, end, "end")
    value = _profits(loaded, profit, first)
    ground = survey(loaded.coordinates) if matrix is None else survey_matrix(_distances(loaded, matrix))
    is_elsewhere = final not in (NOWHERE, first)
    most = len(loaded.names) if visits is None else whole_number(visits, "visits", 1)
    task = make_task(value, _number(limit, "limit"), start=first, end=final, visits=most - is_elsewhere)
    _check_reach(ground, task)
    time_limit = _number(DEFAULT_SECONDS if seconds is None else seconds, "seconds", may_be_zero=True)
    count = None if iterations is None else whole_number(iterations, "iterations", 1)
    search, took = _run(ground, task, time_limit, count, check_seed(seed))
    return _as_route(loaded, ground, task, search, took)


def _run(ground: Ground, task: Task, seconds: float, iterations: int | None, seed: int) -> tuple[Search, float]:
    """The search after so many iterations or seconds, and the seconds it took once the kernels were compiled."""
    search = begin(task, seed)
    improve(ground, search, 0)
    began = time.perf_counter()
    piece = NUM_GREEDS
    while True:
        done = int(search.counts[ITERATION])
        improve(ground, search, piece if iterations is None else min(piece, iterations - done))
        done, took = int(search.counts[ITERATION]), time.perf_counter() - began
        if took >= seconds if iterations is None else done == iterations:
            return search, took
        piece = max(1, int(done / took * (PIECE if iterations is not None else min(PIECE, seconds - took))))


def _as_route(loaded: Cities, ground: Ground, task: Task, search: Search, seconds: float) -> Route:
    if search.worths[BEST] == -np.inf:
        raise InputError(f"limit: {task.limit:g} given, and no route within it was found; give a longer one.")
    visits = int(search.counts[BEST])
    stops = search.best[: visits + 1]
    last = int(stops[-1])
    ends = task.end != NOWHERE and (visits > 0 or task.end != task.start)
    on_route = np.append(stops, task.end) if ends else stops
    return Route(
        names=tuple(loaded.names[city] for city in on_route),
        profit=float(task.value[np.unique(on_route)].sum()),
        length=float(path_length(ground, stops, visits) + distance(ground, last, task.end)),
        iterations=int(search.counts[ITERATION]),
        seconds=seconds,
    )


def _index(loaded: Cities, name: Any, field: str) -> int:
    """Where a city stands; a number may also be given as text, or text as a number."""
    if name in loaded.names:
        return loaded.names.index(name)
    texts = tuple(map(str, loaded.names))
    if str(name) in texts:
        return texts.index(str(name))
    raise InputError(f"{field}: {quoted(name)} is not one of the {len(loaded.names)} cities; give the name of one.")


def _number(value: Any, field: str, may_be_zero: bool = False) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if isinstance(value, bool) or not 0 <= number <= LARGEST or (number == 0 and not may_be_zero):
        least = "at least 0" if may_be_zero else "more than 0"
        raise InputError(f"{field}: {quoted(value)} given; a number of {least} and at most {LARGEST:g} is needed.")
    return number


def _profits(loaded: Cities, given: Any, start: int) -> np.ndarray:
    """The profit of each city: what is given, what the data say, or 1; the start's only if it is given."""
    names = loaded.names
    origin = Origin("profit", lambda city: f"city {quoted(names[city])}")
    profit = np.ones(len(names)) if loaded.profit is None else loaded.profit.copy()
    profit[start] = 0.0
    if isinstance(given, Mapping):
        chosen = [_index(loaded, name, "profit") for name in given]
        values = list(given.values())
    elif given is not None:
        chosen, values = list(range(len(names))), _listed(given)
        if len(values) != len(names):
            raise InputError(f"profit: {len(values)} numbers given, one for each of the {len(names)} cities is needed.")
    else:
        return profit
    profit[chosen] = numbers(values, "profit", Origin("profit", lambda i: origin.place(chosen[i])))
    negative = first_true(profit < 0)
    if negative is not None:
        raise origin.error(negative, f"{profit[negative]:g} is negative; write 0 or more.")
    return profit


def _listed(values: Any) -> list[Any]:
    try:
        return [] if isinstance(values, str) else list(values)
    except TypeError:
        raise InputError(f"profit: give a number for each city or a mapping, not {quoted(values)}.") from None


def _distances(loaded: Cities, given: Any) -> np.ndarray:
    """The user's matrix, of which the diagonal is of no account."""
    count = len(loaded.names)
    array = numeric_array(given, 2, "iuf")
    if array is None or array.shape != (count, count):
        found = "of another kind" if array is None else "{} × {}".format(*array.shape)
        raise InputError(
            f"matrix: {count} × {count} numbers are needed, a row and a column for each city, but it is {found}."
        )
    matrix = np.array(array, np.float64)
    np.fill_diagonal(matrix, 0.0)
    hole = first_true(~((matrix >= 0) & (matrix <= LARGEST)).ravel())
    if hole is not None:
        a, b = (quoted(loaded.names[i]) for i in divmod(hole, count))
        fault = f"the distance from {a} to {b} is {matrix.flat[hole]:g}"
        raise InputError(f"matrix: {fault}; write a number from 0 to {LARGEST:g}.")
    return matrix


def _check_reach(ground: Ground, task: Task) -> None:
    """Refuse a limit that is too short for any route, and say how long one would be."""
    there = _ways(ground, task.start)
    home = _ways(ground, task.end, back=True) if task.end != NOWHERE else np.zeros(len(there))
    if task.end != NOWHERE and there[task.end] > task.limit:
        raise InputError(f"limit: {task.limit:g} given, but the end is {there[task.end]:g} from the start.")
    shortest = np.delete(there + home, task.start).min()
    if shortest > task.limit and task.end in (NOWHERE, task.start):
        raise InputError(f"limit: {task.limit:g} given, but the shortest route to any city is {shortest:g} long.")


def _ways(ground: Ground, city: int, back: bool = False) -> np.ndarray:
    """How far it is from a city to each, or back from each, by way of others where a matrix makes that shorter."""
    if not len(ground.matrix):
        return np.sqrt(((ground.xy - ground.xy[city]) ** 2).sum(axis=1))
    matrix = ground.matrix.T if back else ground.matrix
    return dijkstra(csgraph_from_dense(matrix, null_value=np.inf), indices=city)
