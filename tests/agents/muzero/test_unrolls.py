"""Episodes as sequences of actions, their targets, and losses along an unroll, by hand."""

from dataclasses import replace

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from tiny_runs import DAYS, NODES, tiny

from lmta.agents.muzero.games import SearchedGame, primitive_steps, unroll_of, value_targets
from lmta.agents.muzero.update import categorical_loss, loss, policy_loss, unroll_loss
from lmta.agents.settings import make_agent, make_model
from lmta.agents.steps import Played, count_steps, place_of
from lmta.nn.q_learning import MASKED
from lmta.training.run import draw_instances

SETTINGS = tiny("sampled-muzero")
TRAIN = SETTINGS.config.train
AGENT = make_agent(SETTINGS)
MODEL = make_model(SETTINGS, key=jax.random.key(0))
INSTANCE = jax.tree.map(lambda leaf: leaf[0], draw_instances(SETTINGS, 0))
SIZE = INSTANCE.graph.num_nodes
STEPS = 8


def game(policy=None):
    """Two picks on the first day, none on the second, one on the last; chance does nothing."""
    state = AGENT.problem.reset(INSTANCE)
    states = jax.tree.map(lambda leaf: jnp.stack([leaf] * (DAYS + 1)), state)
    states = eqx.tree_at(lambda s: s.day, states, jnp.arange(DAYS + 1))
    played = Played(
        instance=INSTANCE,
        states=states,
        budget=jnp.array([4, 2, 2]),
        picks=jnp.array([[3, 5], [-1, -1], [7, -1]]),
        num_picks=jnp.array([2, 0, 1]),
        forecasts=jnp.array([[1.0, 3, 7], [2, 0, 0], [0, 5, 0]]),
        reward=jnp.array([8.0, 2.5, 6]),
    )
    policy = jnp.zeros((STEPS, 2)) if policy is None else policy
    options = jnp.tile(jnp.array([3, SIZE]), (STEPS, 1))
    return SearchedGame(played, options, policy.astype(jnp.float16), jnp.arange(STEPS) * 10.0)


def test_actions_and_rewards_come_in_order_and_add_up():
    """Gains 2 and 4, then 8 - 6; the second day 2.5; a gain of 5, then 6 - 5."""
    played = game().played
    action, reward = primitive_steps(played, STEPS)
    assert int(count_steps(played)) == 6
    assert action[:6].tolist() == [3, 5, SIZE, SIZE, 7, SIZE]
    np.testing.assert_allclose(reward, [2, 4, 2, 2.5, 5, 1, 0, 0])
    day, index = place_of(played, jnp.arange(6))
    assert (day.tolist(), index.tolist()) == ([0, 0, 0, 1, 2, 2], [0, 1, 2, 0, 0, 1])


def test_values_bootstrap_on_the_search_where_there_was_one():
    """Step 2 was searched (value 20); the returns from the others on are 16.5, 14.5, 8.5, 6, 1."""
    searched = game(jnp.zeros((STEPS, 2)).at[2].set(0.5))
    reward = primitive_steps(searched.played, STEPS)[1]
    one = value_targets(replace(TRAIN, bootstrap=1, discount=1.0), searched, reward)
    np.testing.assert_allclose(one, [16.5, 24, 10.5, 8.5, 6, 1, 0, 0])
    all_of_it = value_targets(replace(TRAIN, bootstrap=99, discount=1.0), searched, reward)
    np.testing.assert_allclose(all_of_it, [16.5, 14.5, 10.5, 8.5, 6, 1, 0, 0])


def test_an_unroll_ends_with_the_episode():
    """From the fifth of six steps on: a pick, the end of the last day, and nothing."""
    found = unroll_of(AGENT.problem, TRAIN, game(jnp.full((STEPS, 2), 0.5)), jnp.float32(4.5 / 6))
    assert found.action.tolist() == [7, SIZE]
    np.testing.assert_allclose(found.reward, [5, 1])
    np.testing.assert_allclose(found.value, [6, 1, 0])
    np.testing.assert_allclose(found.live, [1, 1, 0])
    np.testing.assert_allclose(found.policy, [[0.5, 0.5], [0.5, 0.5], [0, 0]])
    assert int(found.state.day) == 2


