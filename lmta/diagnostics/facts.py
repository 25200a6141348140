"""What is particular to a problem: a node's worth, how far nodes lie apart, and where they are drawn."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import shortest_path

from lmta.problems.influence import picture as network_picture
from lmta.problems.influence.rules import InfluenceInstance, InfluenceState
from lmta.problems.orienteering import picture as map_picture
from lmta.problems.orienteering.rules import OrienteeringInstance, OrienteeringState


@dataclass(frozen=True)
class Facts:
    """How the nodes of a problem are described."""

    worth_name: str
    worth: Callable[[Any, Any], np.ndarray]
    """(instance, state) → the intrinsic value of each node (App. K)."""
    distance_name: str
    distances: Callable[[Any, np.ndarray], np.ndarray]
    """(instance, nodes) → how far each of the nodes is from each other; infinite where there is no way."""
    layout: Callable[[Any], np.ndarray]
    shows_edges: bool
    """Whether edges mean something in a picture."""


def out_degree(instance: InfluenceInstance, state: InfluenceState) -> np.ndarray:
    """Edges that leave each node."""
    graph = instance.graph
    return np.bincount(np.asarray(graph.senders)[np.asarray(graph.edge_mask)], minlength=graph.num_nodes)


def hops(instance: InfluenceInstance, nodes: np.ndarray) -> np.ndarray:
    """Edges between nodes, whichever way these point."""
    graph = instance.graph
    real = np.asarray(graph.edge_mask)
    ends = np.asarray(graph.senders)[real], np.asarray(graph.receivers)[real]
    adjacency = coo_array((np.ones(len(ends[0])), ends), (graph.num_nodes, graph.num_nodes)).tocsr()
    return shortest_path(adjacency, directed=False, unweighted=True, indices=nodes)[:, nodes]


def profit(instance: OrienteeringInstance, state: OrienteeringState) -> np.ndarray:
    """Profits on that morning."""
    return np.asarray(state.profit)


def as_the_crow_flies(instance: OrienteeringInstance, nodes: np.ndarray) -> np.ndarray:
    """Distances in units of the largest one."""
    places = np.asarray(instance.coordinates)[nodes]
    return np.linalg.norm(places[:, None] - places[None], axis=-1)


FACTS = {
    "aim": Facts("out degree", out_degree, "hops", hops, network_picture.layout, True),
    "sop": Facts("profit", profit, "distance", as_the_crow_flies, map_picture.layout, False),
}
"""By the name of the problem."""
