"""What the pictures of results show."""

import pytest

from lmta.service.data import Bin
from lmta.service.page import charts


def test_the_band_lies_between_low_and_high():
    step = {"mean": 6.0, "low": 4.0, "high": 9.0}
    forecast = {"day": 2, "now": 3.0, "policies": [{"policy": "a", **step, "by_day": [step]}]}
    options = charts.progress(2, [3.0], "nodes", forecast)
    lines = {line["name"]: line["data"] for line in options["series"]}
    assert lines == {
        "so far": [[0, 0.0], [1, 3.0]],
        " low": [[1, 3.0], [2, 4.0]],
        "9 of 10 futures": [[1, 0.0], [2, 5.0]],
        "a": [[1, 3.0], [2, 6.0]],
    }


def test_a_histogram_names_its_bars():
    options = charts.histogram([Bin(1, 1, 5), Bin(2, 3, 7)], "degree")
    assert options["xAxis"]["data"] == ["1", "2 to 3"]
    assert options["series"][0]["data"] == [5, 7]


@pytest.mark.parametrize("options", [charts.progress(3, [], "nodes", None), charts.histogram([], "degree")])
def test_tooltips_are_drawn_and_never_html(options):
    assert options["tooltip"]["renderMode"] == "richText"
