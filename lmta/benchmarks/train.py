"""`lmta bench train`: how long an epoch takes, split into self-play and updates, for networks of several sizes."""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from rich.table import Table

from lmta.agents.settings import RunSettings
from lmta.arena.record import provenance, write_json
from lmta.config import paper
from lmta.files import check_writable
from lmta.problems.registry import InstanceSettings
from lmta.problems.session import check_seed, whole_number
from lmta.training.run import advance, begin

EPOCHS_TO_COMPILE = 2


@dataclass(frozen=True)
class TrainBenchSettings:
    """How fast an epoch of the preset `paper` is."""

    problem: Literal["aim", "sop"] = "aim"
    nodes: int = 500
    days: int = 10
    budget: int = 70
    sizes: tuple[int, ...] = (200, 1_000, 2_500)
    """Further numbers of nodes."""
    epochs: int = 5
    """Epochs that are timed; medians are printed."""
    seed: int = 0
    json: Path | None = None
    """Write the results to this file too."""


def bench_train(settings: TrainBenchSettings) -> dict[str, Any]:
    """Time epochs after the compilation, for every size."""
    _check(settings)
    described = asdict(settings)
    del described["json"]
    by_nodes = {nodes: _time_epochs(settings, nodes) for nodes in sorted({settings.nodes, *settings.sizes})}
    result = {
        "settings": described,
        "provenance": provenance(),
        "episodes": paper(settings.problem).train.episodes,
        **by_nodes[settings.nodes],
        "by_nodes": {str(nodes): times for nodes, times in by_nodes.items()},
    }
    if settings.json is not None:
        write_json(settings.json, result)
    return result


def train_bench_table(result: dict[str, Any]) -> Table:
    """The measurement for people."""
    settings = result["settings"]
    table = Table(
        title=f"{settings['problem']}: an epoch of {result['episodes']} episodes, {settings['days']} days, "
        f"budget {settings['budget']}",
        caption=f"medians of {settings['epochs']} epochs on {result['provenance']['cores']} cores, seconds",
    )
    for column in ("nodes", "epoch", "self-play", "updates"):
        table.add_column(column, justify="right")
    for nodes, times in result["by_nodes"].items():
        table.add_row(nodes, *[f"{times[name]:.2f}" for name in ("epoch_s", "selfplay_s", "update_s")])
    return table


def _check(settings: TrainBenchSettings) -> None:
    check_seed(settings.seed)
    whole_number(settings.epochs, "epochs", 1)
    if settings.json is not None:
        check_writable(settings.json)


def _time_epochs(settings: TrainBenchSettings, nodes: int) -> dict[str, float]:
    """Median seconds of an epoch and of its two halves."""
    instance = InstanceSettings(nodes=nodes, days=settings.days, budget=settings.budget)
    run = RunSettings(problem=settings.problem, instance=instance, config=paper(settings.problem), seed=settings.seed)
    progress, seconds = begin(run), []
    for _ in range(EPOCHS_TO_COMPILE + settings.epochs):
        progress, metrics = advance(run, progress)
        seconds.append(metrics["seconds"])
    timed = seconds[EPOCHS_TO_COMPILE:]
    return {
        "epoch_s": float(np.median([s["play"] + s["learn"] for s in timed])),
        "selfplay_s": float(np.median([s["play"] for s in timed])),
        "update_s": float(np.median([s["learn"] for s in timed])),
    }
