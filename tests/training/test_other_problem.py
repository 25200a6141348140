"""A problem of another package, without a forecast: what LMTA refuses, greedy play and diagnosis.

All learners train on it in test_resume.py.
"""

import pytest
from tiny_runs import BUDGET, DAYS, tiny

from lmta import cli
from lmta.training.checkpoint import save
from lmta.training.run import begin
from lmta.training.settings import check_settings
from lmta.training.train import make_measure
from lmta.types import InputError


def test_what_needs_known_gains_is_refused(orchard):
    with pytest.raises(InputError, match="q-network: orchard does not know gains in closed form"):
        check_settings(tiny(problem="orchard", values={"departures.q_network": "known-gains"}))


def test_greedy_play_is_measured_and_the_run_is_diagnosed(orchard, tmp_path, capsys):
    """The adviser is the baseline here; the run learned nothing yet."""
    settings = tiny(problem="orchard")
    progress = begin(settings)
    measured = make_measure(settings)(progress.learner.average)
    assert measured["baseline_policy"] == "even-apples"
    assert 0 <= measured["greedy"] <= measured["baseline"] * 2
    assert sum(measured["picks_by_day"]) <= BUDGET
    run = tmp_path / "run"
    run.mkdir()
    save(run / "checkpoint", settings, progress)
    few = ("--instances", "3", "--states", "2", "--runs", "2", "--all-left-states", "1", "--bootstrap", "5")
    assert cli.run(["diagnose", str(run), *few]) == 0
    printed = capsys.readouterr().out
    assert "picks of apples" in printed
    assert f"{DAYS} days, budget {BUDGET}" in " ".join(printed.split())
