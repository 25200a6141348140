"""Planners: strategies as they are offered, a decision overruled by rollouts, names, options and reasons."""

import json
from dataclasses import replace

import networkx as nx
import numpy as np
import pytest

import lmta
from lmta import cli
from lmta.agents.players import adviser_in, player, with_effort
from lmta.arena.evaluate import EvaluateSettings, prepare
from lmta.benchmarks.think import ThinkSettings, bench_think, think_table
from lmta.planning.effort import Effort
from lmta.planning.explain import explain
from lmta.planning.reasons import reasons, with_error
from lmta.planning.rules_simulator import RulesSimulator
from lmta.policies.registry import adviser, policy
from lmta.problems.heuristics import DayPlan
from lmta.problems.influence.strategies import CampaignSimulator, counts_around
from lmta.problems.simulator import Candidate
from lmta.problems.task import Task
from lmta.types import Idle, Thinking, Tried


@pytest.fixture
def campaign():
    graph = nx.gnp_random_graph(40, 0.12, seed=1, directed=True)
    return lmta.Campaign(graph, days=6, budget=8, probability=0.2)


def plan_of(*picks):
    return DayPlan(np.array(picks), np.ones(len(picks)))


def test_counts_around_what_the_adviser_says():
    assert counts_around(4, 8) == [5, 3, 0, 6, 2, 1, 8]
    assert counts_around(0, 3) == [1, 2]
    assert counts_around(1, 1) == [0]


def test_strategies_differ_and_are_within_the_budget(campaign):
    simulator = CampaignSimulator(campaign.instance)
    own = plan_of(3, 5, 8)
    found = list(simulator.candidates(campaign.state, own, 0))
    assert {len(candidate.picks) for candidate in found} >= {0, 1, 2, 3, 4, 5, 6, 8}
    sets = [frozenset(candidate.picks.tolist()) for candidate in found]
    assert len(set(sets)) == len(sets)
    assert frozenset({3, 5, 8}) not in sets
    assert all(len(set(c.picks.tolist())) == len(c.picks) == len(c.values) for c in found)
    assert {c.name for c in found} >= {"wait", "1 seed", "4 seeds", "all 8 seeds"}
    longer = next(c for c in found if c.name == "4 seeds")
    assert longer.picks[:3].tolist() == [3, 5, 8]


def test_exchanges_change_one_seed_each(campaign):
    simulator = CampaignSimulator(campaign.instance)
    chosen = Candidate("2 seeds", np.array([3, 5]), np.ones(2))
    found = list(simulator.exchanges(campaign.state, chosen))
    assert len(found) == 6
    assert all(np.sum(c.picks != chosen.picks) == 1 for c in found)
    assert len({tuple(c.picks.tolist()) for c in found}) == 6
    assert list(simulator.exchanges(campaign.state, Candidate("wait", np.zeros(0, int), np.zeros(0)))) == []


def test_a_day_before_the_last_is_thought_about_and_the_last_is_not(campaign):
    planner = lmta.planner("aim", rollouts=300)
    first = planner.decide(campaign, seed=4)
    assert first.thinking is not None and 200 < first.thinking.rollouts <= 300
    assert planner.decide(campaign, seed=4) == first
    for _ in range(5):
        campaign.advance()
    last = planner.decide(campaign, seed=4)
    assert last.thinking is None
    assert last.nodes == adviser("aim").decide(campaign, seed=4).nodes


def test_a_bad_adviser_is_overruled():
    """Who seeds at random would spend a seed on a leaf; to wait for the base heuristic, or a hub, is better."""
    stars = nx.DiGraph([(hub, 5 * hub + leaf + 10) for hub in range(8) for leaf in range(5)])
    session = lmta.Campaign(stars, days=3, budget=4, probability=0.9)
    bad = policy("average-random", "aim")
    assert bad.decide(session, seed=0).nodes[0] >= 10
    decision = replace(lmta.planner("aim", rollouts=2000), adviser=bad).decide(session, seed=0)
    assert all(node < 10 for node in decision.nodes)
    assert decision.thinking.tried[decision.thinking.own].less > 1
    assert "the rule says 1 seed" in decision.why


