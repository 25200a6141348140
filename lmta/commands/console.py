"""Where commands print: results to standard output, everything else to standard error."""

import contextlib
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

if TYPE_CHECKING:  # which would bring JAX into every command
    from lmta.planning.search import Standing
    from lmta.problems.simulator import Candidate


class _Results(Console):
    """Where the reader may have read enough; the command line ends then."""

    def on_broken_pipe(self) -> None:
        """Let the error through, which Rich would turn into a failure."""
        raise  # noqa: PLE0704  (called while the error is handled)


class _Remarks(Console):
    """What nobody reads any more is not said; the results are still wanted."""

    def on_broken_pipe(self) -> None:
        """Say no more."""
        self.quiet = True


OUT = _Results(width=None if sys.stdout.isatty() else 120)
ERR = _Remarks(stderr=True)


def say(line: object) -> None:
    """Print a result as it is, on one line however long."""
    OUT.print(line, markup=False, highlight=False, soft_wrap=True)


def complain(line: object, style: str) -> None:
    """Say what is wrong, in one line; where nobody can hear it the exit code still tells."""
    with contextlib.suppress(OSError):
        ERR.print(f"lmta: {line}", style=style, markup=False, highlight=False, soft_wrap=True)


def progress_bar() -> Progress:
    """A bar on a terminal that goes away when its work is done."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    return Progress(*columns, console=ERR, transient=True, disable=not ERR.is_terminal)


def thinking_bar(progress: Progress) -> "Callable[[Standing, Sequence[Candidate]], None]":
    """Shows how the thinking goes: which strategy leads, and by how much it is ahead of the adviser's own."""
    from lmta.planning.reasons import in_the_lead  # noqa: PLC0415 (which would bring JAX into every command)

    bar = progress.add_task("thinking", total=100, visible=False)

    def show(standing: "Standing", candidates: "Sequence[Candidate]") -> None:
        told = f"thinking: {in_the_lead(standing, candidates)}"
        progress.update(bar, completed=round(100 * standing.done), description=escape(told), visible=True)

    return show
