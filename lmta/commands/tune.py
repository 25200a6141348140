"""`lmta tune`."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro
from rich.markup import escape

from lmta.commands.console import progress_bar, say
from lmta.commands.options import spec_in, task_options
from lmta.files import check_writable, shown
from lmta.planning.tune import is_sure, seconds_in
from lmta.planning.tune import tune as fit
from lmta.planning.tuned import PLANNER, SUFFIX, TunedPlanner, strategy_of, tuning_of, write_planner
from lmta.policies.registry import adviser_name
from lmta.problems.session import check_seed
from lmta.problems.spec import Spec
from lmta.problems.task import Task
from lmta.types import InputError


@dataclass(frozen=True)
class TuneSettings:
    """Fit a planner to one's own data."""

    out: Path
    """The file to write: NAME.planner. It is used as lmta:NAME.planner wherever a policy is named."""
    minutes: float = 5.0
    """How long to search and judge."""
    seed: int = 0
    """Of the strategies that are drawn, and of the worlds that they are tried in."""


def make_tune(arguments: Sequence[str]) -> Callable[..., None]:
    """The command, with the options of the problem that the arguments are about."""
    make_task = task_options(spec_in(arguments))

    def tune(
        settings: Annotated[TuneSettings, tyro.conf.arg(name="")],
        task: Annotated[Task, tyro.conf.arg(name="", constructor=make_task)],
    ) -> None:
        """Search, judge, write, and say what was gained."""
        spec, seconds = task.spec, _check(settings, task)
        instance = task.instances(settings.seed, 1)[0]
        with progress_bar() as progress:
            bar = progress.add_task("tuning", total=100)

            def tell(done: float, leading: str) -> None:
                progress.update(bar, completed=round(100 * done), description=escape(f"tuning: {leading}"))

            planner = fit(spec, instance, seconds, settings.seed, tell)
        write_planner(settings.out, planner)
        for line in told(planner, spec, settings.out):
            say(line)

    return tune


def _check(settings: TuneSettings, task: Task) -> float:
    """Refuse what makes no sense before any work is done; the seconds there are."""
    seconds = seconds_in(settings.minutes)
    check_seed(settings.seed)
    tuning_of(task.spec)
    option = task.spec.own_data.option
    if task.own is None:
        raise InputError(f"{option}: is needed, since a planner is tuned to one's own data.")
    if settings.out.suffix != SUFFIX:
        raise InputError(f"out: {shown(settings.out)} given, a name that ends with {SUFFIX} is needed.")
    check_writable(settings.out, inputs=[task.own], over=PLANNER)
    task.check()
    return seconds


def told(planner: TunedPlanner, spec: Spec, out: Path) -> list[str]:
    """What was gained, and how to go on."""
    gain, own = planner.gain, adviser_name(spec)
    low, high = gain.mean - 1.96 * gain.error, gain.mean + 1.96 * gain.error
    measured = f"{gain.mean:+.2f} (95 %: {low:+.2f} to {high:+.2f}) beside the {gain.adviser:.2f} of {own}"
    futures = f"on {gain.futures:,} futures that tuning has not seen"
    if not is_sure(gain):
        return [
            f"No strategy is surely better than {own}: the best earned {measured}, {futures}.",
            f"{shown(out)} has the adviser's own.",
        ]
    found = tuning_of(spec).describe(strategy_of(planner))
    return [
        f"{shown(out)}: {measured}, {futures}.",
        f"It decides {found}. Use it as --policy lmta:{shown(out)} with the same data, days and budget.",
    ]
