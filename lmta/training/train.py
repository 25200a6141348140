"""What `lmta train` does: a run in its folder, measured against what needs no learning, with a picture at the end."""

import json
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import tyro
from rich.console import Console

from lmta.agents.base import Model
from lmta.agents.planner import TrainedAgent
from lmta.agents.registry import DEFAULT as DEFAULT_AGENT
from lmta.agents.saved import CHECKPOINT, read_settings
from lmta.agents.settings import RunSettings, default_settings, make_agent
from lmta.arena.play import play
from lmta.arena.record import provenance, write_json
from lmta.arena.statistics import compare
from lmta.files import json_object, kind_of, opened, write_whole
from lmta.policies.registry import policy
from lmta.problems.batch import make_batch
from lmta.problems.registry import DEFAULT as DEFAULT_PROBLEM
from lmta.training.checkpoint import load, save
from lmta.training.folder import CURVE, SETTINGS, check_holds_run, new_run, old_run
from lmta.training.loop import Measure, train
from lmta.training.metrics import Metrics, read_metrics
from lmta.training.report import Report
from lmta.training.run import Progress, begin
from lmta.training.settings import check_same, check_settings, flat
from lmta.types import InputError

HELD_OUT_SEED = 2**64 - 1
"""Instances of training have seeds of 32 bits, so none of them is held out."""
NOISE_SEED = 2**32 - 1


@dataclass(frozen=True)
class Origin:
    """Where the defaults of all other options come from."""

    agent: str = DEFAULT_AGENT
    problem: str = DEFAULT_PROBLEM
    preset: str | None = None
    out: Path | None = None
    resume: tyro.conf.FlagCreatePairsOff[bool] = False


def settings_by_default(arguments: Sequence[str]) -> RunSettings:
    """The settings of the run that is to go on, or else of the preset, which other arguments then change."""
    origin, _ = tyro.cli(Origin, args=arguments, return_unknown_args=True, add_help=False, prog="lmta train")
    if origin.resume and origin.out is not None:
        check_holds_run(origin.out)
        return read_settings(origin.out / CHECKPOINT)
    return default_settings(origin.agent, origin.problem, origin.preset)


def begin_run(folder: Path, settings: RunSettings, console: Console) -> str:
    """Train from the beginning; a sentence that says where the run stands."""
    check_settings(settings)
    with new_run(folder):
        progress = begin(settings)
        save(folder / CHECKPOINT, settings, progress)
        return _train(folder, settings, progress, console)


def resume_run(folder: Path, settings: RunSettings, console: Console) -> str:
    """Train on from the last checkpoint, up to the epochs in `settings`, which must not differ in anything else."""
    with old_run(folder):
        saved, progress = load(folder / CHECKPOINT)
        _check_belongs(folder, saved)
        check_same(settings, saved)
        check_settings(settings)
        if settings.epochs < int(progress.epoch):
            raise InputError(f"epochs: {settings.epochs} given, but the run has done {progress.epoch} already.")
        return _train(folder, settings, progress, console)


def _train(folder: Path, settings: RunSettings, progress: Progress, console: Console) -> str:
    epochs, done = settings.epochs, int(progress.epoch)
    _record(folder, settings, done)
    with Report(console, epochs, done) as report:
        try:
            done = train(folder, settings, progress, make_measure(settings), report.epoch, report.stopping)
        finally:
            _draw(folder, settings)
    if done < epochs:
        command = f"lmta train --resume --out {shlex.quote(str(folder))}"
        return f"{folder}: {done} of {epochs} epochs are done and saved; go on with: {command}"
    return f"{folder}: all {epochs} epochs are done; --resume with more --epochs goes on."


def make_measure(settings: RunSettings) -> Measure:
    """A function that plays weights greedily on held-out instances, beside the baseline under common random numbers."""
    spec, agent = settings.spec, make_agent(settings)
    draw = spec.mixture if settings.mixture else spec.instances
    batch = make_batch(spec.problem, draw(settings.instance, HELD_OUT_SEED, settings.held_out), NOISE_SEED)
    baseline = policy(spec.policies.baseline, spec.name)
    expected = play(baseline, batch).rewards.sum(axis=1, dtype=np.float64)

    def measure(model: Model) -> Metrics:
        played = play(TrainedAgent("now", spec.problem, agent, model), batch)
        scores = played.rewards.sum(axis=1, dtype=np.float64)
        return {
            "greedy": float(scores.mean()),
            "baseline": float(expected.mean()),
            "baseline_policy": baseline.name,
            "difference_sem": compare(scores, expected).difference.sem,
            "picks_by_day": played.num_picks.mean(axis=0).tolist(),
        }

    return measure


def _record(folder: Path, settings: RunSettings, epochs_done: int) -> None:
    """The settings, and what each part of the run was made with."""
    now = {"after_epoch": epochs_done} | provenance()
    earlier = _recorded(folder).get("provenance", [])
    write_json(folder / SETTINGS, {"settings": settings.as_json(), "provenance": [*earlier, now]})


def _recorded(folder: Path) -> dict[str, Any]:
    """What `_record` wrote last; nothing where it has not."""
    path = folder / SETTINGS
    if kind_of(path) is None:
        return {}
    with opened(path) as file:
        found = json_object(file)
    if found is None:
        raise InputError(f"{path}: cannot be read; bring it back, or remove it to go on without.")
    return found


def _check_belongs(folder: Path, saved: RunSettings) -> None:
    """Refuse a checkpoint of another run than the folder's; only the number of epochs may have changed."""
    recorded = flat(_recorded(folder).get("settings", {}))
    for name, value in flat(json.loads(json.dumps(saved.as_json()))).items():
        if name != "epochs" and recorded.get(name) not in (None, value):
            raise InputError(
                f"{folder / CHECKPOINT}: is of another run, whose {name} is {value} and not {recorded[name]} as in "
                f"{folder / SETTINGS}; bring back the checkpoint of this run."
            )


def _draw(folder: Path, settings: RunSettings) -> None:
    lines = read_metrics(folder)
    if not lines:
        return
    from matplotlib.backends.backend_agg import FigureCanvasAgg  # noqa: PLC0415 (only where a curve is drawn)

    from lmta.training.curve import learning_curve  # noqa: PLC0415

    size = settings.spec.size(settings.instance)
    title = (
        f"{settings.agent} ({settings.preset}) on {settings.problem}: {size.nodes} nodes, {size.days} days, "
        f"budget {size.budget}, seed {settings.seed}"
    )
    canvas = FigureCanvasAgg(learning_curve(lines, title))
    write_whole(folder / CURVE, canvas.print_png)
