"""How fast learners decide and learn: figures that fit together, for any agent."""

import json
from dataclasses import replace

import jax
import pytest
from rich.console import Console
from tiny_runs import tiny

from lmta.agents.registry import HOMES
from lmta.agents.saved import write_model
from lmta.agents.settings import make_model
from lmta.benchmarks import decide, train
from lmta.benchmarks.decide import DecideSettings, bench_decide, decide_table
from lmta.benchmarks.train import TrainBenchSettings, bench_train, train_bench_table
from lmta.types import InputError

SIZE = {"nodes": 12, "days": 3, "budget": 4}
PARTS = {
    "lmta": {"encoder", "search", "budget", "low level", "Q-network"},
    "ws-option": {"budget", "low level", "Q-network"},
    "flat-dqn": {"Q-network"},
    "flat-muzero": {"representation", "search"},
    "sampled-muzero": {"representation", "search"},
    "director": {"encoder", "manager", "worker"},
}


@pytest.fixture(autouse=True)
def small(monkeypatch):
    """Agents of a few neurons, and small batches."""
    monkeypatch.setattr(decide, "BATCHES", (2, 4))
    monkeypatch.setattr(decide, "default_settings", tiny)
    monkeypatch.setattr(train, "EPOCHS_TO_COMPILE", 1)


def shown(table):
    console = Console(width=120)
    with console.capture() as capture:
        console.print(table)
    return " ".join(capture.get().split())


@pytest.mark.parametrize("agent", HOMES)
def test_a_decision_is_split_into_the_parts_that_the_agent_has(agent, tmp_path):
    file = tmp_path / "decide.json"
    result = bench_decide(DecideSettings(agent, **SIZE, episodes=2, repeats=1, json=file))
    assert 2 <= result["decisions"] <= 6
    assert 0 <= result["picks_mean"] <= 4
    assert result["decision_ms_p95"] >= result["decision_ms_median"] > 0
    assert set(result["parts"]) == PARTS[agent]
    assert all(milliseconds > 0 for milliseconds in result["parts"].values())
    assert result["decision_over_bare_parts"] > 0
    assert result["batch2_ms_per_decision"] > 0
    written = json.loads(file.read_text())
    assert (written["settings"]["agent"], written["settings"]["run"]) == (agent, "new")
    table = shown(decide_table(result))
    assert f"{agent} on aim: one decision, 12 nodes, 3 days, budget 4" in table
    assert "whole over bare parts" in table


def test_an_agent_without_named_parts_is_timed_as_a_whole(monkeypatch):
    monkeypatch.setattr("lmta.benchmarks.parts.base.HOMES", {})
    result = bench_decide(DecideSettings(**SIZE, episodes=2, repeats=1))
    assert result["parts"] == {}
    assert "bare parts" not in shown(decide_table(result))


def test_the_agent_of_a_run_decides(tmp_path):
    settings = replace(tiny(), problem="aim")
    write_model(tmp_path / "run", settings, make_model(settings, key=jax.random.key(0)))
    given = DecideSettings(**SIZE, run=tmp_path / "run", episodes=2, repeats=1)
    result = bench_decide(given)
    assert result["settings"]["agent"] == "lmta"
    for change, message in (
        ({"agent": "flat-dqn"}, "^agent: flat-dqn given, but the run is one of lmta; leave it out.$"),
        ({"preset": "paper"}, "^preset: has no effect on a run; leave it out.$"),
        ({"problem": "sop"}, "plays aim, not sop.$"),
        ({"episodes": 0}, "^episodes: 0 given"),
    ):
        with pytest.raises(InputError, match=message):
            bench_decide(replace(given, **change))


def test_unknown_agents_are_refused(monkeypatch):
    monkeypatch.undo()
    with pytest.raises(InputError, match="agent: 'lmat' is not known; did you mean 'lmta'"):
        bench_decide(DecideSettings("lmat"))
    with pytest.raises(InputError, match="preset: 'best' is not known to lmta"):
        bench_train(TrainBenchSettings(preset="best"))


def test_an_epoch_is_split_into_self_play_and_updates(tmp_path):
    file = tmp_path / "train.json"
    result = bench_train(TrainBenchSettings(**SIZE, sizes=(12,), epochs=1, json=file))
    assert result["epoch_s"] == pytest.approx(result["selfplay_s"] + result["update_s"], rel=1e-6)
    assert (list(result["by_nodes"]), result["episodes"]) == (["12"], 8)
    assert json.loads(file.read_text())["settings"]["preset"] == "lmta"
    assert "lmta (lmta) on aim: an epoch of 8 episodes, 3 days, budget 4" in shown(train_bench_table(result))
