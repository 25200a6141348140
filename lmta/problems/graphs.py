"""Graphs as padded edge lists that a batch can share."""

import jax.numpy as jnp
import numpy as np

from lmta.sparse import padded_size
from lmta.types import Graph


def pad_graph(graph: Graph, num_nodes: int, num_edges: int) -> Graph:
    """The same graph with room for `num_nodes` and `num_edges`."""
    new_edges = num_edges - graph.senders.shape[0]
    return Graph(
        senders=jnp.pad(graph.senders, (0, new_edges)),
        receivers=jnp.pad(graph.receivers, (0, new_edges)),
        weight=jnp.pad(graph.weight, (0, new_edges)),
        reverse=jnp.pad(graph.reverse, (0, new_edges), constant_values=-1),
        edge_mask=jnp.pad(graph.edge_mask, (0, new_edges)),
        node_mask=jnp.pad(graph.node_mask, (0, num_nodes - graph.num_nodes)),
    )


def make_graph(senders: np.ndarray, receivers: np.ndarray, weight: np.ndarray, num_nodes: int) -> Graph:
    """A graph with its edges sorted by receiver and padded to a size that other graphs share."""
    order = np.lexsort((senders, receivers))
    senders, receivers = senders[order].astype(np.int64), receivers[order].astype(np.int64)
    graph = Graph(
        senders=jnp.asarray(senders, jnp.int32),
        receivers=jnp.asarray(receivers, jnp.int32),
        weight=jnp.asarray(weight[order], jnp.float32),
        reverse=jnp.asarray(_reverse_edges(senders, receivers, num_nodes), jnp.int32),
        edge_mask=jnp.ones(len(order), bool),
        node_mask=jnp.ones(num_nodes, bool),
    )
    return pad_graph(graph, num_nodes, padded_size(len(order)))


def _reverse_edges(senders: np.ndarray, receivers: np.ndarray, num_nodes: int) -> np.ndarray:
    """For each edge, of a list sorted by receiver and sender, the place of the opposite edge, or -1."""
    code, opposite = receivers * num_nodes + senders, senders * num_nodes + receivers
    place = np.minimum(np.searchsorted(code, opposite), max(0, len(code) - 1))
    return np.where(code[place] == opposite, place, -1) if len(code) else place
