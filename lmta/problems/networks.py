"""What problems on networks share: where nodes are drawn, how many edges lie between them."""

from typing import TYPE_CHECKING

import networkx as nx
import numpy as np

from lmta.kernels.springs import relax
from lmta.types import Graph

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MAX_SPRING_NODES = 300
ROUNDS = 25
"""In which springs of a large network relax: 5,000 nodes take a second or two."""


def layout(graph: Graph) -> np.ndarray:
    """A place for each node, the same every time: springs, which begin from eigenvectors in large networks."""
    num_nodes = graph.num_nodes
    senders, receivers = edges(graph)
    if num_nodes <= MAX_SPRING_NODES:
        network = nx.Graph()
        network.add_nodes_from(range(num_nodes))
        network.add_edges_from(zip(senders.tolist(), receivers.tolist(), strict=True))
        placed = nx.spring_layout(network, seed=0)
        return np.array([placed[i] for i in range(num_nodes)])
    from scipy.sparse import coo_array  # noqa: PLC0415 (a decision needs none of it)
    from scipy.sparse.linalg import ArpackError, eigsh  # noqa: PLC0415

    ones = np.ones(2 * len(senders), np.float64)
    ends = np.concatenate([senders, receivers]), np.concatenate([receivers, senders])
    adjacency = coo_array((ones, ends), (num_nodes, num_nodes)).tocsr()
    scale = 1 / np.sqrt(np.maximum(adjacency.sum(axis=1), 1))
    normalised = adjacency.multiply(scale[:, None]).multiply(scale[None, :])
    try:
        _, vectors = eigsh(normalised, k=3, which="LA", v0=np.ones(num_nodes))
    except ArpackError:  # no edges, or eigenvectors that cannot be told apart
        turns = np.linspace(0, 2 * np.pi, num_nodes, endpoint=False)
        return np.column_stack([np.cos(turns), np.sin(turns)])
    ranks = np.argsort(np.argsort(vectors[:, :2], axis=0), axis=0)
    return relax(2 * ranks / num_nodes - 1, senders, receivers, ROUNDS)


def draw_network(
    axes: "Axes", graph: Graph, kinds: np.ndarray, looks: dict[int, tuple[str, str]], positions: np.ndarray
) -> None:
    """Nodes by kind, each with its (label, colour), and their edges."""
    from matplotlib.collections import LineCollection  # noqa: PLC0415 (an extra; deciding needs no pictures)

    lines = positions[np.stack(edges(graph), axis=1)]
    axes.add_collection(LineCollection(list(lines), colors="#8a94a3", linewidths=0.4, alpha=0.35, zorder=1))
    size = 30 if len(kinds) <= MAX_SPRING_NODES else 8
    for kind, (label, colour) in looks.items():
        chosen = positions[(kinds == kind) & np.asarray(graph.node_mask)]
        axes.scatter(*chosen.T, s=size, c=colour, label=label, edgecolors="white", linewidths=0.4, zorder=2)
    axes.set_axis_off()
    axes.autoscale()


def edges(graph: Graph) -> tuple[np.ndarray, np.ndarray]:
    """(senders, receivers) without padding."""
    real = np.flatnonzero(graph.edge_mask)
    return np.asarray(graph.senders)[real], np.asarray(graph.receivers)[real]


def out_degree(graph: Graph) -> np.ndarray:
    """Edges that leave each node."""
    return np.bincount(edges(graph)[0], minlength=graph.num_nodes)


def hops(graph: Graph, nodes: np.ndarray) -> np.ndarray:
    """Edges between nodes, whichever way these point."""
    from scipy.sparse import coo_array  # noqa: PLC0415
    from scipy.sparse.csgraph import shortest_path  # noqa: PLC0415

    ends = edges(graph)
    adjacency = coo_array((np.ones(len(ends[0])), ends), (graph.num_nodes, graph.num_nodes)).tocsr()
    return shortest_path(adjacency, directed=False, unweighted=True, indices=nodes)[:, nodes]


def fitted(positions: np.ndarray) -> np.ndarray:
    """Places from 0 to 1 both ways, the longer one across: distances mean little here, and room is scarce."""
    size = np.ptp(positions, axis=0)
    return ((positions - positions.min(axis=0)) / np.maximum(size, 1e-9))[:, np.argsort(-size, kind="stable")]
