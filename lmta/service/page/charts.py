"""Pictures of results as ECharts options: pure functions."""

from collections.abc import Sequence
from typing import Any

from lmta.problems.charts import AMBER, BLUE, GREEN, RED, TEXT, TOOLTIP
from lmta.service.data import Bin

LINES = (BLUE, AMBER, GREEN, RED, "#9a6fd0", "#7a8b3c", "#c2669c", "#4ab0b8")
GRID = {"splitLine": {"lineStyle": {"color": TEXT, "opacity": 0.2}}}


def progress(days: int, results: Sequence[float], unit: str, forecast: dict[str, Any] | None) -> dict[str, Any]:
    """The result by day, and what was expected: a band for the first policy, a line for each."""
    series: list[dict[str, Any]] = [
        {
            "name": "so far",
            "type": "line",
            "data": [[day, value] for day, value in enumerate([0.0, *results])],
            "itemStyle": {"color": RED},
            "lineStyle": {"width": 3},
            "symbolSize": 8,
            "z": 5,
        }
    ]
    if forecast is not None:
        series += _expected(forecast)
    shown = [one["name"] for one in series if not one["name"].startswith(" ")]
    axis = {"nameTextStyle": {"color": TEXT}, "axisLabel": {"color": TEXT}}
    return {
        "animation": False,
        "tooltip": {**TOOLTIP, "trigger": "axis"},
        "legend": {"bottom": 0, "type": "scroll", "textStyle": {"color": TEXT}, "data": shown},
        "grid": {"left": 52, "right": 24, "top": 36, "bottom": 76},
        "xAxis": {
            **axis,
            "type": "value",
            "name": "day",
            "nameLocation": "middle",
            "nameGap": 30,
            "min": 0,
            "max": days,
            "minInterval": 1,
            "splitLine": {"show": False},
            "axisLabel": {"color": TEXT, "margin": 12},
        },
        "yAxis": {**axis, **GRID, "type": "value", "name": unit, "nameTextStyle": {"color": TEXT, "align": "left"}},
        "series": series,
    }


def _expected(forecast: dict[str, Any]) -> list[dict[str, Any]]:
    """The lines and the band of a forecast; the band is its lower edge with its height stacked on it."""
    series = []
    first_day, now = forecast["day"] - 1, forecast["now"]
    for number, row in enumerate(forecast["policies"]):
        colour = LINES[number % len(LINES)]
        steps = [{"mean": now, "low": now, "high": now}, *row["by_day"]]
        days = range(first_day, first_day + len(steps))
        if number == 0:
            band = {
                "type": "line",
                "stack": "band",
                "stackStrategy": "all",
                "symbol": "none",
                "lineStyle": {"opacity": 0},
            }
            low = [[day, round(step["low"], 3)] for day, step in zip(days, steps, strict=True)]
            height = [[day, round(step["high"] - step["low"], 3)] for day, step in zip(days, steps, strict=True)]
            hidden = {"tooltip": {"show": False}, "silent": True, "itemStyle": {"color": colour}}
            series.append({**band, **hidden, "name": " low", "data": low})
            area = {"areaStyle": {"color": colour, "opacity": 0.22}}
            series.append({**band, **hidden, **area, "name": "9 of 10 futures", "data": height})
        series.append(
            {
                "name": row["policy"],
                "type": "line",
                "symbol": "none",
                "lineStyle": {"type": "dashed", "width": 2},
                "itemStyle": {"color": colour},
                "data": [[day, round(step["mean"], 3)] for day, step in zip(days, steps, strict=True)],
            }
        )
    return series


def histogram(bins: Sequence[Bin], what: str) -> dict[str, Any]:
    """How many nodes have such a number."""
    names = [f"{b.low:g}" if b.low == b.high else f"{b.low:.3g} to {b.high:.3g}" for b in bins]
    axis = {"axisLabel": {"color": TEXT}, "nameTextStyle": {"color": TEXT}}
    return {
        "animation": False,
        "tooltip": TOOLTIP,
        "grid": {"left": 48, "right": 16, "top": 32, "bottom": 48},
        "xAxis": {**axis, "type": "category", "data": names, "name": what, "nameLocation": "middle", "nameGap": 28},
        "yAxis": {**axis, **GRID, "type": "value", "name": "how many", "minInterval": 1},
        "series": [{"type": "bar", "data": [b.count for b in bins], "itemStyle": {"color": BLUE}, "name": what}],
    }
