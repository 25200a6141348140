"""`lmta experiment`."""

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated

import tyro

from lmta.commands.console import ERR, OUT, say
from lmta.experiments.costs import measured
from lmta.experiments.experiment import describe, list_tables, make_engine, make_plan, run_plan
from lmta.experiments.fit_seed_or_wait import FitSettings, fit
from lmta.experiments.run import Folders
from lmta.experiments.tables import tables_named
from lmta.files import check_folder, kind_of
from lmta.types import InputError

LIST, FIT = "list", "seed-or-wait"


def make_experiment(arguments: Sequence[str]) -> Callable[..., None]:
    """The command: the one that runs tables, or the one that fits the constants of the seed-or-wait index."""
    return seed_or_wait if FIT in arguments[:1] else experiment


def seed_or_wait(name: tyro.conf.Positional[str], how: tyro.conf.OmitArgPrefixes[FitSettings]) -> None:
    """Fit the six constants of the seed-or-wait index on drawn settings, and compare them with the present ones.

    Args:
        name: seed-or-wait.
        how: How much is played.
    """
    fit(how, say)


def experiment(
    names: Annotated[tuple[str, ...], tyro.conf.Positional, tyro.conf.arg(metavar="NAME|list|all")],
    seeds: int | None = None,
    nodes: int | None = None,
    epochs: int | None = None,
    instances: int | None = None,
    only: str = "",
    policies: tyro.conf.FlagCreatePairsOff[bool] = False,
    workers: int | None = None,
    ray: str | None = None,
    dry_run: tyro.conf.FlagCreatePairsOff[bool] = False,
    results: Path = Path("results"),
    runs: Path = Path("runs"),
) -> None:
    """Run what is missing of tables and figures; `lmta report` then renders them.

    Args:
        names: Names of tables and figures, `list` to see them, `all` for all.
        seeds: Training seeds of each learner, in place of the table's own number.
        nodes: Nodes in place of 500; other sizes and budgets in proportion.
        epochs: Epochs of each training.
        instances: Instances that are played.
        only: Only cells whose file name contains this text, such as t10-k50 or adviser.
        policies: Only cells that need no training.
        workers: Processes at a time; as many as there are cores by default.
        ray: Address of a Ray cluster that runs the cells instead, such as auto or ray://HOST:10001 (extra lmta[ray]).
        dry_run: Say what would be run, and run nothing.
        results: Folder of the cells' files. What is there is not run again.
        runs: Folder of training runs, logs and locks.
    """
    given = {"seeds": seeds, "nodes": nodes, "epochs": epochs, "instances": instances}
    changed = {name: value for name, value in given.items() if value is not None}
    folders = Folders(results, runs)
    if not names:
        raise InputError("name: none given; `lmta experiment list` has all.")
    for folder in (results, runs):
        if kind_of(folder) is not None:
            check_folder(folder)
    engine, at_a_time = make_engine(workers, ray)
    if names == (LIST,):
        OUT.print(list_tables(folders, changed, at_a_time))
        return
    plan = make_plan(tables_named(names), changed, results, only, policies=policies)
    say(describe(plan, measured(results), folders, at_a_time))
    if dry_run:
        for cell in plan.to_run:
            say(cell.name)
        return
    failed = run_plan(plan, folders, engine, at_a_time, ERR)
    if failed:
        say(f"{len(failed)} of {len(plan.to_run)} cells failed; the same command tries them again.")
        sys.exit(1)
