"""Results as JSON files that say where they come from."""

import json
import math
import os
import platform
import subprocess
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

import jax

import lmta
from lmta.files import FileKind, check_writable, json_object, write_whole

RESULTS = FileKind("results of lmta", lambda file: "provenance" in (json_object(file) or ()))
"""What `write_json` has written."""


def provenance() -> dict[str, Any]:
    """The version, the commit where it is known, and the machine that results were made on."""
    return {
        "lmta": lmta.__version__,
        "commit": _commit(),
        "python": platform.python_version(),
        "jax": version("jax"),
        "cpu": _cpu(),
        "cores": os.cpu_count(),
        "backend": jax.default_backend(),
    }


def check_json(path: Path | None, *inputs: Any) -> None:
    """Refuse, before any work is done, a file for results that cannot be written, that is one of the command's inputs,
    or that holds anything else; None is no file."""
    if path is not None:
        check_writable(path, inputs=inputs, over=RESULTS)


def write_json(path: Path, content: Mapping[str, Any]) -> None:
    """Write results; what is not a number becomes null."""
    text = json.dumps(_without_nan(content), indent=2, allow_nan=False) + "\n"
    write_whole(path, lambda file: file.write_text(text, encoding="utf-8"))


def _without_nan(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _without_nan(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_without_nan(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _commit() -> str | None:
    """The commit of the checkout this package runs from, with a plus sign where files differ from it."""
    root = Path(lmta.__file__).parent
    tracked = _git(root, "ls-files", "--error-unmatch", "__init__.py")
    return _git(root, "describe", "--always", "--dirty=+", "--abbrev=12", "--exclude=*") if tracked else None


def _git(folder: Path, *arguments: str) -> str | None:
    """What git answers, or None where there is no git or no repository."""
    try:
        found = subprocess.run(
            ["git", "-C", folder, *arguments], capture_output=True, text=True, timeout=10, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return found.stdout.strip()


def _cpu() -> str:
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        for line in cpuinfo.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
