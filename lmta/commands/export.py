"""`lmta export`."""

from pathlib import Path

import tyro

from lmta.agents.saved import export_model
from lmta.commands.console import say


def export(run: tyro.conf.Positional[Path], file: tyro.conf.Positional[Path]) -> None:
    """Write the file.

    Args:
        run: Folder of the run.
        file: File to write.
    """
    say(export_model(run, file))
