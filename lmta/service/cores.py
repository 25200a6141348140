"""Who may compute when: as many decide at once as there are cores, as many think, and the rest lets them go first."""

import threading
from collections.abc import Hashable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any


class Cores:
    """The cores, and the sizes of data for which a decision has been compiled."""

    def __init__(self, count: int):
        self._free = threading.BoundedSemaphore(count)
        self._thinking = threading.BoundedSemaphore(count)
        self._changed = threading.Condition()
        self._deciding = 0
        self._compiled: set[Hashable] = set()
        self._compiling: dict[Hashable, threading.Lock] = {}

    def is_ready(self, size: Hashable) -> bool:
        """Whether a decision of that size was made before, so that the next is quick."""
        return size in self._compiled

    @contextmanager
    def deciding(self, size: Hashable) -> Iterator[None]:
        """A core of one's own. Of a new size one decides at a time: the first compiles for all."""
        with self._first(size):
            self._count(1)
            try:
                with self._free:
                    yield
            finally:
                self._count(-1)
        self._compiled.add(size)

    @contextmanager
    def thinking(self) -> Iterator[None]:
        """A turn to think for seconds. Whoever decides by a rule, in milliseconds, does not wait for that."""
        with self._thinking:
            yield

    def wait_for_quiet(self, longest: float) -> None:
        """Wait until nobody decides, for so many seconds at most."""
        with self._changed:
            self._changed.wait_for(lambda: self._deciding == 0, longest)

    def _first(self, size: Hashable) -> AbstractContextManager[Any]:
        return nullcontext() if self.is_ready(size) else self._compiling.setdefault(size, threading.Lock())

    def _count(self, step: int) -> None:
        with self._changed:
            self._deciding += step
            self._changed.notify_all()
