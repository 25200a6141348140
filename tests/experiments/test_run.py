"""A cell is trained, played and written once, whatever ends the process in between."""

import fcntl
import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from rich.console import Console
from tiny import LEARNER, POLICY_CELLS, TASK, TRAINED_CELLS, start, written

from lmta.arena.play import play
from lmta.experiments import run
from lmta.experiments.cells import Cell
from lmta.experiments.run import BusyError, Folders, claim, run_cell
from lmta.policies.registry import policy
from lmta.problems.batch import make_batch
from lmta.problems.registry import spec_of
from lmta.training.metrics import read_metrics

QUIET = Console(quiet=True)


def test_a_policy_is_played_as_in_the_arena(tmp_path):
    spec = spec_of(TASK.problem)
    instances = [instance for instance in spec.instances(TASK.settings(), 1_000, 3) for _ in range(2)]
    played = play(policy("normal-degree", "aim"), make_batch(spec.problem, instances, 1_000))
    whole = Cell("normal-degree", TASK, instances=3, futures=2)
    found = json.loads(run_cell(whole, Folders(tmp_path / "r", tmp_path), QUIET).read_text())
    assert found["scores"] == played.rewards.sum(axis=1).tolist()
    assert found["picks_by_day"] == [3.0, 0.0]
    assert found["rewards_by_day"] == pytest.approx(played.rewards.mean(axis=0).tolist())
    assert found["times"]["decision_ms"]["median"] > 0
    assert found["provenance"]["cores"] == os.cpu_count()
    first = Cell("normal-degree", TASK, instances=3, futures=2, first_days=1)
    found = json.loads(run_cell(first, Folders(tmp_path / "r", tmp_path), QUIET).read_text())
    assert found["scores"] == played.rewards[:, 0].tolist()


def test_a_cell_that_is_there_is_not_run_again(tmp_path, monkeypatch):
    folders = Folders(tmp_path / "results", tmp_path / "runs")
    file = POLICY_CELLS[0].file(folders.results)
    file.parent.mkdir(parents=True)
    file.write_text("as it was")
    monkeypatch.setattr(run, "measure_play", None)
    assert run_cell(POLICY_CELLS[0], folders, QUIET) == file
    assert file.read_text() == "as it was"


def test_a_cell_that_another_process_has_is_left_alone(tmp_path):
    folders = Folders(tmp_path / "results", tmp_path / "runs")
    cell = POLICY_CELLS[0]
    lock = folders.runs / "locks" / (claim(cell).replace("/", "_") + ".lock")
    lock.parent.mkdir(parents=True)
    with lock.open("w") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        with pytest.raises(BusyError):
            run_cell(cell, folders, QUIET)
    assert run_cell(cell, folders, QUIET).exists()


def test_nothing_is_left_of_a_cell_that_fails(tmp_path, monkeypatch):
    def fail(*_):
        raise RuntimeError("on the way")

    monkeypatch.setattr(run, "measure_play", fail)
    folders = Folders(tmp_path / "results", tmp_path / "runs")
    with pytest.raises(RuntimeError):
        run_cell(POLICY_CELLS[0], folders, QUIET)
    assert not list(tmp_path.rglob("*.json"))


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """All tiny cells, run to the end."""
    folder = tmp_path_factory.mktemp("undisturbed")
    process = start(folder, "trained", "policies")
    output = process.communicate()[0]
    assert process.returncode == 0, output
    assert "5 of 5 cells done" in output
    return folder


def test_cells_share_a_training(undisturbed):
    """Two cells that differ in what they are played on alone: one run with all its epochs."""
    (folder,) = (undisturbed / "runs" / TASK.name).iterdir()
    assert f"{TASK.name}/{folder.name}" == TRAINED_CELLS[0].run_name == TRAINED_CELLS[1].run_name
    assert [line["epoch"] for line in read_metrics(folder)] == list(range(1, LEARNER.epochs + 1))
    first, second = (json.loads(cell.file(undisturbed / "results").read_text()) for cell in TRAINED_CELLS)
    assert first["training"] == second["training"]
    curve = first["training"]["curve"]
    assert [point["epoch"] for point in curve if "greedy" in point] == list(range(5, LEARNER.epochs + 1, 5))
    assert first["times"]["training"]["epoch_seconds"] > 0
    assert len(first["scores"]) == 3 and np.sum(first["picks_by_day"]) <= TASK.budget


def test_what_is_there_is_skipped(undisturbed):
    before = {path: path.stat().st_mtime_ns for path in undisturbed.rglob("*.json")}
    process = start(undisturbed, "policies", "trained", "--dry-run")
    assert "5 cells are there, 0 to run" in process.communicate()[0]
    assert {path: path.stat().st_mtime_ns for path in undisturbed.rglob("*.json")} == before


def test_a_failed_cell_is_told_and_the_others_go_on(tmp_path):
    process = start(tmp_path, "wrong")
    output = process.communicate()[0]
    assert process.returncode == 1
    assert "exact: the network has 30 nodes" in output and ".log" in output
    assert "1 of 2 cells failed; the same command tries them again." in output
    assert [path.name for path in (tmp_path / "results").rglob("*.json")] == ["average-degree_i3_s1000.json"]


def wait_for_epochs(folder, count, process):
    """Until a training in the folder has so many epochs."""
    run_folder = folder / "runs" / (TRAINED_CELLS[0].run_name or "")
    while len(read_metrics(run_folder)) < count:
        assert process.poll() is None, process.communicate()[0]
        time.sleep(0.01)


def test_stopped_and_killed_and_begun_again_gives_the_same(undisturbed, tmp_path):
    """Ctrl-C after some epochs ends after the one under way; kill -9 loses that one alone; the files are the same."""
    process = start(tmp_path, "trained", "policies")
    wait_for_epochs(tmp_path, 2, process)
    process.send_signal(signal.SIGINT)
    output = process.communicate()[0]
    assert process.returncode == 130
    assert "stopped; the same command goes on from here." in output
    done = len(read_metrics(tmp_path / "runs" / (TRAINED_CELLS[0].run_name or "")))
    assert done < LEARNER.epochs
    process = start(tmp_path, "trained", "policies")
    wait_for_epochs(tmp_path, done + 3, process)
    process.kill()
    process.communicate()
    process = start(tmp_path, "trained", "policies")
    output = process.communicate()[0]
    assert process.returncode == 0, output
    assert written(tmp_path / "results") == written(undisturbed / "results")
    assert not list(tmp_path.rglob("*.part"))


def test_processes_keep_to_cores_of_their_own(tmp_path):
    """As many as there are cores, which want one each, have different ones; the next may use all."""
    cores = len(os.sched_getaffinity(0))
    if cores < 2:
        pytest.skip("one core")
    ask = "import os, sys; from lmta.experiments.worker import keep_to_cores as keep; held = keep(1); "
    tell = "print(sorted(os.sched_getaffinity(0)), flush=True); sys.stdin.read()"
    command, environment = [sys.executable, "-c", ask + tell], os.environ | {"TMPDIR": str(tmp_path)}
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    processes, told = [], []
    for _ in range(cores + 1):
        processes.append(subprocess.Popen(command, env=environment, **pipes))
        told.append(json.loads(processes[-1].stdout.readline()))
    for process in processes:
        process.communicate()
    assert sorted(mine for (mine,) in told[:-1]) == told[-1] == sorted(os.sched_getaffinity(0))
