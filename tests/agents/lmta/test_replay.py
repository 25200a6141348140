"""What is drawn from a game is what happened in it: a game of three days on three nodes, by hand.

Day 1: nodes 0 and 1 are seeded, as subgoal 2 with a budget of 3. Day 2: nothing. Day 3: node 2. The one edge, from 0 to
1, fires with probability ½; it never matters, since both are seeded on the same day.
"""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from tiny_runs import tiny

from lmta.agents.lmta.game import Game
from lmta.agents.lmta.replay import _transition, _unroll, sample_high, sample_low
from lmta.agents.presets import with_values
from lmta.agents.steps import returns_to_go
from lmta.nn.replay import add, make_ring
from lmta.problems.influence.importer import Network
from lmta.problems.influence.rules import Influence, make_instance

RULES = Influence()
PAPER = with_values(tiny(preset="paper").config, {"train.low_discount": 0.5, "search.discount": 0.8, "train.unroll": 2})
RETURNS = with_values(PAPER, {"departures.return_targets": 1})
DRAWS = (0.0, 0.4, 0.9)
"""The numbers that stand for the first, second and third of three."""


def make_game():
    ends = np.array([0], np.int32), np.array([1], np.int32)
    network = Network((0, 1, 2), *ends, np.array([0.5], np.float32))
    instance = jax.tree.map(jnp.asarray, make_instance(network, 3, 3))
    noise = jax.tree.map(jnp.zeros_like, RULES.draw_noise(instance, 3, jax.random.key(0)))
    picks, states, forecasts, rewards = [[0, 1], [], [2]], [RULES.reset(instance)], [], []
    for today in picks:
        state, expected = states[-1], [RULES.forecast(instance, states[-1])]
        for node in today:
            state = RULES.pick(instance, state, jnp.int32(node))
            expected.append(RULES.forecast(instance, state))
        state, reward = RULES.end_day(instance, state, noise)
        states.append(state)
        rewards.append(reward)
        forecasts.append([*expected, *[jnp.zeros(())] * (3 - len(expected))])
    return Game(
        instance=instance,
        states=jax.tree.map(lambda *leaves: jnp.stack(leaves), *states),
        subgoal=jnp.array([2, 0, 1]),
        budget=jnp.array([3, 0, 1]),
        budget_log_prob=jnp.log(jnp.array([0.2, 0.3, 0.4])),
        picks=jnp.array([[0, 1], [-1, -1], [2, -1]]),
        num_picks=jnp.array([2, 0, 1]),
        forecasts=jnp.array(forecasts),
        reward=jnp.stack(rewards),
        policy=jnp.eye(4)[jnp.array([2, 0, 1])],
        value=jnp.array([30.0, 20.0, 10.0]),
        teaches_budgets=jnp.array(True),
        teaches_values=jnp.array([False, True, True]),
        teaches_model=jnp.array(True),
        advantage=jnp.zeros(()),
    )


GAME = make_game()


def test_the_game_is_as_told():
    np.testing.assert_allclose(GAME.forecasts, [[0, 1.5, 2], [0, 0, 0], [0, 1, 0]])
    np.testing.assert_allclose(GAME.reward, [2, 0, 1])


@pytest.fixture(scope="module")
def steps():
    """The three picks of the game."""
    return jax.jit(jax.vmap(lambda draw: _transition(RULES, GAME, draw)))(jnp.array(DRAWS))


def test_a_pick_has_the_state_before_it_and_what_it_earned(steps):
    assert steps.node.tolist() == [0, 1, 2]
    assert steps.state.day.tolist() == [0, 0, 2]
    assert steps.state.status.tolist() == [[0, 0, 0], [1, 0, 0], [2, 2, 0]]
    assert steps.subgoal.tolist() == [2, 2, 1]
    assert steps.picks_left.tolist() == [3, 2, 1]
    np.testing.assert_allclose(steps.reward, [1.5, 0.5, 1.0])


def test_the_state_after_a_pick_is_that_of_the_next_day_where_it_was_the_last(steps):
    """The pairs of L_cap: a day without picks is not skipped, and the last pick leads to the end."""
    assert steps.after.day.tolist() == [0, 1, 3]
    assert steps.after.status.tolist() == [[1, 0, 0], [2, 2, 0], [2, 2, 2]]


