"""What `lmta diagnose` does: a run in; tables, pictures and one JSON file out."""

from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import tyro

from lmta.agents.saved import CHECKPOINT
from lmta.agents.settings import make_agent
from lmta.arena.record import provenance, write_json
from lmta.diagnostics.common import Common, as_plain, measure
from lmta.diagnostics.parts import Effort, OnStep, Part, part_of
from lmta.diagnostics.rollouts import Rollouts, Subject, roll_out
from lmta.problems.batch import make_batch
from lmta.problems.session import check_seed, whole_number
from lmta.problems.spec import changed
from lmta.training.checkpoint import load
from lmta.training.run import playing
from lmta.types import InputError

RESULTS = "diagnostics.json"


@dataclass(frozen=True)
class DiagnoseSettings:
    """What is measured, and on how much."""

    run: tyro.conf.Positional[Path]
    """Folder of a training run."""
    instances: int = 50
    """Held-out instances that are played."""
    effort: tyro.conf.OmitArgPrefixes[Effort] = field(default_factory=Effort)
    seed: int = 1007
    """Instances, noise and draws follow from it."""
    out: Path | None = None
    """Folder for what is written; RUN/diagnostics by default."""

    @property
    def folder(self) -> Path:
        """Where results go."""
        return self.run / "diagnostics" if self.out is None else self.out


@dataclass(frozen=True)
class Prepared:
    """A diagnosis that is ready to be made."""

    settings: DiagnoseSettings
    subject: Subject
    epochs: int


@dataclass(frozen=True)
class Diagnosis:
    """Everything that was measured, and what the pictures are drawn from."""

    title: str
    subject: Subject
    rollouts: Rollouts
    common: Common
    part: Part | None
    """What the agent adds …"""
    own: Any
    """… and what that found."""


def prepare(settings: DiagnoseSettings) -> Prepared:
    """Check everything that can be checked, read the run, draw the instances and make the folder."""
    check_seed(settings.seed)
    whole_number(settings.instances, "instances", 2)
    for name in ("states", "runs", "all_left_states", "bootstrap"):
        whole_number(getattr(settings.effort, name), name.replace("_", "-"), 1)
    run, progress = load(settings.run / CHECKPOINT)
    part = part_of(run.agent)
    for name in changed(settings.effort):
        if part is None or name not in part.efforts:
            raise InputError(f"{name.replace('_', '-')}: has no effect on a run of {run.agent}; leave it out.")
    batch = make_batch(
        run.spec.problem, run.spec.instances(run.instance, settings.seed, settings.instances), settings.seed
    )
    subject = Subject(run, make_agent(run).fitted(batch.days, batch.budget), playing(run, progress), batch)
    _make_folder(settings.folder)
    return Prepared(settings, subject, int(progress.epoch))


def diagnose(prepared: Prepared, on_step: OnStep = lambda done, total: None) -> Diagnosis:
    """Measure everything and write the JSON file; `on_step` hears how far the agent's own part is."""
    settings, subject = prepared.settings, prepared.subject
    run, rollouts = subject.run, roll_out(subject)
    part, size = part_of(run.agent), run.spec.size(run.instance)
    diagnosis = Diagnosis(
        title=(
            f"{settings.run}: {run.agent} ({run.preset}) on {run.problem}, {size.nodes} nodes, {size.days} days, "
            f"budget {size.budget}, {prepared.epochs} epochs; {settings.instances} held-out instances, "
            f"seed {settings.seed}"
        ),
        subject=subject,
        rollouts=rollouts,
        common=measure(subject, rollouts),
        part=part,
        own=None if part is None else part.measure(subject, rollouts, settings.effort, on_step),
    )
    write_json(settings.folder / RESULTS, _as_json(prepared, diagnosis))
    return diagnosis


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"out: the folder {folder} cannot be made ({error.strerror}).") from error


def _as_json(prepared: Prepared, diagnosis: Diagnosis) -> dict[str, Any]:
    settings, run, rollouts = prepared.settings, diagnosis.subject.run, diagnosis.rollouts
    given = asdict(settings) | {"run": str(settings.run)}
    del given["out"]
    days = {"budget": rollouts.budget, "picks": rollouts.num_picks, "reward": rollouts.reward}
    own = {} if diagnosis.part is None else {run.agent: diagnosis.part.as_json(diagnosis.own)}
    return {
        "settings": given | {"title": diagnosis.title},
        "run": run.as_json() | {"epochs": prepared.epochs},
        "provenance": provenance(),
        **as_plain(diagnosis.common),
        "days": {name: np.asarray(values).tolist() for name, values in days.items()},
        **own,
    }
