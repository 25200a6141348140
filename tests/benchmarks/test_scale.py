"""`lmta bench scale`: decisions timed on networks of growing size."""

import json

import pytest

import lmta
from lmta.benchmarks.scale import ScaleSettings, bench_scale, scale_table


def test_decisions_are_timed_from_small_to_large(tmp_path):
    """Growth is beside that of nodes and edges together; rivals stop at the size asked for."""
    file = tmp_path / "scale.json"
    settings = ScaleSettings("sop", (10, 20), rivals_up_to=10, days=2, budget=3, repeats=1, json=file)
    result = bench_scale(settings)
    small, large = result["sizes"]
    assert list(small["rivals_ms"]) == ["even-greedy"] and large["rivals_ms"] == {}
    larger = (large["nodes"] + large["edges"]) / (small["nodes"] + small["edges"])
    assert large["growth_beside_linear"] == pytest.approx(large["ms"] / small["ms"] / larger)
    assert json.loads(file.read_text())["sizes"] == result["sizes"]
    assert scale_table(result).row_count == 2
    with pytest.raises(lmta.InputError, match=r"sizes: \(20, 10\) given"):
        bench_scale(ScaleSettings(sizes=(20, 10)))
