"""Pictures as ECharts options: pure functions. Ids stand where ECharts draws text, never where it reads HTML."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import networkx as nx
import numpy as np
from scipy.sparse.linalg import ArpackError

from lmta.problems.influence.campaign import Campaign
from lmta.problems.influence.picture import layout
from lmta.problems.influence.rules import ACTIVE, INACTIVE, REMOVED
from lmta.problems.orienteering.rules import START
from lmta.problems.orienteering.tour import Tour
from lmta.service.data import Bin

MOST_NODES = 5_000
MOST_NEIGHBOURS = 400
MOST_EDGES = 5_000
"""Edges that are drawn: more take a browser seconds and show a grey cloud."""
GREY, BLUE, RED, AMBER, GREEN = "#8b97a5", "#3d8fc0", "#e4572e", "#f0a202", "#2fa36b"
LINES = (BLUE, AMBER, GREEN, RED, "#9a6fd0", "#7a8b3c", "#c2669c", "#4ab0b8")
TEXT = "#808a96"
"""Readable on white and on black."""
GRID = {"splitLine": {"lineStyle": {"color": TEXT, "opacity": 0.2}}}
_OUTLINED = {"color": "#1b1b1e", "textBorderColor": "#ffffff", "textBorderWidth": 3}
"""Dark with a white edge, so that names are readable above any picture."""
_TOOLTIP = {"renderMode": "richText"}
_STATUS = {
    INACTIVE: {"name": "inactive", "symbol": "circle", "itemStyle": {"color": GREY}},
    ACTIVE: {"name": "active", "symbol": "triangle", "itemStyle": {"color": RED}},
    REMOVED: {"name": "reached before", "symbol": "rect", "itemStyle": {"color": BLUE}},
}
_UPWARDS = (INACTIVE, REMOVED, ACTIVE, len(_STATUS))
"""Who is drawn above whom; the advised are above all."""
ADVISED = {"name": "advised today", "symbol": "diamond", "itemStyle": {"color": AMBER}}


def places(campaign: Campaign) -> np.ndarray | None:
    """Where each node of a network is drawn, the same every day; None where it is too large to draw whole."""
    count = len(campaign.ids)
    if count > MOST_NODES:
        return None
    try:
        return _fitted(layout(campaign.instance))
    except ArpackError:  # no edges, or eigenvectors that cannot be told apart
        turns = np.linspace(0, 2 * np.pi, count, endpoint=False)
        return np.column_stack([np.cos(turns), np.sin(turns)])


def _fitted(positions: np.ndarray) -> np.ndarray:
    """From 0 to 1 both ways, the longer one across: distances mean little here, and room is scarce."""
    size = np.ptp(positions, axis=0)
    return ((positions - positions.min(axis=0)) / np.maximum(size, 1e-9))[:, np.argsort(-size, kind="stable")]


def network(campaign: Campaign, positions: np.ndarray | None, advised: Sequence[int]) -> dict[str, Any]:
    """The network by status, with who is advised today; the neighbourhood of those where it is too large."""
    graph = campaign.instance.graph
    real = np.flatnonzero(graph.edge_mask)
    senders, receivers = np.asarray(graph.senders)[real], np.asarray(graph.receivers)[real]
    if positions is None:
        nodes = _neighbourhood(campaign, senders, receivers, advised)
        positions = _spring(nodes, senders, receivers)
    else:
        nodes = np.arange(len(campaign.ids))
    keep = np.isin(senders, nodes) & np.isin(receivers, nodes)
    pairs = np.unique(np.sort(np.stack([senders[keep], receivers[keep]], axis=1), axis=1), axis=0)
    status = np.asarray(campaign.state.status)
    centre = np.concatenate([np.array(advised, int), np.flatnonzero(status == ACTIVE)])
    matters = np.isin(pairs, centre).any(axis=1)
    drawn = pairs[np.argsort(~matters, kind="stable")[:MOST_EDGES]]
    categories = [*_STATUS.values(), ADVISED]
    chosen = set(advised)
    size = 12 if len(nodes) <= 150 else 8 if len(nodes) <= 800 else 4 if len(nodes) <= 2_000 else 3
    advised_size, reached_size = max(2 * size, 16), max(1.3 * size, 7)
    points = []
    for node, (x, y) in zip(nodes.tolist(), positions.tolist(), strict=True):
        is_advised = node in chosen
        point = {
            "id": str(node),
            "name": str(campaign.ids[node]),
            "x": round(1000 * x, 1),
            "y": round(700 * y, 1),
            "category": len(_STATUS) if is_advised else int(status[node]),
            "symbolSize": advised_size if is_advised else size if status[node] == INACTIVE else reached_size,
        }
        if is_advised:
            point["label"] = {"show": True}
        points.append(point)
    points.sort(key=lambda point: _UPWARDS.index(point["category"]))
    links = [{"source": str(a), "target": str(b)} for a, b in drawn.tolist()]
    options = _graph(points, links, categories, "network", edge_opacity=min(0.3, 600 / max(len(links), 1)))
    return options | {"title": _note(len(links), len(pairs))}


def _note(drawn: int, edges: int) -> dict[str, Any]:
    """What to mind about a picture that leaves edges out."""
    text = f"{drawn:,} of {edges:,} edges drawn" if drawn < edges else ""
    return {"text": text, "left": "center", "textStyle": {"color": TEXT, "fontSize": 12, "fontWeight": "normal"}}


def _neighbourhood(
    campaign: Campaign, senders: np.ndarray, receivers: np.ndarray, advised: Sequence[int]
) -> np.ndarray:
    """The advised, or else the active, and those around them."""
    active = np.flatnonzero(np.asarray(campaign.state.status) == ACTIVE)
    centre = np.array(advised, int) if len(advised) else active[:50]
    around = np.concatenate([receivers[np.isin(senders, centre)], senders[np.isin(receivers, centre)]])
    return np.unique(np.concatenate([centre, np.setdiff1d(around, centre)[:MOST_NEIGHBOURS]]))


def _spring(nodes: np.ndarray, senders: np.ndarray, receivers: np.ndarray) -> np.ndarray:
    keep = np.isin(senders, nodes) & np.isin(receivers, nodes)
    graph = nx.Graph()
    graph.add_nodes_from(nodes.tolist())
    graph.add_edges_from(zip(senders[keep].tolist(), receivers[keep].tolist(), strict=True))
    placed = nx.spring_layout(graph, seed=0)
    return np.array([placed[node] for node in nodes.tolist()]).reshape(-1, 2)


def tour_map(tour: Tour, route: Sequence[int], past: Sequence[Sequence[int]]) -> dict[str, Any]:
    """The cities by profit, the way so far, and today's route in order."""
    xy = np.asarray(tour.instance.coordinates)[: len(tour.ids)] * [1000, -1000]
    profit, visited = np.asarray(tour.state.profit), np.asarray(tour.state.visited)
    here = int(tour.state.position)
    order = {city: number for number, city in enumerate(route, 1)}
    highest = max(float(profit.max()), 1e-9)
    categories = [
        {"name": "open", "symbol": "circle", "itemStyle": {"color": GREY}},
        {"name": "visited", "symbol": "rect", "itemStyle": {"color": BLUE}},
        {"name": "here", "symbol": "triangle", "itemStyle": {"color": RED}},
        ADVISED,
        {"name": "start", "symbol": "roundRect", "itemStyle": {"color": GREEN}},
    ]
    points = []
    for city in range(len(tour.ids)):
        kind = _city_kind(city, order, here, bool(visited[city]))
        point = {
            "id": str(city),
            "name": str(tour.ids[city]),
            "value": round(float(profit[city]), 3),
            "x": float(xy[city, 0]),
            "y": float(xy[city, 1]),
            "category": kind,
            "symbolSize": 20 if kind >= 2 else 9 if visited[city] else 6 + 10 * float(profit[city]) / highest,
        }
        if city in order:
            point["label"] = {"show": True, "position": "inside", "formatter": str(order[city]), "fontSize": 12}
            point["name"] = f"{order[city]}. {tour.ids[city]}"
            point["symbolSize"] = 26  # room for the number
        points.append(point)
    links = []
    at = START
    for day in past:
        links += _way(at, day, {"color": BLUE, "width": 1.5, "opacity": 0.6})
        at = day[-1] if day else at
    links += _way(here, route, {"color": AMBER, "width": 3, "opacity": 0.95}, arrows=True)
    return _graph(points, links, categories, "map", gap="18%")


