"""Learning curves of training runs in one figure: a panel for each task, a band over seeds for each learner."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from lmta.agents.saved import CHECKPOINT, read_settings
from lmta.agents.settings import RunSettings, default_settings
from lmta.experiments.markdown import write_figure
from lmta.files import check_writable, kind_of
from lmta.problems.spec import changed
from lmta.training.metrics import Metrics, read_metrics
from lmta.training.settings import flat
from lmta.types import InputError

KINDS = (".png", ".svg")
Curve = Mapping[int, float]
"""Greedy score by epoch."""
Band = tuple[np.ndarray, np.ndarray]
"""(epochs, greedy scores by seed and epoch)."""


class Run(NamedTuple):
    """A training run, as far as it was measured."""

    folder: Path
    settings: RunSettings
    measured: Sequence[Metrics]
    """The epochs with an evaluation."""

    @property
    def curve(self) -> Curve:
        """Greedy play on held-out instances."""
        return {line["epoch"]: line["evaluation"]["greedy"] for line in self.measured}


def aligned(curves: Sequence[Curve]) -> Band:
    """Curves side by side, at the epochs that all of them have."""
    epochs = sorted(set.intersection(*map(set, curves)))
    return np.array(epochs), np.array([[curve[epoch] for epoch in epochs] for curve in curves])


def draw_runs(folders: Sequence[Path], out: Path) -> None:
    """Read the runs and write their figure."""
    if out.suffix not in KINDS:
        raise InputError(f"out: {out} given, a file that ends in {' or '.join(KINDS)} is needed.")
    if not folders:
        raise InputError("RUN: give the folder of at least one training run.")
    check_writable(out)
    panels = panels_of([read_run(folder) for folder in folders])

    def draw(figure: Any) -> None:
        from lmta.experiments.figures import draw_curves  # noqa: PLC0415 (only where a picture is drawn)

        draw_curves(figure, panels)

    write_figure(out, draw)


def read_run(folder: Path) -> Run:
    """The settings and measurements in the folder of a run."""
    if kind_of(folder / CHECKPOINT) is None:
        raise InputError(f"{folder}: holds no training run; give the folder of one.")
    measured = [line for line in read_metrics(folder) if "evaluation" in line]
    if not measured:
        raise InputError(f"{folder}: no epoch of this run has been measured yet; train it further.")
    return Run(folder, read_settings(folder / CHECKPOINT), measured)


def panels_of(runs: Sequence[Run]) -> dict[str, dict[str, Band]]:
    """Bands by task and learner, and the baseline of the last run of each task."""
    first = runs[0]
    for run in runs[1:]:
        if run.settings.problem != first.settings.problem:
            raise InputError(
                f"{run.folder}: is a run on {run.settings.problem}, but {first.folder} is one on "
                f"{first.settings.problem}; give runs on one problem."
            )
    grouped: dict[str, dict[str, dict[int, Run]]] = {}
    for run in runs:
        band = grouped.setdefault(task_of(run.settings), {}).setdefault(learner_of(run.settings), {})
        earlier = band.setdefault(run.settings.seed, run)
        if earlier is not run:
            raise InputError(f"{run.folder}: has the settings and the seed of {earlier.folder}; give it once.")
    return {task: _panel(bands) for task, bands in grouped.items()}


def _panel(bands: Mapping[str, Mapping[int, Run]]) -> dict[str, Band]:
    panel = {}
    for learner, by_seed in bands.items():
        seeds = f", {len(by_seed)} seeds" if len(by_seed) > 1 else ""
        panel[learner + seeds] = _band(list(by_seed.values()))
    last = [run for by_seed in bands.values() for run in by_seed.values()][-1].measured[-1]["evaluation"]
    epochs = np.unique(np.concatenate([band[0] for band in panel.values()]))[[0, -1]]
    return panel | {last["baseline_policy"]: (epochs, np.full((1, 2), last["baseline"]))}


def _band(runs: Sequence[Run]) -> Band:
    band = aligned([run.curve for run in runs])
    if not len(band[0]):
        names = " and ".join(str(run.folder) for run in runs)
        raise InputError(f"{names}: were measured at different epochs and cannot form a band.")
    return band


def task_of(settings: RunSettings) -> str:
    """What is learned: the size of instances, and whatever else is not the problem's default."""
    instance, spec = settings.instance, settings.spec
    size = spec.size(instance)
    more = {name: getattr(part, name) for part in (instance.drawn, instance.rules) for name in changed(part)}
    if instance.generator not in (None, spec.generators[0]):
        more["generator"] = instance.generator
    texts = [f"{name} {value}" for name, value in more.items()] + ["mixture"] * settings.mixture
    return ", ".join([f"{spec.name}: N={size.nodes}, T={size.days}, K={size.budget}", *texts])


def learner_of(settings: RunSettings) -> str:
    """Who learns: agent, preset, and whatever differs from them."""
    usual = default_settings(settings.agent, settings.problem, settings.preset)
    values, defaults = (flat(run.as_json()["config"]) for run in (settings, usual))
    texts = [f"{name} {value}" for name, value in values.items() if value != defaults[name]]
    texts += [f"features {settings.features}"] if settings.features != usual.features else []
    return f"{settings.agent} ({', '.join([settings.preset, *texts])})"
