"""The tables of what needs no learning: classical policies on the paper's benchmarks, and the exact optimum."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from lmta.arena.evaluate import EvaluateSettings, evaluate, prepare
from lmta.experiments.markdown import Table, markdown
from lmta.files import check_writable
from lmta.problems.registry import InstanceSettings

HORIZONS = ((10, 50), (10, 60), (10, 70), (20, 10))
AIM = (
    *(f"{budget}-{nodes}" for budget in ("average", "static", "normal") for nodes in ("degree", "score")),
    *(f"{budget}-{nodes}" for budget in ("average", "static", "normal") for nodes in ("lookahead", "ris")),
    "average-random",
)
SOP = ("greedy", "ga", "even-greedy", "even-insertion", "cap4-insertion", "cap5-insertion", "cap6-insertion")
POWER = ("average-degree", "average-score", "average-lookahead", "average-ris", "static-score", "normal-degree")
TINY = ("exact", "average-degree", "average-score", "average-lookahead", "average-ris")


@dataclass(frozen=True)
class ClassicalSettings:
    """Every classical policy on the benchmarks: tables as Markdown, results as JSON."""

    out: Path = Path("results")
    """Folder for the JSON files; it must exist."""
    instances: int = 60
    seed: int = 7


def tables(settings: ClassicalSettings) -> list[Table]:
    """What is played."""

    def of(problem: Literal["aim", "sop", "power2500"], policies: Iterable[str], file: str, **instance):
        return EvaluateSettings(
            policies=",".join(policies),
            problem=problem,
            instances=settings.instances,
            seed=settings.seed,
            instance=InstanceSettings(**instance),
            json=settings.out / f"{file}.json",
        )

    def horizons(problem: Literal["aim", "sop"], policies: Iterable[str], name: str, **fixed):
        return {
            f"T={days}, K={budget}": replace(
                of(problem, policies, f"{name}-{days}-{budget}", nodes=500, days=days, budget=budget), **fixed
            )
            for days, budget in HORIZONS
        }

    day_one = [name for name in AIM if name.startswith("normal")]
    return [
        Table("AIM, 500 nodes", horizons("aim", AIM, "aim")),
        Table("AIM, 500 nodes, the first day's reward only", horizons("aim", day_one, "aim-day-one", first_days=1)),
        Table("SOP, 500 cities", horizons("sop", SOP, "sop")),
        Table("Power-2500", {"T=10, K=60": of("power2500", POWER, "power2500")}),
        Table(
            "AIM, 10 nodes, beside the exact optimum",
            {"T=4, K=4": replace(of("aim", TINY, "aim-tiny", nodes=10, days=4, budget=4), instances=20, futures=200)},
        ),
    ]


def run_classical(settings: ClassicalSettings, on_table: Callable[[str], None]) -> None:
    """Play every table, and hand over each as Markdown when it is done."""
    check_writable(settings.out / "aim.json")
    for table in tables(settings):
        rows = {title: evaluate(prepare(column)) for title, column in table.columns.items()}
        on_table(markdown(table, rows))
