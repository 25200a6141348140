"""Checkpoints: one file with everything that going on needs, written whole or not at all."""

from pathlib import Path

from lmta.agents.saved import read_parts, write_parts
from lmta.agents.settings import RunSettings, model_shape
from lmta.devices import on_first_core
from lmta.training.run import Progress, begin, playing


def save(path: Path, settings: RunSettings, progress: Progress) -> None:
    """Write the weights that play, which can be read alone; then learner, replay, random key and counters."""
    write_parts(path, settings, [playing(settings, progress), progress])


def load(path: Path) -> tuple[RunSettings, Progress]:
    """The settings and the progress of a run, as they were saved."""
    settings, (_, progress) = read_parts(path, [model_shape, begin])
    return settings, on_first_core(progress)
