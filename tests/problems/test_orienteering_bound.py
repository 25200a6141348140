"""The upper bound of orienteering: hand-computed options, brute force for assignments, and no policy above it."""

from dataclasses import replace
from itertools import product

import jax
import numpy as np
import pytest

from lmta.arena.bound import BoundSettings, bound, bounds_of
from lmta.arena.play import play
from lmta.policies.registry import policy
from lmta.problems.batch import make_batch, unstack
from lmta.problems.orienteering.bound import best_assignment, expected_option, profits_by_day, upper_bound
from lmta.problems.task import Task
from lmta.types import InputError


def test_an_option_far_above_its_price_is_worth_the_difference_and_far_below_nothing():
    """At the price it is worth a quarter of the drift: half of the time U(0, drift)."""
    got = expected_option(np.array([0.9, 0.6, 0.5, 0.4, 0.1]), 0.5, 0.1)
    np.testing.assert_allclose(got, [0.4, 0.1, 0.025, 0.0, 0.0], atol=1e-12)
    np.testing.assert_allclose(expected_option(np.array([0.7, 0.3]), 0.5, 0.0), [0.2, 0.0])


@pytest.mark.parametrize("budget", [1, 2, 4])
@pytest.mark.parametrize("crowding", [0.0, 0.1])
def test_the_assignment_is_the_best_of_all(budget, crowding):
    """Four cities, each on one of three days or never: 256 assignments."""
    for seed in range(5):
        worth = np.random.default_rng(seed).uniform(-0.2, 1.0, (3, 4))
        best = -np.inf
        for days in product((-1, 0, 1, 2), repeat=4):
            chosen = [(day, city) for city, day in enumerate(days) if day >= 0]
            counts = [sum(day == d for day, _ in chosen) for d in range(3)]
            if len(chosen) <= budget:
                costs = sum(crowding * (count - 1) ** 2 for count in counts if count > 0)
                best = max(best, sum(worth[at] for at in chosen) - costs)
        assert best_assignment(worth, crowding, budget) == pytest.approx(best)


@pytest.fixture(scope="module")
def task():
    return Task.of("sop", nodes=12, days=4, budget=6, limit=2.0, drift=0.3)


def test_without_drift_it_is_the_best_assignment(task):
    instance = Task.of("sop", nodes=12, days=4, budget=6, drift=0.0).instances(3, 1)[0]
    noise = task.spec.problem.draw_noise(instance, 4, jax.random.key(0))
    worth = np.tile(np.asarray(instance.profit)[1:], (4, 1))
    assert upper_bound(instance, noise) == pytest.approx(best_assignment(worth, 0.1, 6), abs=1e-5)


def test_no_policy_earns_more_but_hindsight_would(task):
    """200 episodes with the same noise: no policy lies above by three standard errors, hindsight at no charge does."""
    batch = make_batch(task.spec.problem, task.instances(5, 200), 5)
    bounds = np.array(bounds_of(task.spec, batch))
    for name in ("even-greedy", "even-insertion"):
        above = play(policy(name, "sop"), batch).rewards.sum(axis=1) - bounds
        assert above.mean() < 3 * above.std() / np.sqrt(200)
        assert abs(above.mean()) < 0.25 * bounds.mean()
    profits = [profits_by_day(*given) for given in zip(batch.instances, unstack(batch.noise, 200), strict=True)]
    above = np.array([best_assignment(profit, 0.1, 6) for profit in profits]) - bounds
    assert above.mean() > 3 * above.std() / np.sqrt(200)


def test_padding_is_no_city(task):
    small = task.instances(5, 1)[0]
    padded = task.spec.problem.stack([small, *Task.of("sop", nodes=20, days=4, budget=6).instances(0, 1)])
    padded = jax.tree.map(lambda leaf: leaf[0], padded)
    noise = task.spec.problem.draw_noise(padded, 4, jax.random.key(1))
    cut = jax.tree.map(lambda leaf: leaf[:, :12], noise)
    assert upper_bound(padded, noise) == pytest.approx(upper_bound(small, cut))


def test_the_mean_is_told(task):
    found = bound(BoundSettings(instances=3, seed=5), task)
    batch = make_batch(task.spec.problem, task.instances(5, 3), 5)
    assert found["upper-bound"].mean == pytest.approx(np.mean(bounds_of(task.spec, batch)))
    assert list(found) == ["upper-bound"]


def test_a_problem_without_a_bound_says_so(task):
    unknown = replace(task, spec=replace(task.spec, ceilings={}))
    with pytest.raises(InputError, match="no upper bound is known of sop"):
        bound(BoundSettings(), unknown)
