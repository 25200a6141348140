"""The modules of LMTA keep what the paper asks of them, and departures change what they say they change."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from tiny_runs import tiny

from lmta.agents.lmta.networks import LmtaModel, chordal, first_biases, on_sphere
from lmta.problems.influence.generators import erdos_renyi
from lmta.problems.influence.rules import Influence, make_instance
from lmta.problems.spec import Size

RULES = Influence()
SIZE = Size(nodes=15, days=3, budget=20)
N = jnp.int32


def settings(preset="paper", **values):
    """Those of a tiny run, with some changed; __ stands for a dot."""
    return tiny(preset=preset, values={name.replace("__", "."): value for name, value in values.items()}).config


def make(given):
    return LmtaModel(VIEW, given, SIZE, 15.0, key=jax.random.key(0))


def view():
    instance = make_instance(erdos_renyi(15, 3.0, np.random.default_rng(0)), 3, 5)
    return RULES.observe(instance, RULES.pick(instance, RULES.reset(instance), N(2)))


VIEW = view()
PAPER = make(settings())


def test_latents_live_on_the_sphere():
    h = PAPER.high.encoder(VIEW)
    following, logits = PAPER.high.step(h, PAPER.high.subgoals[1])
    assert float(jnp.linalg.norm(h)) == pytest.approx(1, abs=1e-5)
    assert float(jnp.linalg.norm(following)) == pytest.approx(1, abs=1e-5)
    assert logits.shape == (11,)


def test_chordal_distance_by_hand_and_where_points_meet():
    u, v = jnp.array([1.0, 0.0]), jnp.array([0.0, 1.0])
    assert float(chordal(u, v)) == pytest.approx(np.sqrt(2))
    assert jax.grad(lambda a: chordal(a, u))(u).tolist() == [0, 0]
    assert np.isfinite(jax.grad(lambda a: on_sphere(a).sum())(jnp.zeros(2))).all()


def test_the_support_reaches_as_far_as_a_day_can_earn():
    support = np.asarray(PAPER.high.support)
    np.testing.assert_allclose(support[[0, 5, -1]], [-15, 0, 15], atol=1e-3)
    sure = jnp.full(11, -1e9).at[-1].set(0.0)
    assert float(PAPER.high.reward(sure)) == pytest.approx(15, abs=1e-3)


@pytest.mark.parametrize("scaled", [False, True])
def test_the_networks_read_latents_at_unit_variance_only_as_a_departure(scaled):
    high = make(settings(departures__scaled_latents=scaled)).high
    h = high.encoder(VIEW)
    read = np.sqrt(8) * h if scaled else h
    np.testing.assert_array_equal(high.predict(h)[0], high.prediction(read)[0])
    np.testing.assert_array_equal(high.step(h, high.subgoals[0])[1], high.dynamics(read, high.subgoals[0], None)[1])


PRIORS = ("none", "added", "alone")


@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize("left", [0, 3, 20])
def test_budgets_beyond_what_is_left_are_impossible(prior, left):
    high = make(settings(departures__budget_prior=prior)).high
    logits, _ = high.budgets(high.encoder(VIEW), N(0), N(left), N(2))
    assert logits.shape == (21,)
    assert (np.asarray(logits[left + 1 :]) == -1e9).all()
    assert (np.asarray(logits[: left + 1]) > -1e8).all()
    assert float(jax.nn.softmax(logits)[left + 1 :].sum()) == 0


def test_free_logits_know_nothing_of_days_and_shares():
    """The paper's head: a logit for each budget from latent and subgoal alone, and no tilt."""
    high = PAPER.high
    h, z = high.encoder(VIEW), high.subgoals[0]
    logits, tilt = high.budgets(h, N(0), N(20), N(4))
    np.testing.assert_array_equal(logits, high.budget.policy(jnp.concatenate([h, z])))
    np.testing.assert_array_equal(logits, high.budgets(h, N(0), N(20), N(1))[0])
    assert float(tilt) == 0


def untrained(prior, tilt=0.0):
    """A head whose network says 0 everywhere, but for the tilt."""
    model = make(settings(departures__budget_prior=prior))
    last = lambda m: m.high.budget.policy.layers[-1]  # noqa: E731
    even = eqx.tree_at(lambda m: (last(m).weight, last(m).bias), model, replace_fn=jnp.zeros_like)
    return eqx.tree_at(lambda m: last(m).bias, even, replace_fn=lambda bias: bias.at[-1].set(tilt)).high


def likeliest(high, left, days_left, most=None):
    logits, _ = high.budgets(high.encoder(VIEW), N(0), N(left), N(days_left), most)
    assert bool(jnp.isfinite(logits).all())
    return int(jnp.argmax(logits))


@pytest.mark.parametrize(
    ("today", "left", "days_left", "budget"),
    [
        (1, 20, 4, 5),  # 20 left for 4 days are 5 a day
        (2, 20, 4, 8),  # if today counts twice a later day it gets 2 of 5 parts
        (1 / 2, 14, 4, 2),
        (1, 3, 9, 0),
        (1 / 9, 17, 1, 17),  # the last day gets all
        (1e200, 9, 5, 9),
        (1e-200, 9, 5, 0),
    ],
)
def test_a_prior_stands_around_an_even_share_that_the_tilt_shifts(today, left, days_left, budget):
    assert likeliest(untrained("added", np.log(today)), left, days_left) == budget


