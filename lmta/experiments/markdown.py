"""Pieces of a page in Markdown: a section, a table, numbers, a figure."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lmta.arena.statistics import Mean
from lmta.files import write_whole

PENDING = "pending"
Draw = Callable[[Any], None]
"""Draws on an empty Matplotlib figure."""


@dataclass(frozen=True)
class Section:
    """A table or figure as text, the pictures it shows, and the facts that the findings may cite."""

    lines: Sequence[str]
    figures: Mapping[str, Draw] = field(default_factory=dict)
    """By the name of the file, without the ending."""
    facts: Mapping[str, str] = field(default_factory=dict)


def table(head: Sequence[str], rows: Iterable[Sequence[str]], *, texts: int = 1) -> list[str]:
    """A table whose first columns are texts and the others numbers."""
    rules = ["---"] * texts + ["---:"] * (len(head) - texts)
    return [_line(head), f"|{'|'.join(rules)}|", *map(_line, rows), ""]


def picture(name: str, title: str) -> list[str]:
    """A figure of the report."""
    return [f"![{title}](figures/{name}.png)", ""]


def write_figure(path: Path, draw: Draw) -> None:
    """Draw a figure to a file, whose ending says how: .png or .svg."""
    from matplotlib.figure import Figure  # noqa: PLC0415 (only where a picture is drawn)

    figure = Figure(dpi=110, layout="constrained")
    draw(figure)
    kind = path.suffix.removeprefix(".")
    undated = {"Software": None} if kind == "png" else {"Date": None}
    write_whole(path, lambda file: figure.savefig(str(file), format=kind, metadata=undated))


def with_error(number: Mean, sign: str = "") -> str:
    """A mean and its standard error, if there is one."""
    error = "" if math.isnan(number.sem) else f" ± {number.sem:.2f}"
    return f"{number.mean:{sign}.2f}{error}"


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"
