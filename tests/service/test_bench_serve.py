"""`lmta bench serve` and `lmta bench sizes` on a few small campaigns."""

import pytest

from lmta import InputError
from lmta.benchmarks.serve import ServeBenchSettings, bench_serve, serve_table
from lmta.benchmarks.sizes import SizesBenchSettings, bench_sizes, sizes_table


def test_a_small_measurement():
    result = bench_serve(ServeBenchSettings(campaigns=2, nodes=30, budget=6, days=2, policy="average-degree"))
    for measured in result["clients"].values():
        assert 0 < measured["advice"]["median"] <= measured["advice"]["p95"]
        assert measured["decision"]["median"] < measured["advice"]["median"]
        assert measured["advice_over_decision"]["median"] > 1
        assert measured["requests_per_second"] > 0
    assert set(result["alone"]) == {"1", *result["clients"]}
    assert result["memory_mb"] > 0
    assert serve_table(result).row_count == 11


def test_an_odd_number_of_days_is_refused():
    with pytest.raises(InputError, match="days: 3 given, an even number is needed"):
        bench_serve(ServeBenchSettings(days=3))


def test_first_advice_on_new_sizes():
    result = bench_sizes(SizesBenchSettings(sizes=3, smallest=10, largest=30, days=2))
    assert [row["nodes"] for row in result["sizes"]] == [10, 20, 30]
    assert all(row["ms"] > 0 and row["memory_mb"] > 0 for row in result["sizes"])
    assert sizes_table(result).row_count == 3


def test_sizes_that_do_not_grow_are_refused():
    with pytest.raises(InputError, match="largest: 10 given, it must be above the smallest, 50"):
        bench_sizes(SizesBenchSettings(largest=10))