def test_what_each_pick_adds_and_what_happens_by_itself():
    """A hub reaches its five leaves with probability 0.9 each, and no later than a seed that is kept for tomorrow."""
    stars = nx.DiGraph([(hub, 5 * hub + leaf + 10) for hub in range(3) for leaf in range(5)])
    session = lmta.Campaign(stars, days=2, budget=3, probability=0.9)
    session.advance(seeded=[0])
    simulator = CampaignSimulator(session.instance)
    hub, leaf = (session.index(node, "node") for node in (1, 20))
    chosen = Candidate("2 seeds", np.array([hub, leaf]), np.ones(2))
    adds, idle = explain(simulator, session.state, chosen, 4_000, 0)
    assert adds[0].mean == pytest.approx(1 + 5 * 0.9, abs=5 * adds[0].error + 1e-6)
    assert adds[1].mean == pytest.approx(1.0)
    assert idle == (0.0, 0.0, 0.0)
    running = lmta.Campaign(nx.DiGraph([(0, 1), *stars.edges]), days=3, budget=3, probability=0.9)
    running.advance(seeded=[0], activated=[1])
    wait = Candidate("wait", np.zeros(0, int), np.zeros(0))
    _, idle = explain(CampaignSimulator(running.instance), running.state, wait, 4_000, 0)
    assert idle.mean == pytest.approx(4.5, abs=0.1) and (idle.low, idle.high) == (4.0, 5.0)
    assert explain(simulator, session.state, chosen, 40, 0) == ((), None)


def test_any_problem_can_be_thought_about(orchard):
    instance = orchard.instances(orchard.settings(days=3, budget=2), 0, 1)[0]
    simulator = RulesSimulator(orchard, instance)
    state = orchard.problem.reset(instance)
    candidates = [Candidate("first", np.array([0]), np.ones(1)), Candidate("wait", np.zeros(0, int), np.zeros(0))]
    outcome = simulator.try_out(state, candidates, range(40), 0)
    assert outcome.rewards.shape == (2, 40, 3)
    np.testing.assert_allclose(outcome.rewards[0, :, 0], float(instance.apples[0]))
    np.testing.assert_allclose(outcome.rewards[1, :, 0], 0.0)
    again = simulator.try_out(state, candidates[1:], range(30, 40), 0)
    np.testing.assert_array_equal(again.rewards[0], outcome.rewards[1, 30:])
    planner = lmta.planner("orchard", rollouts=60)
    choice = planner.choose(instance, state, planner.prepare(instance, 0), 0)
    assert choice.thinking is not None
    assert {row.name for row in choice.thinking.tried} <= {"wait", "1 pick", "1 by apples", "2 by apples"}


def test_efforts_in_names():
    assert adviser_in("aim") == ("aim", None)
    assert adviser_in("aim@200") == ("aim", Effort(rollouts=200))
    assert adviser_in("aim@2.5s") == ("aim", Effort(seconds=2.5))
    for name in ("aim@fast", "aim@", "net.planner@fast"):
        effort = name.partition("@")[2]
        with pytest.raises(
            lmta.InputError, match=f"^lmta:{name}: '{effort}' says no effort; give rollouts, as in lmta:.*@1000"
        ):
            player(f"lmta:{name}", "aim")
    assert adviser_in("runs/aim@200") is None
    assert with_effort("lmta:aim@200", Effort(seconds=10.0)) == "lmta:aim@10s"
    assert with_effort("lmta:aim@200", None) == "lmta:aim"
    assert player("lmta:aim@200", "aim").name == "lmta:aim@200"
    assert player("lmta:aim", "aim", effort=Effort(rollouts=5)).name == "lmta:aim@5"
    with pytest.raises(lmta.InputError, match="rollouts: 0 given"):
        player("lmta:aim@0", "aim")


def test_the_arena_says_what_it_used():
    task = Task.of("aim", nodes=20, days=2, budget=2)
    prepared = prepare(EvaluateSettings("lmta:aim,lmta:aim@50,average-degree", instances=2, rollouts=40), task)
    assert [p.name for p in prepared.players] == ["lmta:aim@40", "lmta:aim@50", "average-degree"]
    with pytest.raises(lmta.InputError, match="think: has no effect here"):
        prepare(EvaluateSettings("average-degree", think=1.0), task)


