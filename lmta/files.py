"""Files that are there whole or not at all."""

import contextlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from lmta.types import InputError


def check_writable(path: Path) -> None:
    """Refuse a file that cannot be written, before any work is done."""
    try:
        is_folder, has_parent = path.is_dir(), path.parent.is_dir()
    except OSError as error:
        raise InputError(f"{path}: cannot be written ({error.strerror}); name another file.") from error
    if is_folder:
        raise InputError(f"{path}: is a folder; name a file to write.")
    if not has_parent:
        raise InputError(f"{path}: the folder {path.parent} does not exist; make it first.")
    if not os.access(path.parent, os.W_OK):
        raise InputError(f"{path}: the folder {path.parent} cannot be written to; name another.")


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
