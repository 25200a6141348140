"""What a run measured: one JSON object a line for each epoch, and the same for TensorBoard."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tensorboardX import SummaryWriter

from lmta.files import kind_of, write_whole
from lmta.problems.delimited import read_bytes
from lmta.training.folder import EVENTS, METRICS
from lmta.types import InputError

Metrics = dict[str, Any]


def read_metrics(folder: Path) -> list[Metrics]:
    """Every whole line; a killed process may have left half a one at the end."""
    path = folder / METRICS
    text = read_bytes(path).decode() if kind_of(path) else ""
    return [json.loads(line) for line in text.splitlines(keepends=True) if line.endswith("\n")]


class MetricsLog:
    """Writes metrics epoch by epoch, behind those of the epochs that the checkpoint has."""

    def __init__(self, folder: Path, epochs_done: int):
        kept = [line for line in read_metrics(folder) if line["epoch"] <= epochs_done]
        self.path = folder / METRICS
        write_whole(self.path, lambda file: file.write_text("".join(map(_line, kept)), encoding="utf-8"))
        self.events = SummaryWriter(str(folder / EVENTS), purge_step=epochs_done + 1)

    def add(self, metrics: Metrics) -> None:
        """Write an epoch's metrics to both."""
        try:
            with self.path.open("a", encoding="utf-8") as file:
                file.write(_line(metrics))
        except OSError as error:
            raise InputError(f"{self.path}: could not be written ({error.strerror}).") from error
        for tag, number in _scalars(metrics):
            self.events.add_scalar(tag, number, metrics["epoch"])
        self.events.flush()

    def close(self) -> None:
        """Let go of the files."""
        self.events.close()


def _line(metrics: Metrics) -> str:
    return json.dumps(metrics, allow_nan=False) + "\n"


def _scalars(metrics: Metrics, prefix: str = "") -> Iterator[tuple[str, float]]:
    """Numbers with their paths as tags: loss/policy, evaluation/greedy, …"""
    for name, value in metrics.items():
        if isinstance(value, dict):
            yield from _scalars(value, f"{prefix}{name}/")
        elif isinstance(value, int | float):
            yield prefix + name, float(value)
