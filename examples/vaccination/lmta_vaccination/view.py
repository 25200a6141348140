"""How an outbreak looks."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from lmta.problems.charts import BLUE, GREEN, GREY, MOST_NODES, RED, category, network_chart
from lmta.problems.networks import draw_network, fitted, hops, layout, out_degree
from lmta.problems.spec import View
from lmta_vaccination.rules import INFECTED, RECOVERED, SUSCEPTIBLE, VACCINATED, VaccinationInstance, VaccinationState

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LOOKS = {
    SUSCEPTIBLE: ("susceptible", "#c9ced6"),
    INFECTED: ("infected", "#e4572e"),
    RECOVERED: ("recovered", "#2e6f95"),
    VACCINATED: ("vaccinated", "#2fa36b"),
}
CATEGORIES = (
    category("susceptible", "circle", GREY),
    category("infected", "triangle", RED),
    category("recovered", "rect", BLUE),
    category("vaccinated", "roundRect", GREEN),
)


def draw(axes: "Axes", instance: VaccinationInstance, state: VaccinationState, positions: np.ndarray) -> None:
    """People coloured by status, with their contacts."""
    draw_network(axes, instance.graph, np.asarray(state.status), LOOKS, positions)


def chart(
    session: Any, positions: np.ndarray | None, advised: Sequence[int], past: Sequence[Sequence[int]]
) -> dict[str, Any]:
    """People by status, with who is to be vaccinated today."""
    places = None if positions is None else fitted(positions)
    status = np.asarray(session.state.status)
    return network_chart(session.instance.graph, session.ids, places, status, CATEGORIES, INFECTED, advised)


VIEW = View(
    layout=lambda instance: layout(instance.graph),
    draw=draw,
    chart=chart,
    title="The contacts",
    worth_name="contacts",
    worth=lambda instance, state: out_degree(instance.graph),
    distance_name="hops",
    distances=lambda instance, nodes: hops(instance.graph, nodes),
    shows_edges=True,
    fits_in_page=lambda instance: instance.graph.num_nodes <= MOST_NODES,
)
