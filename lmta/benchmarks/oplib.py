"""Instances of OPLib, the public library of orienteering problems, read from a folder of the user's."""

import csv
import math
import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from lmta.types import InputError

VARIABLE = "LMTA_OPLIB"
"""The environment variable that names the folder: `*.oplib` files, and `best.csv` with `instance` and `best_score`."""


@dataclass(frozen=True)
class Instance:
    """One route from the first city and back within the limit; the score of every city on it counts, the first too."""

    name: str
    matrix: np.ndarray
    score: np.ndarray
    limit: int
    best: float
    """The score of the best route published."""

    def ratio(self, stops: list[int]) -> float:
        """The share of the best score that a route from the first city through these stops collects."""
        closed = [0, *stops, 0]
        length = self.matrix[closed[:-1], closed[1:]].sum()
        assert len(set(stops) - {0}) == len(stops), f"{self.name}: a city is visited twice"
        assert length <= self.limit, f"{self.name}: {length} is over the limit of {self.limit}"
        return float(self.score[[0, *stops]].sum()) / self.best


def oplib_folder(given: Path | None) -> Path | None:
    """The folder that is given, or else the one that the environment names; None where neither is."""
    folder = given or (Path(os.environ[VARIABLE]) if os.environ.get(VARIABLE) else None)
    if folder is not None and not (folder / "best.csv").is_file():
        raise InputError(f"{folder}: has no best.csv; give a folder with OPLib instances and their best scores.")
    return folder


def read_instances(folder: Path) -> list[Instance]:
    """The instances of which `best.csv` has a score, in its order."""
    with (folder / "best.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return [_read(folder / f"{row['instance']}.oplib", float(row["best_score"])) for row in rows]


def _read(path: Path, best: float) -> Instance:
    """An instance with distances rounded to whole numbers, as EDGE_WEIGHT_TYPE EUC_2D asks."""
    sections: dict[str, list[list[str]]] = {}
    limit, section = math.nan, ""
    for line in path.read_text(encoding="utf-8").splitlines():
        key, colon, value = (part.strip() for part in line.partition(":"))
        if colon:
            limit = float(value) if key == "COST_LIMIT" else limit
        elif key.endswith("_SECTION"):
            section = key
        elif section:
            sections.setdefault(section, []).append(key.split())
    xy = np.array([fields[1:] for fields in sections["NODE_COORD_SECTION"]], float)
    score = np.array([fields[1] for fields in sections["NODE_SCORE_SECTION"]], float)
    apart = np.sqrt(((xy[:, None] - xy[None]) ** 2).sum(axis=-1))
    return Instance(path.stem, np.floor(apart + 0.5), score, int(limit), best)