def test_the_root_of_an_unroll_is_the_state_after_the_picks_before_it():
    found = unroll_of(AGENT.problem, TRAIN, game(), jnp.float32(1.5 / 6))
    assert (found.state.status == 1).nonzero()[0].tolist() == [3]
    assert found.action.tolist() == [5, SIZE]


def test_policy_loss_by_hand():
    """π = (1/2, 1/4, 1/4); what the model takes for illegal teaches nothing."""
    logits = jnp.log(jnp.array([0.5, 0.25, 0.25]))
    assert float(policy_loss(logits, None, jnp.array([0.5, 0.5, 0]))) == pytest.approx(1.5 * np.log(2))
    assert float(policy_loss(logits, jnp.array([2, 0]), jnp.array([0.25, 0.75]))) == pytest.approx(1.25 * np.log(2))
    masked = jnp.array([0.0, MASKED, 0.0])
    assert float(policy_loss(masked, None, jnp.array([0.5, 0.5, 0]))) == pytest.approx(0.5 * np.log(2))


def test_categorical_loss_by_hand():
    """2 lies halfway between the atoms 0 and 4; even logits cost log 3, whatever the target."""
    support = jnp.array([-4.0, 0, 4])
    assert float(categorical_loss(jnp.zeros(3), jnp.float32(2), support)) == pytest.approx(np.log(3))
    logits = jnp.log(jnp.array([0.25, 0.25, 0.5]))
    assert float(categorical_loss(logits, jnp.float32(2), support)) == pytest.approx(1.5 * np.log(2))


def even(model):
    """Heads whose distributions are even, so that every cross-entropy is the logarithm of a number of classes."""
    heads = lambda m: (m.reward_body.layers[-1], m.value_body.layers[-1])  # noqa: E731
    return eqx.tree_at(heads, model, replace_fn=lambda layer: jax.tree.map(jnp.zeros_like, layer))


def test_terms_along_an_unroll_by_hand():
    """Weights 1 at the root and 1/2 at each of the two steps below; the last step is past the end.

    Values: (1 + 1/2) log 11; rewards: (1/2 + 1/2) log 11. The policy prior is even over legal nodes, and on the last
    day with 2 picks left it ends the day with odds of 0.05 to 2, then 0.05 to 1.
    """
    found = unroll_of(AGENT.problem, TRAIN, game(jnp.tile(jnp.array([1.0, 0]), (STEPS, 1))), jnp.float32(4.5 / 6))
    found = eqx.tree_at(lambda u: u.state.budget_left, found, jnp.int32(2))
    terms = unroll_loss(even(MODEL), AGENT, found)
    assert float(terms["value"]) == pytest.approx(1.5 * np.log(11), rel=1e-5)
    assert float(terms["reward"]) == pytest.approx(np.log(11), rel=1e-5)
    root = np.log(NODES * (1 + 0.05 / 2))
    below = np.log((NODES - 1) * (1 + 0.05))
    assert float(terms["policy"]) == pytest.approx(root + below / 2, rel=1e-5)


def test_the_loss_weighs_its_terms():
    """The value counts a quarter; a batch is its mean."""
    draws = jnp.array([0.5 / 6, 4.5 / 6])
    batch = jax.vmap(lambda draw: unroll_of(AGENT.problem, TRAIN, game(jnp.full((STEPS, 2), 0.5)), draw))(draws)
    total, terms = loss(even(MODEL), AGENT, batch)
    assert float(total) == pytest.approx(float(terms["policy"] + 0.25 * terms["value"] + terms["reward"]), rel=1e-5)
    assert float(terms["value"]) == pytest.approx((2 + 1.5) / 2 * np.log(11), rel=1e-5)


def test_a_term_that_is_not_finite_is_told_by_its_name():
    """The rewards of the first two picks are what they add to the forecast, whatever the day earned."""
    broken = eqx.tree_at(lambda g: g.played.reward, game(), jnp.full(DAYS, jnp.nan))
    terms = unroll_loss(MODEL, AGENT, unroll_of(AGENT.problem, TRAIN, broken, jnp.float32(0)))
    assert [name for name, term in terms.items() if not np.isfinite(term)] == ["value"]
