"""A trained agent at work: legal decisions in the user's ids, the same for the same seed, alone or in a batch."""

import json
import re
from dataclasses import replace

import jax
import jax.numpy as jnp
import networkx as nx
import numpy as np
import pytest

import lmta
from lmta.agents.saved import CHECKPOINT, write_model
from lmta.agents.settings import RunSettings, make_model
from lmta.config import Config, ModelConfig, SearchConfig
from lmta.evaluation.evaluate import EvaluateSettings, evaluate, prepare
from lmta.evaluation.play import play
from lmta.policies.player import day_seed
from lmta.problems.batch import make_batch
from lmta.problems.registry import BENCHMARKS, InstanceSettings

MODEL = ModelConfig(latent=8, subgoals=4, subgoal_size=3, hidden=8, encoder_hidden=6, q_hidden=6, q_layers=2)
CONFIG = Config(model=MODEL, search=SearchConfig(simulations=9))
SIZE = InstanceSettings(nodes=14, days=3, budget=5)
PATH = nx.path_graph(["ann", "bob", "cyd", "dan", "eve", "fay", "gus", "hal"], create_using=nx.DiGraph)
CITIES = {"home": (0, 0, 0), "a": (0, 1, 0.9), "b": (1, 0, 0.8), "c": (0.2, 0.2, 0.7), "d": (0.1, 0.4, 0.6)}


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """A folder with a run for each problem; what a model that learned nothing decides has to be legal all the same."""
    folder = tmp_path_factory.mktemp("runs")
    for problem in ("aim", "sop"):
        settings = RunSettings(problem=problem, instance=SIZE, config=CONFIG)
        (folder / problem).mkdir()
        write_model(folder / problem / CHECKPOINT, settings, make_model(settings, key=jax.random.key(1)))
    return folder


@pytest.fixture(scope="module")
def planner(runs):
    return lmta.load(runs / "aim")


def check(decision, session):
    """What holds of every decision, whatever was learned."""
    search = decision.search
    assert 0 <= decision.budget <= min(5, session.budget_left)
    assert len(decision.picks) <= decision.budget
    assert len(set(decision.nodes)) == len(decision.nodes)
    assert set(decision.nodes) <= set(session.legal())
    assert search.policy.shape == search.subgoal_values.shape == (4,)
    assert search.policy.sum() == pytest.approx(1)
    assert search.policy[search.subgoal] == search.policy.max()
    assert np.isfinite([search.value, *search.subgoal_values, *(pick.value for pick in decision.picks)]).all()
    assert decision.milliseconds > 0
    assert decision.why.startswith(f"{decision.budget} of {session.budget_left} left for subgoal {search.subgoal}, ")
    rough = re.search(r"the model's own rough estimate is (\S+) more by the end\.$", decision.why)
    assert rough is not None
    assert float(rough[1]) == pytest.approx(search.value, rel=0.01)


def test_a_campaign_is_decided_day_by_day(runs, planner):
    """More budget than in training, and every day is legal and repeatable."""
    campaign = lmta.Campaign(PATH, days=3, budget=8)
    for day in (1, 2, 3):
        decision = planner.decide(campaign, seed=4)
        check(decision, campaign)
        assert decision.day == day
        assert decision.policy == f"lmta:{runs / 'aim'}"
        again = planner.decide(campaign, seed=4)
        assert again == decision
        np.testing.assert_array_equal(again.search.policy, decision.search.policy)
        campaign.advance(seeded=decision.nodes)
    with pytest.raises(lmta.InputError, match="All 3 days are over"):
        planner.decide(campaign)


def test_a_tour_is_decided_without_search(runs):
    """With no simulations the policy prior decides, and every subgoal is worth what the model predicts."""
    tour = lmta.Tour(CITIES, days=2, budget=3)
    decision = lmta.load(str(runs / "sop"), simulations=0).decide(tour)
    check(decision, tour)
    np.testing.assert_array_equal(decision.search.subgoal_values, np.float32(decision.search.value))


def test_room_for_more_days_changes_no_decision(planner):
    """Past the horizon there is nothing to find; and a campaign longer than those of the training gets such room."""
    roomy = replace(planner, agent=replace(planner.agent, max_days=8))
    short, long = (lmta.Campaign(PATH, days=days, budget=8) for days in (3, 7))
    close, deep = planner.decide(short), roomy.decide(short)
    assert close == deep
    np.testing.assert_allclose(close.search.policy, deep.search.policy)
    assert planner.decide(long) == roomy.decide(long)
    check(planner.decide(long), long)


