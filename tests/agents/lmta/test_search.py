"""Search on a world small enough to solve by hand.

The latent is one number, the position. Subgoal 0 earns 1 at once and leads to a place where nothing is earned;
subgoal 1 earns nothing at once and leads to a place where every subgoal earns 3.
"""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from lmta.agents.lmta.search import ChanceBudgets, choose_by_q, plan
from lmta.agents.lmta.settings import SearchSettings
from lmta.nn.categorical import squash

START, NOTHING, RICH = 0.0, 1.0, 2.0


class World(eqx.Module):
    """Stands in for the high level, with an exact model and no idea of values."""

    value: float = 0.0
    subgoals: jax.Array = eqx.field(default_factory=lambda: jnp.arange(2.0))

    def predict(self, h):
        return jnp.zeros(2), squash(jnp.float32(self.value))

    def step(self, h, z):
        at_start = h[0] == START
        place = jnp.where(at_start, jnp.where(z == 0, NOTHING, RICH), h[0])
        reward = jnp.where(at_start, jnp.where(z == 0, 1.0, 0.0), jnp.where(h[0] == RICH, 3.0, 0.0))
        return place[None], reward[None]

    def reward(self, logits):
        return logits[0]


def search(left, settings, world=None, explore=False, key=0):
    """Plans from the start, for each number of decisions left."""
    world = World() if world is None else world

    def one(left):
        start = jnp.full(1, START)
        return plan(world, settings, start, left, jax.random.key(key), max_depth=4, explore=explore)

    return jax.vmap(one)(jnp.array(left))


def test_search_sees_past_the_first_reward_but_not_past_the_horizon():
    found = search([1, 2], SearchSettings(simulations=60, discount=1.0))
    assert found.subgoal.tolist() == [0, 1]
    np.testing.assert_allclose(found.subgoal_values[0], [1, 0], atol=1e-5)
    assert float(found.subgoal_values[1, 0]) == pytest.approx(1, abs=1e-5)
    assert 2 < float(found.subgoal_values[1, 1]) <= 3
    np.testing.assert_allclose(found.policy.sum(axis=1), 1, rtol=1e-5)


class Leaning(World):
    """The prior prefers subgoal 0 a little."""

    def predict(self, h):
        return jnp.log(jnp.array([0.6, 0.4])), squash(jnp.float32(0.0))


@pytest.mark.parametrize(
    ("simulations", "visits", "value"), [(1, [1, 0], 1 / 2), (3, [2, 1], 2 / 4), (4, [3, 1], 3 / 5)]
)
def test_the_first_simulations_by_hand(simulations, visits, value):
    """Two decisions left, γ = 1, no values known.

    The first goes to subgoal 0, which the prior prefers: 1. The next looks on from there and finds nothing more. In the
    third subgoal 1 has the better chance: its first step earns 0. The fourth is back at subgoal 0. The root is worth
    the mean of its own 0 and what the simulations found.
    """
    found = search([2], SearchSettings(simulations=simulations, discount=1.0), Leaning())
    np.testing.assert_allclose(found.policy[0], np.array(visits) / simulations, rtol=1e-6)
    assert float(found.value[0]) == pytest.approx(value, rel=1e-6)
    untried = value if visits[1] == 0 else 0.0
    np.testing.assert_allclose(found.subgoal_values[0], [1.0, untried], atol=1e-6)


def test_values_past_the_horizon_do_not_count():
    """A prediction of 100 everywhere is worth nothing once no decision is left."""
    found = search([1], SearchSettings(simulations=40, discount=1.0), World(value=100.0))
    np.testing.assert_allclose(found.subgoal_values[0], [1, 0], atol=1e-4)


def test_the_discount_is_that_of_decisions():
    """With γ = 0.3, waiting is worth 0.3 · 3 < 1."""
    found = search([2], SearchSettings(simulations=80, discount=0.3))
    assert found.subgoal.tolist() == [0]


def test_without_simulations_the_prior_decides():
    found = search([2], SearchSettings(simulations=0))
    np.testing.assert_allclose(found.policy, [[0.5, 0.5]])
    assert found.value.tolist() == [0]


class Alike(World):
    """Both subgoals earn 10, subgoal 1 a hundredth more."""

    def step(self, h, z):
        return jnp.full(1, NOTHING), jnp.where(h[0] == START, 10 + 0.01 * z, 0.0)[None]


