"""A picture of a network: who is inactive, active, removed."""

import networkx as nx
import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from scipy.sparse import coo_array
from scipy.sparse.linalg import eigsh

from lmta.kernels.springs import relax
from lmta.problems.influence.rules import ACTIVE, INACTIVE, REMOVED, InfluenceInstance, InfluenceState

COLOURS = {INACTIVE: "#c9ced6", ACTIVE: "#e4572e", REMOVED: "#2e6f95"}
LABELS = {INACTIVE: "inactive", ACTIVE: "active", REMOVED: "reached before"}
MAX_SPRING_NODES = 300
ROUNDS = 25
"""In which springs of a large network relax: 5,000 nodes take a second or two."""


def layout(instance: InfluenceInstance) -> np.ndarray:
    """A place for each node, the same every time: springs, which begin from eigenvectors in large networks."""
    graph = instance.graph
    num_nodes = graph.num_nodes
    real = np.flatnonzero(graph.edge_mask)
    senders, receivers = np.asarray(graph.senders)[real], np.asarray(graph.receivers)[real]
    if num_nodes <= MAX_SPRING_NODES:
        network = nx.Graph()
        network.add_nodes_from(range(num_nodes))
        network.add_edges_from(zip(senders.tolist(), receivers.tolist(), strict=True))
        placed = nx.spring_layout(network, seed=0)
        return np.array([placed[i] for i in range(num_nodes)])
    ones = np.ones(2 * len(real), np.float64)
    ends = np.concatenate([senders, receivers]), np.concatenate([receivers, senders])
    adjacency = coo_array((ones, ends), (num_nodes, num_nodes)).tocsr()
    scale = 1 / np.sqrt(np.maximum(adjacency.sum(axis=1), 1))
    normalised = adjacency.multiply(scale[:, None]).multiply(scale[None, :])
    _, vectors = eigsh(normalised, k=3, which="LA", v0=np.ones(num_nodes))
    ranks = np.argsort(np.argsort(vectors[:, :2], axis=0), axis=0)
    return relax(2 * ranks / num_nodes - 1, senders, receivers, ROUNDS)


def draw(axes: Axes, instance: InfluenceInstance, state: InfluenceState, positions: np.ndarray) -> None:
    """Nodes coloured by status, with their edges."""
    graph = instance.graph
    real = np.flatnonzero(graph.edge_mask)
    lines = positions[np.stack([np.asarray(graph.senders)[real], np.asarray(graph.receivers)[real]], axis=1)]
    axes.add_collection(LineCollection(list(lines), colors="#8a94a3", linewidths=0.4, alpha=0.35, zorder=1))
    status = np.asarray(state.status)
    for value, colour in COLOURS.items():
        chosen = positions[(status == value) & np.asarray(graph.node_mask)]
        size = 30 if len(status) <= MAX_SPRING_NODES else 8
        axes.scatter(*chosen.T, s=size, c=colour, label=LABELS[value], edgecolors="white", linewidths=0.4, zorder=2)
    axes.set_axis_off()
    axes.autoscale()
