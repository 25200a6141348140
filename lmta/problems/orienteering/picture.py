"""A picture of a tour: cities by profit, and the way through those visited."""

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes

from lmta.problems.orienteering.rules import START, OrienteeringInstance, OrienteeringState


def layout(instance: OrienteeringInstance) -> np.ndarray:
    """Where the cities are."""
    return np.asarray(instance.coordinates)


def draw(axes: Axes, instance: OrienteeringInstance, state: OrienteeringState, xy: np.ndarray) -> None:
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


def draw_routes(axes: Axes, instance: OrienteeringInstance, routes: list[list[int]]) -> None:
    """One coloured line for each day, from where the day before ended; the way back to the start is dashed."""
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
