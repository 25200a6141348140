"""Kernels on all cores: they run without the interpreter's lock."""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

AT_ONCE = 16
"""How many worlds a thread takes before it asks for more."""


def share_out(play: Callable[[slice], object], count: int, threads: int | None = None) -> None:
    """Call `play` with slices that make up `count`, on all cores where no number of threads is given."""
    threads = threads or os.cpu_count() or 1
    at_once = min(AT_ONCE, -(-count // threads))
    parts = [slice(first, min(first + at_once, count)) for first in range(0, count, at_once or 1)]
    if threads == 1:
        list(map(play, parts))
    else:
        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(play, parts))
