"""Rank correlations, intervals and calibrations by hand."""

import math

import numpy as np
import pytest

from lmta.diagnostics.statistics import bootstrap, calibration, kendall, mean_where_known, ranks, spearman


def test_kendall_on_four_points():
    """Of the six pairs only (2, 3) is the wrong way round: (5 - 1) / 6."""
    got = ranks(np.array([1.0, 2, 3, 4]), np.array([1.0, 3, 2, 4]))
    assert got == pytest.approx((4 / 6, 4 / 6, 4 / 6, 0.0))


def test_ties_by_hand():
    """Durations 1 1 2 3: one pair of six is tied, four of the rest agree, one does not: 3/√(6·5), 3/6, 3/5."""
    got = ranks(np.array([1.0, 2, 4, 3]), np.array([1.0, 1, 2, 3]))
    assert got == pytest.approx((3 / math.sqrt(30), 3 / 6, 3 / 5, 1 / 6))


def test_tied_scores_are_left_out_too():
    """Scores 1 1 2 against 1 2 3: two pairs are untied and both agree; no duration is tied."""
    got = ranks(np.array([1.0, 1, 2]), np.array([1.0, 2, 3]))
    assert got == pytest.approx((2 / math.sqrt(6), 2 / 3, 1.0, 0.0))


def test_where_all_durations_are_equal_there_is_no_order():
    got = ranks(np.array([1.0, 2, 3]), np.array([4.0, 4, 4]))
    assert math.isnan(got.tau_b)
    assert math.isnan(got.without_ties)
    assert (got.tau_a, got.tied) == (0, 1)
    assert math.isnan(kendall(np.array([]), np.array([])))


def test_spearman_by_hand():
    """1 - 6·Σd²/(n(n² - 1)) with d = 0 1 1 0."""
    assert spearman(np.array([1.0, 2, 3, 4]), np.array([10.0, 30, 20, 40])) == pytest.approx(1 - 12 / 60)
    assert math.isnan(spearman(np.array([1.0, 2]), np.array([3.0, 3])))


def test_bootstrap_covers_the_mean_as_often_as_it_says():
    """200 samples of 40 normal numbers: a 95 % interval misses the mean in 7 % or so; 4 s.e.m. are 7 %."""
    rng = np.random.default_rng(0)
    covered = 0
    for _ in range(200):
        sample = rng.normal(3.0, 1.0, 40)
        low, high = bootstrap(lambda chosen, sample=sample: float(sample[chosen].mean()), 40, 200, rng)
        covered += low <= 3.0 <= high
    assert 0.86 <= covered / 200 <= 1.0


def test_bootstrap_leaves_out_what_is_undefined():
    rng = np.random.default_rng(0)
    assert bootstrap(lambda chosen: 2.0 if 0 in chosen else math.nan, 3, 50, rng) == (2.0, 2.0)
    assert all(math.isnan(end) for end in bootstrap(lambda chosen: math.nan, 3, 5, rng))


def test_calibration_by_hand():
    """Predictions 0 2 4 against 1 2 3: right on average, twice too varied."""
    got = calibration(np.array([0.0, 2, 4]), np.array([1.0, 2, 3]))
    assert (got.count, got.predicted, got.realised, got.bias) == (3, 2, 2, 0)
    assert got.mean_error == pytest.approx(2 / 3)
    assert got.root_mean_square == pytest.approx(math.sqrt(2 / 3))
    assert (got.slope, got.spearman) == pytest.approx((0.5, 1.0))
    assert calibration(np.array([]), np.array([])).count == 0
    assert math.isnan(calibration(np.array([2.0, 2.001]), np.array([1.0, 9.0])).slope)


def test_means_leave_out_what_is_unknown():
    assert mean_where_known(np.array([1.0, math.nan, 3.0])) == 2
    assert math.isnan(mean_where_known(np.array([math.nan])))
