"""How a problem looks whose nodes have one of a few statuses, in a network."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from lmta.problems.charts import MOST_NODES, category, network_chart
from lmta.problems.networks import draw_network, fitted, hops, layout, out_degree
from lmta.problems.spec import View

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True)
class Status:
    """How nodes of a status look."""

    name: str
    symbol: str
    """Of ECharts."""
    colour: str
    """On the page …"""
    printed: str
    """… and in pictures on paper."""


def status_view(statuses: Mapping[int, Status], moving: int, title: str, worth_name: str) -> View:
    """The view of a problem whose state says of each node which of `statuses` it has, in `status`.

    Statuses count from 0, which is the ground; `moving` is the one that matters most. Edges that leave a node are
    called `worth_name`.
    """
    looks = {number: (status.name, status.printed) for number, status in statuses.items()}
    categories = [category(statuses[number].name, statuses[number].symbol, statuses[number].colour) for number in looks]

    def draw(axes: "Axes", instance: Any, state: Any, positions: np.ndarray) -> None:
        draw_network(axes, instance.graph, np.asarray(state.status), looks, positions)

    def chart(
        session: Any, positions: np.ndarray | None, advised: Sequence[int], past: Sequence[Sequence[int]]
    ) -> dict[str, Any]:
        places = None if positions is None else fitted(positions)
        status = np.asarray(session.state.status)
        return network_chart(session.instance.graph, session.ids, places, status, categories, moving, advised)

    return View(
        layout=lambda instance: layout(instance.graph),
        draw=draw,
        chart=chart,
        title=title,
        worth_name=worth_name,
        worth=lambda instance, state: out_degree(instance.graph),
        distance_name="hops",
        distances=lambda instance, nodes: hops(instance.graph, nodes),
        shows_edges=True,
        fits_in_page=lambda instance: instance.graph.num_nodes <= MOST_NODES,
    )
