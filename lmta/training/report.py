"""How a run stands, for people: live on a terminal, one line an epoch elsewhere."""

from datetime import timedelta
from statistics import median
from typing import Any

from rich.console import Console, Group
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table

from lmta.training.metrics import Metrics

RECENT = 10
"""Epochs that the time left is estimated from."""


class Report:
    """Shows each epoch's metrics as they come."""

    def __init__(self, console: Console, epochs: int, epochs_done: int):
        self.console, self.epochs = console, epochs
        self.seconds: list[float] = []
        self.measured: Metrics | None = None
        columns = (
            SpinnerColumn(),
            TextColumn("epoch"),
            MofNCompleteColumn(),
            BarColumn(),
            TimeElapsedColumn(),
            TextColumn("{task.fields[left]}"),
        )
        self.bar = Progress(*columns, console=console)
        self.task = self.bar.add_task("", total=epochs, completed=epochs_done, left="compiling, then playing")
        self.live = Live(self.bar, console=console) if console.is_terminal else None

    def __enter__(self) -> "Report":
        if self.live:
            self.live.start()
        return self

    def __exit__(self, *_: Any) -> None:
        if self.live:
            self.live.stop()

    def epoch(self, metrics: Metrics) -> None:
        """Show an epoch that is done."""
        self.seconds.append(sum(metrics["seconds"].values()))
        self.measured = metrics if "evaluation" in metrics else self.measured
        left = self._time_left(metrics["epoch"])
        if self.live and self.live.is_started:
            self.bar.update(self.task, completed=metrics["epoch"], left=left)
            self.live.update(Group(self._table(metrics), self.bar))
        else:
            self._say(f"epoch {metrics['epoch']}/{self.epochs}: {', '.join([*self._texts(metrics), left])}")

    def stopping(self) -> None:
        """Say that a signal has come."""
        if self.live:
            self.live.stop()
        self._say("stopping after this epoch; once more stops at once, and what this epoch did is lost.")

    def _say(self, text: str) -> None:
        self.console.print(text, markup=False, highlight=False, soft_wrap=True)

    def _time_left(self, epochs_done: int) -> str:
        """From the newest epochs, without the first, which compiles."""
        recent = (self.seconds[1:] or self.seconds)[-RECENT:]
        return f"{timedelta(seconds=round(median(recent) * (self.epochs - epochs_done)))} left"

    def _texts(self, metrics: Metrics) -> list[str]:
        """An epoch in words, the newest measurement only where it is new."""
        greedy = [f"greedy {greedy_text(metrics['evaluation'])}"] if "evaluation" in metrics else []
        return [*greedy, f"self-play {metrics['score']:.2f}", losses_text(metrics), speed_text(metrics)]

    def _table(self, metrics: Metrics) -> Table:
        table = Table.grid(padding=(0, 2))
        table.add_column(style="dim", no_wrap=True)
        table.add_column()
        if self.measured:
            text = greedy_text(self.measured["evaluation"])
            table.add_row(f"greedy play, epoch {self.measured['epoch']}", text)
        explored = f", ε {metrics['epsilon']:.2f}" if "epsilon" in metrics else ""
        table.add_row("self-play", f"{metrics['score']:.2f}{explored}")
        table.add_row("losses", losses_text(metrics))
        table.add_row("speed", speed_text(metrics))
        return table


def greedy_text(evaluation: Metrics) -> str:
    """What greedy play earns beside what needs no learning, and how it spends its budget."""
    difference = evaluation["greedy"] - evaluation["baseline"]
    picks = " ".join(f"{number:.1f}".removesuffix(".0") for number in evaluation["picks_by_day"])
    return (
        f"{evaluation['greedy']:.2f} ({evaluation['baseline_policy']} {evaluation['baseline']:.2f}, "
        f"difference {difference:+.2f} ± {evaluation['difference_sem']:.2f}; picks by day {picks})"
    )


def losses_text(metrics: Metrics) -> str:
    """Every term of the losses."""
    return " ".join(f"{name} {value:.3g}" for name, value in metrics["loss"].items())


def speed_text(metrics: Metrics) -> str:
    """How fast it goes, and where the time goes."""
    parts = " ".join(f"{name} {seconds:.1f} s" for name, seconds in metrics["seconds"].items())
    return f"{metrics['episodes_per_second']:.2f} episodes/s ({parts})"
