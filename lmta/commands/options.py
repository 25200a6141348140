"""The problem that raw arguments are about, and its options on the command line."""

from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any

import tyro

from lmta.problems.registry import DEFAULT, data_options, spec_of, specs
from lmta.problems.spec import InstanceSettings, Spec
from lmta.problems.task import Task
from lmta.types import InputError


def spec_in(arguments: Sequence[str]) -> Spec:
    """The problem that is named, or else the one whose own data are given, or else the default."""
    given = given_options(arguments)
    data = [option for option in data_options() if option in given]
    if len(data) > 1:
        raise InputError(f"{', '.join(data)}: give one of them, not {'both' if len(data) == 2 else 'all'}.")
    if "problem" not in given:
        spec = data_options()[data[0]] if data else spec_of(DEFAULT)
    else:
        spec = spec_of(given["problem"])
        if data and spec.own_data.option != data[0]:
            raise InputError(f"problem: {spec.name} does not go with --{data[0]}.")
    _refuse_options_of_others(spec, given)
    return spec


def task_options(spec: Spec) -> Callable[..., Task]:
    """Makes a task of a problem. Its arguments are the options that the problem has on the command line."""

    def task(problem: Any, instance: Any, own: Any, read: Any) -> Task:
        return Task(spec, instance, own, read)

    data, size = spec.own_data, spec.default
    known = (
        f"What is played: {', '.join(specs())} (see `lmta problems`). {spec.name} has {size.nodes} nodes, {size.days} "
        f"days and a budget of {size.budget} where nothing else is said."
    )
    options: dict[str, tuple[Any, Any]] = {
        "problem": (Annotated[str, tyro.conf.arg(help=known)], spec.name),
        "instance": (tyro.conf.OmitArgPrefixes[InstanceSettings[spec.drawn, spec.rules]], spec.settings()),
        "own": (Annotated[Path | None, tyro.conf.arg(name=data.option, help=data.describe)], None),
        "read": (tyro.conf.OmitArgPrefixes[data.options], data.options()),
    }
    task.__annotations__ = {name: kind for name, (kind, _) in options.items()} | {"return": Task}
    task.__defaults__ = tuple(default for _, default in options.values())
    return task


def given_options(arguments: Sequence[str]) -> dict[str, str]:
    """The options among raw arguments, each with what follows it."""
    given = {}
    for argument, following in pairwise([*arguments, ""]):
        if argument.startswith("--"):
            name, equals, value = argument.removeprefix("--").partition("=")
            given[name.replace("_", "-")] = value if equals else following
    return given


def _refuse_options_of_others(spec: Spec, given: dict[str, str]) -> None:
    """Name the problem that an option belongs to, where it is not the one that is played."""
    for other in specs().values():
        for name in other.own_options():
            if name in given and name not in spec.own_options():
                raise InputError(f"{name}: is an option of {other.name}, not of {spec.name}; leave it out.")
