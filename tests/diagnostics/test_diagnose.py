"""A whole diagnosis of tiny runs that have hardly learned, for every learner: rules are kept, files are made."""

import json
import math

import equinox as eqx
import jax
import numpy as np
import pytest
from tiny_runs import BUDGET, DAYS, NODES, tiny

from lmta import cli
from lmta.agents.planner import load_agent
from lmta.agents.registry import HOMES
from lmta.arena.play import play
from lmta.diagnostics.common import heuristic_of, measure
from lmta.diagnostics.diagnose import DiagnoseSettings, diagnose, prepare
from lmta.diagnostics.parts import HOMES as PARTS
from lmta.diagnostics.parts import Effort, part_of
from lmta.training.checkpoint import save
from lmta.training.run import advance, begin

EFFORT = {"states": 4, "runs": 3, "all_left_states": 2, "bootstrap": 20}
INSTANCES = 8
PICTURES = {"order", "smoothness", "theory", "subgoals", "specialisation", "values"}
RUNS = {"aim": tiny(), "sop": tiny(problem="sop"), **{agent: tiny(agent) for agent in HOMES if agent != "lmta"}}
"""LMTA on both problems, and each other agent on influence."""


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """LMTA on influence after one epoch, all others before their first."""
    folder = tmp_path_factory.mktemp("runs")
    for name, settings in RUNS.items():
        progress = begin(settings)
        if name == "aim":
            progress, _ = advance(settings, progress)
        (folder / name).mkdir()
        save(folder / name / "checkpoint", settings, progress)
    return folder


@pytest.fixture(scope="module")
def prepared(runs):
    return prepare(DiagnoseSettings(runs / "aim", INSTANCES, Effort(**EFFORT, explore=True)))


@pytest.fixture(scope="module")
def diagnosis(prepared):
    return diagnose(prepared)


def test_rollouts_are_what_the_rules_say(diagnosis):
    rollouts = diagnosis.own.rollouts
    real = np.asarray(diagnosis.subject.batch.stacked.graph.node_mask)[:, None]
    inactive = ((rollouts.states.status == 0) & real).sum(axis=-1)
    np.testing.assert_array_equal(rollouts.reward, inactive[:, :-1] - inactive[:, 1:])
    assert (rollouts.num_picks <= rollouts.budget).all()
    assert (rollouts.num_picks.sum(axis=1) <= BUDGET).all()
    np.testing.assert_allclose(np.linalg.norm(diagnosis.own.traces.latents, axis=-1), 1, rtol=1e-4)
    first = np.cumsum(rollouts.num_picks, axis=1) == 0
    earned = np.where(first, 0, rollouts.reward).sum(axis=1)
    np.testing.assert_allclose(rollouts.pick_reward.sum(axis=(1, 2)), earned, atol=1e-3)


def test_the_common_part_plays_as_the_arena_does(diagnosis, runs):
    """The same instances, noise and seeds."""
    played = play(load_agent(runs / "aim"), diagnosis.subject.batch)
    np.testing.assert_array_equal(diagnosis.rollouts.reward, played.rewards)
    np.testing.assert_array_equal(diagnosis.rollouts.num_picks, played.num_picks)


def test_scores_budgets_and_picks_stand_beside_the_advisers(diagnosis):
    common, rollouts = diagnosis.common, diagnosis.rollouts
    assert [row.player for row in common.scores] == ["lmta", "average-score", "lmta:aim"]
    agent, baseline, _ = common.scores
    assert agent.score.mean == pytest.approx(np.asarray(rollouts.reward).sum(axis=1).mean())
    assert baseline.ahead.mean == pytest.approx(agent.score.mean - baseline.score.mean)
    assert baseline.picks_by_day == (1, 1, 2)
    assert math.isnan(agent.ahead.mean)
    assert [row.day for row in common.budgets] == [1, 2, 3]
    assert common.budgets[0].left == BUDGET
    assert all(0 <= row.adviser <= row.left for row in common.budgets)
    agreement = common.agreement
    assert agreement.heuristic == "measured"
    assert 0 <= agreement.equal.mean <= 1
    assert 0 < agreement.by_chance < 1
    assert agreement.days == (np.asarray(rollouts.num_picks) > 0).sum()


def test_an_agent_that_picks_by_the_heuristic_agrees_with_it_on_all(diagnosis):
    """The heuristic's own picks at the agent's states, put in the place of the agent's."""
    subject, rollouts = diagnosis.subject, diagnosis.rollouts
    heuristic, picks = heuristic_of(subject.run.spec), np.array(rollouts.picks)
    prepared = [heuristic.prepare(instance, 0)[1] for instance in subject.batch.instances]
    for day in range(DAYS):
        states = jax.tree.map(lambda leaf, day=day: leaf[:, day], rollouts.states)
        granted = list(zip(rollouts.num_picks[:, day], prepared, strict=True))
        _, record = heuristic.play_day(subject.batch, states, granted, [0] * INSTANCES)
        picks[:, day] = np.asarray(record.picks)
    same = eqx.tree_at(lambda r: r.picks, rollouts, picks)
    assert measure(subject, same).agreement.equal.mean == 1


