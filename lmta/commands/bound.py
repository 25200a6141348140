"""`lmta bound`."""

from collections.abc import Callable, Sequence
from typing import Annotated

import tyro

from lmta.arena import bound as arena
from lmta.arena.bound import BoundSettings
from lmta.arena.tables import with_error
from lmta.commands.console import say
from lmta.commands.options import spec_in, task_options
from lmta.problems.task import Task


def make_bound(arguments: Sequence[str]) -> Callable[..., None]:
    """The command, with the options of the problem that the arguments are about."""
    make_task = task_options(spec_in(arguments))

    def bound(
        settings: Annotated[BoundSettings, tyro.conf.arg(name="")],
        task: Annotated[Task, tyro.conf.arg(name="", constructor=make_task)],
    ) -> None:
        """Print what is known."""
        many = "instance" if settings.instances == 1 else "instances"
        count = f"{settings.instances} {many} of {task.spec.name}, seed {settings.seed}"
        for name, found in arena.bound(settings, task).items():
            told = task.spec.ceiling(name).says.format(with_error(found))
            say(f"{count}: {told}.")

    return bound
