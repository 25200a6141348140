"""`lmta train` as a user meets it: a run that is killed, stopped or refused loses nothing, and goes on bit for bit."""

import fcntl
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time

import jax.numpy as jnp
import pytest
from tensorboardX.proto.event_pb2 import Event
from tiny_runs import BUDGET, DAYS, NODES, VALUES

from lmta import cli
from lmta.agents.registry import HOMES
from lmta.agents.saved import read_settings
from lmta.training.train import settings_by_default

SIZE = {"nodes": NODES, "days": DAYS, "budget": BUDGET, "held-out": 2, "evaluate-every": 3}


def options(agent):
    """A tiny run of an agent, on the command line."""
    values = SIZE | VALUES[agent] | {"agent": agent}
    return [part for name, value in values.items() for part in (f"--{name.replace('_', '-')}", str(value))]


TINY = options("lmta")
TIMINGS = {"seconds", "episodes_per_second"}


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A run of four epochs."""
    folder = tmp_path_factory.mktemp("runs") / "whole"
    assert train(folder, *TINY, "--epochs", "4") == 0
    return folder


@pytest.fixture(scope="module")
def half(tmp_path_factory):
    """A run of two epochs."""
    folder = tmp_path_factory.mktemp("runs") / "half"
    assert train(folder, *TINY, "--epochs", "2") == 0
    return folder


@pytest.fixture
def run_of_two(half, tmp_path):
    """The run of two epochs, to spoil."""
    return shutil.copytree(half, tmp_path / "half")


def train(folder, *arguments):
    return cli.run(["train", "--out", str(folder), *arguments])


def start(folder, *arguments):
    """A run in a process of its own."""
    command = [sys.executable, "-c", "from lmta.cli import main; main()", "train", "--out", str(folder), *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def wait_for_first_epoch(process, folder):
    while not lines(folder):
        assert process.poll() is None, process.stderr.read()
        time.sleep(0.02)


def lines(folder):
    file = folder / "metrics.jsonl"
    return [json.loads(line) for line in file.read_text().splitlines(True) if line[-1] == "\n"] if file.exists() else []


def assert_same_run(one, other, evaluated=True):
    assert (one / "checkpoint").read_bytes() == (other / "checkpoint").read_bytes()
    drop = TIMINGS if evaluated else TIMINGS | {"evaluation"}
    kept = [[{k: v for k, v in line.items() if k not in drop} for line in lines(run)] for run in (one, other)]
    assert kept[0] == kept[1]


def logged(folder):
    """(tag, step) of every scalar in the event files: records are length, checksum, content, checksum."""
    found = []
    for file in sorted((folder / "tensorboard").iterdir()):
        content, place = file.read_bytes(), 0
        while place < len(content):
            size = int.from_bytes(content[place : place + 8], "little")
            event = Event.FromString(content[place + 12 : place + 12 + size])
            found += [(value.tag, event.step) for value in event.summary.value]
            place += 16 + size
    return found


def test_a_run_leaves_its_metrics_settings_and_pictures(whole):
    assert sorted(path.name for path in whole.iterdir()) == [
        "checkpoint",
        "learning.png",
        "metrics.jsonl",
        "settings.json",
        "tensorboard",
    ]
    metrics = lines(whole)
    assert [line["epoch"] for line in metrics] == [1, 2, 3, 4]
    assert ["evaluation" in line for line in metrics] == [False, False, True, True]
    assert metrics[0]["epsilon"] == pytest.approx(0.9)
    for line in metrics:
        assert {"policy", "value", "reward", "cap", "push", "order", "budget_actor", "q"} <= set(line["loss"])
        assert 0 <= line["score"] <= NODES
        assert line["episodes_per_second"] == pytest.approx(8 / (line["seconds"]["play"] + line["seconds"]["learn"]))
    for line in metrics[2:]:
        evaluation = line["evaluation"]
        assert evaluation["baseline_policy"] == "average-score"
        assert evaluation["baseline"] == metrics[3]["evaluation"]["baseline"]
        assert 0 <= sum(evaluation["picks_by_day"]) <= BUDGET
        assert evaluation["greedy"] >= sum(evaluation["picks_by_day"])
    settings = json.loads((whole / "settings.json").read_text())
    assert (settings["settings"]["agent"], settings["settings"]["preset"]) == ("lmta", "lmta")
    assert settings["settings"]["instance"]["nodes"] == NODES
    assert settings["settings"]["config"]["search"]["simulations"] == 4
    assert [part["after_epoch"] for part in settings["provenance"]] == [0]
    assert (whole / "learning.png").read_bytes().startswith(b"\x89PNG")
    events = logged(whole)
    assert {("loss/policy", epoch) for epoch in (1, 2, 3, 4)} <= set(events)
    assert ("evaluation/greedy", 3) in events


def test_two_and_two_epochs_are_four(whole, run_of_two, capsys):
    """The run of two was measured at its end, which the run of four was not; all else is the same."""
    assert train(run_of_two, "--resume", "--epochs", "4") == 0
    assert "all 4 epochs are done" in capsys.readouterr().out
    assert_same_run(run_of_two, whole, evaluated=False)
    provenance = json.loads((run_of_two / "settings.json").read_text())["provenance"]
    assert [part["after_epoch"] for part in provenance] == [0, 2]


def test_a_killed_run_goes_on_as_if_nothing_had_happened(whole, tmp_path):
    folder = tmp_path / "killed"
    process = start(folder, *TINY, "--epochs", "4")
    wait_for_first_epoch(process, folder)
    time.sleep(random.uniform(0, 2))
    process.kill()
    process.communicate()
    with (folder / "metrics.jsonl").open("a") as file:
        file.write(json.dumps(lines(folder)[-1] | {"epoch": 5}) + '\n{"epoch": 6, "sco')
    (folder / ".checkpoint.1234.part").write_bytes(b"half a checkpoint")
    assert train(folder, "--resume") == 0
    assert_same_run(folder, whole)
    assert not list(folder.glob(".*"))


def test_sigterm_saves_and_says_how_to_go_on(tmp_path):
    folder = tmp_path / "stopped"
    process = start(folder, *options("flat-dqn"), "--epochs", "100000")
    wait_for_first_epoch(process, folder)
    process.send_signal(signal.SIGTERM)
    out, err = process.communicate(timeout=120)
    done = len(lines(folder))
    assert process.returncode == 0
    assert out.strip() == (
        f"{folder}: {done} of 100000 epochs are done and saved; go on with: lmta train --resume --out {folder}"
    )
    assert "stopping after this epoch" in err
    assert f"epoch {done}/100000: self-play" in err
    assert (folder / "learning.png").exists()
    assert read_settings(folder / "checkpoint").epochs == 100000


def test_nan_is_one_sentence_and_the_last_good_checkpoint_stays(run_of_two, monkeypatch, capsys):
    good = (run_of_two / "checkpoint").read_bytes()
    broken = lambda self, learner, *_: (learner, {"q": jnp.array(jnp.nan)})  # noqa: E731
    monkeypatch.setattr("lmta.agents.lmta.agent.Lmta.learn", broken)
    assert train(run_of_two, "--resume", "--epochs", "4") == 1
    assert capsys.readouterr().err == "lmta: epoch 3: the term 'q' is nan; the last checkpoint stays as it is.\n"
    assert (run_of_two / "checkpoint").read_bytes() == good
    assert [line["epoch"] for line in lines(run_of_two)] == [1, 2]


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


REFUSED = {
    "begin again": (TINY, "holds a run already; go on with it by --resume, or name another folder"),
    "other search": (["--resume", "--search.simulations", "5"], "search.simulations: 5 given, but the run has 4"),
    "other departure": (["--resume", "--departures.averaging", "0.5"], "departures.averaging: 0.5 given, but the run"),
    "other variant": (["--resume", "--variant", "D"], "variant: D given, but the run has E"),
    "other seed": (["--resume", "--seed", "1"], "seed: 1 given, but the run has 0"),
    "other problem": (["--resume", "--problem", "sop"], "problem: sop given, but the run has aim"),
    "other preset": (["--resume", "--preset", "paper"], "preset: paper given, but the run has lmta"),
    "other agent": (["--resume", "--agent", "flat-dqn"], "agent: flat-dqn given, but the run has lmta"),
    "other size": (["--resume", "--nodes", "13"], "nodes: 13 given, but the run has 12"),
    "fewer epochs": (["--resume", "--epochs", "1"], "epochs: 1 given, but the run has done 2 already"),
}


@pytest.mark.parametrize(("arguments", "message"), REFUSED.values(), ids=REFUSED)
def test_what_contradicts_a_run_is_refused_and_loses_nothing(run_of_two, capsys, arguments, message):
    before = contents(run_of_two)
    assert train(run_of_two, *arguments) == 2
    printed = capsys.readouterr()
    assert (printed.out, printed.err.count("\n")) == ("", 1)
    assert message in printed.err
    assert contents(run_of_two) == before


def test_a_folder_in_use_is_refused(run_of_two, capsys):
    folder = os.open(run_of_two, os.O_RDONLY)
    fcntl.flock(folder, fcntl.LOCK_EX)
    assert train(run_of_two, "--resume") == 2
    assert "another process trains here" in capsys.readouterr().err
    os.close(folder)


def test_a_damaged_checkpoint_is_refused(run_of_two, capsys):
    whole_file = (run_of_two / "checkpoint").read_bytes()
    (run_of_two / "checkpoint").write_bytes(whole_file[:-10])
    assert train(run_of_two, "--resume") == 2
    assert "checkpoint: the checkpoint is cut short or damaged" in capsys.readouterr().err


def test_a_checkpoint_of_another_run_is_refused_and_loses_nothing(run_of_two, capsys):
    path = run_of_two / "settings.json"
    noted = json.loads(path.read_text())
    noted["settings"]["agent"] = "ws-option"
    path.write_text(json.dumps(noted))
    before = contents(run_of_two)
    assert train(run_of_two, "--resume", "--epochs", "4") == 2
    err = capsys.readouterr().err
    assert "checkpoint: is of another run, whose agent is lmta and not ws-option as in" in err
    assert err.count("\n") == 1
    path.write_text("half a li")
    assert train(run_of_two, "--resume", "--epochs", "4") == 2
    assert "settings.json: cannot be read; bring it back" in capsys.readouterr().err
    assert contents(run_of_two) | {"settings.json": 0} == before | {"settings.json": 0}


BAD = {
    "agent": (["--agent", "lmat"], "agent: 'lmat' is not known; did you mean 'lmta'?"),
    "problem": (["--problem", "ami"], "problem: 'ami' is not known; did you mean 'aim'?"),
    "preset": (["--preset", "best"], "preset: 'best' is not known to lmta; there are lmta, paper"),
    "features": (["--features", "smell"], "features: 'smell' is not known to aim; use plain, lookahead"),
    "budget": (["--budget", "0"], "budget: 0 given, at least 1 is needed"),
    "nodes": (["--nodes", "1"], "nodes: 1 given, at least 2"),
    "days": (["--days", "0"], "days: 0 given"),
    "generator": (["--generator", "uniform"], "generator: 'uniform' is not known to aim"),
    "seed": (["--seed", "-1"], "seed: -1 given"),
    "epochs": (["--epochs", "0"], "epochs: 0 given, at least 1 is needed"),
    "evaluate-every": (["--evaluate-every", "0"], "evaluate-every: 0 given, at least 1 is needed"),
    "held-out": (["--held-out", "1"], "held-out: 1 given, at least 2 is needed"),
    "simulations": (["--search.simulations", "-1"], "search.simulations: -1 given"),
    "temperature": (["--search.temperature", "0"], "search.temperature: 0.0 given, it must be more than 0"),
    "rate": (["--train.high-rate", "nan"], "train.high-rate: nan given, it must be 0 or more"),
    "share": (["--train.epsilon-first", "1.5"], "train.epsilon-first: 1.5 given, it must be 0 to 1"),
    "games": (["--train.games", "2"], "train.games: 2 given, at least the 16 episodes are needed"),
    "groups": (["--departures.group-size", "3"], "departures.group-size: 3 given, it must divide the 16 episodes"),
    "one group": (["--departures.group-size", "16"], "departures.group-size: 16 given"),
    "mixture": (["--mixture", "--degree", "4"], "degree: has no effect on a mixture; leave it out"),
    "resume": (["--resume"], "holds no run to go on with; leave out --resume to begin one"),
}


@pytest.mark.parametrize(("arguments", "message"), BAD.values(), ids=BAD)
def test_bad_settings_are_one_sentence_and_leave_no_folder(tmp_path, capsys, arguments, message):
    assert train(tmp_path / "run", *arguments) == 2
    printed = capsys.readouterr()
    assert (printed.out, printed.err.count("\n")) == ("", 1)
    assert message in printed.err
    assert not (tmp_path / "run").exists()


def test_a_folder_that_cannot_be_written_is_refused(tmp_path, capsys, monkeypatch):
    (tmp_path / "file").write_text("")
    assert train(tmp_path / "file") == 2
    assert "cannot be made" in capsys.readouterr().err
    monkeypatch.setattr("os.access", lambda *_: False)
    assert train(tmp_path / "locked") == 2
    assert "cannot be written to" in capsys.readouterr().err


def test_defaults_are_the_presets_for_agent_and_problem(capsys):
    usual = settings_by_default(["--problem", "sop", "--loss.order", "0"])
    assert (usual.preset, usual.config.search.simulations) == ("lmta", 250)
    assert settings_by_default(["--problem", "power2500"]).instance.nodes == 2500
    paper = settings_by_default(["--preset", "paper"])
    assert (paper.preset, paper.config.departures.group_size) == ("paper", 1)
    with pytest.raises(SystemExit) as stop:
        cli.run(["train", "--problem", "sop", "--help"])
    assert stop.value.code == 0
    shown = " ".join(capsys.readouterr().out.replace("│", " ").split())
    assert "--search.simulations INT (default: 250)" in shown
    assert "--epochs INT Epochs in all. (default: 50)" in shown
    assert "--variant {B,C,D,E,F}" in shown


def test_every_agent_is_listed_with_a_line(capsys):
    assert cli.run(["agents"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == list(HOMES)
    assert all(len(line.split()) > 4 for line in lines)
