"""Ceilings of influence: by hand where edges are certain; on tiny networks not even the optimum is above."""

import jax
import numpy as np
import pytest

from lmta.arena.bound import BoundSettings, bound, bounds_of
from lmta.arena.play import play
from lmta.policies.registry import policy
from lmta.problems.batch import make_batch
from lmta.problems.influence.bound import expected_spread, no_end_of_days, upper_bound
from lmta.problems.influence.importer import Network
from lmta.problems.influence.rules import InfluenceNoise, make_instance
from lmta.problems.influence.sampling import ReverseReachable
from lmta.problems.task import Task


def network(senders, receivers, probability, nodes):
    return Network(tuple(range(nodes)), np.array(senders), np.array(receivers), np.array(probability, float))


@pytest.fixture(scope="module")
def chains():
    """Of four, of three and of two nodes; every edge is certain."""
    return network([0, 1, 2, 4, 5, 7], [1, 2, 3, 5, 6, 8], [1] * 6, 9)


@pytest.mark.parametrize(("budget", "reached", "bounded"), [(1, 4, 4 + 3), (2, 7, 7 + 2 + 1), (4, 9, 9)])
def test_certain_cascades_by_hand(chains, budget, reached, bounded):
    """Days do not count: the heads are seeded one after another. The bound is taken after 1, 2 and 3 seeds."""
    instance = make_instance(chains, days=1, budget=budget)
    everything = InfluenceNoise(np.ones(6, bool))
    assert no_end_of_days(instance, everything) == reached
    assert upper_bound(instance, everything) == pytest.approx(bounded, rel=0.02)


def test_spread_is_that_of_what_is_left(chains):
    edges = ReverseReachable().prepare(make_instance(chains, days=1, budget=1))
    status = np.array([0, 0, 2, 0, 0, 0, 0, 0, 0], np.int8)
    got = expected_spread(edges, status, seed=0)
    np.testing.assert_allclose(got, [2, 1, 0, 1, 3, 2, 1, 2, 1], rtol=0.05)
    assert expected_spread(edges, np.full(9, 2, np.int8), seed=0).tolist() == [0] * 9


def test_nobody_earns_more_on_tiny_networks_the_optimum_included():
    """120 episodes with the same noise: the optimum lies above neither ceiling by three standard errors."""
    task = Task.of("aim", nodes=7, days=4, budget=3)
    batch = make_batch(task.spec.problem, task.instances(5, 120), 5)
    best = play(policy("normal-exact", "aim"), batch).rewards.sum(axis=1)
    for name in ("upper-bound", "no-end-of-days"):
        above = best - np.array(bounds_of(task.spec, batch, name))
        assert above.mean() < 3 * above.std() / np.sqrt(120)
        assert abs(above.mean()) < 0.5 * best.mean()


def test_padding_is_nobody():
    task = Task.of("aim", nodes=7, days=4, budget=3)
    small, large = task.instances(5, 1)[0], Task.of("aim", nodes=12, days=4, budget=3).instances(0, 1)[0]
    padded = jax.tree.map(lambda leaf: leaf[0], task.spec.problem.stack([small, large]))
    everything = InfluenceNoise(np.ones(padded.graph.senders.shape, bool))
    of_small = InfluenceNoise(np.ones(small.graph.senders.shape, bool))
    assert no_end_of_days(padded, everything) == no_end_of_days(small, of_small) <= 7


def test_both_are_told():
    found = bound(BoundSettings(instances=2, seed=3), Task.of("aim", nodes=12, days=2, budget=2))
    assert found["upper-bound"].mean >= found["no-end-of-days"].mean >= 2
