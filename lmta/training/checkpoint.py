"""Checkpoints: one file with everything that going on needs, written whole or not at all."""

from pathlib import Path

from lmta.agents.saved import read_leaves, write_leaves
from lmta.agents.settings import RunSettings
from lmta.devices import on_first_core
from lmta.training.run import Progress, begin


def save(path: Path, settings: RunSettings, progress: Progress) -> None:
    """Write weights, optimisers, target, replay, random key and counters, with the settings before them."""
    write_leaves(path, settings, progress)


def load(path: Path) -> tuple[RunSettings, Progress]:
    """The settings and the progress of a run, as they were saved."""
    settings, progress = read_leaves(path, begin, to_the_end=True)
    return settings, on_first_core(progress)
