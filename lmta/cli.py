"""The command line: parse, call, print. Bad input gives one sentence and exit code 2."""

import difflib
import io
import os
import sys
import warnings
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

import tyro
from rich.table import Table

import lmta
from lmta.commands.console import OUT, complain, say
from lmta.devices import keep_compilations, use_all_cores
from lmta.types import InputError, TrainingError

COMMANDS = {
    "evaluate": "Play policies on the same instances with the same noise and compare them.",
    "plan": "Say what to do today in one's own campaign or tour, day after day.",
    "serve": "Advise on campaigns and tours in a page and over a JSON API.",
    "train": "Learn to plan by self-play. Ctrl-C or SIGTERM stops after the epoch that is under way.",
    "agents": "List the learners.",
    "export": "Write the model of a training run to a small file.",
    "policies": "List the policies of a problem.",
    "demo": "Play one campaign and one tour, and compare the planners that come with lmta with classical policies.",
    "diagnose": "Measure what a trained run has learned: its sense of time, its values and its subgoals.",
    "bench": "Measure speed, beside a yardstick in the same run.",
    "experiment": "Run what is missing of the tables and figures of the paper, and of our own.",
    "report": "Render the page of results and its figures from the files in results.",
}


def main() -> None:
    """Entry point of the command `lmta`."""
    sys.exit(run(sys.argv[1:]))


def run(arguments: Sequence[str]) -> int:
    """Run one command; the exit code."""
    warnings.showwarning = lambda message, *_: complain(message, "yellow")
    keep_compilations()
    use_all_cores()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    try:
        _run_command(*arguments)
    except InputError as error:
        complain(error, "red")
        return 2
    except TrainingError as error:
        complain(error, "red")
        return 1
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


def _run_command(name: str = "--help", *arguments: str) -> None:
    if name == "--version":
        say(f"lmta {lmta.__version__}")
    elif name in ("--help", "-h"):
        _print_help()
    elif name in COMMANDS:
        command = _load_command(name, arguments)
        tyro.cli(command, prog=f"lmta {name}", description=COMMANDS[name], args=arguments)
    else:
        meant = difflib.get_close_matches(name, COMMANDS, n=1)
        hint = f"did you mean {meant[0]}?" if meant else f"there are {', '.join(COMMANDS)}."
        raise InputError(f"{name!r} is no command; {hint}")


def _load_command(name: str, arguments: Sequence[str]) -> Callable[..., Any]:
    """The function of a command, from a module of its own: what other commands need takes seconds to import."""
    module = import_module(f"lmta.commands.{name}")
    return module.make_train(arguments) if name == "train" else getattr(module, name)


def _print_help() -> None:
    say(f"usage: lmta COMMAND [OPTIONS]\n\n{lmta.__doc__}\n")
    table = Table.grid(padding=(0, 2))
    for command, what in COMMANDS.items():
        table.add_row(f"  {command}", what)
    OUT.print(table, highlight=False)
    say("\nlmta COMMAND --help shows the options of a command, lmta --version the version.")
