"""How a tour looks: cities by profit, and the way through those visited."""

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from lmta.problems.charts import ADVISED, AMBER, BLUE, GREEN, GREY, RED, category, graph_chart
from lmta.problems.orienteering.rules import START, OrienteeringInstance, OrienteeringState
from lmta.problems.spec import View

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def layout(instance: OrienteeringInstance) -> np.ndarray:
    """Where the cities are."""
    return np.asarray(instance.coordinates)


def draw(axes: "Axes", instance: OrienteeringInstance, state: OrienteeringState, xy: np.ndarray) -> None:
    """Unvisited cities sized by profit, visited ones hollow, the start and where the tour stands."""
    real, visited = np.asarray(instance.graph.node_mask), np.asarray(state.visited)
    profit = np.asarray(state.profit)
    open_cities, seen = real & ~visited, real & visited
    axes.scatter(*xy[open_cities].T, s=4 + 24 * profit[open_cities] ** 2, c="#f0a202", label="profit", zorder=2)
    axes.scatter(*xy[seen].T, s=18, facecolors="none", edgecolors="#2e6f95", label="visited", zorder=3)
    axes.scatter(*xy[START], marker="s", s=60, c="#1b1b1e", label="start", zorder=4)
    axes.scatter(*xy[int(state.position)], marker="*", s=120, c="#e4572e", label="here", zorder=5)
    axes.set_aspect("equal")
    axes.set_axis_off()


def draw_routes(axes: "Axes", instance: OrienteeringInstance, routes: list[list[int]]) -> None:
    """One coloured line for each day, from where the day before ended; the way back to the start is dashed."""
    import matplotlib as mpl  # noqa: PLC0415 (an extra; deciding needs no pictures)

    xy = layout(instance)
    colours = mpl.colormaps["viridis"](np.linspace(0, 0.9, max(1, len(routes))))
    at = START
    for day, route in enumerate(routes):
        path = xy[[at, *route]]
        axes.plot(
            *path.T,
            color=colours[day],
            linewidth=1.6,
            marker="o",
            markersize=4,
            label=f"day {day + 1}",
            zorder=6,
        )
        at = route[-1] if route else at
    axes.plot(*xy[[at, START]].T, color="#1b1b1e", linewidth=0.8, linestyle="--", zorder=1)


def chart(
    session: Any, positions: np.ndarray | None, advised: Sequence[int], past: Sequence[Sequence[int]]
) -> dict[str, Any]:
    """The cities by profit, the way so far, and today's route in order."""
    xy = np.asarray(session.instance.coordinates)[: len(session.ids)] * [1000, -1000]
    profit, visited = np.asarray(session.state.profit), np.asarray(session.state.visited)
    here = int(session.state.position)
    order = {city: number for number, city in enumerate(advised, 1)}
    highest = max(float(profit.max()), 1e-9)
    categories = [
        category("open", "circle", GREY),
        category("visited", "rect", BLUE),
        category("here", "triangle", RED),
        ADVISED,
        category("start", "roundRect", GREEN),
    ]
    points = []
    for city in range(len(session.ids)):
        kind = _city_kind(city, order, here, bool(visited[city]))
        point = {
            "id": str(city),
            "name": str(session.ids[city]),
            "value": round(float(profit[city]), 3),
            "x": float(xy[city, 0]),
            "y": float(xy[city, 1]),
            "category": kind,
            "symbolSize": 20 if kind >= 2 else 9 if visited[city] else 6 + 10 * float(profit[city]) / highest,
        }
        if city in order:
            point["label"] = {"show": True, "position": "inside", "formatter": str(order[city]), "fontSize": 12}
            point["name"] = f"{order[city]}. {session.ids[city]}"
            point["symbolSize"] = 26  # room for the number
        points.append(point)
    links = []
    at = START
    for day in past:
        links += _way(at, day, {"color": BLUE, "width": 1.5, "opacity": 0.6})
        at = day[-1] if day else at
    links += _way(here, advised, {"color": AMBER, "width": 3, "opacity": 0.95}, arrows=True)
    return graph_chart(points, links, categories, "map", gap="18%")


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


def as_the_crow_flies(instance: OrienteeringInstance, nodes: np.ndarray) -> np.ndarray:
    """Distances in units of the largest one."""
    places = np.asarray(instance.coordinates)[nodes]
    return np.linalg.norm(places[:, None] - places[None], axis=-1)


VIEW = View(
    layout=layout,
    draw=draw,
    chart=chart,
    title="The map",
    worth_name="profit",
    worth=lambda instance, state: np.asarray(state.profit),
    distance_name="distance",
    distances=as_the_crow_flies,
    shows_edges=False,
)
