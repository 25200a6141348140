"""Measures by hand: those of every learner, then orderings, quantities of the theory and behaviours of LMTA."""

import math
from functools import partial

import numpy as np
import pytest

from lmta.agents.base import PickValues
from lmta.diagnostics.common import heuristic_of, pick_returns, returns_to_go, share_of_equal
from lmta.diagnostics.lmta.order import pooled, within
from lmta.diagnostics.lmta.subgoals import behaviour, effective_number, most_unlike, overlaps
from lmta.diagnostics.lmta.theory import (
    cap_risk,
    discount_bound,
    duration_bounds,
    error_of,
    noise_of_means,
    reference_duration,
    steps_made,
)
from lmta.diagnostics.lmta.values import following, smoothness
from lmta.problems.influence import rules as influence
from lmta.problems.influence.importer import Network
from lmta.problems.orienteering import rules as orienteering
from lmta.problems.orienteering.importer import Cities
from lmta.problems.registry import spec_of

RNG = np.random.default_rng(0)


def test_equal_picks_count_in_any_order_and_without_padding():
    """Two of three picks are among the other four; without picks there is no share."""
    assert share_of_equal(np.array([7, 2, 5, -1]), np.array([2, 9, 1, 7])) == pytest.approx(2 / 3)
    assert share_of_equal(np.array([4, -1]), np.array([-1, -1])) == 0
    assert math.isnan(share_of_equal(np.array([-1, -1]), np.array([1, 2])))


def test_the_heuristic_is_the_advisers_node_rule_without_its_say_on_budgets():
    """On influence the adviser's own form of its rule may wait; the plain one picks as many as it is told."""
    assert heuristic_of(spec_of("aim")).node_rule is spec_of("aim").policies.node_rules["measured"]
    assert heuristic_of(spec_of("sop")).name == "rollout-routes"


def test_returns_by_hand():
    assert returns_to_go(np.array([[1.0, 2, 4]]), 0.5).tolist() == [[1 + 0.5 * (2 + 0.5 * 4), 4, 4]]
    assert following(np.array([[3.0, 2, 1]])).tolist() == [[2, 1, 0]]


def test_returns_of_picks_run_across_days_or_end_with_them():
    """Two days with two picks and one: 1 + ½(2 + ½·4), 2 + ½·4, 4; or within the day 1 + ½·2, 2, 4."""
    rewards, count = np.array([[[1.0, 2, 9], [4, 9, 9]]]), np.array([[2, 1]])
    assert pick_returns(rewards, count, PickValues(0.5, False)).tolist() == [3, 4, 4]
    assert pick_returns(rewards, count, PickValues(0.5, True)).tolist() == [2, 2, 4]


def test_the_last_pick_of_a_day_is_told_apart():
    made, last = steps_made(np.array([[2, 0, 3]]), 3)
    assert made.astype(int).tolist() == [[[1, 1, 0], [0, 0, 0], [1, 1, 1]]]
    assert last.astype(int).tolist() == [[[0, 1, 0], [0, 0, 0], [0, 0, 1]]]


def test_cap_risk_of_hand_made_latents():
    """On the circle at 0°, 60°, 60° and 150°: steps 1, 0 and √2; over κ = 0.5 they reach 0.5, 0 and √2 - 0.5."""
    angle = np.radians([0, 60, 60, 150])
    latents = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    cap = cap_risk(np.linalg.norm(np.diff(latents, axis=0), axis=1), 0.5)
    excess = math.sqrt(2) - 0.5
    assert cap.steps == 3
    assert cap.distance == pytest.approx((1 + math.sqrt(2)) / 3)
    assert cap.root_mean_square == pytest.approx(math.sqrt((0.25 + excess**2) / 3))
    assert cap.largest == pytest.approx(excess)
    assert math.isnan(cap_risk(np.array([]), 0.5).root_mean_square)


def test_duration_bounds_by_hand():
    """Two states, two subgoals; margins 1 and 0.2, the first exceeds its distances 0.8 and 1.2 by 0.1 on average."""
    got = duration_bounds(
        margins=np.array([1.0, 0.2]),
        distance=np.array([[0.8, 0.5], [1.2, 0.5]]),
        model_error=np.array([[0.1, 0.3], [0.3, 0.5]]),
        mean_duration=np.array([[3.0, 1.0], [5.0, 2.0]]),
        reach=0.2,
    )
    assert [bound.push_residual for bound in got] == pytest.approx([0.1, 0.0])
    assert [bound.lower_bound for bound in got] == pytest.approx([(1 - 0.1 - 0.5) / 0.2, (0.2 - 0.5) / 0.2])
    assert [bound.lower_bound_mean for bound in got] == pytest.approx([(1 - 0.1 - 0.2) / 0.2, (0.2 - 0.4) / 0.2])
    assert [bound.mean_duration for bound in got] == [4.0, 1.5]


