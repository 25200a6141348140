"""Who runs cells: processes on this machine. What an engine is stands first; Ray's is `lmta.experiments.on_ray`."""

import json
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol

from lmta.devices import num_cores
from lmta.experiments.cells import Cell
from lmta.experiments.run import Folders, claim

LOGS = "logs"
"""Folder of the cells' logs, beside the training runs."""
MOST_MEMORY_MB = 4_000
"""A process that has grown so large, by the programs it has compiled, makes room for a new one."""
BUSY_SECONDS = 1.0
"""Between two looks whether another command has done with a cell."""


@dataclass(frozen=True)
class Event:
    """Something that happened to a cell: it started, is done, failed, was stopped, or another command has it."""

    came: Literal["started", "done", "failed", "stopped", "busy"]
    cell: Cell
    why: str = ""
    log: Path | None = None


OnEvent = Callable[[Event], None]


class Engine(Protocol):
    """Runs cells that are not there yet; each of them once, in any order."""

    def run(self, cells: Sequence[Cell], folders: Folders, on_event: OnEvent) -> None:
        """Run all. KeyboardInterrupt (Ctrl-C) stops: trainings end after their epoch, with a checkpoint."""
        ...


class Processes:
    """As many processes as workers, each with a share of the cores."""

    def __init__(self, workers: int):
        self.workers = workers

    def run(self, cells: Sequence[Cell], folders: Folders, on_event: OnEvent) -> None:
        """One thread for each process hands it cell after cell."""
        line = Line(cells)
        count = min(self.workers, len(cells))
        desks = [_Desk(line, folders, on_event, max(1, num_cores() // count)) for _ in range(count)]
        threads = [threading.Thread(target=desk.serve, daemon=True) for desk in desks]
        for thread in threads:
            thread.start()
        try:
            _join(threads)
        except KeyboardInterrupt:
            line.close()
            for desk in desks:
                desk.stop(signal.SIGTERM)
            try:
                _join(threads)
            except KeyboardInterrupt:
                for desk in desks:
                    desk.stop(signal.SIGKILL)
                _join(threads)
            raise


def _join(threads: Sequence[threading.Thread]) -> None:
    """Wait, with a look up every so often for signals."""
    while any(thread.is_alive() for thread in threads):
        for thread in threads:
            thread.join(0.1)


@dataclass
class Line:
    """Cells that wait, of which no two share a training at the same time."""

    cells: Sequence[Cell]
    closed: bool = False
    changed: threading.Condition = field(default_factory=threading.Condition)

    def __post_init__(self) -> None:
        self.waiting, self.taken = list(self.cells), set()

    def take(self) -> Cell | None:
        """The next cell, once there is one; None where nothing is left to do."""
        with self.changed:
            while not self.closed and (self.waiting or self.taken):
                free = next((cell for cell in self.waiting if claim(cell) not in self.taken), None)
                if free is not None:
                    self.waiting.remove(free)
                    self.taken.add(claim(free))
                    return free
                self.changed.wait(BUSY_SECONDS)
            return None

    def give_back(self, cell: Cell, *, again: bool) -> None:
        """A cell is done with; with `again` it comes last."""
        with self.changed:
            self.taken.discard(claim(cell))
            self.waiting += [cell] if again else []
            self.changed.notify_all()

    def close(self) -> None:
        """Nothing more is handed out."""
        with self.changed:
            self.closed = True
            self.changed.notify_all()


class Worker:
    """A process of `lmta.experiments.worker` that keeps to so many cores."""

    def __init__(self, folders: Folders, cores: int):
        self.logs = folders.runs / LOGS
        command = [sys.executable, "-m", "lmta.experiments.worker"]
        where = (folders.results, folders.runs, self.logs, cores)
        self.logs.mkdir(parents=True, exist_ok=True)
        with (self.logs / "workers.log").open("a", encoding="utf-8") as errors:
            self.process = subprocess.Popen(
                [*command, *map(str, where)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
                start_new_session=True,  # Ctrl-C is for the command alone, which then says what to do
            )

    def run(self, cell: Cell) -> dict[str, Any]:
        """What came of the cell; a process that ended on the way is a failure."""
        assert self.process.stdin and self.process.stdout
        try:
            self.process.stdin.write(json.dumps(cell.as_json()) + "\n")
            self.process.stdin.flush()
            answer = self.process.stdout.readline()
        except OSError:
            answer = ""
        if answer:
            return json.loads(answer)
        code = self.process.wait()
        return {"came": "failed", "why": f"the process ended with {code}"}

    def log(self, cell: Cell) -> Path:
        """What the cell printed."""
        return self.logs / f"{cell.name}.log"

    @property
    def alive(self) -> bool:
        """Whether the process can take another cell."""
        return self.process.poll() is None

    def close(self) -> None:
        """No more cells: the process ends."""
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe:
                pipe.close()
        self.process.wait()


class _Desk:
    """Hands cells to one process, and to the next where it ended or grew too large."""

    def __init__(self, line: Line, folders: Folders, on_event: OnEvent, cores: int):
        self.line, self.folders, self.on_event, self.cores = line, folders, on_event, cores
        self.worker: Worker | None = None
        self.guard, self.stopping = threading.Lock(), False

    def serve(self) -> None:
        """Until nothing is left to do."""
        while (cell := self.line.take()) is not None and (worker := self._hire()) is not None:
            self.on_event(Event("started", cell))
            answer = worker.run(cell)
            came = "stopped" if self.stopping and answer["came"] != "done" else answer["came"]
            self.on_event(Event(came, cell, answer.get("why", ""), worker.log(cell)))
            if came == "busy":
                time.sleep(BUSY_SECONDS)
            self.line.give_back(cell, again=came == "busy")
            if answer.get("memory_mb", 0) > MOST_MEMORY_MB:
                self._close()
        self._close()

    def stop(self, number: signal.Signals) -> None:
        """Send the process a signal; no other is started."""
        with self.guard:
            self.stopping = True
            if self.worker and self.worker.alive:
                self.worker.process.send_signal(number)

    def _hire(self) -> Worker | None:
        """A process that can take a cell; None once all is to stop."""
        with self.guard:
            if not (self.worker and self.worker.alive):
                self.worker = None if self.stopping else Worker(self.folders, self.cores)
            return self.worker

    def _close(self) -> None:
        if self.worker:
            self.worker.close()
            self.worker = None
