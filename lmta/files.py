"""Files: opened where they are regular ones, and written whole or not at all."""

import contextlib
import json
import os
import stat
from collections.abc import Callable, Iterable, Iterator
from os import PathLike
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from lmta.types import InputError, quoted

FilePath = str | PathLike[str]
_KINDS = {
    stat.S_IFREG: "file",
    stat.S_IFDIR: "directory",
    stat.S_IFIFO: "pipe",
    stat.S_IFSOCK: "socket",
    stat.S_IFCHR: "device",
    stat.S_IFBLK: "device",
}


def shown(path: FilePath) -> str:
    """A path as the user gave it, on one line."""
    text = str(path)
    return text if text.isprintable() else quoted(text)


def kind_of(path: FilePath) -> str | None:
    """What stands at a path, links followed: a file, directory, pipe, socket or device; None where nothing does."""
    try:
        mode = Path(path).stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError) as error:  # a loop of links, a name that is too long or has a NUL, no permission
        raise _unusable(path, error) from None
    return _KINDS[stat.S_IFMT(mode)]


@contextlib.contextmanager
def opened(path: FilePath) -> Iterator[BinaryIO]:
    """A file to read. Only regular ones and the null device are opened: a pipe may wait, a device may never end."""
    kind = kind_of(path)
    if kind is None:
        raise InputError(f"{shown(path)}: there is no such file; give the path of one that exists.")
    if kind != "file" and not Path(path).samefile(os.devnull):
        raise InputError(f"{shown(path)}: is a {kind}; give the path of a file.")
    try:
        with Path(path).open("rb") as file:
            yield file
    except OSError as error:
        raise _unusable(path, error) from None


def _unusable(path: FilePath, error: OSError | ValueError) -> InputError:
    reason = getattr(error, "strerror", None) or error
    return InputError(f"{shown(path)}: cannot be used ({reason}); give the path of another file.")


class FileKind(NamedTuple):
    """What a file holds that may be written over."""

    name: str
    """Such as 'results of lmta'."""
    fits: Callable[[BinaryIO], bool]
    """Whether a file holds it."""


def check_writable(path: Path, *, inputs: Iterable[Any] = (), over: FileKind | None = None) -> None:
    """Refuse a file that cannot be written, before any work is done; also one that the same command reads, and one
    that is there and is not of the kind `over`, where one is said. An empty file holds nothing that could be lost."""
    kind = kind_of(path)
    if kind not in (None, "file"):
        raise InputError(f"{shown(path)}: is a {kind}; name a file to write.")
    if kind_of(path.parent) != "directory":
        raise InputError(f"{path}: the folder {path.parent} does not exist; make it first.")
    if not os.access(path.parent, os.W_OK):
        raise InputError(f"{path}: the folder {path.parent} cannot be written to; name another.")
    if kind is None:
        return
    if any(_is_same(path, given) for given in inputs):
        raise InputError(f"{shown(path)}: is read by the same command; name another file to write.")
    if over is not None and path.stat().st_size:
        with opened(path) as file:
            if not over.fits(file):
                raise InputError(f"{shown(path)}: is there already and holds no {over.name}; name another file.")


def _is_same(path: Path, given: Any) -> bool:
    """Whether what a user gave is a path to the same file."""
    return isinstance(given, str | PathLike) and kind_of(given) is not None and path.samefile(given)


def json_object(file: BinaryIO) -> dict[str, Any] | None:
    """The JSON object that a file holds, or None if it holds anything else."""
    try:
        found = json.load(file)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def check_folder(path: Path) -> None:
    """Refuse a path at which no folder is."""
    kind = kind_of(path)
    if kind is None:
        raise InputError(f"{shown(path)}: there is no such folder; give the path of one that exists.")
    if kind != "directory":
        raise InputError(f"{shown(path)}: is a {kind}; give the path of a folder.")


def write_whole(path: Path, write: Callable[[Path], Any]) -> None:
    """Let `write` make the file under a temporary name, then rename, so that it is there whole or not at all."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        write(temporary)
        temporary.replace(path)
    except OSError as error:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise InputError(f"{path}: could not be written ({error.strerror}).") from error
