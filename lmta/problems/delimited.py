"""Rows and named columns of a delimited text file, and errors that name the line at fault."""

import csv
import io
import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from lmta.files import FilePath, opened, shown
from lmta.types import InputError, NodeId, quoted

LONGEST_RECORD = 100_000
"""Characters that a line or a record may have: what is longer is no table, and would fill the memory once split."""
_SNIFFED = {".csv": ",;\t", ".tsv": "\t"}
_FALLBACK = {".csv": ",", ".tsv": "\t"}


@dataclass(frozen=True)
class Content:
    """A file in memory: its bytes, and a name that tells its format and stands in messages but is never opened."""

    name: str
    data: bytes

    def __fspath__(self) -> str:
        return self.name

    def __str__(self) -> str:
        return self.name


class Rows(NamedTuple):
    """The records of a file: the line on which each starts, and its fields without surrounding space."""

    lines: list[int]
    fields: list[tuple[str, ...]]


class Column(NamedTuple):
    """A column that a file may have: its name, what else a header may call it, whether it holds numbers."""

    name: str
    aliases: tuple[str, ...]
    numeric: bool = False


@dataclass(frozen=True)
class Origin:
    """Where records came from: a label for the whole, and the place of each record by its index."""

    label: str
    place: Callable[[int], str]

    def error(self, record: int, fault: str) -> InputError:
        """The error that says what is wrong with one record."""
        return InputError(f"{self.label}, {self.place(record)}: {fault}")


Columns = dict[str, list[str]]
"""The fields of all records, by the names of their columns."""


@dataclass(frozen=True)
class Table:
    """The columns of a delimited file, whether a header named them, where each record stands, and what to mind."""

    columns: Columns
    has_header: bool
    origin: Origin
    remarks: tuple[str, ...]
    called: Mapping[str, str]
    """What the header calls each column, or the column's own name where there is no header."""


def error_at(path: FilePath, line: int, fault: str) -> InputError:
    """The error that says what is wrong with one line of a file."""
    return InputError(f"{shown(path)}, line {line}: {fault}")


def file_origin(path: FilePath, lines: Sequence[int]) -> Origin:
    """The origin of records that stand on these lines of a file."""
    return Origin(shown(path), lambda record: f"line {lines[record]}")


def read_bytes(path: FilePath) -> bytes:
    """The content of a file."""
    if isinstance(path, Content):
        return path.data
    with opened(path) as file:
        return file.read()


def read_lines(path: FilePath) -> list[str]:
    """The lines of a UTF-8 text file, each with its line end."""
    content = read_bytes(path)
    nul = content.find(b"\0")
    if nul >= 0:
        raise error_at(path, _line_of(content, nul), "has a NUL byte; save the file as UTF-8 text.")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = _line_of(content, error.start)
        raise error_at(path, line, "is not UTF-8; save the file as UTF-8 text.") from None
    lines = list(io.StringIO(text, newline=""))
    for number, line in enumerate(lines, 1):
        _refuse_endless(path, number, len(line))
    return lines


def _refuse_endless(path: FilePath, line: int, length: int) -> None:
    if length > LONGEST_RECORD:
        fault = f"is longer than {LONGEST_RECORD:,} characters; write one record per line and close each quote."
        raise error_at(path, line, fault)


def _line_of(content: bytes, position: int) -> int:
    return len(re.findall(rb"\r\n|\r|\n", content[:position])) + 1


def read_rows(path: FilePath, widest: int) -> Rows:
    """The records of a delimited file, without blank lines and without lines that start with # above the first.

    A record with more than `widest` fields, or with another number than the first, is the last: no table has it.
    """
    lines = read_lines(path)
    first = next((line for line in lines if not _is_skipped(line)), None)
    if first is None:
        raise InputError(f"{shown(path)}: has no rows; one record per line is needed.")
    delimiter = _delimiter(path, first)
    rows = Rows([], [])
    start = length = 0  # the line on which the current record starts, 0 between records; its length so far

    def record_lines() -> Iterator[str]:
        nonlocal start, length
        for number, line in enumerate(lines, 1):
            if not start:
                if line.isspace() or (not rows.lines and _is_skipped(line)):
                    continue
                start, length = number, 0
            length += len(line)
            _refuse_endless(path, start, length)
            yield line

    try:
        for fields in _split(record_lines(), delimiter):
            rows.lines.append(start)
            rows.fields.append(tuple(map(str.strip, fields)))
            start = 0
            if len(fields) > widest or len(fields) != len(rows.fields[0]):
                break
    except csv.Error as error:
        reason = str(error).replace("\t", "tab")
        fault = f'is malformed ({reason}); close each quote, and write " inside a quoted field as "".'
        raise error_at(path, start, fault) from None
    return rows


