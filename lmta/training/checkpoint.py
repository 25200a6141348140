"""Checkpoints: one file with everything that going on needs, written whole or not at all."""

import contextlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

import equinox as eqx

from lmta.files import write_whole
from lmta.training.run import Progress, RunSettings, begin, settings_from_json
from lmta.types import InputError

FORMAT, VERSION = "lmta checkpoint", 1


def save(path: Path, settings: RunSettings, progress: Progress) -> None:
    """Write weights, optimisers, target, replay, random key and counters, with the settings before them."""
    header = {"format": FORMAT, "version": VERSION, "settings": settings.as_json()}

    def write(temporary: Path) -> None:
        with temporary.open("wb") as file:
            file.write(json.dumps(header).encode() + b"\n")
            eqx.tree_serialise_leaves(file, progress)

    write_whole(path, write)


def load(path: Path) -> tuple[RunSettings, Progress]:
    """The settings and the progress of a run, as they were saved."""
    with _opened(path) as file:
        settings = _settings(path, file)
        return settings, _leaves(path, file, begin(settings))


def load_settings(path: Path) -> RunSettings:
    """The settings alone, without the work of reading the rest."""
    with _opened(path) as file:
        return _settings(path, file)


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[BinaryIO]:
    try:
        with path.open("rb") as file:
            yield file
    except OSError as error:
        raise InputError(f"{path}: the checkpoint cannot be read ({error.strerror}).") from error


def _settings(path: Path, file: BinaryIO) -> RunSettings:
    try:
        header = json.loads(file.readline(1_000_000))
        known = header["format"] == FORMAT
    except (ValueError, TypeError, KeyError):
        known, header = False, {}
    if not known:
        raise InputError(f"{path}: is not a checkpoint of lmta; give one that a training run wrote.")
    if header["version"] != VERSION:
        raise InputError(f"{path}: is a checkpoint of version {header['version']}; this lmta reads version {VERSION}.")
    try:
        return settings_from_json(header["settings"])
    except (KeyError, TypeError) as error:
        raise InputError(f"{path}: the settings in the checkpoint cannot be read ({error}).") from error


def _leaves(path: Path, file: BinaryIO, like: Any) -> Progress:
    try:
        progress = eqx.tree_deserialise_leaves(file, like)
    except (ValueError, EOFError, RuntimeError) as error:
        raise InputError(f"{path}: the checkpoint is cut short or damaged; take an earlier one.") from error
    if file.read(1):
        raise InputError(f"{path}: the checkpoint has more than it should; take an earlier one.")
    return progress
