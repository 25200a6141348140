"""Episodes as picks and ends of days, by hand: what every learner of primitive steps draws."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from tiny_runs import BUDGET, DAYS, tiny

from lmta.agents.settings import make_agent
from lmta.agents.steps import Played, count_steps, step_of
from lmta.training.run import draw_instances

SETTINGS = tiny("flat-dqn")
PROBLEM = make_agent(SETTINGS).problem
INSTANCE = jax.tree.map(lambda leaf: jnp.asarray(leaf)[0], draw_instances(SETTINGS, 0))
END = INSTANCE.graph.num_nodes
STEPS = 6


def game():
    """Two picks on the first day, none on the second, one on the last; chance does nothing."""
    state = PROBLEM.reset(INSTANCE)
    states = jax.tree.map(lambda leaf: jnp.stack([leaf] * (DAYS + 1)), state)
    states = eqx.tree_at(
        lambda s: (s.day, s.budget_left), states, (jnp.arange(DAYS + 1), jnp.array([BUDGET, 2, 2, 1], jnp.int32))
    )
    return Played(
        instance=INSTANCE,
        states=states,
        budget=jnp.array([3, 2, 1]),
        picks=jnp.array([[3, 5], [-1, -1], [7, -1]]),
        num_picks=jnp.array([2, 0, 1]),
        forecasts=jnp.array([[1.0, 3, 7], [2, 0, 0], [0, 5, 0]]),
        reward=jnp.array([8.0, 2.5, 6]),
    )


@pytest.mark.parametrize(
    ("number", "action", "reward", "picks_left", "next_day", "next_picks_left", "budget_left"),
    [
        (0, 3, 2.0, 3, 0, 2, 3),
        (1, 5, 4.0, 2, 0, 1, 2),
        (2, END, 2.0, 1, 1, 2, 2),
        (3, END, 2.5, 2, 2, 1, 2),
        (4, 7, 5.0, 1, 2, 0, 1),
        (5, END, 1.0, 0, 3, 1, 1),
    ],
)
def test_steps_by_hand(number, action, reward, picks_left, next_day, next_picks_left, budget_left):
    """Gains 2 and 4 of a day that earns 8; 2.5 of a day without picks; a gain of 5 of a day that earns 6."""
    assert int(count_steps(game())) == STEPS
    step = step_of(PROBLEM, game(), jnp.float32((number + 0.5) / STEPS))
    assert int(step.action) == action
    assert float(step.reward) == pytest.approx(reward)
    assert (int(step.picks_left), int(step.next_day)) == (picks_left, next_day)
    assert int(step.next_state.budget_left) == budget_left
    assert bool(step.goes_on) == (number < STEPS - 1)
    if bool(step.goes_on):
        assert int(step.next_picks_left) == next_picks_left


def test_rewards_of_all_steps_are_the_score():
    steps = [step_of(PROBLEM, game(), jnp.float32((number + 0.5) / STEPS)) for number in range(STEPS)]
    np.testing.assert_allclose(sum(float(step.reward) for step in steps), 16.5)