def test_the_low_level_bootstraps_from_the_next_pick_on_whichever_day(steps):
    assert steps.next_state.day.tolist() == [0, 2, 3]
    assert steps.next_state.status.tolist() == [[1, 0, 0], [2, 2, 0], [2, 2, 2]]
    assert steps.goes_on.tolist() == [True, True, False]
    assert steps.same_day.tolist() == [True, False, False]
    assert steps.next_subgoal.tolist()[:2] == [2, 1]
    assert steps.next_picks_left.tolist()[:2] == [2, 1]


def unroll(settings):
    return jax.jit(jax.vmap(lambda draw: _unroll(GAME, settings, draw)))(jnp.array(DRAWS))


def test_an_unroll_follows_the_days_and_ends_with_the_game():
    batch = unroll(PAPER)
    assert batch.state.day.tolist() == [0, 1, 2]
    assert batch.next_states.day.tolist() == [[1, 2], [2, 3], [3, 3]]
    assert batch.live.tolist() == [[1, 1, 1], [1, 1, 0], [1, 0, 0]]
    assert [row[:1] for row in batch.subgoal.tolist()] == [[2], [0], [1]]
    assert batch.duration.tolist() == [2, 0, 1]
    assert batch.budget.tolist() == [[3, 0], [0, 1], [1, 1]]
    np.testing.assert_allclose(jnp.exp(batch.budget_log_prob), [0.2, 0.3, 0.4], rtol=1e-5)
    np.testing.assert_array_equal(batch.policy[0], GAME.policy)
    assert batch.teaches_values.tolist() == [[False, True, True], [True] * 3, [True] * 3]


def test_the_papers_targets_are_search_values_and_rewards_discounted_from_pick_to_pick():
    """The first day earns 1.5 and, half of it counted, 0.5."""
    batch = unroll(PAPER)
    np.testing.assert_allclose(batch.reward, [[1.75, 0], [0, 1], [1, 0]])
    np.testing.assert_allclose(batch.value, [[30, 20, 10], [20, 10, 0], [10, 0, 0]])


def test_returns_are_rewards_of_whole_days_discounted_from_decision_to_decision():
    """2 + 0.8 · 0 + 0.8² · 1, and so on."""
    batch = unroll(RETURNS)
    np.testing.assert_allclose(batch.reward, [[2, 0], [0, 1], [1, 0]])
    np.testing.assert_allclose(batch.value, [[2.64, 0.8, 1], [0.8, 1, 0], [1, 0, 0]], rtol=1e-6)


def test_returns_do_not_count_what_lies_past_the_last_day():
    got = returns_to_go(jnp.array([1.0, 2.0, 4.0, 99.0]), jnp.int32(3), 0.5)
    assert got.tolist() == [1 + 0.5 * (2 + 0.5 * 4), 2 + 0.5 * 4, 4, 0]


@pytest.fixture(scope="module")
def replay():
    """The game, and after it the same with other subgoals and values."""
    later = eqx.tree_at(lambda g: (g.subgoal, g.value), GAME, (jnp.array([3, 3, 3]), GAME.value + 100))
    both = jax.tree.map(lambda *leaves: jnp.stack(leaves), GAME, later)
    return add(make_ring(GAME, 4), both)


def test_the_low_level_draws_from_the_newest_steps(replay):
    """With room for three only the newest game counts, with more both do; empty slots never."""
    for steps, subgoals in ((3, {3}), (30, {1, 2, 3})):
        settings = with_values(PAPER, {"train.steps": steps, "train.low_batch": 60})
        batch = jax.jit(lambda key, given=settings: sample_low(RULES, replay, given, key))(jax.random.key(0))
        assert set(batch.subgoal.tolist()) == subgoals
        assert set(batch.node.tolist()) == {0, 1, 2}


def test_the_high_level_draws_from_all_games_or_from_the_newest(replay):
    for settings, subgoals in ((PAPER, {0, 1, 2, 3}), (RETURNS, {3})):
        given = with_values(settings, {"train.high_batch": 60})
        batch = jax.jit(lambda key, given=given: sample_high(replay, given, key))(jax.random.key(0))
        assert set(batch.subgoal[:, 0].tolist()) == subgoals
        assert set(batch.state.day.tolist()) == {0, 1, 2}