def _is_skipped(line: str) -> bool:
    return line.startswith("#") or line.isspace()


def _split(lines: Iterable[str], delimiter: str | None) -> Iterable[list[str]]:
    if delimiter is None:
        return map(str.split, lines)
    return csv.reader(lines, delimiter=delimiter, skipinitialspace=True, strict=True)


def _delimiter(path: FilePath, first_line: str) -> str | None:
    """The delimiter by extension and first line; None stands for runs of white space."""
    suffix = Path(path).suffix.lower()
    unquoted = re.sub('"[^"]*"', "", first_line)
    candidates = _SNIFFED.get(suffix, "\t,;")
    return next((mark for mark in candidates if mark in unquoted), _FALLBACK.get(suffix))


def read_table(
    path: FilePath, columns: Sequence[Column], is_headed: Callable[[Columns], bool] = lambda columns: False
) -> Table:
    """The named columns of a delimited file, of which the last may be missing.

    A first line made of known names is a header, in any order; without one the columns are positional. Where names are
    not known, `is_headed` judges by all records whether the first can only be a header: it is taken as one then, and
    the table remarks on it.
    """
    lines, records = read_rows(path, len(columns))
    origin = file_origin(path, lines)
    known = _known_names(records[0], columns)
    has_header, remarks = _is_complete(known, columns), ()
    names = known if has_header else _positional(path, lines[0], len(known), columns)
    _require_as_many(records, names, origin, "the header on " if has_header else "")
    if not has_header and len(records) > 1:
        supposed = _with_the_others_in_order(known, columns)
        can_be = _is_complete(supposed, columns)
        if is_headed(_by_name(supposed if can_be else names, records)):
            if not can_be:
                raise header_error(origin, columns, "no other line is like it")
            has_header, names, remarks = True, supposed, (_taken_as_header(origin, records[0], supposed),)
    called = dict(zip(names, records[0] if has_header else names, strict=True))
    if has_header:
        lines, records = lines[1:], records[1:]
    if not records:
        raise origin.error(0, "is a header without rows; write one record per line below it.")
    table = Table(_by_name(names, records), has_header, file_origin(path, lines), remarks, called)
    if not has_header:
        _refuse_words_for_numbers(table, columns)
    return table


def _known_names(fields: Sequence[str], columns: Sequence[Column]) -> list[str]:
    """The columns that a line names as a header; "" where a name is not known."""
    known = {alias: column.name for column in columns for alias in (column.name, *column.aliases)}
    return [known.get(field.lower(), "") for field in fields]


def _is_complete(names: Sequence[str], columns: Sequence[Column]) -> bool:
    """Whether every name is known, none stands twice and no column is missing but the last."""
    required = {column.name for column in columns[:-1]}
    return "" not in names and len(set(names)) == len(names) and required <= set(names)


def _with_the_others_in_order(known: Sequence[str], columns: Sequence[Column]) -> list[str]:
    """The columns that a header means if names that are not known stand for those left, in their order."""
    left = iter([column.name for column in columns if column.name not in known])
    return [name or next(left) for name in known]


def _taken_as_header(origin: Origin, fields: Sequence[str], names: Sequence[str]) -> str:
    wording, header = ", ".join(map(quoted, fields)), ",".join(names)
    return (
        f"{origin.label}, {origin.place(0)}: {wording} was taken as a header for {header}; "
        f"write {header} in its place if that is right, or above it if it is a record."
    )


