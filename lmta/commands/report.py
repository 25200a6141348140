"""`lmta report`."""

from pathlib import Path

from lmta.commands.console import say
from lmta.experiments.report import write_report
from lmta.experiments.results import Results
from lmta.files import check_folder


def report(
    results: Path = Path("results"),
    docs: Path = Path("docs"),
    nodes: int | None = None,
    epochs: int | None = None,
    instances: int | None = None,
) -> None:
    """Render results.md and its figures from the files in results alone.

    Args:
        results: Folder of the cells' files.
        docs: Folder of the page; it holds results.head.md, the findings that the page begins with.
        nodes: As given to `lmta experiment`, to see such results.
        epochs: As given to `lmta experiment`.
        instances: As given to `lmta experiment`.
    """
    given = {"nodes": nodes, "epochs": epochs, "instances": instances}
    changed = {name: value for name, value in given.items() if value is not None}
    check_folder(results)
    written = write_report(Results(results, changed), docs)
    say(f"wrote {written[0]} and {len(written) - 1} figures.")
