"""A whole diagnosis of a tiny run that has hardly learned: play follows the rules, files are there."""

import json
import math
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from lmta.config import Config, ModelConfig, SearchConfig, TrainConfig

from lmta import cli
from lmta.agents.settings import RunSettings
from lmta.diagnostics.diagnose import DiagnoseSettings, diagnose, prepare
from lmta.problems.registry import InstanceSettings
from lmta.training.checkpoint import save
from lmta.training.run import advance, begin

MODEL = ModelConfig(latent=8, subgoals=4, subgoal_size=3, hidden=8, encoder_hidden=6, q_hidden=6, q_layers=2)
TRAIN = TrainConfig(
    episodes=3, futures=3, high_updates=2, low_updates=2, games=5, steps=20, unroll=2, warm_up=1, target_every=3
)
SETTINGS = RunSettings(
    instance=InstanceSettings(nodes=14, days=3, budget=5),
    config=Config(model=MODEL, search=SearchConfig(simulations=4), train=TRAIN),
    seed=3,
)
SMALL = {"instances": 3, "states": 4, "runs": 3, "all_left_states": 2, "bootstrap": 20}
PLAYFUL = partial(DiagnoseSettings, **SMALL | {"instances": 8, "explore": True})
PICTURES = {"order", "smoothness", "theory", "subgoals", "specialisation", "play"}


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """A run of one epoch on influence, and one on orienteering before its first."""
    folder = tmp_path_factory.mktemp("runs")
    for problem in ("aim", "sop"):
        settings = replace(SETTINGS, problem=problem)
        progress = begin(settings)
        if problem == "aim":
            progress, _ = advance(settings, progress)
        (folder / problem).mkdir()
        save(folder / problem / "checkpoint", settings, progress)
    return folder


@pytest.fixture(scope="module")
def diagnosis(runs):
    return diagnose(prepare(PLAYFUL(runs / "aim")))


def test_rollouts_are_what_the_rules_say(diagnosis):
    rollouts = diagnosis.rollouts
    inactive = (rollouts.mornings.status == 0).sum(axis=-1)
    np.testing.assert_array_equal(rollouts.reward, inactive[:, :-1] - inactive[:, 1:])
    assert (rollouts.num_picks <= rollouts.budget).all()
    assert (rollouts.num_picks.sum(axis=1) <= 5).all()
    np.testing.assert_allclose(np.linalg.norm(rollouts.latents, axis=-1), 1, rtol=1e-4)
    first = np.cumsum(rollouts.num_picks, axis=1) == 0
    earned = np.where(first, 0, rollouts.reward).sum(axis=1)
    np.testing.assert_allclose(rollouts.pick_reward.sum(axis=(1, 2)), earned, atol=1e-3)


def test_a_night_belongs_to_the_last_step(diagnosis):
    """On a day with one pick the step leads from this morning's latent to the next."""
    rollouts = diagnosis.rollouts
    one = rollouts.num_picks == 1
    moved = np.linalg.norm(np.diff(rollouts.latents, axis=1), axis=-1)
    np.testing.assert_allclose(rollouts.step_distance[..., 0][one], moved[one], atol=1e-5)
    assert one.any()


def test_unrolls_begin_with_the_model_error_and_end_with_the_episode(diagnosis):
    error = diagnosis.rollouts.unroll_error
    known = ~np.isnan(error)
    assert known[0].tolist() == [[True, True, False], [True, False, False], [False, False, False]]
    assert (error[known] <= 2).all()


def test_forced_runs_stay_within_what_is_left(diagnosis):
    executions = diagnosis.executions
    assert executions.duration.shape == (4, 4, 3)
    assert executions.duration.min() >= 0
    assert executions.duration.max() <= 5
    assert (executions.expected_budget <= 5 + 1e-4).all()
    gap = np.abs(executions.distance[..., None] - executions.chord)
    assert (gap <= executions.model_error + 1e-5).all()  # the triangle inequality of the model-chord gap


def test_with_all_that_is_left_every_subgoal_lasts_as_long(diagnosis):
    """On influence nothing ends a day but the budget, so that reading has no order at all."""
    ordering = next(row for row in diagnosis.order.orderings if "until nothing is legal" in row.what)
    assert (ordering.tied, ordering.undefined) == (1, 2)
    assert math.isnan(ordering.tau_b.mean)


def options():
    return [part for name, value in SMALL.items() for part in (f"--{name.replace('_', '-')}", str(value))]


@pytest.mark.parametrize("problem", ["aim", "sop"])
def test_the_command_prints_tables_and_writes_everything(runs, capsys, tmp_path, problem):
    assert cli.run(["diagnose", str(runs / problem), *options(), "--out", str(tmp_path / "new" / "out")]) == 0
    printed = capsys.readouterr().out
    assert "What each subgoal does" in printed
    files = {path.name for path in (tmp_path / "new" / "out").iterdir()}
    assert files == {"diagnostics.json"} | {f"{name}.png" for name in PICTURES}
    written = json.loads((tmp_path / "new" / "out" / "diagnostics.json").read_text())
    assert {"settings", "run", "provenance", "order", "smoothness", "theory", "dictionary", "budgets", "values"} <= set(
        written
    )
    assert written["run"]["epochs"] == {"aim": 1, "sop": 0}[problem]
    for row in written["order"]["orderings"]:
        assert row["tau_b"]["mean"] is None or -1 <= row["tau_b"]["mean"] <= 1
        assert 0 <= row["tied"] <= 1
    for row in written["smoothness"]:
        assert row["kendall"] is None or -1 <= row["kendall"] <= 1
    theory = written["theory"]
    assert 0 <= theory["cap"]["root_mean_square"] <= theory["cap"]["largest"] <= 2
    assert theory["model_error"]["largest"] <= 2
    assert theory["discount"]["gap"]["largest"] <= theory["discount"]["bound"]["largest"] + 1e-4
    assert sum(row["chosen"] for row in written["dictionary"]["subgoals"]) == 9
    assert 1 <= written["dictionary"]["effective_number"] <= 4
    assert [row["day"] for row in written["budgets"]] == [1, 2, 3]
    assert np.shape(written["decisions"]["search_value"]) == (3, 3)


def test_the_same_seed_gives_the_same_numbers(runs, diagnosis):
    again = diagnose(prepare(PLAYFUL(runs / "aim")))
    assert repr(again.order) == repr(diagnosis.order)
    assert repr(again.theory) == repr(diagnosis.theory)
    assert (runs / "aim" / "diagnostics" / "diagnostics.json").exists()


def cut(runs, folder):
    (folder / "checkpoint").write_bytes((runs / "aim" / "checkpoint").read_bytes()[:5_000])
    return []


BAD = {
    "not a run": (lambda runs, folder: [], "there is no such file"),
    "cut short": (cut, "cut short"),
    "one instance": (lambda runs, folder: ["--instances", "1"], "instances: 1 given, at least 2"),
    "no state": (lambda runs, folder: ["--all-left-states", "0"], "all-left-states: 0 given"),
}


@pytest.mark.parametrize(("arguments", "message"), BAD.values(), ids=BAD)
def test_bad_input_is_one_sentence_and_exit_code_2(runs, capsys, tmp_path, arguments, message):
    folder = tmp_path / "run"
    folder.mkdir()
    code = cli.run(["diagnose", str(folder), *arguments(runs, folder)])
    printed = capsys.readouterr()
    assert (code, printed.out, printed.err.count("\n")) == (2, "", 1)
    assert message in printed.err
    assert not (folder / "diagnostics").exists()
