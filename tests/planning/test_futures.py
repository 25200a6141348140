"""Simulated futures: the interval that nine of ten end in, and how often the truth lies in it."""

import networkx as nx
import numpy as np
import pytest

import lmta
from lmta.benchmarks.forecast import ForecastSettings, bench_forecast, coverage, forecast_table, judge
from lmta.planning.futures import earn, interval
from lmta.policies.registry import adviser
from lmta.problems.registry import spec_of


def test_ends_of_different_results():
    """Of 99 different results the fifth from either side is beyond 4 of them: of one more, 5 of 100 fall beyond."""
    assert interval(np.arange(1.0, 100.0)) == (5.0, 95.0)
    assert interval(np.arange(99.0, 0.0, -1.0)) == (5.0, 95.0)


def test_ends_of_whole_numbers_leave_out_what_is_nearest_to_a_twentieth():
    assert interval(np.repeat([1.0, 2.0, 3.0], [3, 92, 5])) == (2.0, 2.0)
    assert interval(np.repeat([1.0, 2.0, 3.0], [20, 60, 20])) == (1.0, 3.0)
    assert interval(np.full(50, 7.0)) == (7.0, 7.0)


@pytest.mark.parametrize("spread", [1.0, 2.0, 300.0])
def test_intervals_of_whole_numbers_hold_nine_of_ten(spread):
    """Percentiles, ends included, would hold 95, 93 and 88 %."""
    rng = np.random.default_rng(0)
    means = rng.uniform(0, 100, 2_000)
    drawn = np.round(rng.normal(means, spread, (101, 2_000)))
    ends = [interval(futures) for futures in drawn[:100].T]
    inside = np.mean([low <= truth <= high for (low, high), truth in zip(ends, drawn[100], strict=True)])
    assert 0.885 < inside < 0.94


def test_a_truth_is_judged_by_its_rank_where_it_is_tied():
    futures = np.arange(100.0)
    assert judge(futures, 50.5) == (1.0, 1.0)
    assert judge(futures, -1.0) == (0.0, 0.0)
    assert judge(futures, 4.0) == (1.0, 0.5)  # fourth or fifth of 101, counted from 0; the fifth is in the middle


def test_shares_by_day_with_errors_over_episodes():
    hits = np.full((4, 2, 2, 2), np.nan)
    hits[:, 0, :] = 1.0
    hits[:, 1, 1] = np.array([1.0, 1.0, 1.0, 0.0])[:, None]
    found = coverage(hits)
    assert [share["inside"] for share in found["final"]] == [100.0, 75.0]
    assert found["final"][1]["error"] == pytest.approx(100 * np.sqrt(0.75 * 0.25 / 4))
    assert found["same_day"][0]["inside"] == 100.0
    assert found["all"]["inside"] == pytest.approx(100 * (3 + 2 / 3) / 4)


def test_futures_begin_where_the_episode_stands():
    spec = spec_of("aim")
    instance = spec.instances(spec.settings(nodes=30, days=3, budget=3), 0, 1)[0]
    rules = spec.session.on_host
    state = rules.end_day(instance, rules.reset(instance), rules.draw_noise(instance, 0))[0]
    earned = earn(adviser("aim"), rules, instance, state, 30, 1)
    assert earned.shape == (30, 2)
    assert (np.diff(earned, axis=1) >= 0).all() and (earned[:, -1] >= 3).all()
    np.testing.assert_array_equal(earned, earn(adviser("aim"), rules, instance, state, 30, 1))


def test_forecasts_are_measured_day_by_day():
    result = bench_forecast(ForecastSettings(nodes=20, days=3, budget=2, episodes=6, futures=20))
    assert [len(result[name]) for name in ("final", "same_day", "from_first_day")] == [3, 3, 3]
    assert result["final"][2] == result["same_day"][2]
    assert forecast_table(result).row_count == 5
    with pytest.raises(lmta.InputError, match="futures: 5 given, at least 20"):
        bench_forecast(ForecastSettings(futures=5))


def test_futures_begin_with_what_is_decided_for_today():
    """No edge ever fires: each day earns its seeds, and the rule sets on the second day what is left."""
    session = lmta.Campaign(nx.path_graph(4, nx.DiGraph), days=2, budget=3, probability=0.0)
    where = session.on_host, session.instance, session.state
    for today in ([0], [0, 1], [0, 1, 2]):
        earned = earn(adviser("aim"), *where, 5, 0, today=today)
        assert earned.tolist() == [[len(today), 3.0]] * 5
