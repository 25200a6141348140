"""Search on a world small enough to solve by hand.

The latent is one number, the position. Subgoal 0 earns 1 at once and leads to a place where nothing is earned;
subgoal 1 earns nothing at once and leads to a place where every subgoal earns 3.
"""

from dataclasses import replace

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from lmta.config import SearchConfig
from lmta.nn.categorical import squash
from lmta.search.planner import plan

START, NOTHING, RICH = 0.0, 1.0, 2.0


class World(eqx.Module):
    """Stands in for the high level, with an exact model and no idea of values."""

    value: float = 0.0

    def prediction(self, h):
        return jnp.zeros(2), squash(jnp.float32(self.value))

    def step(self, h, subgoal):
        at_start = h[0] == START
        place = jnp.where(at_start, jnp.where(subgoal == 0, NOTHING, RICH), h[0])
        reward = jnp.where(at_start, jnp.where(subgoal == 0, 1.0, 0.0), jnp.where(h[0] == RICH, 3.0, 0.0))
        return place[None], reward[None]

    def reward(self, logits):
        return logits[0]


def search(left, config, world=World(), explore=False, key=jax.random.key(0)):  # noqa: B008
    """Plans from the start, for each number of decisions left."""

    def one(left):
        latent = jnp.full(1, START)
        return plan(world, config, latent, left, key, max_depth=4, explore=explore)  # pyright: ignore

    return jax.vmap(one)(jnp.array(left))


@pytest.mark.parametrize("planner", ["puct", "gumbel"])
def test_search_sees_past_the_first_reward_but_not_past_the_horizon(planner):
    config = SearchConfig(planner=planner, simulations=60, discount=1.0)
    found = search([1, 2], config)
    assert found.subgoal.tolist() == [0, 1]
    np.testing.assert_allclose(found.subgoal_values[0], [1, 0], atol=1e-5)
    assert float(found.subgoal_values[1, 0]) == pytest.approx(1, abs=1e-5)
    assert 2 < float(found.subgoal_values[1, 1]) <= 3
    np.testing.assert_allclose(found.policy.sum(axis=1), 1, rtol=1e-5)


def test_values_past_the_horizon_do_not_count():
    """A prediction of 100 everywhere is worth nothing once no decision is left."""
    found = search([1], SearchConfig(simulations=40, discount=1.0), World(value=100.0))
    np.testing.assert_allclose(found.subgoal_values[0], [1, 0], atol=1e-4)


def test_the_discount_is_that_of_decisions():
    """With γ = 0.3, waiting is worth 0.3 · 3 < 1."""
    found = search([2], SearchConfig(simulations=80, discount=0.3))
    assert found.subgoal.tolist() == [0]


@pytest.mark.parametrize("config", [SearchConfig(planner="model-free"), SearchConfig(simulations=0)])
def test_without_search_the_prior_decides(config):
    found = search([2], config)
    np.testing.assert_allclose(found.policy, [[0.5, 0.5]])
    assert found.value.tolist() == [0]


class Alike(World):
    """Both subgoals earn 10, subgoal 1 a hundredth more."""

    def step(self, h, subgoal):
        return jnp.full(1, NOTHING), jnp.where(h[0] == START, 10 + 0.01 * subgoal, 0.0)[None]


@pytest.mark.parametrize("planner", ["puct", "gumbel"])
def test_a_difference_that_is_small_beside_the_values_hardly_moves_the_policy(planner):
    """A thousandth of the range of values in the tree; among siblings alone it would be the whole range,
    and give the better subgoal 0.7 and more."""
    found = search([3], SearchConfig(planner, simulations=60, discount=1.0, c_init=0.5), Alike())
    assert 0.45 < float(found.policy[0, 1]) < 0.55


def test_exploration_draws_from_the_visits():
    config = replace(SearchConfig(simulations=30), discount=1.0)
    keys = jax.random.split(jax.random.key(1), 12)
    drawn = {int(search([1], config, explore=True, key=key).subgoal[0]) for key in keys}
    assert drawn == {0, 1}
