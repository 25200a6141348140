"""Saved agents: a line of JSON with the settings, then the leaves, those of the model first; whole or not at all."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

import equinox as eqx

from lmta.agents.base import Model
from lmta.agents.settings import RunSettings, model_shape, settings_from_json
from lmta.files import check_writable, kind_of, opened, write_whole
from lmta.problems.registry import specs
from lmta.types import InputError

FORMAT, VERSION = "lmta checkpoint", 7
CHECKPOINT = "checkpoint"
"""What the file is called in the folder of a training run."""
T = TypeVar("T")


def export_model(run: Path, file: Path) -> str:
    """Write the model of a training run to a file of its own, a small one; a sentence that says so."""
    check_writable(file)
    if file.name == CHECKPOINT:
        raise InputError(f"{file}: is what the checkpoint of a training run is called; export to another name.")
    settings, model = read_model(run)
    write_model(file, settings, model)
    name = f"./{file}" if str(file) in specs() else file
    return f"wrote {file} ({file.stat().st_size / 1e6:.1f} MB); use it as lmta:{name}."


def write_model(path: Path, settings: RunSettings, model: Model) -> None:
    """Write a model to be used, without what only going on with its training needs."""
    write_leaves(path, settings, model)


def read_model(path: Path) -> tuple[RunSettings, Model]:
    """The settings and the model from the folder of a training run, its checkpoint, or what `write_model` wrote."""
    file = path / CHECKPOINT if kind_of(path) == "directory" else path
    return read_leaves(file, model_shape)


def write_leaves(path: Path, settings: RunSettings, tree: Any) -> None:
    """Write the settings, then the leaves of a tree that is a model or begins with one."""
    header = {"format": FORMAT, "version": VERSION, "settings": settings.as_json()}

    def write(temporary: Path) -> None:
        with temporary.open("wb") as file:
            file.write(json.dumps(header).encode() + b"\n")
            eqx.tree_serialise_leaves(file, tree)

    write_whole(path, write)


def read_leaves(
    path: Path, make_like: Callable[[RunSettings], T], *, to_the_end: bool = False
) -> tuple[RunSettings, T]:
    """The settings, and the first leaves as a tree like the one that `make_like` gives for them."""
    with opened(path) as file:
        settings = _settings(path, file)
        tree = _leaves(path, file, make_like(settings))
        if to_the_end and file.read(1):
            raise InputError(f"{path}: the checkpoint has more than it should; take an earlier one.")
        return settings, tree


def read_settings(path: Path) -> RunSettings:
    """The settings alone, without the work of reading the rest."""
    with opened(path) as file:
        return _settings(path, file)


def _settings(path: Path, file: BinaryIO) -> RunSettings:
    try:
        header = json.loads(file.readline(1_000_000))
        known, version = header["format"] == FORMAT, header["version"]
    except (ValueError, TypeError, KeyError):
        known, header, version = False, {}, None
    if not known:
        raise InputError(f"{path}: is not a checkpoint of lmta; give one that a training run wrote.")
    if version != VERSION:
        raise InputError(f"{path}: is a checkpoint of version {version}; this lmta reads version {VERSION}.")
    try:
        return settings_from_json(header["settings"])
    except InputError as error:
        raise InputError(f"{path}: {error}") from None
    except (KeyError, TypeError) as error:
        raise InputError(f"{path}: the settings in the checkpoint cannot be read ({error}).") from error


def _leaves(path: Path, file: BinaryIO, like: T) -> T:
    try:
        return eqx.tree_deserialise_leaves(file, like)
    except (ValueError, EOFError, RuntimeError) as error:
        raise InputError(f"{path}: the checkpoint is cut short or damaged; take an earlier one.") from error
