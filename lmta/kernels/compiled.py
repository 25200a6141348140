"""How kernels are compiled: once on a machine, for any size, to be run without the interpreter's lock.

A user waits for it once, so kernels write plain loops and get their room from outside: each function of NumPy inside
them takes as long to compile as one of theirs. Counters begin as np.int64(0): a literal 0 is a type of its own, and a
function that is given both is compiled twice.
"""

import hashlib
import os
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numba
from numba.core import config


def kernel(function: Callable[..., Any]) -> Any:
    """Compile a function at its first call, and keep the program on disk.

    Numba asks only whether the function's own file has changed, yet a program contains the kernels that it calls and
    the layout of their tuples. So programs are kept apart by the sources of the whole folder.
    """
    given = config.CACHE_DIR  # pyright: ignore
    config.CACHE_DIR = _folder(given)  # pyright: ignore
    try:
        return numba.njit(cache=True, nogil=True)(function)
    finally:
        config.CACHE_DIR = given  # pyright: ignore


def part(function: Callable[..., Any]) -> Any:
    """Compile a function that only kernels call: it needs no way in from Python, and lives in their programs."""
    return numba.njit(nogil=True, no_cpython_wrapper=True, no_cfunc_wrapper=True)(function)  # pyright: ignore


@cache
def _folder(given: str) -> str:
    """Where programs made of these sources are kept: where Numba is told to, beside the sources, or by the user's."""
    here = Path(__file__).parent
    sources = hashlib.sha256()
    for path in sorted(here.glob("*.py")):
        sources.update(path.read_bytes())
    beside = here / "__pycache__"
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "lmta"
    folder = Path(given) if given else beside if os.access(here, os.W_OK) else home
    return str(folder / f"kernels-{sources.hexdigest()[:16]}")
