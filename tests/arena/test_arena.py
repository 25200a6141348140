"""The arena is fair: the same noise for everyone, statistics by hand, results that can be made again."""

import json
import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import stats

from lmta.arena.arena import run_arena
from lmta.arena.evaluate import EvaluateSettings, evaluate, prepare
from lmta.arena.play import play
from lmta.arena.statistics import compare, mean_of
from lmta.arena.tables import arena_table
from lmta.policies.registry import adviser, policy
from lmta.problems.batch import make_batch
from lmta.problems.influence.importer import load_network
from lmta.problems.influence.rules import Influence, make_instance
from lmta.problems.registry import spec_of
from lmta.problems.task import Task
from lmta.types import InputError

SMALL = {"nodes": 20, "days": 3, "budget": 6}


def small_batch(name="aim", count=4, seed=1):
    return make_batch(spec_of(name).problem, Task.of(name, **SMALL).instances(seed, count), seed)


def test_mean_and_paired_difference_by_hand():
    values, baseline = np.array([3.0, 5.0, 7.0]), np.array([1.0, 2.0, 6.0])
    assert mean_of(values).mean == 5
    assert mean_of(values).sem == pytest.approx(2 / np.sqrt(3))
    comparison = compare(values, baseline)
    assert comparison.difference.mean == 2
    assert comparison.difference.sem == pytest.approx(1 / np.sqrt(3))
    assert comparison.paired_p == pytest.approx(np.asarray(stats.ttest_rel(values, baseline))[1])


def test_where_there_is_too_little_to_tell_nothing_is_claimed():
    assert math.isnan(compare(np.ones(3), np.ones(3)).paired_p)
    assert math.isnan(compare(np.array([2.0, 3.0]), np.array([1.0, 2.0])).paired_p)
    assert math.isnan(mean_of(np.array([4.0])).sem)
    assert math.isnan(compare(np.array([4.0]), np.array([3.0])).paired_p)
    one_constant = compare(np.array([1.0, 2.0, 3.0]), np.ones(3))
    assert one_constant.paired_p == pytest.approx(2 * stats.t.sf(np.sqrt(3), 2))


@pytest.mark.parametrize("name", ["average-degree", "average-ris"])
def test_scores_are_the_nodes_influenced_and_the_budget_is_kept(name):
    """No more picks than the budget, no more nodes than there are, and every seed counts on its day."""
    batch = small_batch()
    played = play(policy(name), batch)
    assert (played.num_picks.sum(axis=1) <= 6).all()
    assert (played.rewards.sum(axis=1) <= 20).all()
    assert (played.rewards[:, 0] >= played.num_picks[:, 0]).all()


def test_the_same_policy_meets_the_same_noise_in_any_company():
    batch = small_batch()
    alone = run_arena([policy("average-score")], batch)[0].episodes
    in_company = run_arena([policy("average-ris"), policy("normal-degree"), policy("average-score")], batch)[2].episodes
    np.testing.assert_array_equal(alone, in_company)


def test_noise_does_not_depend_on_the_batch():
    """Instance 1 is the same alone or among others, whatever the padding."""
    few, many = small_batch(count=2), small_batch(count=6)
    one, same = (play(policy("average-score"), batch).rewards[1] for batch in (few, many))
    np.testing.assert_array_equal(one, same)


def test_edges_fire_alike_whoever_seeds():
    """Seeding everybody, or all but one at the same edge, meets the same coins."""
    ring = load_network((np.arange(8), (np.arange(8) + 1) % 8, np.full(8, 0.5)))
    problem, instance = Influence(), make_instance(ring, 2, 8)
    noise = problem.draw_noise(instance, 2, jax.random.key(0))
    fires = np.asarray(noise.fires)[np.asarray(instance.graph.edge_mask)]
    senders = np.asarray(instance.graph.senders)[: len(fires)]
    for seed in range(8):
        state = problem.pick(instance, problem.reset(instance), jnp.int32(seed))
        _, reward = problem.end_day(instance, state, noise)
        assert reward == 1 + fires[senders == seed].sum()


def test_own_data_share_one_instance_and_agree_with_copies():
    """One network for all episodes takes another path through the code, to the same numbers."""
    network = load_network((np.arange(9), np.arange(9) + 1, np.full(9, 0.6)))
    instances = spec_of("aim").instances(spec_of("aim").settings(days=3, budget=4), 0, 5, network)
    assert all(instance is instances[0] for instance in instances)
    shared = make_batch(Influence(), instances, 0)
    copies = make_batch(Influence(), [jax.tree.map(jnp.copy, i) for i in instances], 0)
    assert (shared.shared, copies.shared) == (True, False)
    for name in ("average-lookahead", "average-random"):
        np.testing.assert_array_equal(
            play(policy(name, "aim"), shared).rewards, play(policy(name, "aim"), copies).rewards
        )
    rewards = play(policy("average-ris"), shared).rewards
    assert len(np.unique(rewards.sum(axis=1))) > 1


def test_horizons_may_differ_within_a_batch():
    short, long = (Task.of("aim", nodes=20, days=days, budget=4).instances(0, 1)[0] for days in (2, 4))
    played = play(policy("average-degree"), make_batch(Influence(), [short, long], 0))
    assert played.rewards[0, 2:].tolist() == [0, 0]
    assert played.num_picks[0].tolist() == [2, 2, 0, 0]
    assert played.num_picks[1].tolist() == [1, 1, 1, 1]