def _require_as_many(records: Sequence[Sequence[str]], names: Sequence[str], origin: Origin, model: str) -> None:
    """Refuse a record with more or fewer fields than the first."""
    for record, fields in enumerate(records):
        if len(fields) != len(names):
            wanted = f"{len(names)} columns ({', '.join(names)}) as in {model}{origin.place(0)}"
            raise origin.error(record, f"expected {wanted}, found {len(fields)}.")


def _by_name(names: Sequence[str], records: Sequence[Sequence[str]]) -> Columns:
    return {name: [fields[i] for fields in records] for i, name in enumerate(names)}


def _positional(path: FilePath, line: int, count: int, columns: Sequence[Column]) -> list[str]:
    names = [column.name for column in columns]
    if count not in (len(names) - 1, len(names)):
        fault = (
            f"expected {len(names) - 1} columns ({', '.join(names[:-1])}) "
            f"or {len(names)} (also {names[-1]}), found {count}."
        )
        raise error_at(path, line, fault)
    return names[:count]


def _refuse_words_for_numbers(table: Table, columns: Sequence[Column]) -> None:
    for column in columns:
        field = table.columns[column.name][0] if column.name in table.columns else ""
        if column.numeric and field and not is_number(field):
            raise header_error(table.origin, columns, f"{column.name} {quoted(field)} is not a number")


def header_error(origin: Origin, columns: Sequence[Column], reason: str) -> InputError:
    """The error for a first line that can be neither data nor a known header."""
    names = ", ".join("/".join((column.name, *column.aliases)) for column in columns)
    return origin.error(0, f"looks like a header, since {reason}, but the names understood are {names}.")


def is_number(text: str) -> bool:
    """Whether Python reads it as one."""
    try:
        float(text)
    except ValueError:
        return False
    return True


def canonical_ids(texts: Iterable[str]) -> tuple[NodeId, ...]:
    """Integers if every id is written as one (7, not 007), else the strings as they are."""
    texts = tuple(texts)
    try:
        integers = tuple(map(int, texts))
    except ValueError:
        return texts
    return integers if tuple(map(str, integers)) == texts else texts


def require_filled(values: Sequence[str], field: str, origin: Origin) -> None:
    """Refuse a column in which a field is empty."""
    if "" in values:
        raise origin.error(values.index(""), f"{field} is empty; every record needs one.")


LARGEST = 1e12  # single precision squares it without overflow


def numbers(values: Sequence[Any], field: str, origin: Origin) -> np.ndarray:
    """Values as finite float64, or an error that names the record and the field."""
    parsed = []
    for record, value in enumerate(values):
        try:
            parsed.append(float(value))
        except (TypeError, ValueError, OverflowError):
            missing = value is None or value == ""
            fault = "is missing" if missing else f"{quoted(value)} is not a number"
            raise origin.error(record, f"{field} {fault}; write a finite number.") from None
    result = np.array(parsed, dtype=np.float64)
    unusable = first_true(~np.isfinite(result))
    if unusable is not None:
        fault = f"{field} {quoted(values[unusable])} is not finite; write a finite number."
        raise origin.error(unusable, fault)
    too_large = first_true(np.abs(result) > LARGEST)
    if too_large is not None:
        fault = f"{field} {quoted(values[too_large])} is too large; keep it between -{LARGEST:g} and {LARGEST:g}."
        raise origin.error(too_large, fault)
    return result


def numeric_array(values: object, dimensions: int, kinds: str) -> np.ndarray | None:
    """Values as an array with these dimensions and one of these kinds of numbers, or None if they are not."""
    try:
        array = np.asarray(values)
    except (TypeError, ValueError):
        return None
    fits = array.ndim == dimensions and (array.dtype.kind in kinds or not array.size)
    return array if fits else None


def first_true(mask: np.ndarray) -> int | None:
    """The first record for which a mask holds, or None."""
    found = np.flatnonzero(mask)
    return int(found[0]) if len(found) else None


def first_repeat(keys: Iterable[Hashable]) -> tuple[int, int] | None:
    """The first record that repeats an earlier one, as (earlier, repeat), or None."""
    seen: dict[Hashable, int] = {}
    for record, key in enumerate(keys):
        earlier = seen.setdefault(key, record)
        if earlier != record:
            return earlier, record
    return None
