"""Graphs as padded edge lists that a batch can share."""

from collections.abc import Sequence
from typing import Any, TypeVar

import numpy as np

from lmta.lazy import Array, jax
from lmta.sparse import padded_size
from lmta.types import Graph

T = TypeVar("T")


def pad_graph(graph: Graph, num_nodes: int, num_edges: int) -> Graph:
    """The same graph with room for `num_nodes` and `num_edges`."""
    return Graph(
        senders=_pad(graph.senders, num_edges),
        receivers=_pad(graph.receivers, num_edges),
        weight=_pad(graph.weight, num_edges),
        reverse=_pad(graph.reverse, num_edges, -1),
        edge_mask=_pad(graph.edge_mask, num_edges),
        node_mask=_pad(graph.node_mask, num_nodes),
    )


def stack_on_host(instances: Sequence[T]) -> T:
    """A batch of instances of one size; stacked on the host, where a new number of them costs no compilation."""
    return jax.tree.map(lambda *leaves: jax.device_put(np.stack(leaves)), *instances)


def make_graph(senders: np.ndarray, receivers: np.ndarray, weight: np.ndarray, num_nodes: int) -> Graph:
    """A graph with its edges sorted by receiver and padded to a size that other graphs share."""
    order = np.lexsort((senders, receivers))
    senders, receivers = senders[order].astype(np.int64), receivers[order].astype(np.int64)
    num_edges = padded_size(len(order))
    return Graph(
        senders=_pad(senders.astype(np.int32), num_edges),
        receivers=_pad(receivers.astype(np.int32), num_edges),
        weight=_pad(weight[order].astype(np.float32), num_edges),
        reverse=_pad(_reverse_edges(senders, receivers, num_nodes).astype(np.int32), num_edges, -1),
        edge_mask=_pad(np.ones(len(order), bool), num_edges),
        node_mask=_pad(np.ones(num_nodes, bool), num_nodes),
    )


def on_host(value: Any, dtype: Any) -> Any:
    """An array for a record that is made on the host: NumPy's, and JAX takes it as one of its own."""
    return np.array(value, dtype)


def _pad(array: Array | np.ndarray, size: int, value: int = 0) -> Any:
    """The array with room for `size`; padded on the host, where a new size costs no compilation."""
    return np.pad(np.asarray(array), (0, size - array.shape[0]), constant_values=value)


def _reverse_edges(senders: np.ndarray, receivers: np.ndarray, num_nodes: int) -> np.ndarray:
    """For each edge, of a list sorted by receiver and sender, the place of the opposite edge, or -1."""
    code, opposite = receivers * num_nodes + senders, senders * num_nodes + receivers
    place = np.minimum(np.searchsorted(code, opposite), max(0, len(code) - 1))
    return np.where(code[place] == opposite, place, -1) if len(code) else place