LONELY = {
    "one node": nx.empty_graph(["ann"], create_using=nx.DiGraph),
    "no edges": nx.empty_graph(["ann", "bob", "cyd"], create_using=nx.DiGraph),
    "isolated": nx.DiGraph({"ann": ["bob"], "cyd": []}),
}


@pytest.mark.parametrize("name", LONELY)
def test_nodes_without_edges_can_be_picked(runs, name):
    campaign = lmta.Campaign(LONELY[name], days=2, budget=1)
    check(lmta.load(runs / "aim", simulations=0).decide(campaign), campaign)


def test_a_batch_is_played_as_its_episodes_one_by_one(planner):
    """Also where one instance is shared; each day's picks are those of the single decision with the same seed."""
    problem = planner.problem
    padded = make_batch(problem, BENCHMARKS["aim"].instances(SIZE, 3, 3), 3).instances
    instances = [jax.tree.map(jnp.asarray, instance) for instance in padded]
    for batch in (make_batch(problem, instances, 3), make_batch(problem, instances[:1] * 3, 3)):
        played = play(planner, batch, keep_mornings=3)
        assert (played.num_picks.sum(axis=1) <= 5).all()
        for day, n in np.ndindex(3, 3):
            instance = instances[0] if batch.shared else instances[n]
            luck = jax.tree.map(lambda leaf, n=n: leaf[n], batch.luck)
            state = jax.tree.map(jnp.asarray, played.mornings[day][n])
            choice = planner.choose(instance, state, None, day_seed(3, n, day))
            for node in choice.picks:
                state = problem.pick(instance, state, jnp.int32(node))
            assert len(choice.picks) == played.num_picks[n, day]
            assert problem.end_day(instance, state, luck)[1] == played.rewards[n, day]


def test_the_arena_compares_a_trained_agent_and_names_it_as_given(runs, monkeypatch):
    """The results say what was asked for, and not where it lies."""
    monkeypatch.chdir(runs)
    settings = EvaluateSettings(
        policies="lmta:./aim,average-score", simulations=0, instances=2, instance=SIZE, json=runs / "out.json"
    )
    rows = evaluate(prepare(settings))
    assert [row.policy for row in rows] == ["lmta:./aim", "average-score"]
    assert ((rows[0].episodes > 0) & (rows[0].episodes <= 14)).all()
    written = json.loads((runs / "out.json").read_text())
    assert (written["settings"]["policies"], written["settings"]["simulations"]) == ("lmta:./aim,average-score", 0)
    assert str(runs) not in (runs / "out.json").read_text()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"policies": "lmta:./aim", "problem": "sop"}, "^lmta:./aim plays aim, not sop.$"),
        ({"policies": "lmta:none"}, "none: there is no such file"),
        ({"policies": "lmta:"}, "checkpoint: there is no such file"),
        ({"policies": "lmta:./aim", "simulations": -1}, "simulations: -1 given"),
        ({"policies": "average-score", "simulations": 5}, "simulations: has no effect here"),
    ],
)
def test_the_arena_refuses_what_cannot_play(runs, monkeypatch, settings, message):
    monkeypatch.chdir(runs)
    with pytest.raises(lmta.InputError, match=message):
        prepare(EvaluateSettings(**settings))


def test_the_other_problem_is_refused_as_by_any_policy(runs, planner):
    with pytest.raises(lmta.InputError, match="aim plays aim, not sop"):
        planner.decide(lmta.Tour(CITIES, days=1, budget=1))
    with pytest.raises(lmta.InputError, match="decides for a Campaign or a Tour, not for 3"):
        planner.decide(3)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"path": 3}, "path: 3 given, the folder of a training run is needed"),
        ({"simulations": -1}, "simulations: -1 given, at least 0"),
        ({"simulations": 1.5}, "simulations: 1.5 given, a whole number"),
        ({"simulations": 10**9}, "simulations: 1000000000 given, at most 100,000"),
    ],
)
def test_what_cannot_be_loaded_is_refused(runs, arguments, message):
    with pytest.raises(lmta.InputError, match=message):
        lmta.load(**{"path": runs / "aim"} | arguments)
