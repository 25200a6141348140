"""Cells: the smallest pieces of an experiment. Each says who plays what, and is kept in one file."""

import hashlib
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from lmta.agents.players import PREFIX, player
from lmta.agents.presets import with_values
from lmta.agents.settings import RunSettings, default_settings, make_agent
from lmta.problems.registry import spec_of
from lmta.problems.session import whole_number
from lmta.problems.spec import InstanceSettings
from lmta.types import InputError

FIRST_SEED = 1_000
"""Seeds below are for development; what is reported begins here."""
EPOCHS = 50
"""As in the paper, whose 55,154 micro-steps are 16 episodes of 69 seeds in 50 epochs."""
INSTANCES = 100
EVALUATE_EVERY, HELD_OUT = 5, 16
"""For learning curves: every so many epochs, on so many instances that are neither trained on nor reported."""
MOST_CHARACTERS = 100
"""Of overrides in the name of a file; a digest stands for more."""

Options = tuple[tuple[str, Any], ...]
"""Settings by name, in a form that can be hashed."""


def options(**given: Any) -> Options:
    """Named settings, but for those that are None."""
    return tuple((name, value) for name, value in given.items() if value is not None)


@dataclass(frozen=True)
class Task:
    """Instances of a problem: their size, and whatever else is not the problem's default."""

    problem: str
    nodes: int
    days: int
    budget: int
    more: Options = ()

    @property
    def name(self) -> str:
        """Such as aim-n500-t10-k50-power-law."""
        size = f"{self.problem}-n{self.nodes}-t{self.days}-k{self.budget}"
        return "-".join([size, *(_text(v) if isinstance(v, str) else f"{n}{_text(v)}" for n, v in self.more)])

    def settings(self) -> InstanceSettings:
        """What instances are drawn from."""
        spec = spec_of(self.problem)
        usual = {"generator": spec.generators[0]}
        return spec.settings(nodes=self.nodes, days=self.days, budget=self.budget, **usual | dict(self.more))


@dataclass(frozen=True)
class Learner:
    """A learner and all that its training follows from, but for the task."""

    agent: str
    preset: str | None = None
    """The agent's first by default."""
    features: str | None = None
    """The problem's first by default."""
    overrides: Options = ()
    """Settings of the agent by their dotted names, such as ablation.variant."""
    epochs: int = EPOCHS
    seed: int = FIRST_SEED
    trained_on: Task | None = None
    """What it is played on by default."""

    @property
    def name(self) -> str:
        """Such as lmta-paper_ablation.variant=D_e50_seed1000."""
        who = "-".join(part for part in (self.agent, self.preset, self.features) if part)
        changed = "_".join(f"{name}={_text(value)}" for name, value in self.overrides)
        if len(changed) > MOST_CHARACTERS:
            changed = hashlib.sha256(changed.encode()).hexdigest()[:12]
        return "_".join(part for part in (who, changed, f"e{self.epochs}", f"seed{self.seed}") if part)

    def run_settings(self, task: Task) -> RunSettings:
        """The settings of its training run for a cell that plays `task`."""
        on = self.trained_on or task
        usual = default_settings(self.agent, on.problem, self.preset)
        return replace(
            usual,
            features=self.features or usual.features,
            config=with_values(usual.config, dict(self.overrides)),
            instance=on.settings(),
            epochs=self.epochs,
            seed=self.seed,
            evaluate_every=EVALUATE_EVERY,
            held_out=HELD_OUT,
        )


@dataclass(frozen=True)
class Cell:
    """One method on one task."""

    method: str | Learner
    """A policy, an adviser (lmta:PROBLEM), a learner, or the name of a ceiling (measure `bound`)."""
    task: Task
    instances: int = INSTANCES
    futures: int = 1
    """How often each instance is played, with noise of its own each time."""
    seed: int = FIRST_SEED
    """Of the instances that are played and of their noise."""
    simulations: int | None = None
    """Of a learner's search when it plays, in place of those of its training."""
    first_days: int | None = None
    """Count the rewards of the first days only."""
    measure: str = "play"
    """What is done with the method; `lmta.experiments.measures` has the others."""
    tuning: bool = False
    """Whether it serves to choose settings, on development seeds, and is never reported."""

    def __post_init__(self) -> None:
        whole_number(self.instances, "instances", 1)
        seeds = {"seed": self.seed} | ({"training seed": self.method.seed} if isinstance(self.method, Learner) else {})
        for name, seed in seeds.items():
            reported = whole_number(seed, name, 0) >= FIRST_SEED
            if reported and self.tuning:
                raise InputError(f"{name}: {seed} given; settings are chosen on seeds below {FIRST_SEED:,}.")
            if not (reported or self.tuning):
                raise InputError(f"{name}: {seed} given; reported results use seeds from {FIRST_SEED:,} on.")

    @property
    def name(self) -> str:
        """Of its file, without the ending: a folder for the task, and in it a file for the method."""
        extra = {
            "i": self.instances,
            "f": self.futures if self.futures > 1 else None,
            "s": self.seed,
            "sim": self.simulations,
            "days": self.first_days,
            "": self.measure if self.measure != "play" else None,
        }
        parts = [f"{short}{value}" for short, value in extra.items() if value is not None]
        return f"{self.task.name}/{'_'.join([self.method_name, *parts])}"

    @property
    def method_name(self) -> str:
        """The method in a file's name, with the task of the training where it is another."""
        if isinstance(self.method, str):
            _, at, effort = self.method.partition("@")
            return f"adviser{at}{effort}" if self.method.startswith(PREFIX) else self.method
        on = self.method.trained_on
        return self.method.name if on in (None, self.task) else f"{self.method.name}_on-{on.name}"

    @property
    def run_name(self) -> str | None:
        """The folder of its training, which other cells may share; a calibration has one of its own."""
        if isinstance(self.method, str):
            return None
        own = "_calibration" if self.measure == "calibration" else ""
        return f"{(self.method.trained_on or self.task).name}/{self.method.name}{own}"

    def file(self, results: Path) -> Path:
        """Where it is kept."""
        return results / f"{self.name}.json"

    def as_json(self) -> dict[str, Any]:
        """Plain values, from which `cell_from_json` makes the same cell again."""
        return asdict(self)


def cell_from_json(values: Any) -> Cell:
    """The cell that `as_json` described."""
    return TypeAdapter(Cell).validate_python(_without_lists(values))


@cache
def not_yet(method: str | Learner, task: Task, measure: str = "play") -> str | None:
    """Why this version of the package cannot run a method: it does not have the agent, a setting or the policy."""
    try:
        if measure == "bound":
            spec_of(task.problem).ceiling(str(method))
        elif isinstance(method, str):
            player(method, task.problem)
        else:
            make_agent(method.run_settings(task))
    except InputError as error:
        return str(error)
    return None


def _text(value: Any) -> str:
    """A value in a file's name."""
    if isinstance(value, tuple):
        return "+".join(map(_text, value))
    return f"{value:g}" if isinstance(value, float) else str(value)


def _without_lists(value: Any) -> Any:
    """Lists of a JSON file as tuples, which can be hashed."""
    if isinstance(value, dict):
        return {name: _without_lists(item) for name, item in value.items()}
    return tuple(map(_without_lists, value)) if isinstance(value, list) else value
