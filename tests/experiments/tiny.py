"""The smallest cells there are, and a command that knows tables made of them."""

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

from lmta.experiments.cells import Cell, Learner, Task

TASK = Task("aim", 12, 2, 3)
LEARNER = Learner(
    "flat-dqn",
    overrides=(
        ("network.hidden", 6),
        ("train.episodes", 4),
        ("train.updates", 2),
        ("train.games", 8),
        ("train.target_every", 3),
    ),
    epochs=60,  # seconds, within which a busy machine finds time to interrupt them
)
POLICY_CELLS = [Cell(name, TASK, instances=3) for name in ("average-degree", "average-score", "lmta:aim")]
TRAINED_CELLS = [Cell(LEARNER, TASK, instances=3), Cell(LEARNER, TASK, instances=3, seed=1_001)]

WRONG_CELLS = [POLICY_CELLS[0], Cell("exact", replace(TASK, nodes=30), instances=2)]
COMMAND = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # Ctrl-C counts, also where the tests run in the background
sys.path.insert(0, sys.argv.pop(1))
from lmta.cli import run
from lmta.experiments.declare import Entry, Table
from lmta.experiments.tables import TABLES
import tiny

for name, cells in (("policies", tiny.POLICY_CELLS), ("trained", tiny.TRAINED_CELLS), ("wrong", tiny.WRONG_CELLS)):
    TABLES[name] = Table(name, name, {(str(n), "score"): Entry(cell) for n, cell in enumerate(cells)})
sys.exit(run(sys.argv[1:]))
"""


def start(folder, *arguments):
    """`lmta experiment` in a process of its own, with one training seed, in a folder."""
    here = str(Path(__file__).parent)
    where = ["--results", f"{folder}/results", "--runs", f"{folder}/runs", "--seeds", "1", "--workers", "2"]
    return subprocess.Popen(
        [sys.executable, "-c", COMMAND, here, "experiment", *arguments, *where],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def written(folder):
    """What all cells of a folder say, but for how long it took."""
    files = {path.relative_to(folder).as_posix(): json.loads(path.read_text()) for path in folder.rglob("*.json")}
    for content in files.values():
        del content["times"]
    return files
