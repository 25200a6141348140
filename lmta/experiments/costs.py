"""How long cells take: from what was measured in results, or else from epochs that were timed before."""

import statistics
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from lmta.agents.players import PREFIX, adviser_in
from lmta.experiments.cells import Cell, Learner, Task
from lmta.experiments.results import read_json
from lmta.training.metrics import read_metrics
from lmta.types import InputError

EPOCH_SECONDS = 14.0
"""Core-seconds of an epoch of LMTA on 500 nodes: 7 s on two idle cores."""
COMPILE_SECONDS = 60.0
DECISION_MS = {"learner": 15.0, "policy": 5.0}
"""Of one decision on 500 nodes, in a batch."""
ROLLOUT_MS = 0.8
"""Of one rollout on 500 nodes, on one core."""


@dataclass(frozen=True)
class Costs:
    """Core-seconds by agent and problem, where they were measured; else those of LMTA."""

    epochs: dict[tuple[str, str], float] = field(default_factory=dict)

    def of(self, cells: Iterable[Cell], runs: Path | None = None) -> float:
        """Core-seconds of all these cells."""
        return sum(self.shares(cells, runs).values())

    def shares(self, cells: Iterable[Cell], runs: Path | None = None) -> dict[Cell, float]:
        """Core-seconds of each cell. What several share counts with the first, but for what `runs` has of it."""
        shares, trained = {}, set()
        for cell in cells:
            shares[cell] = _play_seconds(cell)
            if isinstance(cell.method, Learner) and cell.run_name not in trained:
                trained.add(cell.run_name)
                done = _epochs_done(runs / cell.run_name) if runs and cell.run_name else 0
                left = max(0, cell.method.epochs - done)
                shares[cell] += COMPILE_SECONDS * (left > 0) + left * self.epoch(cell.method, cell.task)
        return shares

    def epoch(self, learner: Learner, task: Task) -> float:
        """Core-seconds of one epoch."""
        on = learner.trained_on or task
        usual = self.epochs.get((learner.agent, on.problem), EPOCH_SECONDS)
        return usual * _growth(on)


def measured(results: Path) -> Costs:
    """What files in the folder tell of epochs, brought to 500 nodes."""
    found = defaultdict(list)
    for path in results.glob("*/*_e*_seed*.json"):
        try:
            content = read_json(path)
            cell, times = content["cell"], content["times"]
            on = cell["method"]["trained_on"] or cell["task"]
            growth = _growth(Task(on["problem"], on["nodes"], on["days"], on["budget"]))
            seconds = times["training"]["epoch_seconds"] * times["cores"]
        except (InputError, KeyError, TypeError):
            continue
        found[cell["method"]["agent"], on["problem"]].append(seconds / growth)
    return Costs({key: statistics.median(values) for key, values in found.items()})


def _growth(task: Task) -> float:
    """An epoch beside one on 500 nodes: timed, it has a part that grows with the nodes and one that does not."""
    return 0.25 + 0.75 * task.nodes / 500


def _play_seconds(cell: Cell) -> float:
    kind = "learner" if isinstance(cell.method, Learner) else "policy"
    decisions = cell.instances * cell.futures * cell.task.days
    milliseconds = DECISION_MS[kind] + ROLLOUT_MS * _rollouts(cell.method)
    return 5.0 + decisions * milliseconds / 1000 * max(0.2, cell.task.nodes / 500)


def _rollouts(method: str | Learner) -> int:
    """How many an adviser makes for a decision."""
    thinks = adviser_in(method.removeprefix(PREFIX)) if isinstance(method, str) else None
    effort = thinks and thinks[1]
    return (effort.rollouts or 0) if effort else 0


def _epochs_done(folder: Path) -> int:
    """From the metrics, without the work of reading the checkpoint."""
    lines = read_metrics(folder)
    return lines[-1]["epoch"] if lines else 0
