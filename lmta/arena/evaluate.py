"""What `lmta evaluate` does: settings and a task in, rows and a JSON file out."""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from lmta.agents.players import PREFIX, may_think, player, says_effort, tuned_in
from lmta.arena.arena import Row, run_arena
from lmta.arena.record import check_json, provenance, write_json
from lmta.planning.effort import make_effort
from lmta.policies.player import AbstractPlayer
from lmta.problems.batch import Batch, make_batch
from lmta.problems.session import check_seed, whole_number
from lmta.problems.task import Task
from lmta.types import InputError


@dataclass(frozen=True)
class EvaluateSettings:
    """Play policies on the same instances with the same noise and compare them."""

    policies: str
    """Names separated by commas, lmta:FOLDER for a trained agent; the others are compared with the first. Advisers
    think as much as their names say: lmta:PROBLEM@1000 (rollouts) or lmta:PROBLEM@10s (seconds)."""
    instances: int = 60
    """How many instances; own data count as one, of which so many futures are played."""
    futures: int = 1
    """How often each generated instance is played, with noise of its own each time."""
    simulations: int | None = None
    """Simulations of a trained agent's search for each decision, instead of as many as in training; 0 for no search."""
    think: float | None = None
    """Seconds that the advisers think about each decision, where their names do not say."""
    rollouts: int | None = None
    """Rollouts that they make for each decision instead: the same ones every time."""
    seed: int = 0
    """Instances and noise follow from it."""
    first_days: int | None = None
    """Count the rewards of the first days only."""
    json: Path | None = None
    """Write the results to this file too."""


@dataclass(frozen=True)
class Prepared:
    """An evaluation that is ready to run."""

    title: str
    players: list[AbstractPlayer]
    batch: Batch
    settings: EvaluateSettings
    task: Task


def prepare(settings: EvaluateSettings, task: Task) -> Prepared:
    """Check everything that can be checked, and draw the instances."""
    names = [part.strip() for part in settings.policies.split(",") if part.strip()]
    _check(settings, task, names)
    effort = make_effort(settings.think, settings.rollouts)
    players = [player(name, task.spec.name, settings.simulations, effort) for name in names]
    instances = task.instances(settings.seed, settings.instances)
    episodes = [instance for instance in instances for _ in range(settings.futures)]
    batch = make_batch(task.spec.problem, episodes, settings.seed)
    return Prepared(_title(settings, task, instances[0]), players, batch, settings, task)


def _title(settings: EvaluateSettings, task: Task, first: Any) -> str:
    if task.own is not None:
        episodes = f"{settings.instances * settings.futures} futures"
    else:
        each = f" with {settings.futures} futures each" if settings.futures > 1 else ""
        episodes = f"{settings.instances} instances{each}"
    return (
        f"{task.spec.name}: {int(first.graph.node_mask.sum())} nodes, {int(first.days)} days, "
        f"budget {int(first.budget)}, {episodes}, seed {settings.seed}"
    )


def _check(settings: EvaluateSettings, task: Task, names: list[str]) -> None:
    """Refuse what makes no sense, and options that would have no effect."""
    check_seed(settings.seed)
    whole_number(settings.futures, "futures", 1)
    days = task.spec.size(task.settings).days
    if settings.first_days is not None and whole_number(settings.first_days, "first-days", 1) > days:
        raise InputError(f"first-days: {settings.first_days} given, but there are only {days} days.")
    task.check()
    if not names:
        raise InputError(f"policies: none given; name at least one, such as {task.spec.policies.baseline}.")
    if settings.simulations is not None and not any(map(_searches, names)):
        raise InputError("simulations: has no effect here; leave it out.")
    for option in ("think", "rollouts"):
        thinkers = [name for name in names if may_think(name)]
        if getattr(settings, option) is not None and not thinkers:
            raise InputError(f"{option}: has no effect here, since no adviser is named; leave it out.")
        if getattr(settings, option) is not None and all(map(says_effort, thinkers)):
            raise InputError(f"{option}: {thinkers[0]} says already how much it thinks; leave one of the two out.")
    check_json(settings.json, task.own, *map(_file_of, names))


def _file_of(name: str) -> str | None:
    """The file that the name of a tuned planner or of a trained agent names; None for whoever needs none."""
    if not name.startswith(PREFIX):
        return None
    base, _ = tuned_in(name.removeprefix(PREFIX)) or (name.removeprefix(PREFIX), None)
    return base


def _searches(name: str) -> bool:
    """Whether the name is that of a trained agent, which may search."""
    return name.startswith(PREFIX) and not may_think(name)


def evaluate(prepared: Prepared, on_day: Callable[[AbstractPlayer], None] = lambda player: None) -> list[Row]:
    """Play, and write the JSON file where one is asked for."""
    settings = prepared.settings
    rows = run_arena(prepared.players, prepared.batch, first_days=settings.first_days, on_day=on_day)
    if settings.json is not None:
        given = asdict(settings)
        del given["json"]
        content = {
            "settings": given | prepared.task.as_json() | {"title": prepared.title},
            "provenance": provenance(),
            "rows": [row.as_json(rows[0]) for row in rows],
        }
        write_json(settings.json, content)
    return rows
