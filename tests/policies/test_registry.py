"""Policies by name: what a name means, what it does not mean, and what a decision carries."""

from dataclasses import replace

import numpy as np
import pytest

from lmta import Campaign, InputError, Tour, adviser, policy
from lmta.policies.player import Choice
from lmta.policies.registry import policy_names
from lmta.problems.influence.estimates import hops
from lmta.problems.registry import spec_of, specs

TRIANGLE = ([0, 1, 2], [1, 2, 0], [0.5, 0.5, 0.5])
CITIES = {"home": (0, 0, 0), "a": (0, 1, 0.9), "b": (1, 0, 0.8), "c": (0.2, 0.2, 0.7)}


@pytest.mark.parametrize(
    ("name", "problem", "budget", "nodes"),
    [
        ("average-degree", "aim", "average", "degree"),
        ("normal-score", "aim", "normal", "score"),
        ("static-lookahead", "aim", "static", "lookahead"),
        ("even-ris", "aim", "even", "ris"),
        ("cap7-degree", "aim", "cap7", "degree"),
        ("cap5-insertion", "sop", "cap5", "insertion"),
        ("even-greedy", "sop", "even", "greedy"),
        ("greedy", "sop", "normal", "greedy"),
        ("ga", "sop", "ga", "greedy"),
        ("rollout-lookahead", "aim", "rollout", "lookahead"),
        ("ga-greedy", "sop", "ga", "greedy"),
        ("exact", "aim", "normal", "exact"),
        ("adaptive-lookahead", "aim", "adaptive", "lookahead"),
        ("adaptive-live-edge", "aim", "adaptive", "live-edge"),
        ("adaptive-measured", "aim", "adaptive", "measured"),
        ("average-opim", "aim", "average", "opim"),
        ("tong-ris", "aim", "tong", "ris"),
        ("even-rollout-insertion", "sop", "even", "rollout-insertion"),
        ("rolling-rollout-routes", "sop", "rolling", "rollout-routes"),
    ],
)
def test_a_name_is_a_budget_rule_and_a_node_rule(name, problem, budget, nodes):
    for found in (policy(name), policy(name, problem)):
        assert found.name == name
        assert found.problem.name == problem
        assert found.budget_rule.name == budget
        assert found.node_rule.name == nodes


@pytest.mark.parametrize("problem", ["aim", "sop"])
def test_random_plays_both(problem):
    found = policy("random", problem)
    assert (found.problem.name, found.budget_rule.name, found.node_rule.name) == (problem, "average", "random")
    assert policy("normal-random", problem).problem.name == problem


@pytest.mark.parametrize("problem", ["aim", "sop"])
def test_every_listed_name_is_a_policy_of_its_problem(problem):
    names = policy_names(problem)
    assert len(set(names)) == len(names)
    assert {policy(name, problem).problem.name for name in names} == {problem}


def test_listed_names():
    aim, sop = policy_names("aim"), policy_names("sop")
    assert {"average-degree", "static-lookahead", "normal-ris", "even-score", "exact", "random"} <= set(aim)
    assert {"normal-greedy", "greedy", "ga", "average-insertion", "random"} <= set(sop)
    assert not {"greedy", "ga", "even-insertion"} & set(aim)
    assert not {"exact", "average-degree"} & set(sop)


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("avarage-degree", "average-degree"),
        ("average-degre", "average-degree"),
        ("gredy", "greedy"),
        ("exakt", "exact"),
        ("static-lookahed", "static-lookahead"),
    ],
)
def test_unknown_names_get_a_hint(name, hint):
    with pytest.raises(InputError, match=f"'{name}' is not known; did you mean '{hint}'"):
        policy(name)


@pytest.mark.parametrize("name", ["", "-", "degree", "average", "cap5", "average-degree-score", "zzz"])
def test_names_that_are_no_policies(name):
    with pytest.raises(InputError, match="Names are BUDGET-NODES") as caught:
        policy(name)
    pairs = "adaptive (with lookahead, live-edge, opim, measured), tong, rollout (with lookahead), ga (with greedy)"
    for word in (f"average, normal, static, even, rolling, front, capN, {pairs}", "degree", "lookahead", "insertion"):
        assert word in str(caught.value)


def test_a_name_whose_second_half_tells_the_problem_names_its_rules_alone():
    with pytest.raises(InputError, match="'cap0-degree' is not known") as caught:
        policy("cap0-degree")
    assert "aim: degree" in str(caught.value)
    assert "sop: " not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "problem"), [("average-degree", "sop"), ("greedy", "aim"), ("ga", "aim"), ("exact", "sop")]
)
def test_a_node_rule_of_the_other_problem(name, problem):
    with pytest.raises(InputError, match=f"'{name}' is not known") as caught:
        policy(name, problem)
    assert f"{problem}: " in str(caught.value)
    other = "aim" if problem == "sop" else "sop"
    assert f"{other}: " not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "problem", "right"),
    [
        ("ga-insertion", None, "budgets by ga go with greedy only; use 'ga-greedy'"),
        ("ga-random", "sop", "budgets by ga go with greedy only; use 'ga-greedy'"),
        ("rollout-score", "aim", "budgets by rollout go with lookahead only; use 'rollout-lookahead'"),
        ("adaptive-score", "aim", "go with lookahead and live-edge and opim and measured only"),
        ("tong-exact", "aim", "budgets by tong go with degree and"),
        ("even-exact", "aim", "exact chooses the budget too; use 'exact'"),
    ],
)
def test_some_rules_come_as_pairs_only(name, problem, right):
    with pytest.raises(InputError, match=right):
        policy(name, problem)