def test_a_difference_that_is_small_beside_the_values_hardly_moves_the_policy():
    """A thousandth of the range of values in the tree; among siblings alone it would be the whole range,
    and give the better subgoal 0.7 and more."""
    found = search([3], SearchSettings(simulations=60, discount=1.0, c_init=0.5), Alike())
    assert 0.45 < float(found.policy[0, 1]) < 0.55


def test_exploration_draws_from_the_tempered_visits():
    """400 draws, within four standard deviations of the share of subgoal 1."""
    settings = SearchSettings(simulations=30, discount=1.0, temperature=2.0, dirichlet_mix=0.0)
    draw = lambda key: plan(World(), settings, jnp.zeros(1), jnp.int32(1), key, max_depth=4, explore=True)  # noqa: E731
    found = jax.jit(jax.vmap(draw))(jax.random.split(jax.random.key(0), 400))
    share = float(found.policy[0, 1])
    assert 0.05 < share < 0.5
    assert abs(float(found.subgoal.mean()) - share) < 4 * np.sqrt(share * (1 - share) / 400)


@pytest.mark.parametrize("temperature", [0.5, 2.0])
def test_the_target_of_the_prior_is_tempered_like_the_choice(temperature):
    """π ∝ N^(1/T) when exploring, with the visits of a search without noise at the root; plain shares otherwise."""
    settings = SearchSettings(simulations=30, discount=1.0, temperature=temperature, dirichlet_mix=0.0)
    shares = search([1], settings).policy[0]
    assert 0.5 < float(shares[0]) < 1
    wanted = shares ** (1 / temperature)
    np.testing.assert_allclose(search([1], settings, explore=True).policy[0], wanted / wanted.sum(), rtol=1e-5)


def test_variant_f_takes_the_highest_q():
    values = jnp.array([1.0, 4.0, 2.0])
    found = choose_by_q(values, 0.0, jax.random.key(0))
    assert (int(found.subgoal), float(found.value), found.policy.tolist()) == (1, 4, [0, 1, 0])
    anyone = {int(choose_by_q(values, 1.0, jax.random.key(n)).subgoal) for n in range(20)}
    assert anyone == {0, 1, 2}
    assert int(choose_by_q(values, 1.0, None).subgoal) == 1


class Spender(World):
    """Earns what is spent: subgoal 0 spends 1, subgoal 1 nothing or 4, one as likely as the other, if it is left."""

    def budgets(self, h, subgoal, left, days_left, most=None):
        wanted = jnp.where(subgoal == 0, jnp.array([0, 1, 0, 0, 0]), jnp.array([1, 0, 0, 0, 1]))
        can = wanted * (jnp.arange(5) <= left)
        return jnp.log(jnp.where(can.any(), can, jnp.arange(5) == 0)), jnp.zeros(())

    def step(self, h, z, budget=None):
        assert budget is not None
        return h, jnp.float32(budget)[None]


def spend(left, samples, simulations, decisions=1):
    """A search with chance budgets, and the values it finds."""
    chance = ChanceBudgets(jnp.int32(left), samples, 4)
    settings = SearchSettings(simulations=simulations, discount=1.0)
    key = jax.random.key(0)
    return plan(Spender(), settings, jnp.zeros(1), jnp.int32(decisions), key, max_depth=4, explore=False, chance=chance)


def test_budgets_as_chance_variables_are_drawn_from_their_policy():
    """A hundred budgets of 0 or 4: 2 in the mean, within four standard errors of 2/√100; the sure budget is worth 1."""
    found = spend(left=4, samples=100, simulations=250)
    assert float(found.subgoal_values[0]) == pytest.approx(1, rel=1e-5)
    assert float(found.subgoal_values[1]) == pytest.approx(2, abs=4 * 2 / np.sqrt(100))
    assert int(found.subgoal) == 1


def test_a_budget_that_was_drawn_is_gone():
    """With 1 left there is nothing to spend on the second day once it is spent on the first."""
    found = spend(left=1, samples=1, simulations=40, decisions=3)
    np.testing.assert_allclose(found.subgoal_values[0], 1, rtol=1e-5)
    assert float(found.subgoal_values[1]) <= 1 + 1e-5


def test_one_sample_is_one_branch():
    """Each subgoal is worth exactly what its one budget earns, however often it is tried."""
    found = spend(left=4, samples=1, simulations=20)
    assert float(found.subgoal_values[0]) == pytest.approx(1, rel=1e-5)
    assert float(found.subgoal_values[1]) in (pytest.approx(0, abs=1e-5), pytest.approx(4, rel=1e-5))
