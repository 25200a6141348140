"""Uploaded data: what may come in, what it looks like before it is accepted, and samples to begin with."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import PurePosixPath
from typing import Any

import numpy as np

from lmta.problems.delimited import Content
from lmta.problems.registry import session_words
from lmta.problems.spec import OwnData, Sample, Seen, Spec
from lmta.types import InputError, quoted

LONGEST_NAME = 100
MOST_ERRORS = 5
MOST_BINS = 20
SHOWN_IDS = 10
TAGS_A_ROW = 4
"""Tags of GraphML for each row that is taken: an edge and its probability, each opened and closed."""
LARGEST_TO_REREAD = 2_000_000
"""Files up to this size are read again for more errors than the first."""


class TooLargeError(InputError):
    """More than the service takes."""


@dataclass(frozen=True)
class Limits:
    """How much may be uploaded."""

    bytes: int = 50_000_000
    rows: int = 1_000_000


@dataclass(frozen=True)
class Bin:
    """How many nodes lie between two numbers, the ends included for whole numbers."""

    low: float
    high: float
    count: int


@dataclass(frozen=True)
class Preview:
    """What the data hold, or the errors that must be mended first."""

    kind: str
    filename: str
    errors: tuple[str, ...] = ()
    nodes: int = 0
    nodes_name: str = ""
    edges: int = 0
    histogram: tuple[Bin, ...] = ()
    histogram_of: str = ""
    first_ids: tuple[int | str, ...] = ()


def safe_name(given: str | None) -> str:
    """A file's name without folders and with plain letters; its suffix tells the format."""
    last = re.split(r"[/\\]", given or "")[-1]
    plain = re.sub(r"[^\w.\- ]", "_", last, flags=re.ASCII).strip(" .")
    stem, suffix = PurePosixPath(plain or "data.csv").stem, PurePosixPath(plain or "data.csv").suffix
    return stem[: LONGEST_NAME - len(suffix)] + suffix[:LONGEST_NAME]


def check_content(content: Content, suffixes: Sequence[str], limits: Limits) -> None:
    """Refuse what is too much or no format that is known, before it is parsed."""
    suffix = PurePosixPath(content.name).suffix.lower()
    if suffix not in suffixes:
        raise InputError(f"file: {content.name} should end with one of {', '.join(suffixes)}.")
    if len(content.data) > limits.bytes:
        size = f"{len(content.data):,} bytes"
        raise TooLargeError(f"file: {content.name} has {size}; at most {limits.bytes:,} are taken.")
    is_graphml = suffix == ".graphml"
    rows = content.data.count(b"<edge") + content.data.count(b"<node") if is_graphml else _count_lines(content.data)
    if rows > limits.rows:
        raise TooLargeError(f"file: {content.name} has {rows:,} rows; at most {limits.rows:,} are taken.")
    tags, most_tags = content.data.count(b"<"), TAGS_A_ROW * limits.rows
    if is_graphml and tags > most_tags:
        raise TooLargeError(f"file: {content.name} has {tags:,} tags; at most {most_tags:,} are taken.")
    if is_graphml and (b"<!" in content.data.replace(b"<!--", b"") or b"\0" in content.data):
        raise InputError(f"file: {content.name} must be UTF-8 without document types or entities.")


def _count_lines(data: bytes) -> int:
    return max(data.count(b"\n"), data.count(b"\r")) + 1


def preview(content: Content, spec: Spec, read: Any, limits: Limits) -> Preview:
    """What the data hold if they are `read` so, or the first errors by line."""
    kind = spec.session.word
    try:
        check_content(content, spec.own_data.suffixes, limits)
        seen = _seen(content, spec.own_data, read)
    except InputError as error:
        return Preview(kind, content.name, _errors(content, spec.own_data, read, error))
    return Preview(
        kind=kind,
        filename=content.name,
        nodes=seen.nodes,
        nodes_name=seen.nodes_name,
        edges=seen.edges,
        histogram=_histogram(np.asarray(seen.histogram)),
        histogram_of=seen.histogram_of,
        first_ids=tuple(name if isinstance(name, int) else str(name) for name in seen.ids[:SHOWN_IDS]),
    )


def _seen(content: Content, own: OwnData, read: Any) -> Seen:
    return own.look(own.load(content, read))


def _histogram(values: np.ndarray) -> tuple[Bin, ...]:
    if not len(values):
        return ()
    low, high = float(values.min()), float(values.max())
    whole = bool((values == values.round()).all())
    if whole:
        width = int((high - low) // MOST_BINS) + 1
        counts = np.bincount(((values - low) // width).astype(int))
        starts = low + width * np.arange(len(counts))
        return tuple(Bin(float(a), float(a + width - 1), int(n)) for a, n in zip(starts, counts, strict=True))
    counts, edges = np.histogram(values, MOST_BINS)
    return tuple(Bin(float(edges[i]), float(edges[i + 1]), int(count)) for i, count in enumerate(counts))


def _errors(content: Content, own: OwnData, read: Any, first: InputError) -> tuple[str, ...]:
    """The first errors by line: each line at fault is left out and the rest is read again."""
    errors = [str(first)]
    data = content.data
    while len(errors) < MOST_ERRORS and len(data) <= LARGEST_TO_REREAD:
        lines = data.split(b"\n")
        number = 0 if "looks like a header" in errors[-1] else _line_named(content, errors[-1])
        if not 1 <= number <= len(lines) or b'"' in lines[number - 1] or not lines[number - 1].strip():
            break
        lines[number - 1] = b""
        data = b"\n".join(lines)
        try:
            _seen(Content(content.name, data), own, read)
        except InputError as error:
            errors.append(str(error))
        else:
            break
    return tuple(sorted(errors, key=partial(_line_named, content)))


def _line_named(content: Content, error: str) -> int:
    """The line that an error is about, or 0."""
    found = re.match(rf"{re.escape(content.name)}, line (\d+): ", error)
    return int(found.group(1)) if found else 0


def samples() -> Iterator[tuple[Spec, Sample]]:
    """Data to begin with, for every problem."""
    for spec in session_words().values():
        for sample in spec.own_data.samples:
            yield spec, sample


def sample_of(spec: Spec, name: str) -> Sample:
    """The sample of that name."""
    known = {sample.name: sample for sample in spec.own_data.samples}
    if name not in known:
        there_are = f"use {' or '.join(known)}" if known else "there are none"
        raise InputError(f"sample: {quoted(name)} is not known for a {spec.session.word}; {there_are}.")
    return known[name]


def sample_content(sample: Sample) -> Content:
    """The data of a sample as a file."""
    return Content(*sample.file())
