"""A trained agent at work: legal decisions in the user's ids, the same for the same seed, alone or in a batch."""

import json
from dataclasses import replace

import jax
import jax.numpy as jnp
import networkx as nx
import numpy as np
import pytest
from tiny_runs import BUDGET, tiny

import lmta
from lmta.agents.base import AbstractAgent
from lmta.agents.registry import HOMES, agent_type
from lmta.agents.saved import CHECKPOINT, write_model
from lmta.agents.settings import make_model
from lmta.arena.evaluate import EvaluateSettings, evaluate, prepare
from lmta.arena.play import play
from lmta.policies.player import day_seed
from lmta.problems.batch import make_batch
from lmta.problems.registry import spec_of
from lmta.problems.task import Task

PATH = nx.path_graph(["ann", "bob", "cyd", "dan", "eve", "fay", "gus", "hal"], create_using=nx.DiGraph)
CITIES = {"home": (0, 0, 0), "a": (0, 1, 0.9), "b": (1, 0, 0.8), "c": (0.2, 0.2, 0.7), "d": (0.1, 0.4, 0.6)}


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """A folder with a run of each agent on influence, and one of LMTA on orienteering, called tour; what a model that
    learned nothing decides has to be legal all the same."""
    folder = tmp_path_factory.mktemp("runs")
    kinds = {**{agent: tiny(agent) for agent in HOMES}, "tour": tiny(problem="sop")}
    for name, settings in kinds.items():
        (folder / name).mkdir()
        write_model(folder / name / CHECKPOINT, settings, make_model(settings, key=jax.random.key(1)))
    return folder


@pytest.fixture(scope="module")
def planner(runs):
    return lmta.load(runs / "lmta")


def check(decision, session):
    """What holds of every decision, whatever was learned."""
    assert 0 <= decision.budget <= session.budget_left
    assert len(decision.picks) <= decision.budget
    assert len(set(decision.nodes)) == len(decision.nodes)
    assert set(decision.nodes) <= set(session.legal())
    assert np.isfinite([pick.value for pick in decision.picks]).all()
    assert decision.milliseconds > 0
    assert decision.why.startswith(f"{decision.budget} of {session.budget_left} left")
    if decision.search is not None:
        check_search(decision)


def check_search(decision):
    search = decision.search
    assert search.policy.shape == search.subgoal_values.shape == (4,)
    assert search.policy.sum() == pytest.approx(1)
    assert search.policy[search.subgoal] == search.policy.max()
    assert np.isfinite([search.value, *search.subgoal_values]).all()
    assert f"subgoal {search.subgoal} (" in decision.why


@pytest.mark.parametrize("agent", HOMES)
def test_a_campaign_is_decided_day_by_day(runs, agent):
    """More budget than in training, and every day is legal and repeatable."""
    campaign, planner = lmta.Campaign(PATH, days=3, budget=8), lmta.load(runs / agent)
    for day in (1, 2, 3):
        decision = planner.decide(campaign, seed=4)
        check(decision, campaign)
        assert decision.day == day
        assert decision.policy == f"lmta:{runs / agent}"
        assert planner.decide(campaign, seed=4) == decision
        campaign.advance(seeded=decision.nodes)
    with pytest.raises(lmta.InputError, match="All 3 days are over"):
        planner.decide(campaign)


def test_lmta_says_what_its_search_found(planner):
    """Free logits know no larger budget of a day than that of training."""
    decision = planner.decide(lmta.Campaign(PATH, days=1, budget=8))
    check_search(decision)
    assert decision.budget <= BUDGET


def test_a_tour_is_decided_without_search(runs):
    """With no simulations the policy prior decides, and every subgoal is worth what the model predicts."""
    tour = lmta.Tour(CITIES, days=2, budget=3)
    decision = lmta.load(str(runs / "tour"), simulations=0).decide(tour)
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
    check(lmta.load(runs / "lmta", simulations=0).decide(campaign), campaign)


