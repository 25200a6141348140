"""Uploaded data: what may come in, what it looks like before it is accepted, and samples to begin with."""

import re
from dataclasses import dataclass
from functools import cache, partial
from pathlib import PurePosixPath
from typing import Literal

import networkx as nx
import numpy as np

from lmta.problems.delimited import Content
from lmta.problems.influence.importer import load_network
from lmta.problems.orienteering.importer import load_cities
from lmta.types import InputError, quoted

Kind = Literal["campaign", "tour"]
SUFFIXES = {"campaign": (".csv", ".tsv", ".txt", ".edges", ".graphml"), "tour": (".csv", ".tsv", ".txt", ".tsp")}
LONGEST_NAME = 100
MOST_ERRORS = 5
MOST_BINS = 20
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
    """How many nodes or cities lie between two numbers, the ends included for whole numbers."""

    low: float
    high: float
    count: int


@dataclass(frozen=True)
class Preview:
    """What the data hold, or the errors that must be mended first."""

    kind: Kind
    filename: str
    nodes: int
    edges: int
    histogram: tuple[Bin, ...]
    """Of degrees, or of profits."""
    first_ids: tuple[int | str, ...]
    errors: tuple[str, ...]


def safe_name(given: str | None) -> str:
    """A file's name without folders and with plain letters; its suffix tells the format."""
    last = re.split(r"[/\\]", given or "")[-1]
    plain = re.sub(r"[^\w.\- ]", "_", last, flags=re.ASCII).strip(" .")
    stem, suffix = PurePosixPath(plain or "data.csv").stem, PurePosixPath(plain or "data.csv").suffix
    return stem[: LONGEST_NAME - len(suffix)] + suffix[:LONGEST_NAME]


def check_content(content: Content, kind: Kind, limits: Limits) -> None:
    """Refuse what is too much or no format that is known, before it is parsed."""
    suffix = PurePosixPath(content.name).suffix.lower()
    if suffix not in SUFFIXES[kind]:
        raise InputError(f"file: {content.name} should end with one of {', '.join(SUFFIXES[kind])}.")
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


def preview(content: Content, kind: Kind, directed: bool, limits: Limits) -> Preview:
    """What the data hold, with the first errors by line if they cannot be read."""
    try:
        check_content(content, kind, limits)
        nodes, edges, values, ids = _measured(content, kind, directed)
    except InputError as error:
        errors = _errors(content, kind, directed, error)
        return Preview(kind, content.name, 0, 0, (), (), errors)
    shown = tuple(name if isinstance(name, int) else str(name) for name in ids[:10])
    return Preview(kind, content.name, nodes, edges, _histogram(values), shown, ())


def _measured(content: Content, kind: Kind, directed: bool) -> tuple[int, int, np.ndarray, tuple]:
    """Number of nodes and edges, what the histogram counts, and the ids."""
    if kind == "campaign":
        network = load_network(content, directed=directed)
        degrees = np.bincount(network.senders, minlength=network.num_nodes)
        return network.num_nodes, len(network.senders), degrees, network.ids
    cities = load_cities(content)
    profit = np.ones(len(cities.names)) if cities.profit is None else cities.profit
    return len(cities.names), 0, profit[1:], cities.names


def _histogram(values: np.ndarray) -> tuple[Bin, ...]:
    low, high = float(values.min()), float(values.max())
    whole = bool((values == values.round()).all())
    if whole:
        width = int((high - low) // MOST_BINS) + 1
        counts = np.bincount(((values - low) // width).astype(int))
        starts = low + width * np.arange(len(counts))
        return tuple(Bin(float(a), float(a + width - 1), int(n)) for a, n in zip(starts, counts, strict=True))
    counts, edges = np.histogram(values, MOST_BINS)
    return tuple(Bin(float(edges[i]), float(edges[i + 1]), int(count)) for i, count in enumerate(counts))


def _errors(content: Content, kind: Kind, directed: bool, first: InputError) -> tuple[str, ...]:
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
            _measured(Content(content.name, data), kind, directed)
        except InputError as error:
            errors.append(str(error))
        else:
            break
    return tuple(sorted(errors, key=partial(_line_named, content)))


def _line_named(content: Content, error: str) -> int:
    """The line that an error is about, or 0."""
    found = re.match(rf"{re.escape(content.name)}, line (\d+): ", error)
    return int(found.group(1)) if found else 0


@dataclass(frozen=True)
class Sample:
    """Data to begin with, and settings that suit them."""

    name: str
    title: str
    kind: Kind
    days: int
    budget: int
    directed: bool
    description: str


SAMPLES = {
    sample.name: sample
    for sample in (
        Sample(
            "les-miserables",
            "Les Misérables",
            "campaign",
            10,
            10,
            False,
            "77 characters of the novel, joined where they meet (from NetworkX).",
        ),
        Sample("fifty-cities", "Fifty cities", "tour", 5, 15, True, "50 generated cities with profits."),
    )
}


def sample_content(name: str) -> Content:
    """The data of a sample as a file."""
    if name not in SAMPLES:
        raise InputError(f"sample: {quoted(name)} is not known; use {' or '.join(SAMPLES)}.")
    return _les_miserables() if name == "les-miserables" else _fifty_cities()


@cache
def _les_miserables() -> Content:
    rows = [f"{a},{b}" for a, b in nx.les_miserables_graph().edges]
    return Content("les-miserables.csv", "\n".join(["source,target", *rows, ""]).encode())


@cache
def _fifty_cities() -> Content:
    names = [
        first + last
        for first in ("Ash", "Birch", "Clay", "Elm", "Fern", "Gold", "Hazel", "Lake", "Moss", "Oak")
        for last in ("bridge", "field", "ford", "mill", "wick")
    ]
    places = np.random.default_rng(50).random((len(names), 3))
    rows = [f"{n},{100 * x:.1f},{100 * y:.1f},{0.5 + p / 2:.2f}" for n, (x, y, p) in zip(names, places, strict=True)]
    return Content("fifty-cities.csv", "\n".join(["name,x,y,profit", *rows, ""]).encode())
