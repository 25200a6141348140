"""Statistics of the tables, by hand."""

import math

import numpy as np
import pytest

from lmta.experiments.statistics import holm, interquartile_mean, stratified_iqm, welch


def test_holm_by_hand():
    """Sorted 0.01, 0.02, 0.03, 0.4 times 4, 3, 2, 1 are 0.04, 0.06, 0.06, 0.4; none is less than the one before."""
    found = holm({"c": 0.03, "a": 0.01, "untested": math.nan, "d": 0.4, "b": 0.02})
    assert [found[name] for name in "abcd"] == pytest.approx([0.04, 0.06, 0.06, 0.4])
    assert math.isnan(found["untested"])
    assert holm({"a": 0.6, "b": 0.9}) == {"a": 1.0, "b": 1.0}


def test_welch_by_hand():
    """Means 2 and 4, variances 1 and 4 of three: t = -2 / sqrt(5/3), 2.94 degrees of freedom."""
    p = welch(np.array([1.0, 2.0, 3.0]), np.array([2.0, 4.0, 6.0]))
    assert p == pytest.approx(0.2213, abs=1e-3)
    assert math.isnan(welch(np.array([1.0]), np.array([2.0, 3.0])))
    assert math.isnan(welch(np.array([1.0, 1.0]), np.array([2.0, 2.0])))


def test_interquartile_mean_by_hand():
    """Of eight numbers the two lowest and the two highest are left out."""
    assert interquartile_mean(np.array([100, 1, 2, 3, 4, 5, 6, -50])) == pytest.approx((2 + 3 + 4 + 5) / 4)


def test_stratified_interval():
    """Settings without spread have an interval without width; runs are drawn within their own setting alone."""
    far_apart = [np.full((4, 5), 1.0), np.full((4, 5), 9.0)]
    assert stratified_iqm(far_apart, np.random.default_rng(0)) == (5.0, 5.0, 5.0)
    rng = np.random.default_rng(1)
    found = stratified_iqm([rng.normal(3, 1, (40, 50)), rng.normal(3, 1, (1, 50))], rng)
    assert found.low < found.value < found.high
    assert found.value == pytest.approx(3, abs=0.1)


def test_one_run_is_resampled_by_instances():
    found = stratified_iqm([np.array([[1.0, 2.0, 3.0, 4.0]])], np.random.default_rng(0))
    assert found.value == 2.5 and found.low < 2.5 < found.high
