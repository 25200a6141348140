"""The command line: parse, call, print. Bad input gives one sentence and exit code 2; a reader may go early."""

import difflib
import errno
import io
import os
import re
import select
import shutil
import sys
import textwrap
import warnings
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, TextIO

import lmta

COMMANDS = {
    "evaluate": "Play policies on the same instances with the same noise and compare them.",
    "plan": "Say what to do today in one's own session, such as a campaign or a tour, day after day.",
    "tune": "Fit a planner to one's own data, and say what that gains over the adviser.",
    "serve": "Advise on users' own sessions in a page and over a JSON API.",
    "train": "Learn to plan by self-play. Ctrl-C or SIGTERM stops after the epoch that is under way.",
    "agents": "List the learners.",
    "export": "Write the model of a training run to a small file.",
    "problems": "List the problems, with their generators and options.",
    "policies": "List the policies of a problem.",
    "demo": "Play one campaign and one tour, compare policies on them, and train a small LMTA.",
    "diagnose": "Measure what a trained run has learned: budgets, picks, values, and what else its agent has.",
    "curves": "Draw the learning curves of several runs in one figure, with bands over seeds.",
    "bound": "Say what no policy can earn on average, where the problem knows.",
    "bench": "Measure speed, beside a yardstick in the same run.",
    "experiment": "Run what is missing of the tables and figures of the paper, and of our own.",
    "report": "Render the page of results and its figures from the files in results.",
}
CANNOT_WRITE = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO}
"""Faults of a write."""


def main() -> None:
    """Entry point of the command `lmta`."""
    sys.exit(run(sys.argv[1:]))


def run(arguments: Sequence[str]) -> int:
    """Run one command; the exit code. Help, options that nobody knows and a full standard output end the process."""
    try:
        return _answer(arguments)
    except BrokenPipeError as error:
        return _tell_fault(error) if _is_read(sys.stdout) else 0  # it was another pipe, or the reader has gone
    except OSError as error:
        return _tell_fault(error)
    finally:
        _hand_over()


def _answer(arguments: Sequence[str]) -> int:
    """What commands need takes a second to import, so plain help goes without."""
    name = arguments[0] if arguments else "--help"
    if name in ("--help", "-h"):
        print(help_text())
        return 0
    if name == "--version":
        print(f"lmta {lmta.__version__}")
        return 0
    return _run_safely(name, arguments[1:])


def _is_read(stream: TextIO) -> bool:
    """Whether nobody has closed the other end."""
    closed = select.poll()
    closed.register(stream, 0)
    return not closed.poll(0)


def _hand_over() -> None:
    """Flush what was printed. A reader such as `head` that has gone misses nothing, so that is no error."""
    for stream in (sys.stderr, sys.stdout):
        try:
            stream.flush()
        except OSError as error:
            _discard(stream)
            if stream is sys.stdout and not isinstance(error, BrokenPipeError):
                sys.exit(_tell_fault(error))


def _discard(stream: TextIO) -> None:
    """Let go of what cannot be handed over, and of what is still to come."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _tell_fault(error: OSError) -> int:
    """Say what the system refused, in one sentence; the exit code.

    Whoever writes files names them, so a write that fails without a name was to standard output.
    """
    from lmta.commands.console import complain  # noqa: PLC0415
    from lmta.files import shown  # noqa: PLC0415

    reason = error.strerror or error
    if error.filename is not None:
        complain(f"{shown(error.filename)}: cannot be used ({reason}).", "red")
    elif error.errno in CANNOT_WRITE:
        complain(f"standard output: cannot be written ({reason}).", "red")
        _discard(sys.stdout)
    else:
        complain(f"the system refused what lmta asked of it ({reason}).", "red")
    return 2


def help_text() -> str:
    """Every command with a line on what it does."""
    width = min(shutil.get_terminal_size((120, 24)).columns, 120)
    column = max(map(len, COMMANDS)) + 4
    lines = [
        textwrap.fill(what, width, initial_indent=f"  {command}".ljust(column), subsequent_indent=" " * column)
        for command, what in COMMANDS.items()
    ]
    return "\n".join(
        [
            f"usage: lmta COMMAND [OPTIONS]\n\n{lmta.__doc__}\n",
            *lines,
            "\nlmta COMMAND --help shows the options of a command, lmta --version the version.",
        ]
    )


def _run_safely(name: str, arguments: Sequence[str]) -> int:
    """Run one command with all cores and kept compilations; errors become one sentence."""
    from lmta.commands.console import complain  # noqa: PLC0415
    from lmta.devices import keep_compilations, use_all_cores  # noqa: PLC0415
    from lmta.extras import missing  # noqa: PLC0415
    from lmta.types import InputError, TrainingError  # noqa: PLC0415

    warnings.showwarning = lambda message, *_: complain(message, "yellow")
    keep_compilations()
    use_all_cores()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    try:
        if name not in COMMANDS:
            raise InputError(_unknown(name))
        _run_command(name, arguments)
    except InputError as error:
        complain(error, "red")
        return 2
    except ModuleNotFoundError as error:
        told = missing(error)
        if told is error:
            raise
        complain(told, "red")
        return 2
    except TrainingError as error:
        complain(error, "red")
        return 1
    except MemoryError:
        complain("memory: there is too little of it for that; take fewer or smaller instances.", "red")
        return 2
    except KeyboardInterrupt:
        return 130
    return 0


def _run_command(name: str, arguments: Sequence[str]) -> None:
    import tyro  # noqa: PLC0415

    from lmta.commands.numbers import NUMBERS, telling_option  # noqa: PLC0415

    _refuse_repeats(arguments)
    command = _load_command(name, arguments)
    with telling_option(arguments):
        tyro.cli(command, prog=f"lmta {name}", description=COMMANDS[name], args=arguments, registry=NUMBERS)


def _refuse_repeats(arguments: Sequence[str]) -> None:
    """Refuse an option that is given twice, also where --no-NAME takes NAME back."""
    from lmta.types import InputError  # noqa: PLC0415

    seen: set[str] = set()
    for argument in arguments:
        if argument.startswith("--"):
            name = argument.removeprefix("--").partition("=")[0].replace("_", "-")
            option = re.sub(r"(^|\.)no-", r"\1", name)
            if option in seen:
                raise InputError(f"{option}: given twice; give it once.")
            seen.add(option)


def _load_command(name: str, arguments: Sequence[str]) -> Callable[..., Any]:
    """The function of a command, from a module of its own. Where its options depend on the arguments, it is made for
    them: `make_NAME(arguments)` gives the function."""
    module = import_module(f"lmta.commands.{name}")
    make = getattr(module, f"make_{name}", None)
    return getattr(module, name) if make is None else make(arguments)


def _unknown(name: str) -> str:
    meant = difflib.get_close_matches(name, COMMANDS, n=1)
    hint = f"did you mean {meant[0]}?" if meant else f"there are {', '.join(COMMANDS)}."
    return f"{name!r} is no command; {hint}"
