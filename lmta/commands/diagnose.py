"""`lmta diagnose`."""

import tyro

from lmta.commands.console import OUT, progress_bar, say
from lmta.diagnostics import diagnose as diagnosis_of
from lmta.diagnostics.diagnose import RESULTS, DiagnoseSettings
from lmta.diagnostics.pictures import draw_pictures
from lmta.diagnostics.tables import tables


def diagnose(settings: tyro.conf.OmitArgPrefixes[DiagnoseSettings]) -> None:
    """Measure, print the tables and draw the pictures."""
    prepared = diagnosis_of.prepare(settings)
    with progress_bar() as progress:
        task = progress.add_task("measuring", total=None)
        step = lambda done, total: progress.update(task, completed=done, total=total)  # noqa: E731
        diagnosis = diagnosis_of.diagnose(prepared, step)
    for table in tables(diagnosis):
        OUT.print(table)
    for path in (settings.folder / RESULTS, *draw_pictures(diagnosis, settings.folder)):
        say(f"wrote {path}")
