"""The Gymnasium view passes Gymnasium's own check, and rewards add up to the score."""

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import lmta  # noqa: F401  (registers the environments)

SMALL = {"nodes": 30, "days": 3, "budget": 6}
ENVIRONMENTS = ["lmta/AIM-v0", "lmta/SOP-v0", "lmta/Power2500-v0"]


def play(env, seed, *, legal_only=True):
    rng = np.random.default_rng(seed)
    _, info = env.reset(seed=seed)
    total, picks, steps = 0.0, 0, 0
    while True:
        mask = info["action_mask"]
        action = int(rng.choice(np.flatnonzero(mask))) if legal_only else int(rng.choice(np.flatnonzero(mask == 0)))
        _, reward, terminated, truncated, info = env.step(action)
        total, steps = total + reward, steps + 1
        picks += action < len(mask) - 1
        if terminated or truncated:
            return total, picks, steps, truncated


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


def test_pictures_show_what_changes():
    env = gymnasium.make("lmta/AIM-v0", render_mode="rgb_array", **SMALL)
    env.reset(seed=0)
    before = np.asarray(env.render())
    env.step(4)
    after = np.asarray(env.render())
    assert before.shape == (600, 600, 3)
    assert before.dtype == np.uint8
    assert (before != after).any()
