"""What the demo is told, and what its parts hand to the page."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from lmta.arena.arena import Row

Say = Callable[[str], None]
"""Hears how the demo goes."""


@dataclass(frozen=True)
class DemoSettings:
    """Play one campaign and one tour, compare policies on them, and train a small LMTA."""

    out: Path = Path("demo")
    """Folder for the page and its pictures."""
    instances: int = 50
    """Futures or instances in which policies are compared."""
    rollouts: int = 1_000
    """Rollouts for each decision of the adviser that thinks."""
    epochs: int = 20
    """Epochs that LMTA is trained for."""
    seed: int = 0


@dataclass(frozen=True)
class Picture:
    """A picture beside the page, and what it shows."""

    file: str
    caption: str


@dataclass(frozen=True)
class Day:
    """A day as it was decided and as it went."""

    decision: str
    outcome: str
    why: str
    picture: Picture | None = None


@dataclass(frozen=True)
class Headline:
    """A number worth remembering."""

    number: str
    meaning: str


@dataclass(frozen=True)
class Comparison:
    """Policies that met the same chance; the others are compared with the first."""

    title: str
    rows: Sequence[Row]
    chart: Picture


@dataclass(frozen=True)
class Part:
    """A part of the page: the task, the days, what was found, and the policies compared."""

    title: str
    task: str
    days: Sequence[Day] = ()
    findings: Sequence[str] = ()
    pictures: Sequence[Picture] = ()
    comparison: Comparison | None = None
    headlines: Sequence[Headline] = ()
