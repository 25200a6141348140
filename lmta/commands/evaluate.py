"""`lmta evaluate`."""

import tyro

from lmta.arena import evaluate as arena
from lmta.arena.arena import Row
from lmta.arena.evaluate import EvaluateSettings
from lmta.arena.tables import arena_table
from lmta.commands.console import OUT, progress_bar


def evaluate(settings: tyro.conf.OmitArgPrefixes[EvaluateSettings]) -> None:
    """Play, and print the table."""
    print_evaluation(settings)


def print_evaluation(settings: EvaluateSettings) -> tuple[str, list[Row]]:
    """Play, and print the table; its title and rows."""
    prepared = arena.prepare(settings)
    with progress_bar() as progress:
        task = progress.add_task("", total=len(prepared.players) * prepared.batch.days)
        rows = arena.evaluate(prepared, lambda player: progress.update(task, advance=1, description=player.name))
    OUT.print(arena_table(rows, prepared.title))
    return prepared.title, rows