def test_discounts_by_hand():
    """γ = 0.81 = 0.9²; durations 1 and 3 have mean 2 and variance 1, durations 2 and 2 are the reference itself."""
    assert reference_duration(0.81, 0.9) == pytest.approx(2)
    assert reference_duration(0.997, 0.997) == 1
    assert reference_duration(1.0, 1.0) == 1
    assert math.isnan(reference_duration(0.9, 1.0))
    got = discount_bound(np.array([[1, 3], [2, 2]]), 0.9, 2.0, 10.0)
    assert got == pytest.approx([10 * abs(math.log(0.9)), 0.0])


def test_the_discount_bound_bounds_the_gap():
    duration = RNG.integers(0, 9, (50, 20))
    value = RNG.uniform(-7, 7, (50, 20))
    gap = np.abs(np.mean((0.97**duration - 0.97**3) * value, axis=-1))
    assert (gap <= discount_bound(duration, 0.97, 3.0, 7.0)).all()


def test_errors_and_their_noise():
    """Runs 1 and 3 have variance 2, so their mean has standard error 1."""
    assert error_of(np.array([1.0, 2.0, 6.0])).mean == 3
    assert error_of(np.array([1.0, 2.0, 6.0])).largest == 6
    assert noise_of_means(np.array([[1.0, 3.0]])) == pytest.approx(1)
    assert math.isnan(noise_of_means(np.array([[1.0]])))


def test_orderings_average_over_the_rows_that_have_one():
    """Rows with τ = 1, τ = -1 and no τ at all."""
    scores = np.array([[1.0, 2, 3], [1, 2, 3], [1, 2, 3]])
    durations = np.array([[1, 2, 3], [6, 5, 4], [9, 9, 9]])
    got = within("rows", scores, durations, 20, RNG)
    assert (got.tau_b.mean, got.groups, got.undefined) == (0, 3, 1)
    assert got.tied == pytest.approx(1 / 3)
    one = pooled("all", scores[:2], durations[:2], 20, RNG)
    assert (one.groups, one.undefined) == (1, 0)
    assert one.tau_b.mean == 0  # within rows 3 pairs agree and 3 do not, across rows as many


def test_smoothness_by_hand():
    got = smoothness("", np.array([[1.0, 2], [3, 4]]), np.array([[2.0, 6], [4, 8]]), 50, RNG)
    assert (got.points, got.steepest) == (4, 3)
    assert got.kendall == pytest.approx(4 / 6)
    assert got.spearman == pytest.approx(0.8)
    assert -1 <= got.kendall_interval.low <= got.kendall_interval.high <= 1


def test_overlap_does_not_count_padding():
    got = overlaps(np.array([[1, 2, 3], [3, 4, -1], [-1, -1, -1]]))
    np.testing.assert_allclose(got, [[1, 1 / 4, 0], [1 / 4, 1, 0], [0, 0, 1]])


def test_the_most_unlike_pair_differs_most_in_spread():
    overlap = np.array([[1, 0.5, 0], [0.5, 1, 0], [0, 0, 1]])
    assert most_unlike(overlap, np.array([2.0, 5.0, 3.0])) == (1, 2)
    assert most_unlike(np.ones((1, 1)), np.ones(1)) == (0, 0)


def test_effective_number_of_subgoals():
    assert effective_number(np.array([1.0, 0.0])) == pytest.approx(1)
    assert effective_number(np.full(4, 0.25)) == pytest.approx(4)


def test_behaviour_on_a_path():
    """On 0 → 1 → 2 ← 3 and a node apart: picks 0, 2, 3 have out-degrees 1, 0, 1 and hops 2, 3, 1."""
    ends = np.array([0, 1, 3], np.int32), np.array([1, 2, 2], np.int32)
    instance = influence.make_instance(Network(tuple(range(5)), *ends, np.full(3, 0.5, np.float32)), 2, 3)
    of = partial(behaviour, spec_of("aim").view, instance, influence.Influence().reset(instance))
    got = of(np.array([0, 2, 3, -1]))
    assert (got.worth, got.spread) == pytest.approx((2 / 3, 2.0))
    assert of(np.array([0, 2, 4])).spread == 2
    assert math.isnan(of(np.array([0, -1])).spread)
    assert math.isnan(of(np.array([-1])).worth)


def test_behaviour_on_a_map():
    """A triangle with sides 3, 4 and 5, in units of the longest."""
    cities = Cities(("home", "inn", "mill"), np.array([[0.0, 0], [0, 3], [4, 0]]), None)
    instance = orienteering.make_instance(cities, np.array([0.0, 0.4, 0.8]), 2, 2, orienteering.OrienteeringRules())
    state = orienteering.Orienteering().reset(instance)
    got = behaviour(spec_of("sop").view, instance, state, np.array([1, 2]))
    assert (got.worth, got.spread) == pytest.approx((0.6, 1.0))
