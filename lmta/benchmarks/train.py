"""`lmta bench train`: how long a learner's epoch takes, split into self-play and updates, for several sizes."""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from rich.table import Table

from lmta.agents.registry import DEFAULT as DEFAULT_AGENT
from lmta.agents.settings import RunSettings
from lmta.arena.record import check_json, provenance, write_json
from lmta.benchmarks.decide import new_run
from lmta.problems.registry import DEFAULT as DEFAULT_PROBLEM
from lmta.problems.session import check_seed, whole_number
from lmta.training.run import advance, begin

EPOCHS_TO_COMPILE = 2


@dataclass(frozen=True)
class TrainBenchSettings:
    """How fast an epoch is."""

    agent: str = DEFAULT_AGENT
    """One of those that `lmta agents` lists."""
    problem: str = DEFAULT_PROBLEM
    """One of those that `lmta problems` lists."""
    preset: str | None = None
    """Where the agent's settings come from; its first preset by default."""
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
    runs = {nodes: _run(settings, nodes) for nodes in sorted({settings.nodes, *settings.sizes})}
    run, by_nodes = runs[settings.nodes], {nodes: _time_epochs(run, settings.epochs) for nodes, run in runs.items()}
    described = asdict(settings) | {"problem": run.problem, "preset": run.preset}
    del described["json"]
    result = {
        "settings": described,
        "provenance": provenance(),
        "episodes": run.config.train.episodes,
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
        title=f"{settings['agent']} ({settings['preset']}) on {settings['problem']}: an epoch of {result['episodes']} "
        f"episodes, {settings['days']} days, budget {settings['budget']}",
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
    check_json(settings.json)


def _run(settings: TrainBenchSettings, nodes: int) -> RunSettings:
    size = nodes, settings.days, settings.budget
    return new_run(settings.agent, settings.problem, settings.preset, *size, settings.seed)


def _time_epochs(run: RunSettings, epochs: int) -> dict[str, float]:
    """Median seconds of an epoch and of its two halves."""
    progress, seconds = begin(run), []
    for _ in range(EPOCHS_TO_COMPILE + epochs):
        progress, metrics = advance(run, progress)
        seconds.append(metrics["seconds"])
    timed = seconds[EPOCHS_TO_COMPILE:]
    return {
        "epoch_s": float(np.median([s["play"] + s["learn"] for s in timed])),
        "selfplay_s": float(np.median([s["play"] for s in timed])),
        "update_s": float(np.median([s["learn"] for s in timed])),
    }
