"""Search over primitive actions in a model made by hand: it finds what is better, and keeps to what is legal."""

from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from lmta.agents.flat_muzero import search as flat
from lmta.agents.flat_muzero.settings import SearchSettings as FlatSettings
from lmta.agents.muzero.networks import Place, Scene
from lmta.agents.sampled_muzero import search as sampled
from lmta.agents.sampled_muzero.settings import SearchSettings as SampledSettings
from lmta.nn.q_learning import MASKED

NODES = 6


class HandMade(NamedTuple):
    """Rewards by action, on the first day alone; nothing is worth anything besides. The prior is even."""

    rewards: jnp.ndarray
    later: jnp.ndarray = jnp.zeros(NODES + 1)
    """What a second pick earns after each first one, whatever it is."""

    def policy(self, scene, place):
        return jnp.append(jnp.where(place.open(scene), 0.0, MASKED), 0.0)

    def step(self, scene, place, action):
        ends = action == NODES
        first = ~place.picked.any()
        reward = jnp.where(place.same_day, jnp.where(first, self.rewards[action], place.latent[0]), 0.0)
        after = Place(
            latent=self.later[action][None],
            days_left=place.days_left - ends,
            budget_left=place.budget_left - ~ends,
            picked=place.picked.at[action].set(True, mode="drop"),
            same_day=place.same_day & ~ends,
        )
        return after, reward

    def expected_reward(self, reward):
        return reward

    def expected_value(self, scene, place):
        return jnp.where(place.same_day & place.picked.any(), place.latent[0], 0.0)


def root(legal=(True,) * NODES, budget=2):
    legal = jnp.array(legal)
    blank = jnp.zeros((NODES, 1))
    scene = Scene(blank, blank, legal, jnp.ones(NODES, bool), jnp.int32(2), jnp.int32(budget))
    place = Place(jnp.zeros(1), jnp.int32(2), jnp.int32(budget), jnp.zeros(NODES, bool), jnp.array(True))
    return scene, place


SEARCHES = {
    "gumbel": (flat.search, FlatSettings(simulations=16, considered=7)),
    "puct": (flat.search, FlatSettings(simulations=50, planner="puct", c_init=9.0)),
    "sampled": (sampled.search, SampledSettings(simulations=30, samples=7)),
}


@pytest.fixture(params=SEARCHES, scope="module")
def find(request):
    search, settings = SEARCHES[request.param]
    return jax.jit(
        lambda model, scene, place, key, explore: search(model, settings, 1.0, scene, place, key, explore=explore),
        static_argnums=4,
    )


def test_the_better_action_is_found(find):
    found = find(HandMade(jnp.array([1.0, 2, 5, 2, 1, 0, 0])), *root(), jax.random.key(0), False)
    assert int(found.action) == 2
    assert float(found.action_value) == pytest.approx(5, abs=1e-5)
    assert float(found.policy.sum()) == pytest.approx(1, abs=1e-5)
    best = found.policy.argmax() if found.actions is None else found.actions[found.policy.argmax()]
    assert int(best) == 2


def test_search_sees_further_than_the_next_reward(find):
    """The first action earns less at once and more later."""
    model = HandMade(jnp.array([1.0, 3, 0, 0, 0, 0, 0]), jnp.array([6.0, 0, 0, 0, 0, 0, 0]))
    found = find(model, *root(budget=1), jax.random.key(1), False)
    assert int(found.action) == 0
    assert float(found.action_value) >= 6


def test_only_legal_actions_are_chosen_and_taught(find):
    """The best two are illegal; the end of the day always is legal."""
    scene, place = root(legal=(False, True, False, True, False, False))
    model = HandMade(jnp.array([9.0, 1, 9, 2, 0, 0, 0]))
    legal = {1, 3, NODES}
    for seed in range(8):
        found = find(model, scene, place, jax.random.key(seed), True)
        assert int(found.action) in legal
        names = np.arange(NODES + 1) if found.actions is None else np.asarray(found.actions)
        assert set(names[np.asarray(found.policy) > 0].tolist()) <= legal
    assert int(find(model, scene, place, jax.random.key(0), False).action) == 3


def test_without_budget_the_day_ends(find):
    found = find(HandMade(jnp.ones(NODES + 1)), *root(budget=0), jax.random.key(0), True)
    assert int(found.action) == NODES


def test_every_sample_is_tried_before_any_is_tried_twice():
    """With as many simulations as samples each has one visit, whatever it is worth; one more goes to the best."""
    model, (scene, place) = HandMade(jnp.array([9.0, 1, 1, 1, 1, 1, 1])), root()
    for simulations, shares in ((7, np.full(7, 1 / 7)), (8, [1, 0, 0, 0, 0, 0, 0])):
        settings = SampledSettings(simulations=simulations, samples=7)
        search = partial(sampled.search, model, settings, 1.0, explore=False)
        found = jax.jit(search)(scene, place, jax.random.key(0))
        by_action = np.zeros(7)
        by_action[np.asarray(found.actions)] = found.policy
        np.testing.assert_allclose(by_action, shares, atol=1e-6)


@pytest.mark.parametrize(
    ("visits", "policy"),
    [([3, 1, 2], [2 / 3, 0, 1 / 3]), ([1, 1, 1], [1 / 3, 1 / 3, 1 / 3]), ([1, 1, 0], [0.5, 0.5, 0])],
)
def test_visits_that_are_owed_do_not_count(visits, policy):
    np.testing.assert_allclose(sampled.policy_of(jnp.array(visits, jnp.float32)), policy)


def test_more_samples_than_actions_are_all_actions():
    settings = SampledSettings(simulations=10, samples=99)
    model, (scene, place) = HandMade(jnp.array([1.0, 2, 5, 2, 1, 0, 0])), root()
    actions, prior = sampled.sample(model, settings, scene, place, jax.random.key(0))
    assert sorted(np.asarray(actions).tolist()) == list(range(NODES + 1))
    np.testing.assert_allclose(jax.nn.softmax(prior), 1 / 7, rtol=1e-5)
