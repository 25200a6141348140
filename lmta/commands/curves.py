"""`lmta curves`."""

from pathlib import Path
from typing import Annotated

import tyro

from lmta.commands.console import say
from lmta.experiments.curves import draw_runs


def curves(
    runs: Annotated[tuple[Path, ...], tyro.conf.Positional, tyro.conf.arg(metavar="RUN")],
    out: Path = Path("curves.png"),
) -> None:
    """Draw greedy play over epochs: a panel for each task, a line for each learner, shaded by its s.e.m. over seeds.

    Args:
        runs: Folders of training runs on one problem; those that differ in the seed alone form one band.
        out: The figure, .png or .svg.
    """
    draw_runs(runs, out)
    say(f"wrote {out}")
