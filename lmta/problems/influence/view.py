"""How a campaign looks: who is inactive, active, removed."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from lmta.problems.charts import BLUE, GREY, MOST_NODES, RED, category, network_chart
from lmta.problems.influence.rules import ACTIVE, INACTIVE, REMOVED, InfluenceInstance, InfluenceState
from lmta.problems.networks import draw_network, fitted, hops, layout, out_degree
from lmta.problems.spec import View

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LOOKS = {INACTIVE: ("inactive", "#c9ced6"), ACTIVE: ("active", "#e4572e"), REMOVED: ("reached before", "#2e6f95")}
CATEGORIES = (
    category("inactive", "circle", GREY),
    category("active", "triangle", RED),
    category("reached before", "rect", BLUE),
)


def draw(axes: "Axes", instance: InfluenceInstance, state: InfluenceState, positions: np.ndarray) -> None:
    """Nodes coloured by status, with their edges."""
    draw_network(axes, instance.graph, np.asarray(state.status), LOOKS, positions)


def chart(
    session: Any, positions: np.ndarray | None, advised: Sequence[int], past: Sequence[Sequence[int]]
) -> dict[str, Any]:
    """The network by status, with who is advised today; the neighbourhood of those where it is too large."""
    places = None if positions is None else fitted(positions)
    status = np.asarray(session.state.status)
    return network_chart(session.instance.graph, session.ids, places, status, CATEGORIES, ACTIVE, advised)


VIEW = View(
    layout=lambda instance: layout(instance.graph),
    draw=draw,
    chart=chart,
    title="The network",
    worth_name="out degree",
    worth=lambda instance, state: out_degree(instance.graph),
    distance_name="hops",
    distances=lambda instance, nodes: hops(instance.graph, nodes),
    shows_edges=True,
    fits_in_page=lambda instance: instance.graph.num_nodes <= MOST_NODES,
)
