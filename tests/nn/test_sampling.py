"""Draws without replacement, and the prior that makes up for them."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from lmta.nn.q_learning import MASKED
from lmta.nn.sampling import corrected_prior, gumbel_top_k

PI = np.array([0.6, 0.25, 0.1, 0.05])
LOGITS = jnp.log(jnp.array(PI))


def draws(logits, count, number):
    keys = jax.random.split(jax.random.key(0), number)
    return jax.vmap(lambda key: gumbel_top_k(logits, count, key))(keys)


def test_pairs_are_as_likely_as_draws_one_after_the_other():
    """P({a, b}) = p_a p_b / (1 - p_a) + p_b p_a / (1 - p_b)."""
    actions = np.sort(np.asarray(draws(LOGITS, 2, 20_000)[0]), axis=1)
    for a in range(4):
        for b in range(a + 1, 4):
            wanted = PI[a] * PI[b] * (1 / (1 - PI[a]) + 1 / (1 - PI[b]))
            assert (actions == [a, b]).all(axis=1).mean() == pytest.approx(wanted, abs=0.012)


@pytest.mark.parametrize("temperature", [1.0, 2.0])
@pytest.mark.parametrize("count", [1, 2, 3])
def test_the_correction_is_unbiased(count, temperature):
    """Σ over the draw of π(a) / P(a is in) f(a) is Σ π(a) f(a) on average, also where β is flatter than π."""
    actions, log_included = draws(LOGITS / temperature, count, 20_000)
    weights = jnp.exp(jax.vmap(lambda a, q: corrected_prior(LOGITS, a, q))(actions, log_included))
    mean = np.asarray(jnp.zeros(4).at[actions].add(weights)) / len(actions)
    np.testing.assert_allclose(mean, PI, atol=0.02)


def test_equal_actions_weigh_the_same():
    """β = π, and nobody stands out: 1/K each."""
    actions, log_included = gumbel_top_k(jnp.zeros(50), 5, jax.random.key(1))
    prior = jax.nn.softmax(corrected_prior(jnp.zeros(50), actions, log_included))
    np.testing.assert_allclose(prior, 0.2, atol=1e-6)
    assert len(set(np.asarray(actions).tolist())) == 5


def test_what_stands_out_keeps_its_probability():
    """One action with 0.9 is always drawn; 19 of the 500 others share the rest, and not 1/20 each."""
    pi = jnp.full(501, 0.1 / 500).at[7].set(0.9)
    actions, log_included = gumbel_top_k(jnp.log(pi), 20, jax.random.key(2))
    prior = np.asarray(jax.nn.softmax(corrected_prior(jnp.log(pi), actions, log_included)))
    place = np.asarray(actions).tolist().index(7)
    assert prior[place] == pytest.approx(0.9, abs=0.05)
    np.testing.assert_allclose(np.delete(prior, place), (1 - prior[place]) / 19, rtol=1e-3)


def test_all_actions_have_the_policy_as_their_prior():
    actions, log_included = gumbel_top_k(LOGITS, 4, jax.random.key(3))
    np.testing.assert_allclose(log_included, 0, atol=1e-6)
    np.testing.assert_allclose(jax.nn.softmax(corrected_prior(LOGITS, actions, log_included)), PI[actions], rtol=1e-5)


def test_illegal_actions_come_last_and_weigh_nothing():
    """Two are legal, three are wanted: the third has no weight, and the two are there for certain."""
    logits = jnp.array([MASKED, 1.0, MASKED, 0.0, MASKED])
    for seed in range(20):
        actions, log_included = gumbel_top_k(logits, 3, jax.random.key(seed))
        assert set(np.asarray(actions[:2]).tolist()) == {1, 3}
        prior = np.asarray(jax.nn.softmax(corrected_prior(logits, actions, log_included)))
        np.testing.assert_allclose(prior, [*jax.nn.softmax(logits)[actions[:2]], 0], atol=1e-6)
