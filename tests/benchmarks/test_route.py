"""`lmta bench route` reads OPLib as published, measures, and prints; the real instances are solved where they are."""

import json
import os
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

from lmta.benchmarks.oplib import VARIABLE, oplib_folder, read_instances
from lmta.benchmarks.route import RouteBenchSettings, bench_route, route_table
from lmta.benchmarks.route_rivals import RIVALS, installed_rivals
from lmta.kernels.route_engine import best_route
from lmta.kernels.route_task import make_task, survey_matrix
from lmta.types import InputError

TINY = """NAME: tiny
TYPE: OP
DIMENSION: 4
COST_LIMIT : 15
EDGE_WEIGHT_TYPE: EUC_2D
NODE_COORD_SECTION
1 0.0 0.0
2 3.0 3.0
3 0.0 5.0
4 90.0 0.0
NODE_SCORE_SECTION
1 7
2 20
3 30
4 99
DEPOT_SECTION
1
-1
EOF
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "tiny.oplib").write_text(TINY)
    (tmp_path / "best.csv").write_text("instance,limit,best_score\ntiny,15,57\n")
    return tmp_path


def test_distances_are_rounded_and_the_first_city_counts(folder):
    """√18 = 4.24 → 4, √13 = 3.61 → 4: round the three it is 4 + 4 + 5."""
    (tiny,) = read_instances(folder)
    assert tiny.matrix[:3, :3].tolist() == [[0, 4, 5], [4, 0, 4], [5, 4, 0]]
    assert (tiny.limit, tiny.best) == (15, 57)
    assert tiny.ratio([1, 2]) == 1
    assert tiny.ratio([]) == pytest.approx(7 / 57)
    with pytest.raises(AssertionError, match="over the limit"):
        tiny.ratio([3])


def test_the_measurement(folder, tmp_path):
    settings = RouteBenchSettings(
        oplib=folder, seconds=(0.01,), rivals=False, sizes=(10, 20), iterations=20, json=tmp_path / "route.json"
    )
    result = bench_route(settings)
    assert result["oplib"][0]["ratios"] == {"lmta": [1.0]}
    assert [row["cities"] for row in result["sizes"]] == [10, 20]
    assert json.loads((tmp_path / "route.json").read_text())["oplib"] == result["oplib"]
    console = Console(width=200)
    with console.capture() as captured:
        console.print(route_table(result))
    printed = captured.get()
    assert "tiny" in printed
    assert "1.0000" in printed


def test_without_a_folder_the_speed_by_size_is_measured(monkeypatch):
    monkeypatch.delenv(VARIABLE, raising=False)
    result = bench_route(RouteBenchSettings(sizes=(10,), iterations=20))
    assert (len(result["sizes"]), result["oplib"]) == (1, [])
    console = Console(width=200)
    with console.capture() as captured:
        console.print(route_table(result))
    assert "iterations/s" in captured.get() and "OPLib" not in captured.get()
    for useless in ({"seconds": (1.0,)}, {"rivals": False}):
        with pytest.raises(InputError, match=f"{next(iter(useless))}: has no effect without OPLib"):
            bench_route(RouteBenchSettings(sizes=(10,), iterations=20, **useless))


def test_the_folder_is_the_one_that_is_given_or_that_the_environment_names(monkeypatch, folder, tmp_path_factory):
    monkeypatch.setenv(VARIABLE, str(folder))
    assert oplib_folder(None) == folder
    with pytest.raises(InputError, match=r"has no best\.csv"):
        oplib_folder(tmp_path_factory.mktemp("none"))


@pytest.mark.parametrize("bad", [{"seconds": ()}, {"seconds": (0.0,)}, {"sizes": (20, 10)}, {"iterations": 0}])
def test_bad_settings(folder, bad):
    with pytest.raises(InputError, match=next(iter(bad))):
        bench_route(RouteBenchSettings(oplib=folder, **bad))


@pytest.mark.parametrize("name", RIVALS)
def test_rivals_solve_the_tiny_instance(folder, name):
    if name not in installed_rivals():
        pytest.skip(f"{name} is not installed")
    (tiny,) = read_instances(folder)
    assert tiny.ratio(RIVALS[name](tiny, 0.2, 0)) == 1


@pytest.mark.skipif(not os.environ.get(VARIABLE), reason=f"{VARIABLE} names no folder")
def test_oplib_after_three_thousand_iterations():
    ratios = []
    for instance in read_instances(Path(os.environ[VARIABLE])):
        task = make_task(instance.score, instance.limit, end=0)
        cities, _ = best_route(survey_matrix(instance.matrix), task, 3_000, 0)
        ratios.append(instance.ratio(cities.tolist()))
    assert np.mean(ratios) >= 0.995
    assert min(ratios) >= 0.97
