"""The Gymnasium view passes Gymnasium's own check, stays within its spaces, and rewards add up to the score."""

from dataclasses import replace

import equinox as eqx
import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from lmta.problems import environments, gym
from lmta.problems.influence.rules import Influence
from lmta.problems.registry import spec_of, specs
from lmta.types import InputError

SMALL = {"nodes": 30, "days": 3, "budget": 6}
ENVIRONMENTS = ["lmta/AIM-v0", "lmta/SOP-v0", "lmta/Power2500-v0"]


def play(env, seed, *, legal_only=True, end_day=True):
    """A random episode: (sum of rewards, picks, steps, whether it was truncated)."""
    rng = np.random.default_rng(seed)
    observation, info = env.reset(seed=seed)
    assert env.observation_space.contains(observation)
    total, picks, steps = 0.0, 0, 0
    while True:
        mask = info["action_mask"].copy()
        if not end_day and mask[:-1].any():
            mask[-1] = 0
        action = int(rng.choice(np.flatnonzero(mask))) if legal_only else int(rng.choice(np.flatnonzero(mask == 0)))
        observation, reward, terminated, truncated, info = env.step(action)
        assert env.observation_space.contains(observation)
        total, steps = total + reward, steps + 1
        picks += action < len(mask) - 1
        if terminated or truncated:
            return total, picks, steps, truncated


def test_every_problem_has_an_environment():
    assert set(environments.environment_ids()) == set(specs())
    assert set(ENVIRONMENTS) <= set(environments.environment_ids().values()) <= set(gymnasium.registry)


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_check_env(name):
    env = gymnasium.make(name, render_mode="rgb_array", **SMALL)
    check_env(env.unwrapped)


@pytest.mark.parametrize("name", ENVIRONMENTS[:2])
def test_a_masked_agent_earns_what_the_state_says(name):
    env = gymnasium.make(name, **SMALL)
    for seed in range(5):
        total, picks, steps, truncated = play(env, seed)
        inner = env.unwrapped
        assert not truncated
        assert steps == picks + 3
        if name == "lmta/AIM-v0":
            assert total == pytest.approx((np.asarray(inner.state.status) != 0).sum(), abs=1e-3)
        else:
            assert np.asarray(inner.state.visited).sum() == picks + 1


@pytest.mark.parametrize("features", spec_of("sop").features)
def test_observations_stay_within_their_bounds_on_crowded_days(features):
    """Eleven visits on one day: what one more would cost by crowding is 0.1 · 21, beyond 1."""
    env = gymnasium.make("lmta/SOP-v0", features=features, nodes=15, days=2, budget=11, limit=20.0, drift=0.0)
    _, picks, steps, _ = play(env, 0, end_day=False)
    assert (picks, steps) == (11, 13)


def test_features_are_those_of_the_spec():
    plain, more = (gymnasium.make("lmta/AIM-v0", features=f, **SMALL) for f in ("plain", "lookahead"))
    assert plain.observation_space["nodes"].shape == (30, 3)
    assert more.observation_space["nodes"].shape == (30, 5)
    with pytest.raises(InputError, match="features: 'none' is not known; there are plain, lookahead"):
        gym.ProblemEnv("aim", features="none")
    with pytest.raises(InputError, match="limit: is no setting of aim"):
        gym.ProblemEnv("aim", limit=1.0)


class WithoutForecast(Influence):
    """Influence whose forecast nobody can ask for."""

    @property
    def forecast(self):
        raise AttributeError("forecast")

    def observe(self, instance, state):
        return eqx.tree_at(lambda seen: seen.gain, super().observe(instance, state), None)


def test_without_a_forecast_a_day_is_paid_at_its_end(monkeypatch):
    problem = WithoutForecast()
    spec = replace(spec_of("aim"), problem=problem, features={"plain": problem})
    monkeypatch.setattr(gym, "spec_of", lambda name: spec)
    env = gym.ProblemEnv(**SMALL)
    env.reset(seed=0)
    assert [env.step(node)[1] for node in (3, 4)] == [0.0, 0.0]
    reward = env.step(30)[1]
    assert reward >= 2
    assert reward == (np.asarray(env.state.status) != 0).sum()


def test_the_same_seed_gives_the_same_episode():
    first, second = (play(gymnasium.make("lmta/SOP-v0", **SMALL), seed=3) for _ in range(2))
    assert first == second
    assert play(gymnasium.make("lmta/SOP-v0", **SMALL), seed=4) != first


def test_illegal_actions_change_nothing_and_end_by_truncation():
    env = gymnasium.make("lmta/SOP-v0", **SMALL)
    total, _, steps, truncated = play(env, 0, legal_only=False)
    assert (total, steps, truncated) == (0.0, 9, True)


def test_the_mask_is_offered_as_sb3_contrib_asks_for_it():
    env = gymnasium.make("lmta/AIM-v0", **SMALL)
    _, info = env.reset(seed=0)
    masks = env.unwrapped.action_masks()
    assert masks.dtype == bool
    assert masks.tolist() == info["action_mask"].astype(bool).tolist()
    assert masks.shape == (31,)


@pytest.mark.parametrize("name", ENVIRONMENTS[:2])
def test_pictures_show_what_changes(name):
    env = gymnasium.make(name, render_mode="rgb_array", **SMALL)
    _, info = env.reset(seed=0)
    before = np.asarray(env.render())
    env.step(int(np.flatnonzero(info["action_mask"])[0]))
    after = np.asarray(env.render())
    assert before.shape == (600, 600, 3)
    assert before.dtype == np.uint8
    assert (before != after).any()
