"""`lmta train`."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated

import tyro

from lmta.agents.settings import RunSettings
from lmta.commands.console import ERR, say
from lmta.experiments.train import begin_run, default_settings, resume_run


def make_train(arguments: Sequence[str]) -> Callable[..., None]:
    """The command, with the preset's values, or those of the run that goes on, as its defaults."""
    defaults = default_settings(arguments)

    def train(
        out: Path,
        settings: Annotated[RunSettings, tyro.conf.arg(name="")] = defaults,
        resume: tyro.conf.FlagCreatePairsOff[bool] = False,
    ) -> None:
        """Begin a run or go on with one.

        Args:
            out: Folder of the run: checkpoint, metrics, learning curve.
            settings: What the run follows from.
            resume: Go on with the run in the folder. Its settings stay; only --epochs may change.
        """
        go = resume_run if resume else begin_run
        say(go(out, settings, ERR))

    return train
