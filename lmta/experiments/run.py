"""Run a cell: train if it learns, play, and write one JSON file, whole or not at all."""

import contextlib
import fcntl
import os
import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

from lmta.agents.players import PREFIX, player
from lmta.agents.saved import CHECKPOINT
from lmta.arena.arena import run_arena
from lmta.arena.bound import bounds_of
from lmta.arena.record import provenance, write_json
from lmta.devices import num_cores
from lmta.experiments.cells import Cell, Learner, Task
from lmta.files import write_whole
from lmta.policies.player import AbstractPlayer
from lmta.problems.batch import Batch, make_batch
from lmta.problems.registry import spec_of
from lmta.training.metrics import Metrics, read_metrics
from lmta.training.train import begin_run, resume_run
from lmta.types import InputError

TRAINED = "trained"
"""A file in the folder of a run that has all its epochs."""
MEASURES = {
    "play": "lmta.experiments.run:measure_play",
    "bound": "lmta.experiments.run:measure_bound",
    "order": "lmta.experiments.measures:measure_order",
    "calibration": "lmta.experiments.measures:measure_calibration",
    "subgoals": "lmta.experiments.measures:measure_subgoals",
}
"""Where each measure lives: (cell, folders, console) → what is written, with all that the clock decides in `times`."""


class BusyError(Exception):
    """Another process has the cell, or its training."""


class StoppedError(Exception):
    """A signal ended the training after an epoch; its checkpoint has all that is done."""


@dataclass(frozen=True)
class Folders:
    """Where results go, and the training runs behind them."""

    results: Path = Path("results")
    runs: Path = Path("runs")


Measure = Callable[[Cell, Folders, Console], dict[str, Any]]


def run_cell(cell: Cell, folders: Folders, console: Console) -> Path:
    """The cell's file, which is made unless it is there. Whatever ends the process, it can be called again."""
    path = cell.file(folders.results)
    if path.exists():
        return path
    with _claimed(cell, folders):
        if not path.exists():
            module, _, function = MEASURES[cell.measure].partition(":")
            measure: Measure = getattr(import_module(module), function)
            found = measure(cell, folders, console)
            _make_folder(path.parent)
            for leftover in path.parent.glob(f".{path.name}.*.part"):
                leftover.unlink()
            write_json(path, {"cell": cell.as_json(), **found, "provenance": provenance()})
    return path


@contextlib.contextmanager
def _claimed(cell: Cell, folders: Folders) -> Iterator[None]:
    """Hold the lock of the cell's training, or of the cell where there is none; it goes with the process."""
    lock = folders.runs / "locks" / (claim(cell).replace("/", "_") + ".lock")
    _make_folder(lock.parent)
    descriptor = os.open(lock, os.O_RDWR | os.O_CREAT, 0o666)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise BusyError(claim(cell)) from error
    else:
        yield
    finally:
        os.close(descriptor)


def claim(cell: Cell) -> str:
    """What one process at a time works on: a training with all cells that share it, or else a cell."""
    return cell.run_name or cell.name


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder}: the folder cannot be made ({error.strerror}).") from error


def train(cell: Cell, folders: Folders, console: Console, epochs: int | None = None) -> Path:
    """The folder of the cell's training run, with all epochs done, or the first so many."""
    assert isinstance(cell.method, Learner) and cell.run_name
    folder = folders.runs / cell.run_name
    if (folder / TRAINED).exists():
        return folder
    settings = cell.method.run_settings(cell.task)
    wanted = settings.epochs if epochs is None else epochs
    go = resume_run if (folder / CHECKPOINT).exists() else begin_run
    go(folder, replace(settings, epochs=wanted), console)
    lines = read_metrics(folder)
    if not lines or lines[-1]["epoch"] < wanted:
        raise StoppedError(cell.run_name)
    if wanted == settings.epochs:
        write_whole(folder / TRAINED, lambda file: file.write_text(f"{wanted}\n", encoding="utf-8"))
    return folder


def measure_play(cell: Cell, folders: Folders, console: Console) -> dict[str, Any]:
    """Scores by episode, picks and rewards by day, the learning curve, and how long it all took."""
    training, times = {}, {}
    who = cell.method
    if isinstance(who, Learner):
        folder = train(cell, folders, console)
        lines = read_metrics(folder)
        training = {"training": {"curve": [_point(line) for line in lines], "episodes": _episodes(cell)}}
        times = {"training": _training_times(lines)}
        who = f"{PREFIX}{folder}"
    start = time.perf_counter()
    batch = _batch(cell.task, cell.seed, cell.instances, cell.futures)
    row = run_arena([_player(who, cell)], batch, first_days=cell.first_days)[0]
    median, p95 = np.percentile(row.decision_ms, [50, 95])
    times |= {
        "decision_ms": {"median": float(median), "p95": float(p95), "mean": float(np.mean(row.decision_ms))},
        "prepare_ms": row.prepare_ms,
        "play_seconds": time.perf_counter() - start,
        "cores": num_cores(),
        "load": os.getloadavg()[0],
    }
    return {
        "scores": row.episodes.tolist(),
        "picks_by_day": row.budget_by_day.tolist(),
        "rewards_by_day": row.reward_by_day.tolist(),
        **({} if row.optimum is None else {"optimum": row.optimum}),
        **training,
        "times": times,
    }


def measure_bound(cell: Cell, folders: Folders, console: Console) -> dict[str, Any]:
    """A ceiling of each episode that others play, with the same noise."""
    start = time.perf_counter()
    batch = _batch(cell.task, cell.seed, cell.instances, cell.futures)
    bounds = bounds_of(spec_of(cell.task.problem), batch, str(cell.method))
    return {"scores": bounds, "times": {"play_seconds": time.perf_counter() - start}}


def _player(who: str, cell: Cell) -> AbstractPlayer:
    return player(who, cell.task.problem, cell.simulations)


@lru_cache(maxsize=1)
def _batch(task: Task, seed: int, instances: int, futures: int) -> Batch:
    """Drawn once for all cells that a process plays one after the other."""
    spec = spec_of(task.problem)
    drawn = spec.instances(task.settings(), seed, instances)
    return make_batch(spec.problem, [instance for instance in drawn for _ in range(futures)], seed)


def _point(line: Metrics) -> dict[str, Any]:
    """An epoch of the learning curve."""
    point = {"epoch": line["epoch"], "self_play": line["score"]}
    if "evaluation" in line:
        found = line["evaluation"]
        point |= {"greedy": found["greedy"], "baseline": found["baseline"], "baseline_policy": found["baseline_policy"]}
    return point


def _episodes(cell: Cell) -> int:
    """Episodes of self-play an epoch."""
    assert isinstance(cell.method, Learner)
    return cell.method.run_settings(cell.task).config.train.episodes


def _training_times(lines: list[Metrics]) -> dict[str, float]:
    """Medians are those of epochs without compilation, once there are three."""
    epochs = [line["seconds"]["play"] + line["seconds"]["learn"] for line in lines]
    return {
        "epoch_seconds": statistics.median(epochs),
        "self_play_seconds": statistics.median(line["seconds"]["play"] for line in lines),
        "seconds": sum(sum(line["seconds"].values()) for line in lines),
    }
