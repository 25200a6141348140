"""The folder of a run: what is in it, and that one process at a time writes to it."""

import contextlib
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path

from lmta.agents.saved import CHECKPOINT
from lmta.files import kind_of
from lmta.types import InputError

METRICS, SETTINGS, CURVE, EVENTS = "metrics.jsonl", "settings.json", "learning.png", "tensorboard"


def check_holds_run(folder: Path) -> None:
    """Refuse a folder without a run to go on with."""
    if kind_of(folder / CHECKPOINT) is None:
        raise InputError(f"{folder}: holds no run to go on with; leave out --resume to begin one.")


@contextlib.contextmanager
def new_run(folder: Path) -> Iterator[None]:
    """Make the folder and keep it to oneself; refuse one that holds a run already."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"out: the folder {folder} cannot be made ({error.strerror}).") from error
    if any(kind_of(folder / name) for name in (CHECKPOINT, METRICS)):
        raise InputError(f"{folder}: holds a run already; go on with it by --resume, or name another folder.")
    with _alone(folder):
        yield


@contextlib.contextmanager
def old_run(folder: Path) -> Iterator[None]:
    """Keep a run's folder to oneself, without what a killed process left half written."""
    with _alone(folder):
        for name in (CHECKPOINT, METRICS, SETTINGS, CURVE):
            for leftover in folder.glob(f".{name}.*.part"):
                leftover.unlink()
        yield


@contextlib.contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Hold the folder's lock, which goes with the process however it ends."""
    if not os.access(folder, os.W_OK):
        raise InputError(f"out: the folder {folder} cannot be written to; name another.")
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise InputError(f"{folder}: another process trains here; wait until it ends, or stop it.") from error
    else:
        yield
    finally:
        os.close(descriptor)