def test_a_day_ends_with_its_last_step(diagnosis):
    """On a day with one pick the step leads from this day's latent to the next day's, as the pairs of L_cap do."""
    traces, one = diagnosis.own.traces, diagnosis.own.rollouts.num_picks == 1
    moved = np.linalg.norm(np.diff(traces.latents, axis=1), axis=-1)
    np.testing.assert_allclose(traces.step_distance[..., 0][one], moved[one], atol=1e-5)
    assert one.any()


def test_macro_rewards_are_those_that_are_learned(diagnosis):
    """The preset fits values to returns, so nothing is discounted within a day."""
    np.testing.assert_allclose(diagnosis.own.traces.macro_reward, diagnosis.own.rollouts.reward, atol=1e-4)


def test_unrolls_begin_with_the_model_error_and_end_with_the_episode(diagnosis):
    error = diagnosis.own.traces.unroll_error
    known = ~np.isnan(error)
    assert known[0].tolist() == [[True, True, False], [True, False, False], [False, False, False]]
    assert (error[known] <= 2).all()


def test_forced_runs_stay_within_what_is_left(diagnosis):
    executions = diagnosis.own.executions
    assert executions.duration.shape == (4, 4, 3)
    assert executions.duration.min() >= 0
    assert executions.duration.max() <= BUDGET
    assert (executions.expected_budget <= BUDGET + 1e-4).all()
    gap = np.abs(executions.distance[..., None] - executions.chord)
    assert (gap <= executions.model_error + 1e-5).all()  # the triangle inequality of the model-chord gap


def test_with_all_that_is_left_every_subgoal_lasts_as_long(diagnosis):
    """On influence nothing ends a day but the budget, so that reading has no order at all."""
    ordering = next(row for row in diagnosis.own.order.orderings if "until nothing is legal" in row.what)
    assert (ordering.tied, ordering.undefined) == (1, 2)
    assert math.isnan(ordering.tau_b.mean)


def test_the_same_seed_gives_the_same_numbers(prepared, diagnosis, runs):
    again = diagnose(prepared)
    assert repr(again.common) == repr(diagnosis.common)
    assert repr(again.own.order) == repr(diagnosis.own.order)
    assert repr(again.own.theory) == repr(diagnosis.own.theory)
    assert (runs / "aim" / "diagnostics" / "diagnostics.json").exists()


def command(folder, out, *more):
    return cli.run(["diagnose", str(folder), "--instances", str(INSTANCES), "--out", str(out), *more])


def effort():
    return [part for name, value in EFFORT.items() for part in (f"--{name.replace('_', '-')}", str(value))]


@pytest.mark.parametrize("name", RUNS)
def test_the_command_prints_tables_and_writes_everything(runs, capsys, tmp_path, name):
    agent, out = RUNS[name].agent, tmp_path / "new" / "out"
    own = agent in PARTS
    assert command(runs / name, out, *(effort() if own else [])) == 0
    printed = capsys.readouterr().out
    assert "Budgets and picks by day" in printed
    assert ("What each subgoal does" in printed) is (agent == "lmta")
    pictures = {"play"} | (PICTURES if agent == "lmta" else set())
    assert {path.name for path in out.iterdir()} == {"diagnostics.json"} | {f"{name}.png" for name in pictures}
    written = json.loads((out / "diagnostics.json").read_text())
    assert {"settings", "run", "provenance", "scores", "budgets", "agreement", "values", "days"} <= set(written)
    assert (written["run"]["agent"], written["settings"]["seed"]) == (agent, 1007)
    assert written["run"]["epochs"] == (1 if name == "aim" else 0)
    assert [row["day"] for row in written["budgets"]] == [1, 2, 3]
    assert np.shape(written["days"]["reward"]) == (INSTANCES, DAYS)
    if load_agent(runs / name).agent.pick_values is None:
        assert written["values"] is None
    else:
        assert written["values"]["count"] == np.sum(written["days"]["picks"])
    assert (agent in written) is own
    if agent == "lmta":
        check_lmta(written["lmta"])


def check_lmta(written):
    for row in written["order"]["orderings"]:
        assert row["tau_b"]["mean"] is None or -1 <= row["tau_b"]["mean"] <= 1
        assert 0 <= row["tied"] <= 1
    for row in written["smoothness"]:
        assert row["kendall"] is None or -1 <= row["kendall"] <= 1
    theory = written["theory"]
    assert 0 <= theory["cap"]["root_mean_square"] <= theory["cap"]["largest"] <= 2
    assert theory["model_error"]["largest"] <= 2
    assert theory["discount"]["gap"]["largest"] <= theory["discount"]["bound"]["largest"] + 1e-4
    assert sum(row["chosen"] for row in written["dictionary"]["subgoals"]) == INSTANCES * DAYS
    assert 1 <= written["dictionary"]["effective_number"] <= 4
    assert np.shape(written["decisions"]["search_value"]) == (INSTANCES, DAYS)


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


@pytest.mark.parametrize("agent", [agent for agent in HOMES if agent not in PARTS])
def test_options_of_another_agents_part_are_refused(runs, capsys, agent):
    assert part_of(agent) is None
    assert cli.run(["diagnose", str(runs / agent), "--states", "5"]) == 2
    assert capsys.readouterr().err == f"lmta: states: has no effect on a run of {agent}; leave it out.\n"


def test_nodes_are_as_many_as_the_run_has(diagnosis):
    assert f"{NODES} nodes, {DAYS} days, budget {BUDGET}, 1 epochs" in diagnosis.title