def test_first_days_counts_the_first_days_only():
    batch = small_batch()
    row = run_arena([policy("normal-degree")], batch, first_days=1)[0]
    assert row.score.mean == pytest.approx(row.reward_by_day[0])


def test_json_has_what_is_promised(tmp_path):
    file = tmp_path / "out.json"
    settings = EvaluateSettings(policies="exact,average-lookahead", instances=3, seed=5, json=file)
    evaluate(prepare(settings, Task.of("aim", nodes=6, budget=2, days=2, degree=3.0)))
    written = json.loads(file.read_text())
    assert {name: written["settings"][name] for name in ("problem", "policies", "seed", "graph", "undirected")} == {
        "problem": "aim",
        "policies": "exact,average-lookahead",
        "seed": 5,
        "graph": None,
        "undirected": False,
    }
    instance = written["settings"]["instance"]
    assert (instance["nodes"], instance["days"], instance["budget"], instance["drawn"]["degree"]) == (6, 2, 2, 3.0)
    assert Task.of(written["settings"]["problem"], **instance).settings.drawn.degree == 3.0
    assert str(tmp_path) not in file.read_text()
    assert {"commit", "lmta", "cpu", "cores", "jax"} <= set(written["provenance"])
    first, second = written["rows"]
    assert first["policy"] == "exact"
    assert {"difference", "difference_sem", "paired_p"} <= second.keys()
    assert second["n"] == len(second["episodes"]) == 3
    assert len(second["budget_by_day"]) == 2
    assert second["mean"] == pytest.approx(np.mean(second["episodes"]))
    assert second["decision_ms_p95"] >= second["decision_ms_median"] > 0
    assert 0 < first["optimum"] <= 6
    assert list(tmp_path.iterdir()) == [file]


def test_futures_play_an_instance_again_with_other_noise():
    settings = EvaluateSettings(policies="exact", instances=2, futures=50)
    prepared = prepare(settings, Task.of("aim", nodes=6, days=2, budget=1))
    assert prepared.batch.size == 100
    assert len({id(instance) for instance in prepared.batch.instances}) == 2
    row = evaluate(prepared)[0]
    first = row.episodes[:50]
    assert len(np.unique(first)) > 1
    assert row.optimum is not None
    assert abs(row.score.mean - row.optimum) < 4 * row.score.sem


def test_decisions_are_timed_on_days_with_a_budget():
    row = run_arena([policy("normal-degree")], small_batch())[0]
    assert len(row.decision_ms) == 4


def test_the_table_names_every_policy():
    rows = run_arena([policy("greedy"), policy("even-insertion")], small_batch("sop"))
    table = arena_table(rows, "title")
    assert list(table.columns[0].cells) == ["greedy", "even-insertion"]
    assert table.row_count == 2


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"policies": " , "}, "policies: none given; name at least one, such as average-score"),
        ({"policies": "average-dgree"}, "did you mean 'average-degree'"),
        ({"policies": "greedy"}, "policy 'greedy' is not known"),
        ({"policies": "lmta:sop"}, "lmta:sop plays sop, not aim"),
        ({"instances": 0}, "instances: 0 given"),
        ({"seed": -1}, "seed: -1 given"),
        ({"seed": 2**32}, "seed: 4294967296 given, it must be less"),
        ({"futures": 0}, "futures: 0 given"),
        ({"first_days": 0}, "first-days: 0 given"),
        ({"first_days": 11}, "first-days: 11 given, but there are only 10 days"),
        ({"simulations": 5}, "simulations: has no effect here"),
        ({"simulations": 5, "policies": "lmta:aim"}, "simulations: has no effect here"),
        ({"rollouts": 7, "policies": "lmta:aim@5"}, "rollouts: lmta:aim@5 says already how much it thinks"),
        ({"think": 7.0, "policies": "degree,lmta:aim@2s"}, "think: lmta:aim@2s says already how much it thinks"),
    ],
)
def test_settings_without_sense_are_refused(settings, message):
    with pytest.raises(InputError, match=message):
        prepare(EvaluateSettings(**{"policies": "average-degree"} | settings), Task.of("aim"))


@pytest.mark.parametrize(
    ("task", "message"),
    [
        ({"undirected": True}, "undirected: has no effect here"),
        ({"days": 10_001}, "days: 10001 given, at most 10,000"),
        ({"nodes": 1}, "nodes: 1 given"),
        ({"days": 0}, "days: 0 given"),
        ({"nodes": 10, "budget": 11}, "budget: 11 given, but there are only 10 nodes"),
        ({"degree": 0.0}, "degree: 0 given"),
        ({"generator": "rings"}, "generator: 'rings' is not known to aim"),
        ({"own": "friends.csv", "nodes": 9}, "nodes: has no effect here"),
        ({"own": "friends.csv", "degree": 9.0}, "degree: has no effect here"),
    ],
)
def test_tasks_without_sense_are_refused(task, message):
    with pytest.raises(InputError, match=message):
        prepare(EvaluateSettings(policies="average-degree"), Task.of("aim", **task))


def test_the_adviser_plays_as_the_policy_it_stands_for():
    rows = run_arena([adviser("aim"), policy("adaptive-lookahead")], small_batch())
    assert [row.policy for row in rows] == ["lmta:aim", "adaptive-lookahead"]
    np.testing.assert_array_equal(rows[0].episodes, rows[1].episodes)
