"""Warnings to users; whoever listens in the same thread hears them instead."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_HEARD: ContextVar[list[str] | None] = ContextVar("heard", default=None)


def warn(message: str, category: type[Warning], stacklevel: int) -> None:
    """Warn the caller that stands `stacklevel` calls above this line's own."""
    heard = _HEARD.get()
    if heard is None:
        warnings.warn(message, category, stacklevel + 1)
    else:
        heard.append(message)


@contextmanager
def hearing() -> Iterator[list[str]]:
    """What is warned of meanwhile, in this thread only; Python's own way would listen to all threads."""
    said: list[str] = []
    before = _HEARD.set(said)
    try:
        yield said
    finally:
        _HEARD.reset(before)
