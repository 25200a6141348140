"""Exploration, targets and copies of Q-learning by hand; Adam with and without decoupled decay."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

from lmta.nn.optimisers import adam
from lmta.nn.q_learning import copied_every, epsilon, epsilon_greedy, q_loss, q_target

F, N = jnp.float32, jnp.int32
VALUES, LEGAL = jnp.array([3.0, 9.0, 5.0, 7.0]), jnp.array([True, False, True, True])


def test_exploration_shrinks_to_its_floor():
    rate = lambda steps: float(epsilon(0.9, 0.05, 0.995, N(steps)))  # noqa: E731
    assert rate(0) == pytest.approx(0.9)
    assert rate(100) == pytest.approx(0.9 * 0.995**100, rel=1e-4)
    assert rate(10_000) == pytest.approx(0.05)


def test_the_best_legal_action_or_any_legal_one():
    """Without a key the best; with a rate of 1 each of the three legal ones about a third of 300 times."""
    assert int(epsilon_greedy(VALUES, LEGAL, 1.0, None)) == 3
    keys = jax.random.split(jax.random.key(0), 300)
    drawn = np.asarray(jax.vmap(lambda key: epsilon_greedy(VALUES, LEGAL, 1.0, key))(keys))
    counts = np.bincount(drawn, minlength=4)
    assert counts[1] == 0
    assert (abs(counts[[0, 2, 3]] - 100) < 4 * np.sqrt(300 * 2 / 9)).all()
    assert (np.asarray(jax.vmap(lambda key: epsilon_greedy(VALUES, LEGAL, 0.0, key))(keys)) == 3).all()


def test_q_is_the_squared_bellman_error_toward_a_fixed_target():
    assert float(q_loss(F(1.0), F(3.0))) == 4
    assert float(jax.grad(q_loss, argnums=1)(F(1.0), F(3.0))) == 0


def test_the_target_by_hand():
    """1 + ½·Q'(a'): a' is the best legal value, or the legal node that another network prefers; none legal, nothing."""
    other = jnp.array([8.0, 9.0, 2.0, 1.0])
    target = lambda preference, legal: float(q_target(F(1.0), F(0.5), VALUES, preference, legal))  # noqa: E731
    assert target(VALUES, LEGAL) == 1 + 3.5
    assert target(other, LEGAL) == 1 + 1.5
    assert target(other, jnp.zeros(4, bool)) == 1


def test_a_target_network_waits_for_its_turn():
    network, stale = (eqx.nn.Linear(2, 1, key=jax.random.key(seed)) for seed in (0, 1))
    for steps, wanted in ((1, stale), (2, stale), (3, network), (4, stale), (6, network)):
        np.testing.assert_array_equal(copied_every(3, N(steps), network, stale).weight, wanted.weight)


@pytest.mark.parametrize(
    ("rate_decay", "gradient", "moved"),
    [
        (0.0, 5.0, -0.1),  # the first step of Adam is the rate, whatever the size of the gradient
        (0.0, 0.0, -0.1),  # a decay in the gradient alone makes a whole step too
        (0.5, 5.0, -0.1 - 0.1 * 0.01 * 2),
        (0.5, 0.0, -0.1 * 0.01 * 2),  # a decoupled one moves by rate · decay · weight
    ],
)
def test_weight_decay_stands_in_the_gradient_or_beside_it(rate_decay, gradient, moved):
    optimiser, weight = adam(0.1, 0.01, rate_decay), jnp.array([2.0])
    updates, _ = optimiser.update(jnp.array([gradient]), optimiser.init(weight), weight)
    assert float(optax.apply_updates(weight, updates)[0] - 2) == pytest.approx(moved, rel=1e-3)


def test_a_rate_falls_with_the_root_of_the_steps():
    """With a decay of 3 the second step is made at 1/√(1 + 3) of the rate."""
    optimiser, weight = adam(0.1, 0.0, 3.0), jnp.array([2.0])
    state = optimiser.init(weight)
    first, state = optimiser.update(jnp.array([1.0]), state, weight)
    second, _ = optimiser.update(jnp.array([1.0]), state, weight)
    assert (float(first[0]), float(second[0])) == pytest.approx((-0.1, -0.05), rel=1e-4)
