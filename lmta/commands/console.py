"""Where commands print: results to standard output, everything else to standard error."""

import sys

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

OUT = Console(width=None if sys.stdout.isatty() else 120)
ERR = Console(stderr=True)


def say(line: object) -> None:
    """Print a result as it is, on one line however long."""
    OUT.print(line, markup=False, highlight=False, soft_wrap=True)


def complain(line: object, style: str) -> None:
    """Say what is wrong, in one line."""
    ERR.print(f"lmta: {line}", style=style, markup=False, highlight=False, soft_wrap=True)


def progress_bar() -> Progress:
    """A bar that goes away when its work is done."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    return Progress(*columns, console=ERR, transient=True)
