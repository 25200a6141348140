"""Pictures of states as ECharts options. Ids stand where ECharts draws text, never where it reads HTML."""

from collections.abc import Sequence
from typing import Any

import networkx as nx
import numpy as np

from lmta.types import Graph

MOST_NODES = 5_000
MOST_NEIGHBOURS = 400
MOST_CENTRES = 50
MOST_EDGES = 5_000
"""Edges that are drawn: more take a browser seconds and show a grey cloud."""
GREY, BLUE, RED, AMBER, GREEN = "#8b97a5", "#3d8fc0", "#e4572e", "#f0a202", "#2fa36b"
TEXT = "#808a96"
"""Readable on white and on black."""
TOOLTIP = {"renderMode": "richText"}
_OUTLINED = {"color": "#1b1b1e", "textBorderColor": "#ffffff", "textBorderWidth": 3}
"""Dark with a white edge, so that names are readable above any picture."""


def category(name: str, symbol: str, colour: str) -> dict[str, Any]:
    """One kind of node in the legend."""
    return {"name": name, "symbol": symbol, "itemStyle": {"color": colour}}


ADVISED = category("advised today", "diamond", AMBER)


def network_chart(
    graph: Graph,
    names: Sequence[Any],
    positions: np.ndarray | None,
    kinds: np.ndarray,
    categories: Sequence[dict[str, Any]],
    moving: int,
    advised: Sequence[int],
) -> dict[str, Any]:
    """A network whose node i is of `categories[kinds[i]]`, with who is advised today above all.

    The first category is the ground, `moving` the one that matters most. Without positions only the neighbourhood of
    those two is drawn.
    """
    real = np.flatnonzero(graph.edge_mask)
    senders, receivers = np.asarray(graph.senders)[real], np.asarray(graph.receivers)[real]
    on_the_move = np.flatnonzero(kinds == moving)
    if positions is None:
        centre = np.array(advised, int) if len(advised) else on_the_move[:MOST_CENTRES]
        nodes = _around(centre, senders, receivers)
        positions = _spring(nodes, senders, receivers)
    else:
        nodes = np.arange(len(names))
    keep = np.isin(senders, nodes) & np.isin(receivers, nodes)
    pairs = np.unique(np.sort(np.stack([senders[keep], receivers[keep]], axis=1), axis=1), axis=0)
    matters = np.isin(pairs, np.concatenate([np.array(advised, int), on_the_move])).any(axis=1)
    drawn = pairs[np.argsort(~matters, kind="stable")[:MOST_EDGES]]
    points = _points(nodes, positions, names, kinds, len(categories), moving, set(advised))
    links = [{"source": str(a), "target": str(b)} for a, b in drawn.tolist()]
    opacity = min(0.3, 600 / max(len(links), 1))
    options = graph_chart(points, links, [*categories, ADVISED], "network", edge_opacity=opacity)
    return options | {"title": _note(len(links), len(pairs))}


def _points(
    nodes: np.ndarray,
    positions: np.ndarray,
    names: Sequence[Any],
    kinds: np.ndarray,
    num_kinds: int,
    moving: int,
    advised: set[int],
) -> list[dict[str, Any]]:
    size = 12 if len(nodes) <= 150 else 8 if len(nodes) <= 800 else 4 if len(nodes) <= 2_000 else 3
    upwards = [kind for kind in range(num_kinds) if kind != moving] + [moving, num_kinds]
    points = []
    for node, (x, y) in zip(nodes.tolist(), positions.tolist(), strict=True):
        kind = num_kinds if node in advised else int(kinds[node])
        point = {
            "id": str(node),
            "name": str(names[node]),
            "x": round(1000 * x, 1),
            "y": round(700 * y, 1),
            "category": kind,
            "symbolSize": max(2 * size, 16) if kind == num_kinds else size if kind == 0 else max(1.3 * size, 7),
        }
        points.append(point | {"label": {"show": True}} if kind == num_kinds else point)
    return sorted(points, key=lambda point: upwards.index(point["category"]))


def _note(drawn: int, edges: int) -> dict[str, Any]:
    """What to mind about a picture that leaves edges out."""
    text = f"{drawn:,} of {edges:,} edges drawn" if drawn < edges else ""
    return {"text": text, "left": "center", "textStyle": {"color": TEXT, "fontSize": 12, "fontWeight": "normal"}}


def _around(centre: np.ndarray, senders: np.ndarray, receivers: np.ndarray) -> np.ndarray:
    """Some nodes and their neighbours."""
    around = np.concatenate([receivers[np.isin(senders, centre)], senders[np.isin(receivers, centre)]])
    return np.unique(np.concatenate([centre, np.setdiff1d(around, centre)[:MOST_NEIGHBOURS]]))


def _spring(nodes: np.ndarray, senders: np.ndarray, receivers: np.ndarray) -> np.ndarray:
    keep = np.isin(senders, nodes) & np.isin(receivers, nodes)
    graph = nx.Graph()
    graph.add_nodes_from(nodes.tolist())
    graph.add_edges_from(zip(senders[keep].tolist(), receivers[keep].tolist(), strict=True))
    placed = nx.spring_layout(graph, seed=0)
    return np.array([placed[node] for node in nodes.tolist()]).reshape(-1, 2)


def graph_chart(
    points: list[Any], links: list[Any], categories: list[Any], name: str, gap: str = "8%", edge_opacity: float = 0.3
) -> dict[str, Any]:
    """Points, links and a legend, without axes."""
    marks = [{"name": category["name"], "icon": category["symbol"]} for category in categories]
    return {
        "tooltip": TOOLTIP,
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
