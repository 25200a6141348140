"""Node rules by samples, the one that measures the network, and the budget rule by Tong et al."""

import itertools

import networkx as nx
import numpy as np
import pytest

from lmta import Campaign, policy
from lmta.arena.play import play
from lmta.problems.batch import make_batch
from lmta.problems.task import Task

# Without chance: the hub reaches five, and who stands in a chain all behind it.
SURE = nx.DiGraph([*(("hub", f"leaf {i}") for i in range(4)), ("a", "b"), ("b", "c")])
CROWD = nx.complete_graph(25)


def campaign(graph, probability, days=5, budget=3):
    return Campaign(graph, days=days, budget=budget, probability=probability)


@pytest.mark.parametrize("rule", ["live-edge", "opim", "measured"])
def test_seeds_in_order_of_what_they_add(rule):
    decision = policy(f"normal-{rule}").decide(campaign(SURE, 1.0, budget=2))
    assert decision.nodes == ("hub", "a")
    assert [pick.value for pick in decision.picks] == pytest.approx([5, 3], rel=0.05)


@pytest.mark.parametrize("rule", ["live-edge", "opim", "measured"])
def test_a_network_where_nothing_spreads(rule):
    decision = policy(f"normal-{rule}").decide(campaign(SURE, 0.0))
    assert len(set(decision.nodes)) == 3
    assert [pick.value for pick in decision.picks] == pytest.approx([1, 1, 1], rel=0.05)


def test_opim_says_what_is_certain():
    decision = policy("normal-opim").decide(campaign(CROWD, 0.05))
    assert "The best 3 by 16,384 sets add at least" in decision.why
    assert "is certain, but for one case in 25." in decision.why


def test_the_measure_of_the_network_chooses_the_estimate():
    """Where mean field serves the seeds are those of lookahead; in a crowd they are those of sampled worlds."""
    sparse = campaign(nx.gnp_random_graph(320, 0.008, seed=1, directed=True), None)
    measured = policy("adaptive-measured").decide(sparse)
    assert measured.nodes == policy("adaptive-lookahead").decide(sparse).nodes
    assert "The estimate is mean field" in measured.why
    assert "rollouts" not in measured.why
    crowd = campaign(CROWD, 0.3)
    measured = policy("adaptive-measured").decide(crowd)
    assert measured.picks == policy("adaptive-live-edge").decide(crowd).picks
    assert "The estimate is by live edges, since mean field would promise" in measured.why
    assert "How many is by what earned most in rollouts" in measured.why
    assert all(pick.value <= 25 for pick in measured.picks)


def test_in_a_small_network_rollouts_tell_whether_to_wait():
    """Where nothing spreads nobody has a reason to wait, yet none to hurry; in two sure chains, to wait costs links."""
    chains = nx.DiGraph([*nx.path_graph(9).edges, *((u + 9, v + 9) for u, v in nx.path_graph(9).edges)])
    decision = policy("adaptive-measured").decide(campaign(chains, 1.0, days=8, budget=2))
    assert decision.nodes == (0, 9)
    assert "How many is by what earned most in rollouts" in decision.why


def test_adaptive_forms_wait_where_a_cascade_may_do():
    """In a crowd one seed reaches almost everybody, and the others wait to see whom it does not."""
    for rule in ("live-edge", "opim", "measured"):
        assert len(policy(f"adaptive-{rule}").decide(campaign(CROWD, 0.3)).picks) == 1
        assert len(policy(f"normal-{rule}").decide(campaign(CROWD, 0.3)).picks) == 3


@pytest.mark.parametrize("nodes", ["degree", "lookahead", "ris", "measured"])
def test_tong_ends_the_day_at_the_first_pick_that_had_better_wait(nodes):
    """The second keeps nothing beside the first in a crowd, and all of its gain where nothing spreads."""
    assert len(policy(f"tong-{nodes}").decide(campaign(CROWD, 0.5)).picks) == 1
    assert len(policy(f"tong-{nodes}").decide(campaign(CROWD, 0.0)).picks) == 3


@pytest.mark.parametrize("name", ["tong-degree", "adaptive-measured", "average-opim"])
def test_batches_play_within_their_budgets(name):
    task = Task.of("aim", nodes=20, days=3, budget=4)
    played = play(policy(name), make_batch(task.spec.problem, task.instances(0, 2), 0))
    assert (played.num_picks.sum(axis=1) <= 4).all()
    assert (played.num_picks.sum(axis=1) >= 1).all()
    assert (played.rewards >= played.num_picks).all()
    assert np.all(played.rewards.sum(axis=1) <= 20)


def test_every_pair_of_samples_and_seeds_is_repeatable():
    for name, seed in itertools.product(("normal-live-edge", "tong-opim"), (0, 1)):
        one, again = (policy(name).decide(campaign(CROWD, 0.2), seed=seed) for _ in range(2))
        assert one == again