def test_a_batch_is_played_as_its_episodes_one_by_one(planner):
    """Also where one instance is shared; each day's picks are those of the single decision with the same seed."""
    settings, problem = tiny(), planner.problem
    padded = make_batch(problem, spec_of("aim").instances(settings.instance, 3, 3), 3).instances
    instances = [jax.tree.map(jnp.asarray, instance) for instance in padded]
    pick, end_day = jax.jit(problem.pick), jax.jit(problem.end_day)
    for batch in (make_batch(problem, instances, 3), make_batch(problem, instances[:1] * 3, 3)):
        played = play(planner, batch, keep_states=3)
        assert (played.num_picks.sum(axis=1) <= BUDGET).all()
        for day, n in np.ndindex(3, 3):
            instance = instances[0] if batch.shared else instances[n]
            noise = jax.tree.map(lambda leaf, n=n: leaf[n], batch.noise)
            state = jax.tree.map(jnp.asarray, played.states[day][n])
            choice = planner.choose(instance, state, None, day_seed(3, n, day))
            for node in choice.picks:
                state = pick(instance, state, jnp.int32(node))
            assert len(choice.picks) == played.num_picks[n, day]
            assert end_day(instance, state, noise)[1] == played.rewards[n, day]


def test_the_arena_compares_a_trained_agent_and_names_it_as_given(runs, monkeypatch):
    """The results say what was asked for, and not where it lies."""
    monkeypatch.chdir(runs)
    settings = EvaluateSettings(
        policies="lmta:./lmta,average-score", simulations=0, instances=2, json=runs / "out.json"
    )
    rows = evaluate(prepare(settings, Task.of("aim", nodes=12, days=3, budget=4)))
    assert [row.policy for row in rows] == ["lmta:./lmta", "average-score"]
    assert ((rows[0].episodes > 0) & (rows[0].episodes <= 12)).all()
    written = json.loads((runs / "out.json").read_text())
    assert (written["settings"]["policies"], written["settings"]["simulations"]) == ("lmta:./lmta,average-score", 0)
    assert str(runs) not in (runs / "out.json").read_text()


@pytest.mark.parametrize(
    ("problem", "settings", "message"),
    [
        ("sop", {"policies": "lmta:./lmta"}, r"^lmta:\S*lmta plays aim, not sop.$"),
        ("aim", {"policies": "lmta:none"}, "^none: "),
        ("aim", {"policies": "lmta:"}, "^checkpoint: "),
        ("aim", {"policies": "lmta:./lmta", "simulations": -1}, "simulations: -1 given"),
    ],
)
def test_the_arena_refuses_what_cannot_play(runs, monkeypatch, problem, settings, message):
    monkeypatch.chdir(runs)
    with pytest.raises(lmta.InputError, match=message):
        prepare(EvaluateSettings(**settings), Task.of(problem))


def test_the_other_problem_is_refused_as_by_any_policy(planner):
    with pytest.raises(lmta.InputError, match="lmta plays aim, not sop"):
        planner.decide(lmta.Tour(CITIES, days=1, budget=1))
    with pytest.raises(lmta.InputError, match="decides for a session such as a Campaign or a Tour, not for 3"):
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
        lmta.load(**{"path": runs / "lmta"} | arguments)


SEARCHING = [agent for agent in HOMES if agent_type(agent).with_simulations is not AbstractAgent.with_simulations]


@pytest.mark.parametrize("agent", SEARCHING)
def test_the_prior_decides_without_simulations(runs, agent):
    campaign = lmta.Campaign(PATH, days=3, budget=3)
    check(lmta.load(runs / agent, simulations=0).decide(campaign), campaign)


@pytest.mark.parametrize("agent", [agent for agent in HOMES if agent not in SEARCHING])
def test_simulations_are_refused_where_nothing_is_searched(runs, agent):
    with pytest.raises(lmta.InputError, match=f"^simulations: {agent} does not search; leave it out.$"):
        lmta.load(runs / agent, simulations=5)


def test_a_name_of_a_problem_is_its_adviser_and_a_path_a_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert lmta.load("aim").name == lmta.adviser("aim").name == "lmta:aim"
    with pytest.raises(lmta.InputError, match=r"^aim: "):
        lmta.load("./aim")


def test_the_adviser_serves_any_size_and_spends_all_by_the_end():
    campaign = lmta.Campaign(nx.gnp_random_graph(300, 0.02, seed=1), days=3, budget=90)
    planner, spent = lmta.load("aim"), 0
    while not campaign.finished:
        decision = planner.decide(campaign)
        assert set(decision.nodes) <= set(campaign.legal())
        assert len(set(decision.nodes)) == len(decision.picks) <= campaign.budget_left
        spent += len(decision.picks)
        campaign.advance(seeded=decision.nodes, activated=[])
    assert spent == 90
