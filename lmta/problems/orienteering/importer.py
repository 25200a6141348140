"""A user's own cities as arrays: from TSPLIB, a delimited file, a mapping, or an array."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from lmta.files import FilePath, shown
from lmta.hints import warn
from lmta.problems.delimited import (
    Column,
    Columns,
    Origin,
    Table,
    canonical_ids,
    error_at,
    file_origin,
    first_repeat,
    first_true,
    is_number,
    numbers,
    numeric_array,
    read_lines,
    read_table,
    require_filled,
)
from lmta.types import DataWarning, InputError, NodeId, quoted

NAME = Column("name", ("city", "id"))
PROFIT = Column("profit", ("prize", "reward", "value"), numeric=True)
_COLUMNS = (
    NAME,
    Column("x", ("lon", "longitude"), numeric=True),
    Column("y", ("lat", "latitude"), numeric=True),
    PROFIT,
)
_DEGREES = ("lat", "latitude", "lon", "longitude")
_EUCLIDEAN = ("EUC_2D", "CEIL_2D", "ATT")


@dataclass(frozen=True)
class Cities:
    """Places to visit, the start first; the start has profit 0, and profit is None if none was given."""

    names: tuple[NodeId, ...]
    coordinates: np.ndarray
    profit: np.ndarray | None


def load_cities(source: object) -> Cities:
    """Turn the user's data into cities, the first of which is the start.

    The source is the path of a TSPLIB file (.tsp) or of a delimited file (name, x, y[, profit]), a mapping
    from each name to (x, y) or (x, y, profit), or an array of shape (n, 2) or (n, 3) whose names are 0..n-1.
    What are Cities already stay as they are.
    """
    if isinstance(source, Cities):
        return source
    if isinstance(source, str | PathLike):
        is_tsplib = Path(source).suffix.lower() == ".tsp"
        return _from_tsplib(source) if is_tsplib else _from_delimited(source)
    if isinstance(source, Mapping):
        return _from_mapping(source)
    return _from_array(source)


def _from_delimited(path: FilePath) -> Cities:
    table = read_table(path, _COLUMNS, _is_headed)
    columns = table.columns
    require_filled(columns["name"], "name", table.origin)
    names = canonical_ids(columns["name"])
    cities = _cities(names, columns["x"], columns["y"], columns.get("profit"), table.origin)
    for remark in (*table.remarks, *_on_a_plane(table)):
        warn(remark, DataWarning, 4)
    return cities


def _on_a_plane(table: Table) -> Iterator[str]:
    """What to mind where coordinates are degrees by their names."""
    called = [name for column, name in table.called.items() if column in ("x", "y")]
    if any(name.lower() in _DEGREES for name in called):
        columns = " and ".join(map(quoted, called))
        yield (
            f"{table.origin.label}: {columns} were taken as coordinates on a plane, where a degree is as long "
            "anywhere; project them first, to kilometres for instance, and call them x and y."
        )


def _is_headed(columns: Columns) -> bool:
    """Whether the first record has words wherever the second has numbers; with a number it is a city with a slip."""
    first, second = (
        [columns[column.name][i] for column in _COLUMNS if column.numeric and column.name in columns] for i in (0, 1)
    )
    return all(first) and not any(map(is_number, first)) and all(map(is_number, second))


def _from_mapping(cities: Mapping[Any, Any]) -> Cities:
    names = tuple(cities)
    origin = Origin("The mapping", lambda city: f"city {quoted(names[city])}")
    points = [_point(value) for value in cities.values()]
    for city, point in enumerate(points):
        if len(point) not in (2, 3) or len(point) != len(points[0]):
            raise origin.error(city, "must be (x, y) for every city, or (x, y, profit) for every city.")
    return _cities(names, *_columns(points), origin)


def _point(value: Any) -> tuple[Any, ...]:
    try:
        return () if isinstance(value, str) else tuple(value)
    except TypeError:
        return ()


def _from_array(source: object) -> Cities:
    array = numeric_array(source, 2, "iuf")
    if array is None or array.shape[1] not in (2, 3):
        raise InputError(
            "Cities are read from a path, a mapping from name to (x, y[, profit]), "
            f"or an array of numbers of shape (n, 2) or (n, 3), not from {quoted(source)}."
        )
    origin = Origin("The array", lambda city: f"row {city}")
    return _cities(tuple(range(len(array))), *_columns(list(array)), origin)


def _columns(points: list[Any]) -> tuple[list[Any], list[Any], list[Any] | None]:
    """The x, y and profit, if any, of points that all have as many parts."""
    has_profit = bool(points) and len(points[0]) == 3
    x, y = [point[0] for point in points], [point[1] for point in points]
    return x, y, [point[2] for point in points] if has_profit else None


def _from_tsplib(path: FilePath) -> Cities:
    lines = iter([(number, line.strip()) for number, line in enumerate(read_lines(path), 1) if line.strip()])
    dimension = None
    for number, line in lines:
        key, colon, value = (part.strip() for part in line.upper().partition(":"))
        if key == "NODE_COORD_SECTION":
            break
        if not colon:
            raise error_at(path, number, f"expected KEY : VALUE or NODE_COORD_SECTION, found {quoted(line)}.")
        if key == "EDGE_WEIGHT_TYPE" and value not in _EUCLIDEAN:
            understood = ", ".join(_EUCLIDEAN)
            raise error_at(path, number, f"EDGE_WEIGHT_TYPE {quoted(value)} is not one of {understood}.")
        if key == "DIMENSION":
            dimension = number, value
    else:
        raise InputError(f"{shown(path)}: has no NODE_COORD_SECTION; a .tsp file needs one.")
    rows = [(number, _tsplib_fields(path, number, line)) for number, line in takewhile(_is_not_end, lines)]
    if dimension and dimension[1] != str(len(rows)):
        fault = f"DIMENSION is {quoted(dimension[1])}, but there are {len(rows)} rows; make the two agree."
        raise error_at(path, dimension[0], fault)
    names = tuple(_tsplib_name(path, number, fields) for number, fields in rows)
    origin = file_origin(path, [number for number, _ in rows])
    return _cities(names, *_columns([fields[1:] for _, fields in rows]), origin)


def _is_not_end(numbered_line: tuple[int, str]) -> bool:
    return numbered_line[1].upper() != "EOF"


def _tsplib_fields(path: FilePath, number: int, line: str) -> list[str]:
    fields = line.split()
    if len(fields) != 3:
        raise error_at(path, number, f"expected 3 fields (number, x, y), found {len(fields)}.")
    return fields


def _tsplib_name(path: FilePath, line: int, fields: Sequence[str]) -> int:
    try:
        return int(fields[0])
    except ValueError:
        raise error_at(path, line, f"number {quoted(fields[0])} is not an integer.") from None


def _cities(
    names: tuple[NodeId, ...],
    x: Sequence[Any],
    y: Sequence[Any],
    profit: Sequence[Any] | None,
    origin: Origin,
) -> Cities:
    """Checked cities, the first of which is the start."""
    repeat = first_repeat(names)
    if repeat:
        earlier, city = repeat
        fault = f"name {quoted(names[city])} repeats {origin.place(earlier)}; give each city once."
        raise origin.error(city, fault)
    coordinates = np.column_stack([numbers(x, "x", origin), numbers(y, "y", origin)])
    if len(names) < 2:
        raise InputError(f"{origin.label}: needs at least 2 cities, the start included, and has {len(names)}.")
    if (coordinates == coordinates[0]).all():
        raise InputError(f"{origin.label}: has all cities in one place; give at least two that differ.")
    return Cities(names, coordinates, None if profit is None else _profit(profit, origin))


def _profit(values: Sequence[Any], origin: Origin) -> np.ndarray:
    profit = numbers(values, "profit", origin)
    city = first_true(profit < 0)
    if city is not None:
        raise origin.error(city, f"profit {quoted(values[city])} is negative; write 0 or more.")
    profit[0] = 0
    return profit
