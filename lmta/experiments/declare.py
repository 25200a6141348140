"""What a table or figure is: entries by row and column, each a cell for every training seed, and how it is drawn."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from lmta.experiments.cells import Cell, Learner, Options, Task
from lmta.experiments.published import Figures, Published

PAPER_NODES = 500
LEAST_NODES = 10
Method = str | Learner


@dataclass(frozen=True)
class Scale:
    """How large an experiment is run; None is as it is declared."""

    seeds: int = 3
    """Training seeds of each learner."""
    nodes: int | None = None
    """In place of 500; other sizes in proportion, and budgets with them."""
    epochs: int | None = None
    """Of each training."""
    instances: int | None = None
    """That are played."""


@dataclass(frozen=True)
class Entry:
    """One figure of a table: the cell that it stands on, for the first training seed, and what the paper has there."""

    cell: Cell
    published: Published | None = None

    def cells(self, scale: Scale) -> list[Cell]:
        """A cell for every training seed, or the one cell of a policy, at that scale."""
        task = scaled_task(self.cell.task, scale.nodes)
        cell = replace(self.cell, task=task, instances=scale.instances or self.cell.instances)
        method = cell.method
        if isinstance(method, str):
            return [cell]
        on = method.trained_on and scaled_task(method.trained_on, scale.nodes)
        who = replace(method, epochs=scale.epochs or method.epochs, trained_on=on)
        return [replace(cell, method=replace(who, seed=method.seed + n)) for n in range(scale.seeds)]


Entries = Mapping[tuple[str, str], Entry]
"""By row and column."""


@dataclass(frozen=True)
class Table:
    """A table or figure of the paper, or of our own."""

    name: str
    title: str
    entries: Entries
    paper: str = ""
    """Where it stands in the paper; empty for our own."""
    render: str = "scores"
    """How it is drawn: one of `lmta.experiments.report.RENDERERS`."""
    baseline: str | None = None
    """The row that all are divided by."""
    reference: str | None = None
    """The row that all are compared with."""
    scale: Scale = Scale()
    """As it is run unless other options are given."""
    note: str = ""
    """What to know when reading it."""

    @property
    def rows(self) -> list[str]:
        """Their titles, in order."""
        return list(dict.fromkeys(row for row, _ in self.entries))

    @property
    def columns(self) -> list[str]:
        """Their titles, in order."""
        return list(dict.fromkeys(column for _, column in self.entries))

    def cells(self, scale: Scale) -> Iterator[Cell]:
        """All cells, seed by seed, so that every method is there once before any is there twice."""
        by_entry = [entry.cells(scale) for entry in self.entries.values()]
        for n in range(max(map(len, by_entry), default=0)):
            yield from (cells[n] for cells in by_entry if n < len(cells))


def grid(
    rows: Mapping[str, Method],
    columns: Mapping[str, Task],
    published: Figures | None = None,
    *,
    cell: Callable[[Method, Task], Cell] = Cell,
) -> dict[tuple[str, str], Entry]:
    """Every method on every task; published figures stand in the order of the columns."""
    return {
        (row, column): Entry(cell(method, task), figure)
        for row, method in rows.items()
        for (column, task), figure in zip(columns.items(), _figures(published, row, len(columns)), strict=True)
    }


def _figures(published: Figures | None, row: str, count: int) -> Sequence[Published | None]:
    return (published or {}).get(row, (None,) * count)


def with_overrides(learner: Learner, *changed: tuple[str, object]) -> Learner:
    """The learner with settings changed, by their dotted names."""
    overrides: Options = (*learner.overrides, *changed)
    return replace(learner, overrides=overrides)


def scaled_task(task: Task, nodes: int | None) -> Task:
    """The task with `nodes` in place of 500, and its budget in proportion; or, on orienteering, where a day takes about
    five visits whatever the number of cities, at most half of the cities."""
    if nodes is None:
        return task
    fewer = max(min(LEAST_NODES, task.nodes), round(task.nodes * nodes / PAPER_NODES))
    if task.problem == "sop":
        return replace(task, nodes=fewer, budget=min(task.budget, fewer // 2))
    return replace(task, nodes=fewer, budget=max(1, round(task.budget * fewer / task.nodes)))
