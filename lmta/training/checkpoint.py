"""Checkpoints: one file with everything that going on needs, written whole or not at all."""

from pathlib import Path

from lmta.agents.saved import read_leaves, write_leaves
from lmta.agents.settings import RunSettings, model_shape
from lmta.devices import on_first_core
from lmta.training.run import Progress, begin, playing


def save(path: Path, settings: RunSettings, progress: Progress) -> None:
    """Write the weights that play, which can be read alone; then learner, replay, random key and counters."""
    write_leaves(path, settings, (playing(settings, progress), progress))


def load(path: Path) -> tuple[RunSettings, Progress]:
    """The settings and the progress of a run, as they were saved."""
    settings, (_, progress) = read_leaves(path, lambda s: (model_shape(s), begin(s)), to_the_end=True)
    return settings, on_first_core(progress)
