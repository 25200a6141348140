"""LMTA trained on the paper's benchmarks, in the arena beside the paper's heuristics, with its learning curves."""

import shutil
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from rich.console import Console

from lmta.agents.planner import PREFIX
from lmta.agents.saved import CHECKPOINT
from lmta.evaluation.evaluate import EvaluateSettings, evaluate, prepare
from lmta.experiments.markdown import Table, markdown
from lmta.experiments.train import begin_run, resume_run
from lmta.files import check_writable, kind_of
from lmta.problems.registry import InstanceSettings
from lmta.training.folder import CURVE
from lmta.training.metrics import read_metrics
from lmta.training.settings import preset_settings
from lmta.types import InputError

HORIZONS = ((10, 50), (20, 10))
HEURISTICS: dict[Literal["aim", "sop"], tuple[str, ...]] = {
    "aim": (*(f"{budget}-{nodes}" for budget in ("average", "static", "normal") for nodes in ("degree", "score")),),
    "sop": ("even-greedy", "greedy", "ga"),
}
"""What the paper compares with; even-greedy is what its greedy earns with a budget that lasts."""
EPOCHS = 30
"""After which the instances held out while training gain little or lose (see lab notes)."""
STRONGEST: dict[Literal["aim", "sop"], str] = {"aim": "average-lookahead", "sop": "even-insertion"}


@dataclass(frozen=True)
class TrainedSettings:
    """Train LMTA on the paper's benchmarks and play it beside the heuristics."""

    runs: Path = Path("runs")
    """Folder of the training runs; a run that is there goes on, or is used if it has all its epochs."""
    out: Path = Path("results")
    """Folder for the JSON files; it must exist."""
    figures: Path = Path("docs/figures")
    """Folder for the learning curves."""
    nodes: int = 500
    epochs: int = EPOCHS
    """Epochs of every run."""
    instances: int = 60
    seed: int = 7
    """Of the instances that are played; training has seed 0."""


def run_trained(settings: TrainedSettings, console: Console, on_table: Callable[[str], None]) -> None:
    """Train, play and hand over a table for each problem as Markdown."""
    settings.figures.mkdir(parents=True, exist_ok=True)
    check_writable(settings.out / "lmta.json")
    for problem, heuristics in HEURISTICS.items():
        columns = {}
        for days, budget in HORIZONS:
            name = f"{problem}-{days}-{budget}"
            run = settings.runs / name
            _train(settings, problem, days, budget, run, console)
            shutil.copyfile(run / CURVE, settings.figures / f"learning-{name}.png")
            columns[f"T={days}, K={budget}"] = EvaluateSettings(
                policies=",".join([f"{PREFIX}{run}", *heuristics, STRONGEST[problem]]),
                problem=problem,
                instances=settings.instances,
                seed=settings.seed,
                instance=InstanceSettings(nodes=settings.nodes, days=days, budget=budget),
                json=settings.out / f"lmta-{name}.json",
            )
        rows = {title: evaluate(prepare(column)) for title, column in columns.items()}
        on_table(markdown(Table(f"LMTA, {problem}, {settings.nodes} nodes", columns), rows))


def _train(
    settings: TrainedSettings, problem: Literal["aim", "sop"], days: int, budget: int, run: Path, console: Console
) -> None:
    preset = preset_settings(problem, "paper")
    instance = replace(preset.instance, nodes=settings.nodes, days=days, budget=budget)
    train = replace(preset.config.train, epochs=settings.epochs)
    chosen = replace(
        preset, instance=instance, config=replace(preset.config, train=train), evaluate_every=5, held_out=16
    )
    go = resume_run if kind_of(run / CHECKPOINT) else begin_run
    said = go(run, chosen, console)
    if read_metrics(run)[-1]["epoch"] < settings.epochs:
        raise InputError(said)
    console.print(said, markup=False, highlight=False, soft_wrap=True)
