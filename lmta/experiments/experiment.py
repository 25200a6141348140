"""What `lmta experiment` does: the cells of the tables that are asked for, those that are missing are run."""

import signal
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table as RichTable

from lmta.devices import num_cores
from lmta.experiments.cells import Cell, not_yet
from lmta.experiments.costs import Costs, measured
from lmta.experiments.declare import Table
from lmta.experiments.engines import Engine, Event, Processes
from lmta.experiments.progress import Progress
from lmta.experiments.results import scale_of
from lmta.experiments.run import Folders
from lmta.experiments.tables import TABLES, all_cells
from lmta.problems.session import whole_number
from lmta.types import InputError


@dataclass(frozen=True)
class Plan:
    """The cells of an experiment: those that are there, those to run, and those that cannot be run yet, with why."""

    there: list[Cell]
    to_run: list[Cell]
    pending: dict[Cell, str]


def make_plan(
    tables: Iterable[Table], changed: dict[str, int], results: Path, only: str = "", *, policies: bool = False
) -> Plan:
    """What there is to do: of the cells whose names contain `only`, and, with `policies`, that need no training."""
    for name, value in changed.items():
        whole_number(value, name, 1)
    declared = all_cells((table, scale_of(table, changed)) for table in tables)
    named = [cell for cell in declared if only in cell.name]
    if only and not named:
        raise InputError(f"only: {only!r} is in the name of no cell; without it --dry-run lists those to run.")
    cells = [cell for cell in named if not (policies and cell.run_name)]
    there = [cell for cell in cells if cell.file(results).exists()]
    missing = [cell for cell in cells if not cell.file(results).exists()]
    why = {cell: not_yet(cell.method, cell.task, cell.measure) for cell in missing}
    return Plan(
        there, [cell for cell in missing if why[cell] is None], {cell: text for cell, text in why.items() if text}
    )


def make_engine(workers: int | None, ray: str | None) -> tuple[Engine, int]:
    """Who runs the cells, and how many at a time."""
    if ray is not None:
        from lmta.experiments.on_ray import Ray  # noqa: PLC0415 (an extra)

        engine = Ray(ray)
        return engine, engine.cores
    count = whole_number(num_cores() if workers is None else workers, "workers", 1)
    return Processes(count), count


def run_plan(plan: Plan, folders: Folders, engine: Engine, workers: int, console: Console) -> list[Event]:
    """Run what is to run; the failures. SIGTERM stops as Ctrl-C does: trainings end after their epoch."""
    for folder in (folders.results, folders.runs):
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"{folder}: the folder cannot be made ({error.strerror}).") from error
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        shares = measured(folders.results).shares(plan.to_run, folders.runs)
        with Progress(console, shares, workers) as progress:
            try:
                engine.run(plan.to_run, folders, progress.hear)
            except KeyboardInterrupt:
                console.print("stopped; the same command goes on from here.", highlight=False)
                raise
    finally:
        signal.signal(signal.SIGTERM, before)
    return progress.failed


def list_tables(folders: Folders, changed: dict[str, int], workers: int) -> RichTable:
    """Every table and figure, with what is done and what is left of it."""
    costs = measured(folders.results)
    shown = RichTable(caption=f"Hours left by estimate, with {workers} at a time; what tables share counts in each.")
    shown.add_column("name", no_wrap=True)
    for title in ("in the paper", "what"):
        shown.add_column(title)
    for title in ("cells", "done", "pending", "hours left"):
        shown.add_column(title, justify="right", min_width=5)
    for table in TABLES.values():
        plan = make_plan([table], changed, folders.results)
        total = len(plan.there) + len(plan.to_run) + len(plan.pending)
        hours = costs.of([*plan.to_run, *plan.pending], folders.runs) / 3600 / workers
        counts = (total, len(plan.there), len(plan.pending))
        shown.add_row(table.name, table.paper or "–", table.title, *map(str, counts), f"{hours:.1f}")
    return shown


def describe(plan: Plan, costs: Costs, folders: Folders, workers: int) -> str:
    """What a plan comes to, in a few words."""
    hours = costs.of(plan.to_run, folders.runs) / 3600 / workers
    left = f"about {hours:.1f} hours with {workers} at a time"
    text = f"{len(plan.there)} cells are there, {len(plan.to_run)} to run ({left})"
    reasons = sorted(set(plan.pending.values()))
    return text + (f", {len(plan.pending)} pending: {' '.join(reasons)}" if reasons else ".")
