"""A process that runs cells one after the other: a cell a line comes in by standard input, what came of it goes out.

`python -m lmta.experiments.worker RESULTS RUNS LOGS CORES`. Whatever a cell prints goes to its log. SIGTERM ends a
training after its epoch, and the process at once where none is under way. The end of standard input means the same, so
that nothing goes on when the command that started the process is gone.
"""

import fcntl
import json
import os
import queue
import resource
import signal
import sys
import tempfile
import threading
import traceback
from pathlib import Path
from typing import Any

from rich.console import Console

from lmta.devices import keep_compilations, num_cores, use_all_cores
from lmta.experiments.cells import cell_from_json
from lmta.experiments.run import BusyError, Folders, StoppedError, run_cell
from lmta.types import InputError, TrainingError


def main(results: str, runs: str, logs: str, cores: str) -> None:
    """Serve until standard input ends, on so many cores."""
    held = keep_to_cores(int(cores))  # noqa: F841 (locks, for as long as the process lives)
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    keep_compilations()
    use_all_cores()
    folders, log_folder = Folders(Path(results), Path(runs)), Path(logs)
    cells = _lines_to_come()
    while True:
        cell = cell_from_json(json.loads(cells.get()))
        log = log_folder / f"{cell.name}.log"
        with _logged_to(log):
            answer = _run(cell, folders)
        answers.write(json.dumps(answer | {"memory_mb": _memory_mb()}) + "\n")
        answers.flush()
        if answer["came"] == "stopped":
            return


def keep_to_cores(wanted: int) -> list[int]:
    """Keep to cores that no other such process of this user has, as many as wanted if so many are free; their locks.

    Where none is free, or all are wanted, the process may use all.
    """
    if not hasattr(os, "sched_setaffinity") or wanted >= num_cores():
        return []
    folder = Path(tempfile.gettempdir()) / f"lmta-cores-{os.getuid()}"
    folder.mkdir(exist_ok=True)
    taken: dict[int, int] = {}
    for core in sorted(os.sched_getaffinity(0)):
        lock = os.open(folder / str(core), os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(lock)
            continue
        taken[core] = lock
        if len(taken) == wanted:
            break
    if taken:
        os.sched_setaffinity(0, taken)
    return list(taken.values())


def _run(cell: Any, folders: Folders) -> dict[str, str]:
    """What came of a cell: done, busy, stopped or failed, and why."""
    try:
        run_cell(cell, folders, Console())
    except BusyError:
        return {"came": "busy"}
    except StoppedError:
        return {"came": "stopped"}
    except (InputError, TrainingError) as error:
        print(error, file=sys.stderr)
        return {"came": "failed", "why": str(error)}
    except Exception as error:
        traceback.print_exc()
        return {"came": "failed", "why": f"{type(error).__name__}: {error}".splitlines()[0]}
    return {"came": "done"}


def _lines_to_come() -> queue.SimpleQueue[str]:
    """The lines of standard input, read beside the main thread, which sees signals; at their end, SIGTERM."""
    lines: queue.SimpleQueue[str] = queue.SimpleQueue()

    def read() -> None:
        for line in sys.stdin:
            lines.put(line)
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=read, daemon=True).start()
    return lines


class _logged_to:  # noqa: N801 (used as a function)
    """Whatever is printed goes to a file, also by what is not Python."""

    def __init__(self, log: Path):
        log.parent.mkdir(parents=True, exist_ok=True)
        self.log = log

    def __enter__(self) -> None:
        file = os.open(self.log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o666)
        os.dup2(file, 1)
        os.dup2(file, 2)
        os.close(file)

    def __exit__(self, *_: Any) -> None:
        sys.stdout.flush()
        sys.stderr.flush()


def _memory_mb() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


if __name__ == "__main__":
    main(*sys.argv[1:])
