"""Saved agents: a line of JSON with the settings and checksums, then leaves in parts; whole or not at all.

The first part is the model, which can be read alone. A checkpoint has a second one, with what going on needs.
"""

import io
import json
import os
import zlib
from collections.abc import Callable, Sequence
from operator import index
from pathlib import Path
from typing import Any, BinaryIO

import equinox as eqx

from lmta.agents.base import Model
from lmta.agents.settings import RunSettings, model_shape, settings_from_json
from lmta.files import FileKind, check_writable, kind_of, opened, write_whole
from lmta.problems.registry import specs
from lmta.types import InputError

FORMAT, VERSION = "lmta checkpoint", 8
CHECKPOINT = "checkpoint"
"""What the file is called in the folder of a training run."""


def _is_model(file: BinaryIO) -> bool:
    """Whether a file is what `write_model` wrote, also in an earlier version."""
    header = _header(file)
    return header is not None and len(header.get("parts", ["model"])) == 1


MODEL = FileKind("exported model", _is_model)
"""What `lmta export` has written."""


def export_model(run: Path, file: Path) -> str:
    """Write the model of a training run to a file of its own, a small one; a sentence that says so."""
    check_writable(file, inputs=[run], over=MODEL)
    if file.name == CHECKPOINT:
        raise InputError(f"{file}: is what the checkpoint of a training run is called; export to another name.")
    settings, model = read_model(run)
    write_model(file, settings, model)
    name = f"./{file}" if str(file) in specs() else file
    return f"wrote {file} ({file.stat().st_size / 1e6:.1f} MB); use it as lmta:{name}."


def write_model(path: Path, settings: RunSettings, model: Model) -> None:
    """Write a model to be used, without what only going on with its training needs."""
    write_parts(path, settings, [model])


def read_model(path: Path) -> tuple[RunSettings, Model]:
    """The settings and the model from the folder of a training run, its checkpoint, or what `write_model` wrote."""
    file = path / CHECKPOINT if kind_of(path) == "directory" else path
    settings, (model,) = read_parts(file, [model_shape])
    return settings, model


def write_parts(path: Path, settings: RunSettings, trees: Sequence[Any]) -> None:
    """Write the settings, then the leaves of each tree; the model is the first of them."""
    said = settings.as_json()

    def write(temporary: Path) -> None:
        parts = [_leaves(tree) for tree in trees]
        sums = [{"bytes": len(part), "crc32": _checksum(part, said)} for part in parts]
        header = {"format": FORMAT, "version": VERSION, "settings": said, "parts": sums}
        with temporary.open("wb") as file:
            file.write(json.dumps(header).encode() + b"\n")
            file.writelines(parts)

    write_whole(path, write)


def read_parts(path: Path, make_likes: Sequence[Callable[[RunSettings], Any]]) -> tuple[RunSettings, list[Any]]:
    """The settings, and of the first parts trees like those that `make_likes` give for them."""
    with opened(path) as file:
        header, settings = _settings(path, file)
        parts = _parts(path, file, header)
        if len(parts) < len(make_likes):
            raise InputError(f"{path}: is a model alone, without what going on needs; take the checkpoint of a run.")
        trees = []
        for make_like, (size, checksum) in zip(make_likes, parts, strict=False):
            part = file.read(size)
            if _checksum(part, header["settings"]) != checksum:
                raise _damaged(path)
            trees.append(_tree(path, part, make_like(settings)))
        return settings, trees


def _parts(path: Path, file: BinaryIO, header: dict[str, Any]) -> list[tuple[int, Any]]:
    """Size and checksum of each part. They stand behind the header, and nothing else does."""
    try:
        parts = [(index(part["bytes"]), part["crc32"]) for part in header["parts"]]
    except (KeyError, TypeError) as error:
        raise _damaged(path) from error
    sizes = [size for size, _ in parts]
    spare = os.fstat(file.fileno()).st_size - file.tell() - sum(sizes)
    if spare > 0:
        raise InputError(f"{path}: the checkpoint has more than it should; take an earlier one.")
    if spare < 0 or min(sizes) < 0:
        raise _damaged(path)
    return parts


def read_settings(path: Path) -> RunSettings:
    """The settings alone, without the work of reading the rest."""
    with opened(path) as file:
        return _settings(path, file)[1]


def _header(file: BinaryIO) -> dict[str, Any] | None:
    """The header of whatever version, or None where a file has none."""
    try:
        header = json.loads(file.readline(1_000_000))
        return header if header["format"] == FORMAT and "version" in header else None
    except (ValueError, TypeError, KeyError):
        return None


def _settings(path: Path, file: BinaryIO) -> tuple[dict[str, Any], RunSettings]:
    """The header as it is written, and the settings in it."""
    header = _header(file)
    if header is None:
        raise InputError(f"{path}: is not a checkpoint of lmta; give one that a training run wrote.")
    if header["version"] != VERSION:
        raise InputError(f"{path}: is a checkpoint of version {header['version']}; this lmta reads version {VERSION}.")
    try:
        return header, settings_from_json(header["settings"])
    except InputError as error:
        raise InputError(f"{path}: {error}") from None
    except (KeyError, TypeError) as error:
        raise InputError(f"{path}: the settings in the checkpoint cannot be read ({error}).") from error


def _leaves(tree: Any) -> bytes:
    buffer = io.BytesIO()
    eqx.tree_serialise_leaves(buffer, tree)
    return buffer.getvalue()


def _tree(path: Path, part: bytes, like: Any) -> Any:
    try:
        return eqx.tree_deserialise_leaves(io.BytesIO(part), like)
    except (ValueError, EOFError, RuntimeError) as error:
        raise _damaged(path) from error


def _checksum(part: bytes, settings: Any) -> int:
    """Of a part and of the settings that it belongs to."""
    return zlib.crc32(part, zlib.crc32(json.dumps(settings).encode()))


def _damaged(path: Path) -> InputError:
    return InputError(f"{path}: the checkpoint is cut short or damaged; take an earlier one.")
