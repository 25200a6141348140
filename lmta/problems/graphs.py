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
        edge_mask=jnp.pad(graph.edge_mask, (0, new_edges)),
        node_mask=jnp.pad(graph.node_mask, (0, num_nodes - graph.num_nodes)),
    )


def make_graph(senders: np.ndarray, receivers: np.ndarray, weight: np.ndarray, num_nodes: int) -> Graph:
    """A graph with its edges sorted by receiver and padded to a size that other graphs share."""
    order = np.lexsort((senders, receivers))
    graph = Graph(
        senders=jnp.asarray(senders[order], jnp.int32),
        receivers=jnp.asarray(receivers[order], jnp.int32),
        weight=jnp.asarray(weight[order], jnp.float32),
        edge_mask=jnp.ones(len(order), bool),
        node_mask=jnp.ones(num_nodes, bool),
    )
    return pad_graph(graph, num_nodes, padded_size(len(order)))