def test_lmta_plan_thinks_when_asked_and_remembers(tmp_path, capsys):
    file, state = tmp_path / "edges.csv", tmp_path / "plan.json"
    file.write_text("source,target\n" + "\n".join(f"a{i},b{i % 3}" for i in range(9)) + "\n")
    begin = ["plan", "--state", str(state), "--graph", str(file), "--days", "3", "--budget", "2"]
    assert cli.run([*begin, "--rollouts", "100"]) == 0
    assert json.loads(state.read_text())["policy"] == "lmta:aim@100"
    assert "rollouts" in capsys.readouterr().out
    assert cli.run(["plan", "--state", str(state), "--think", "0"]) == 0
    assert json.loads(state.read_text())["policy"] == "lmta:aim"
    before = state.read_text()
    for wrong in (["--think", "-1"], ["--think", "inf"], ["--rollouts", "0"], ["--think", "1", "--rollouts", "5"]):
        assert cli.run(["plan", "--state", str(state), *wrong]) == 2
        assert len(capsys.readouterr().err.strip().splitlines()) == 1
    assert cli.run(["plan", "--state", str(state), "--policy", "average-degree", "--rollouts", "5"]) == 2
    assert state.read_text() == before


def test_lmta_plan_thinks_by_default_where_the_problem_has_an_engine(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("lmta.agents.players.DEFAULT_SECONDS", 0.5)
    file = tmp_path / "edges.csv"
    file.write_text("source,target\n" + "\n".join(f"a{i},b{i % 3}" for i in range(9)) + "\n")
    begin = ["--days", "3", "--budget", "2"]
    assert cli.run(["plan", "--state", str(tmp_path / "plan.json"), "--graph", str(file), *begin]) == 0
    assert json.loads((tmp_path / "plan.json").read_text())["policy"] == "lmta:aim@0.5s"
    assert "rollouts" in capsys.readouterr().out


def tried(name, picks, less, error=0.4):
    return Tried(name, picks, 100, 50.0 - less, 0.8, less, error)


def test_reasons_in_plain_words():
    rows = (tried("5 seeds", 5, 0.0, 0.0), tried("6 seeds", 6, 3.1), tried("wait", 0, 12.0), tried("4 seeds", 4, 0.1))
    assert reasons(Thinking(rows, 0, None, 1000, 1.0)) == [
        "5 seeds today, as the rule says; no other strategy does better.",
        "One more today promises 3.1 ± 0.4 less, one fewer promises about the same (-0.1 ± 0.4) and waiting promises "
        "12.0 ± 0.4 less.",
        "The runner-up, 6 seeds, promises 3.1 ± 0.4 less.",
        "Expected from today to the end: 50.0 ± 0.8, by 1,000 rollouts.",
    ]
    closer = tried("5 seeds, one exchanged", 5, -0.52, 0.11)
    overruled = reasons(Thinking(rows, 1, closer, 1000, 1.0))
    assert overruled[0] == "5 seeds today; the rule says 6 seeds, which promises 3.1 ± 0.4 less."
    assert (
        overruled[2]
        == "A closer look finds 5 seeds, one exchanged, which promises 0.5 ± 0.1 more still, and is advised."
    )
    thin = reasons(Thinking((rows[0], tried("6 seeds", 6, -0.5)), 0, None, 1000, 1.0))
    assert thin[0] == "5 seeds today, as the rule says; no other strategy is ahead by enough to be sure."
    assert reasons(Thinking((), 0, None, 0, 0.0)) == ["There was no time to try anything else, so the rule decides."]
    named = Thinking((rows[0], replace(rows[1], nodes=(3, 1, 4, 1, 5, 9))), 0, None, 1000, 1.0).named("abcdefghij")
    assert "The runner-up, 6 seeds (d, b, e, b, f and 1 more), promises 3.1 ± 0.4 less." in reasons(named)
    without = reasons(replace(named, idle=Idle(12.34, 3.0, 20.0)))
    assert without[-1] == "If nothing more is done: 12.3, and 3 to 20 in nine of ten futures."
    nothing = reasons(replace(named, idle=Idle(0.0, 0.0, 0.0)))
    assert nothing[-1] == "If nothing more is done, nothing more happens."
    assert with_error(123.4, 12.0) == "123 ± 12"
    assert with_error(5.5, 3e-18) == "5.500 ± 0.000"


def test_rollouts_are_timed_by_size():
    result = bench_think(ThinkSettings(sizes=(20, 40), days=2, budget=2, rollouts=40, repeats=1))
    small, large = result["sizes"]
    assert (small["rollouts"], large["rollouts"], large["budget"]) == (40, 20, 4)
    assert small["growth"] == 1.0
    assert think_table(result).row_count == 2
    with pytest.raises(lmta.InputError, match="rollouts: 0 given"):
        bench_think(ThinkSettings(rollouts=0))
