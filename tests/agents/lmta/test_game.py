"""Rewards of single picks and of days, and advantages within groups, by hand."""

import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lmta.agents.lmta.game import leave_one_out, macro_reward
from lmta.agents.steps import pick_rewards

FORECASTS = jnp.array([[0.0, 2.0, 5.0], [1.0, 1.0, 1.0], [0.5, 0.5, 0.5], [0.0, 1.5, 0.0]])
NUM_PICKS = jnp.array([2, 0, 0, 1])
REWARD = jnp.array([6.0, 1.5, 0.5, 2.0])


def test_steps_by_hand():
    """Day 0 has two picks worth 2 and 3, day 3 one worth 1.5; days 1 and 2 fall to the last pick of day 0."""
    rewards = pick_rewards(NUM_PICKS, FORECASTS, REWARD)
    np.testing.assert_allclose(rewards, [[2, 3 + 1 + 1.5 + 0.5], [0, 0], [0, 0], [1.5 + 0.5, 0]])


def test_an_advantage_is_over_the_others_of_the_group():
    """Groups (4, 1, 1) and (2, 2, 5): the others' means are 1, 2.5, 2.5 and 3.5, 3.5, 2."""
    scores = jnp.array([4.0, 1.0, 1.0, 2.0, 2.0, 5.0])
    np.testing.assert_allclose(leave_one_out(scores, 3), [3.0, -1.5, -1.5, -1.5, -1.5, 3.0])
    np.testing.assert_array_equal(leave_one_out(scores, 1), 0.0)


def test_macro_reward_by_hand():
    """2 + γ·3, and the one that remains falls to the second pick."""
    got = macro_reward(NUM_PICKS[0], FORECASTS[0], REWARD[0], 0.9)
    assert float(got) == pytest.approx(2 + 0.9 * 3 + 0.9 * 1)
    assert float(macro_reward(NUM_PICKS[1], FORECASTS[1], REWARD[1], 0.9)) == pytest.approx(1.5)
    assert float(macro_reward(NUM_PICKS[0], FORECASTS[0], REWARD[0], 1.0)) == 6  # the day's own reward


def test_without_forecasts_the_whole_day_falls_to_its_last_pick():
    """Days 1 and 2 again to the last pick of day 0."""
    rewards = pick_rewards(NUM_PICKS, jnp.zeros((4, 3)), REWARD)
    np.testing.assert_allclose(rewards, [[0, 6 + 1.5 + 0.5], [0, 0], [0, 0], [2, 0]])


DAYS = st.lists(st.tuples(st.integers(0, 2), st.floats(-5, 5)), min_size=4, max_size=4)


@given(DAYS, st.lists(st.floats(-5, 5), min_size=12, max_size=12))
def test_rewards_add_up_to_the_score_from_the_first_pick_on(days, forecasts):
    counts, rewards = jnp.array([c for c, _ in days]), jnp.array([r for _, r in days])
    of_picks = pick_rewards(counts, jnp.array(forecasts).reshape(4, 3), rewards)
    first = next((day for day, (count, _) in enumerate(days) if count), 4)
    assert float(of_picks.sum()) == pytest.approx(float(rewards[first:].sum()), abs=1e-4)
