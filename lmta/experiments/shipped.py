"""The planners that come with the package, in the arena beside the best classical policy of each setting."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from lmta.agents.planner import PREFIX
from lmta.arena.arena import Row
from lmta.arena.evaluate import EvaluateSettings, evaluate, prepare
from lmta.arena.statistics import compare
from lmta.arena.tables import with_error
from lmta.experiments.classical import HORIZONS
from lmta.problems.orienteering.rules import OrienteeringRules
from lmta.problems.registry import InstanceSettings
from lmta.types import InputError

RIVALS: dict[Literal["aim", "sop"], tuple[str, ...]] = {
    "aim": (
        *(
            f"{budget}-{nodes}"
            for budget in ("average", "front", "normal")
            for nodes in ("degree", "score", "lookahead", "ris")
        ),
        *(f"static-{nodes}" for nodes in ("degree", "score")),
    ),
    "sop": tuple(
        f"{budget}-{nodes}" for budget in ("even", "cap4", "cap5", "cap6") for nodes in ("greedy", "insertion")
    ),
}
TIGHT = OrienteeringRules(limit=0.6, drift=0.15)
SETTINGS: dict[Literal["aim", "sop"], dict[str, InstanceSettings]] = {
    "aim": {
        **{f"T={days}, K={budget}": InstanceSettings(500, days, budget) for days, budget in HORIZONS},
        "N=200, K=20": InstanceSettings(200, 10, 20),
        "N=1000, K=100": InstanceSettings(1000, 10, 100),
        "N=2500, K=250": InstanceSettings(2500, 10, 250),
        "degree 3": InstanceSettings(degree=3.0),
        "degree 10": InstanceSettings(degree=10.0),
        "power-law": InstanceSettings(generator="power-law"),
        "small-world": InstanceSettings(generator="small-world"),
        "block": InstanceSettings(generator="block"),
        "random probabilities": InstanceSettings(probabilities="random"),
        "T=5, K=50": InstanceSettings(days=5),
        "T=20, K=50": InstanceSettings(days=20),
        "T=5, K=5": InstanceSettings(days=5, budget=5),
        "T=10, K=10": InstanceSettings(days=10, budget=10),
        "T=30, K=15": InstanceSettings(days=30, budget=15),
    },
    "sop": {
        **{f"T={days}, K={budget}": InstanceSettings(500, days, budget) for days, budget in HORIZONS},
        "tight, uniform": InstanceSettings(100, 10, 40, rules=TIGHT),
        "tight, clustered": InstanceSettings(100, 10, 40, generator="clustered", rules=TIGHT),
        "N=100": InstanceSettings(100),
        "N=1000": InstanceSettings(1000),
        "N=2500": InstanceSettings(2500),
        "clustered": InstanceSettings(generator="clustered"),
    },
}
"""What is not said is as in the benchmark: 500 nodes or cities, 10 days, budget 50."""


@dataclass(frozen=True)
class ShippedSettings:
    """Play the planners that come with the package beside the classical policies, on what they have never seen."""

    out: Path = Path("results")
    """Folder for the JSON files; it must exist."""
    instances: int = 100
    seed: int = 11
    only: tuple[str, ...] = ()
    """Titles of the settings to play; all by default."""


def run_shipped(settings: ShippedSettings, on_table: Callable[[str], None]) -> None:
    """Play every setting, and hand over a table for each problem as Markdown."""
    unknown = set(settings.only) - {title for kinds in SETTINGS.values() for title in kinds}
    if unknown:
        raise InputError(f"only: {min(unknown)!r} is none of the settings, such as 'T=10, K=50' and 'small-world'.")
    for problem, kinds in SETTINGS.items():
        chosen = [title for title in kinds if not settings.only or title in settings.only]
        lines = [_line(title, evaluate(prepare(_evaluation(settings, problem, title)))) for title in chosen]
        if lines:
            on_table("\n".join([f"### lmta:{problem} beside the best classical policy", "", *HEADER, *lines, ""]))


HEADER = (
    "| setting | lmta | best classical | of which policy | ratio | difference | ms: lmta | that policy | slowest |",
    "|---|---:|---:|---|---:|---:|---:|---:|---:|",
)


def _evaluation(settings: ShippedSettings, problem: Literal["aim", "sop"], title: str) -> EvaluateSettings:
    file = "-".join(["shipped", problem, *title.lower().replace("=", "").replace(",", "").split()])
    return EvaluateSettings(
        policies=",".join([f"{PREFIX}{problem}", *RIVALS[problem]]),
        problem=problem,
        instances=settings.instances,
        seed=settings.seed,
        instance=SETTINGS[problem][title],
        json=settings.out / f"{file}.json",
    )


def _line(title: str, rows: Iterable[Row]) -> str:
    """The learned planner, the classical policy that earns most, how they compare, and how long decisions take."""
    ours, *rivals = rows
    best = max(rivals, key=lambda row: row.score.mean)
    times = [f"{np.median(row.decision_ms):.1f}" for row in (ours, best)]
    slowest = max(float(np.median(row.decision_ms)) for row in rivals)
    cells = [
        title,
        with_error(ours.score),
        with_error(best.score),
        best.policy,
        f"{ours.score.mean / best.score.mean:.3f}",
        with_error(compare(ours.episodes, best.episodes).difference, "+"),
        *times,
        f"{slowest:.1f}",
    ]
    return f"| {' | '.join(cells)} |"
