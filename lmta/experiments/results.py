"""What the files in `results/` say of an entry: its scores by seed and instance, means, and comparisons."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from lmta.arena.statistics import Mean, mean_of
from lmta.experiments.cells import Cell, Learner
from lmta.experiments.declare import Entry, Scale, Table
from lmta.types import InputError

MOST_SEEDS = 50
"""More training seeds than anybody will run."""


@dataclass(frozen=True, eq=False)
class Found:
    """All files that are there for an entry, one for each training seed."""

    learns: bool
    files: Sequence[dict[str, Any]]

    @property
    def seeds(self) -> int:
        """Training seeds that the figure stands on; 1 for a policy."""
        return len(self.files)

    @cached_property
    def scores(self) -> np.ndarray:
        """By seed and episode."""
        return np.array([file["scores"] for file in self.files])

    def first(self, episodes: int) -> "Found":
        """The same with the first episodes alone: who plays fewer plays the first instances of the same series."""
        return Found(self.learns, [{**file, "scores": file["scores"][:episodes]} for file in self.files])

    @property
    def by_seed(self) -> np.ndarray:
        """Means over the episodes."""
        return self.scores.mean(axis=1)

    @property
    def by_episode(self) -> np.ndarray:
        """Means over the seeds."""
        return self.scores.mean(axis=0)

    @property
    def mean(self) -> Mean:
        """Over seeds for a learner, over episodes for a policy, which has no seed of its own."""
        return mean_of(self.by_seed if self.learns else self.by_episode)


@dataclass(frozen=True)
class Results:
    """The files of a folder, as the tables need them."""

    folder: Path
    changed: dict[str, int] = field(default_factory=dict)
    """What differs from the scale of each table: seeds, nodes, epochs, instances."""

    def scale(self, table: Table) -> Scale:
        """The scale of a table here."""
        return scale_of(table, self.changed)

    def of(self, table: Table, entry: Entry) -> Found | None:
        """What is there of an entry, with all training seeds that are; None where nothing is."""
        scale = Scale(**{**vars(self.scale(table)), "seeds": MOST_SEEDS})
        files = [content for cell in entry.cells(scale) if (content := self.read(cell)) is not None]
        return Found(isinstance(entry.cell.method, Learner), files) if files else None

    def read(self, cell: Cell) -> dict[str, Any] | None:
        """The file of a cell, if it is there."""
        path = cell.file(self.folder)
        return read_json(path) if path.exists() else None

    def missing(self, table: Table) -> list[Cell]:
        """The cells of a table that are not there."""
        return [cell for cell in table.cells(self.scale(table)) if not cell.file(self.folder).exists()]


def scale_of(table: Table, changed: dict[str, int]) -> Scale:
    """The scale of a table with what the user asked for."""
    return Scale(**{**vars(table.scale), **changed})


def read_json(path: Path) -> dict[str, Any]:
    """A file with results."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(
            f"{path}: cannot be read as results ({error}); remove it, and its cell is run again."
        ) from error