def _city_kind(city: int, order: dict[int, int], here: int, visited: bool) -> int:
    if city in order:
        return 3
    if city == here:
        return 2
    if city == START:
        return 4
    return int(visited)


def _way(at: int, cities: Sequence[int], style: dict[str, Any], arrows: bool = False) -> list[dict[str, Any]]:
    stops = [at, *cities]
    symbols = ["none", "arrow"] if arrows else ["none", "none"]
    return [
        {"source": str(a), "target": str(b), "lineStyle": style, "symbol": symbols, "symbolSize": 9}
        for a, b in pairwise(stops)
    ]


def _graph(
    points: list[Any], links: list[Any], categories: list[Any], name: str, gap: str = "8%", edge_opacity: float = 0.3
) -> dict[str, Any]:
    marks = [{"name": category["name"], "icon": category["symbol"]} for category in categories]
    return {
        "tooltip": _TOOLTIP,
        "animation": False,
        "legend": {"bottom": 0, "textStyle": {"color": TEXT}, "itemWidth": 14, "data": marks},
        "series": [
            {
                "type": "graph",
                "name": name,
                "layout": "none",
                "roam": True,
                "preserveAspect": "contain",
                "left": gap,
                "right": gap,
                "top": 36,
                "bottom": 52,
                "categories": categories,
                "data": points,
                "links": links,
                "label": {"position": "top", "fontWeight": "bold", "fontSize": 13, **_OUTLINED},
                "labelLayout": {"hideOverlap": True},
                "lineStyle": {"color": GREY, "width": 0.8, "opacity": edge_opacity},
                "emphasis": {"label": {"show": True}},
            }
        ],
    }


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
        "tooltip": {**_TOOLTIP, "trigger": "axis"},
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
    """How many nodes have so many neighbours, or how many cities such a profit."""
    names = [f"{b.low:g}" if b.low == b.high else f"{b.low:.3g} to {b.high:.3g}" for b in bins]
    axis = {"axisLabel": {"color": TEXT}, "nameTextStyle": {"color": TEXT}}
    return {
        "animation": False,
        "tooltip": _TOOLTIP,
        "grid": {"left": 48, "right": 16, "top": 32, "bottom": 48},
        "xAxis": {**axis, "type": "category", "data": names, "name": what, "nameLocation": "middle", "nameGap": 28},
        "yAxis": {**axis, **GRID, "type": "value", "name": "how many", "minInterval": 1},
        "series": [{"type": "bar", "data": [b.count for b in bins], "itemStyle": {"color": BLUE}, "name": what}],
    }