@pytest.mark.parametrize("problem", ["aim", "sop", "power2500", "influence"])
def test_the_adviser_is_a_policy_under_another_name(problem):
    spec = spec_of(problem)
    found = adviser(problem)
    assert found.name == f"lmta:{spec.name}"
    assert replace(found, name=spec.policies.adviser) == policy(spec.policies.adviser, problem)


def test_the_policies_that_a_spec_names_are_there():
    for spec in specs().values():
        assert policy(spec.policies.baseline, spec.name).problem is spec.problem


@pytest.mark.parametrize(
    ("made", "waits", "said"),
    [
        (2, True, ", of which 4 wait for later days; "),
        (5, True, ", of which 1 waits for a later day; "),
        (6, True, "; "),
        (2, False, ", but only 2 pay or can be reached today; "),
        (1, False, ", but only 1 pays or can be reached today; "),
        (0, False, ", but none pays or can be reached today; "),
    ],
)
def test_the_reason_says_what_becomes_of_the_rest(made, waits, said):
    found = policy("adaptive-lookahead")
    choice = Choice(6, np.arange(made), np.zeros(made), waits=waits)
    assert found.why(choice, 6) == f"6 of 6 left by the rule 'adaptive'{said}{found.node_rule.why}"


@pytest.mark.parametrize("name", ["adaptive-lookahead", "tong-degree"])
def test_what_is_not_seeded_waits_but_on_the_last_day(name):
    path = (np.arange(40), np.arange(1, 41), np.full(40, 0.9))
    decision = policy(name).decide(Campaign(path, days=8, budget=10))
    assert len(decision.nodes) < decision.budget == 10
    assert f", of which {10 - len(decision.nodes)} wait for later days; " in decision.why
    last = Campaign(TRIANGLE, days=1, budget=2)
    assert "wait" not in policy(name).decide(last).why.split(";")[0]


def test_one_hop_is_not_many():
    assert [hops(count) for count in (1, 2)] == ["1 hop", "2 hops"]


def test_a_finished_campaign_has_nothing_to_decide():
    campaign = Campaign(TRIANGLE, days=1, budget=1)
    assert len(policy("average-degree").decide(campaign).picks) == 1
    campaign.advance()
    with pytest.raises(InputError, match="All 1 days are over"):
        policy("average-degree").decide(campaign)


def test_a_policy_of_the_other_problem_does_not_decide():
    campaign, tour = Campaign(TRIANGLE, days=1, budget=1), Tour(CITIES, days=1, budget=1)
    with pytest.raises(InputError, match="greedy plays sop, not aim"):
        policy("greedy").decide(campaign)
    with pytest.raises(InputError, match="random plays aim, not sop"):
        policy("random", "aim").decide(tour)


@pytest.mark.parametrize("name", ["normal-degree", "normal-ris", "exact"])
def test_decisions_carry_the_users_ids(name, tmp_path):
    """ann reaches both others for sure, whichever rule looks at it."""
    path = tmp_path / "network.csv"
    path.write_text("source,target,probability\nbob,ann,0.1\nann,cem,1\nann,bob,1\n", encoding="utf-8")
    decision = policy(name).decide(Campaign(path, days=1, budget=1))
    assert decision.nodes == ("ann",)
    assert decision.picks[0].node == "ann"
    assert (decision.policy, decision.day, decision.budget) == (name, 1, 1)
    assert f"1 of 1 left by the rule 'normal'; {policy(name).node_rule.why}" == decision.why


def test_decisions_on_tours_carry_the_users_ids():
    decision = policy("greedy").decide(Tour(CITIES, days=2, budget=2))
    assert decision.nodes == ("a", "c")
    assert decision.why.startswith("2 of 2 left by the rule 'normal'; ")


def test_the_day_and_the_budget_left_are_in_the_decision():
    campaign = Campaign(TRIANGLE, days=3, budget=3)
    campaign.advance(seeded=[0, 1])
    decision = policy("average-degree").decide(campaign)
    assert decision.day == 2
    assert decision.nodes == (2,)
    assert decision.why.startswith("1 of 1 left by the rule 'average'")


def test_random_decisions_follow_the_seed():
    """60 equal nodes and five picks: the same seed gives the same, other seeds and days give others."""
    senders = np.arange(60)
    campaign = Campaign((senders, (senders + 1) % 60), days=2, budget=10)
    decide = policy("normal-random", "aim").decide
    picks = {seed: decide(campaign, seed=seed).nodes for seed in range(5)}
    assert picks[3] == decide(campaign, seed=3).nodes
    assert len(set(picks.values())) == 5
    assert all(len(set(nodes)) == 10 for nodes in picks.values())
    campaign.advance()
    assert decide(campaign, seed=3).nodes != picks[3]
