"""How an experiment stands, for people: live on a terminal, one line a cell elsewhere."""

import threading
import time
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from rich.console import Console, Group
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.text import Text

from lmta.experiments.cells import Cell
from lmta.experiments.engines import Event

MOST_SHOWN = 16
"""Running cells that are shown by name."""


class Progress:
    """Hears what happens to cells, and shows it. Events come from several threads; `shares` are the cells' costs."""

    def __init__(self, console: Console, shares: Mapping[Cell, float], workers: int):
        self.console, self.workers = console, workers
        self.left, self.total = dict(shares), len(shares)
        self.work = sum(shares.values())
        self.done, self.running = 0, {}
        self.failed: list[Event] = []
        self.begun, self.guard = time.monotonic(), threading.Lock()
        self.live = Live(self, console=console, refresh_per_second=2) if console.is_terminal else None

    def __enter__(self) -> "Progress":
        if self.live:
            self.live.start()
        return self

    def __exit__(self, *_: Any) -> None:
        if self.live:
            self.live.stop()

    def hear(self, event: Event) -> None:
        """Take in an event."""
        with self.guard:
            cell = event.cell
            if event.came == "started":
                self.running[cell] = time.monotonic()
                return
            seconds = time.monotonic() - self.running.pop(cell, time.monotonic())
            if event.came == "busy":
                return
            del self.left[cell]
            self.done += event.came == "done"
            if event.came == "failed":
                self.failed.append(event)
                self._say(f"failed: {cell.name}: {event.why} The log is {event.log}")
            elif not self.live:
                self._say(f"{event.came}: {cell.name} ({_time(seconds)}); {self.summary()}")

    def summary(self) -> str:
        """Cells done, running and failed, and the time left."""
        failed = f", {len(self.failed)} failed" if self.failed else ""
        return f"{self.done} of {self.total} cells done, {len(self.running)} running{failed}, {self._time_left()}"

    def _time_left(self) -> str:
        """By the estimates, brought to the pace so far once a twentieth is done."""
        left = sum(self.left.values())
        done = self.work - left
        elapsed = time.monotonic() - self.begun
        if done > self.work / 20:
            return f"about {_time(left * elapsed / done)} left"
        return f"about {_time(left / self.workers)} left"

    def __rich__(self) -> Group:
        with self.guard:
            now = time.monotonic()
            shown = list(self.running.items())[:MOST_SHOWN]
            lines = [Text(f"  {_time(now - since):>8}  {cell.name}", "dim", no_wrap=True) for cell, since in shown]
            return Group(*lines, ProgressBar(self.total, self.done + len(self.failed), width=40), Text(self.summary()))

    def _say(self, text: str) -> None:
        self.console.print(text, markup=False, highlight=False, soft_wrap=True)


def _time(seconds: float) -> str:
    return str(timedelta(seconds=round(seconds)))