@pytest.mark.parametrize(("prior", "two_for_three"), [("added", 1), ("alone", 0)])
def test_a_prior_alone_waits_until_a_whole_pick_is_due(prior, two_for_three):
    """Two thirds of a pick are made today or wait; on the last day nothing waits."""
    high = untrained(prior)
    assert (likeliest(high, 1, 3), likeliest(high, 2, 3)) == (0, two_for_three)
    assert (likeliest(high, 6, 3), likeliest(high, 7, 1)) == (2, 7)


def test_free_logits_are_added_to_the_prior_or_left_out():
    added, alone = (make(settings(departures__budget_prior=prior)).high for prior in ("added", "alone"))
    h, z = added.encoder(VIEW), added.subgoals[0]
    logits, tilt = added.budgets(h, N(0), N(20), N(4))
    output = added.budget.policy(jnp.concatenate([h, z]))
    budgets = np.arange(21)
    centre = 20 / (1 + 3 * np.exp(-float(tilt)))
    np.testing.assert_allclose(logits, output[:-1] - 0.5 * ((budgets - centre) / 0.5) ** 2, rtol=1e-4, atol=1e-3)
    assert output.shape == (22,)
    assert alone.budget.policy(jnp.concatenate([h, z])).shape == (1,)


def test_only_a_prior_alone_serves_larger_budgets_than_those_of_training():
    """40 left for 2 days: 20 is as much as free logits know; a bell alone knows more where there is room for it."""
    assert likeliest(untrained("added"), 40, 2, most=64) == 20
    assert likeliest(untrained("alone"), 80, 2, most=64) == 40


def test_subgoals_are_random_or_alike_but_for_their_bias():
    """Four biases in the middle of quarters of a normal distribution; nothing else is of account."""
    drawn = np.asarray(PAPER.high.subgoals)
    assert 0.3 < drawn.std() < 2
    given = settings("lmta")
    subgoals = np.asarray(make(given).high.subgoals)
    quantiles = np.array([-1.1503, -0.3186, 0.3186, 1.1503])
    np.testing.assert_allclose(subgoals[:, 0], quantiles, atol=1e-3)
    assert 0 < np.abs(subgoals[:, 1:]).max() < 0.05
    np.testing.assert_allclose(first_biases(given), 0.2 * quantiles, atol=1e-3)
    np.testing.assert_array_equal(first_biases(settings("lmta", ablation__variant="B")), 0)


def test_a_bias_tilts_the_budget_of_its_subgoal():
    """0.2 · (-1.15), … of the preset, where the network itself says 0."""
    model = make(settings("lmta"))
    last = lambda m: m.high.budget.policy.layers[-1]  # noqa: E731
    high = eqx.tree_at(lambda m: (last(m).weight, last(m).bias), model, replace_fn=jnp.zeros_like).high
    _, tilts = high.all_budgets(high.encoder(VIEW), N(20), N(4))
    np.testing.assert_allclose(tilts, 0.2 * np.array([-1.1503, -0.3186, 0.3186, 1.1503]), atol=1e-3)


@pytest.mark.parametrize(("variant", "sees"), [("B", False), ("C", True)])
def test_budgets_and_their_critic_are_blind_to_the_subgoal_in_variant_b(variant, sees):
    high = make(settings(ablation__variant=variant)).high
    h = high.encoder(VIEW)
    budgets, _ = high.all_budgets(h, N(5), N(2))
    critics = [high.critic(h, z) for z in high.subgoals[:2]]
    assert bool((budgets[0] != budgets[1]).any()) is sees
    assert bool(critics[0] != critics[1]) is sees


@pytest.mark.parametrize(("variant", "learned"), [("D", False), ("E", True)])
def test_margins_are_learned_or_one_for_all(variant, learned):
    margins = np.asarray(make(settings(ablation__variant=variant)).high.margins(jnp.float32(0.7)))
    assert (margins > 0).all()
    assert len(set(margins.tolist())) == (4 if learned else 1)
    assert learned or margins[0] == pytest.approx(0.7)


def test_the_plain_low_level_sees_nodes_and_subgoal_and_not_the_picks_left():
    z = PAPER.high.subgoals[0]
    values = PAPER.low(VIEW, z, N(3))
    np.testing.assert_array_equal(values, PAPER.low(VIEW, z, N(1)))
    assert bool((values != PAPER.low(VIEW, PAPER.high.subgoals[1], N(3))).any())


def test_the_wide_low_level_sees_the_picks_left_and_not_the_gains():
    low, z = make(settings(departures__q_network="wide")).low, jnp.ones(3)
    values = low(VIEW, z, N(3))
    assert bool((values != low(VIEW, z, N(1))).any())
    np.testing.assert_array_equal(values, low(eqx.tree_at(lambda v: v.gain, VIEW, 2 * VIEW.gain), z, N(3)))


def test_with_known_gains_only_what_follows_within_the_day_is_learned():
    """Before learning values differ by gains alone; the last pick of a day is worth its gain."""
    low, z = make(settings(departures__q_network="known-gains")).low, jnp.ones(3)
    values = low(VIEW, z, N(2))
    np.testing.assert_allclose(values - values[0], VIEW.gain - VIEW.gain[0], atol=1e-5)
    assert bool((values != VIEW.gain).all())
    np.testing.assert_array_equal(low(VIEW, z, N(1)), VIEW.gain)
