"""`lmta evaluate`."""

from collections.abc import Callable, Sequence
from typing import Annotated

import tyro

from lmta.arena import evaluate as arena
from lmta.arena.arena import Row
from lmta.arena.evaluate import EvaluateSettings
from lmta.arena.tables import arena_table
from lmta.commands.console import OUT, progress_bar
from lmta.commands.options import spec_in, task_options
from lmta.problems.task import Task


def make_evaluate(arguments: Sequence[str]) -> Callable[..., None]:
    """The command, with the options of the problem that the arguments are about."""
    make_task = task_options(spec_in(arguments))

    def evaluate(
        settings: Annotated[EvaluateSettings, tyro.conf.arg(name="")],
        task: Annotated[Task, tyro.conf.arg(name="", constructor=make_task)],
    ) -> None:
        """Play, and print the table."""
        print_evaluation(settings, task)

    return evaluate


def print_evaluation(settings: EvaluateSettings, task: Task) -> tuple[str, list[Row]]:
    """Play, and print the table; its title and rows."""
    prepared = arena.prepare(settings, task)
    with progress_bar() as progress:
        bar = progress.add_task("", total=len(prepared.players) * prepared.batch.days)
        rows = arena.evaluate(prepared, lambda player: progress.update(bar, advance=1, description=player.name))
    OUT.print(arena_table(rows, prepared.title))
    return prepared.title, rows
