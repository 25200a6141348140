"""A user's own network as arrays: from an edge list, GraphML, a NetworkX graph, or arrays."""

import io
import warnings
from dataclasses import dataclass, replace
from itertools import chain
from os import PathLike
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np

from lmta.files import FilePath, shown
from lmta.hints import warn
from lmta.problems.delimited import (
    Column,
    Columns,
    Origin,
    Table,
    canonical_ids,
    first_true,
    is_number,
    numbers,
    numeric_array,
    read_bytes,
    read_table,
    require_filled,
)
from lmta.types import DataWarning, InputError, NodeId, quoted

_COLUMNS = (
    Column("source", ("from", "src", "sender", "u", "node1", "id1", "followee")),
    Column("target", ("to", "dst", "receiver", "v", "node2", "id2", "follower")),
    Column("probability", ("prob", "p", "weight"), numeric=True),
)
_DOUBTFUL = "weight"
"""A name of the column of probabilities that often stands for something else."""
FEWEST_BELOW = 2
"""Records under a header that can be known by them where ids are words."""
SPARSEST_IDS = 1_000  # nodes there may be for each edge of arrays
_ATTRIBUTES = ("probability", "p")
_MALFORMED = (SyntaxError, nx.NetworkXException, LookupError, ValueError, TypeError, AttributeError)


@dataclass(frozen=True)
class Network:
    """A directed graph without self-loops or repeated edges; edges name nodes by their place in ids."""

    ids: tuple[NodeId, ...]
    senders: np.ndarray
    receivers: np.ndarray
    probability: np.ndarray

    @property
    def num_nodes(self) -> int:
        """Number of nodes, isolated ones included."""
        return len(self.ids)


@dataclass(frozen=True)
class _Edges:
    """Edges as given, an undirected one in one direction: not yet checked."""

    ids: tuple[NodeId, ...]
    senders: np.ndarray
    receivers: np.ndarray
    probability: np.ndarray | None
    directed: bool
    origin: Origin
    remarks: tuple[str, ...] = ()
    """What to mind about how they were read."""
    probability_name: str = "probability"
    """What the data call the probability."""


def load_network(source: object, *, directed: bool = True, probability: Any = None) -> Network:
    """Turn the user's data into a network.

    The source is the path of a GraphML file or of an edge list (source, target[, probability]), a NetworkX
    graph, or a tuple of arrays (senders, receivers[, probability]) whose nodes are 0..max. Self-loops are
    dropped and repeated edges merged, with a `DataWarning` that counts them. Without probabilities each edge
    has the one given, or one over the number of edges into the same node. With directed=False each edge counts
    both ways; those of an undirected graph always do. What is a Network already stays as it is.
    """
    if isinstance(source, Network):
        return source
    if probability is not None and not (isinstance(probability, int | float) and 0 <= probability <= 1):
        raise InputError(f"probability: {quoted(probability)} given, a number from 0 to 1 is needed.")
    edges = _edges(source, directed)
    _check(edges)
    if probability is not None and edges.probability is not None:
        edges = replace(edges, remarks=(*edges.remarks, _has_its_own(edges, probability)))
    edges = _merged(edges)
    network = _network(edges, probability)
    for remark in edges.remarks:
        warn(remark, DataWarning, 3)
    return network


def _edges(source: object, directed: bool) -> _Edges:
    if isinstance(source, str | PathLike):
        is_graphml = Path(source).suffix.lower() == ".graphml"
        return (_from_graphml if is_graphml else _from_edge_list)(source, directed)
    if isinstance(source, nx.Graph):
        return _from_graph(source, tuple(source), "The graph", directed)
    if isinstance(source, tuple):
        return _from_arrays(source, directed)
    raise InputError(
        f"A network is read from a path, a NetworkX graph or a tuple of arrays, not from {quoted(source)}."
    )


def _has_its_own(edges: _Edges, given: float) -> str:
    label, name = edges.origin.label, edges.probability_name
    return f"{label}: has a {name} for each edge, which counts; the probability {given:g} that was given has no effect."


def inverse_indegree(receivers: np.ndarray) -> np.ndarray:
    """The probability of each edge where none is given: 1/indegree of its receiver."""
    return (1 / np.bincount(receivers)[receivers]).astype(np.float32)


def _from_edge_list(path: FilePath, directed: bool) -> _Edges:
    table = read_table(path, _COLUMNS, _is_headed)
    sources, targets = table.columns["source"], table.columns["target"]
    require_filled(sources, "source", table.origin)
    require_filled(targets, "target", table.origin)
    index = {text: node for node, text in enumerate(_in_order_of_appearance(sources, targets))}
    senders = np.array([index[text] for text in sources], dtype=np.int32)
    receivers = np.array([index[text] for text in targets], dtype=np.int32)
    probability, remarks = None, table.remarks
    is_doubtful = table.called.get("probability", "").lower() == _DOUBTFUL
    called = _DOUBTFUL if is_doubtful else "probability"
    if "probability" in table.columns:
        probability = numbers(table.columns["probability"], called, table.origin)
    ids = canonical_ids(index)
    if not table.has_header and isinstance(ids[0], str) and len(sources) > 1 and _stands_alone(table.columns):
        remarks = (*remarks, _perhaps_a_header(table))
    if is_doubtful:
        column = f"the column {quoted(called)} was read as the probability of each edge"
        advice = "call it probability if it is that, and leave it out if it is not"
        remarks = (*remarks, f"{table.origin.label}: {column}; {advice}.")
    return _Edges(ids, senders, receivers, probability, directed, table.origin, remarks, called)


def _in_order_of_appearance(sources: list[str], targets: list[str]) -> dict[str, None]:
    return dict.fromkeys(chain.from_iterable(zip(sources, targets, strict=True)))


def _is_headed(columns: Columns) -> bool:
    """Whether the first record is words that never come again, above integers or at least two other records."""
    sources, targets = columns["source"], columns["target"]
    if is_number(sources[0]) or is_number(targets[0]) or not _stands_alone(columns):
        return False
    above_integers = any(all(map(str.isdecimal, column[1:])) for column in (sources, targets))
    return above_integers or len(sources) > FEWEST_BELOW


def _stands_alone(columns: Columns) -> bool:
    """Whether no other record speaks of the nodes that the first joins, without a probability."""
    sources, targets = columns["source"], columns["target"]
    first, probability = {sources[0], targets[0]}, columns.get("probability", ["none"])[0]
    is_word = probability != "" and not is_number(probability)
    return is_word and first.isdisjoint(sources[1:]) and first.isdisjoint(targets[1:])


def _perhaps_a_header(table: Table) -> str:
    source, target = (quoted(table.columns[name][0]) for name in ("source", "target"))
    fault = (
        f"{source} and {target} stand on no other line and were read as an edge; "
        "write source,target above them if they are one, or in their place if they are a header."
    )
    return str(table.origin.error(0, fault))


def _from_graphml(path: FilePath, directed: bool) -> _Edges:
    content = read_bytes(path)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about ports and untyped attributes, which change nothing here
            graph = nx.read_graphml(io.BytesIO(content), node_type=_graphml_id)
    except _MALFORMED as error:
        reason = quoted(str(error))
        raise InputError(f"{shown(path)}: is not GraphML that can be read ({reason}).") from None
    return _from_graph(graph, canonical_ids(graph), shown(path), directed)


def _graphml_id(text: str | None) -> str:
    if not text:
        raise ValueError("a node has no id, or an edge no source or target")
    return text


def _from_graph(graph: nx.Graph, ids: tuple[NodeId, ...], label: str, directed: bool) -> _Edges:
    edges = list(graph.edges(data=True))
    origin = Origin(label, lambda edge: f"edge {quoted(edges[edge][0])} -> {quoted(edges[edge][1])}")
    index = {node: place for place, node in enumerate(graph)}
    senders = np.array([index[sender] for sender, _, _ in edges], dtype=np.int32)
    receivers = np.array([index[receiver] for _, receiver, _ in edges], dtype=np.int32)
    default = graph.graph.get("edge_default", {})  # where NetworkX keeps the defaults of a GraphML file
    probability = _probability([data for _, _, data in edges], default, origin)
    return _Edges(ids, senders, receivers, probability, directed and graph.is_directed(), origin)


def _probability(edges: list[dict[str, Any]], default: dict[str, Any], origin: Origin) -> np.ndarray | None:
    for name in _ATTRIBUTES:
        if name in default or any(name in data for data in edges):
            return numbers([data.get(name, default.get(name)) for data in edges], name, origin)
    return None


def _from_arrays(arrays: tuple[Any, ...], directed: bool) -> _Edges:
    if len(arrays) not in (2, 3):
        raise InputError(f"A tuple of arrays is (senders, receivers[, probability]), not {len(arrays)} long.")
    senders = _array(arrays[0], "senders", "iu")
    receivers = _array(arrays[1], "receivers", "iu")
    probability = _array(arrays[2], "probability", "iuf") if len(arrays) == 3 else None
    lengths = [len(array) for array in (senders, receivers, probability) if array is not None]
    if len(set(lengths)) > 1:
        raise InputError(f"The arrays of a network must be of one length, not {lengths}.")
    if not len(senders):
        raise InputError("The arrays of a network are empty; give at least one edge.")
    origin = Origin("The arrays", lambda edge: f"index {edge}")
    _require_nodes(senders, "senders", origin)
    _require_nodes(receivers, "receivers", origin)
    largest = int(max(senders.max(), receivers.max()))
    if largest > SPARSEST_IDS * len(senders):
        raise InputError(f"The arrays name node {largest} but only {len(senders)} edges; number the nodes from 0 up.")
    ids = tuple(range(largest + 1))
    if probability is not None:
        probability = numbers(probability.tolist(), "probability", origin)
    return _Edges(ids, senders.astype(np.int32), receivers.astype(np.int32), probability, directed, origin)


def _array(values: Any, name: str, kinds: str) -> np.ndarray:
    array = numeric_array(values, 1, kinds)
    if array is None:
        wanted = "numbers" if "f" in kinds else "integers"
        raise InputError(f"The array {name} of a network must be one-dimensional and hold {wanted}.")
    return array


def _require_nodes(nodes: np.ndarray, name: str, origin: Origin) -> None:
    edge = first_true((nodes < 0) | (nodes >= np.iinfo(np.int32).max))
    if edge is not None:
        raise origin.error(edge, f"{name} {nodes[edge]} is not a node; number the nodes from 0 up.")


def _check(edges: _Edges) -> None:
    if not edges.ids:
        raise InputError(f"{edges.origin.label}: has no nodes; give at least one.")
    if edges.probability is None:
        return
    edge = first_true((edges.probability < 0) | (edges.probability > 1))
    if edge is not None:
        name = edges.probability_name
        way_out = ", or leave the column out if it holds no probabilities" if name == _DOUBTFUL else ""
        fault = f"{name} {edges.probability[edge]} is not between 0 and 1; write one that is{way_out}."
        raise edges.origin.error(edge, fault)


def _merged(edges: _Edges) -> _Edges:
    """Without self-loops and with every edge once, which is remarked on; nodes stay without edges."""
    one, other = edges.senders.astype(np.int64), edges.receivers.astype(np.int64)
    if not edges.directed:
        one, other = np.minimum(one, other), np.maximum(one, other)
    _, first, group = np.unique(one * len(edges.ids) + other, return_index=True, return_inverse=True)
    is_loop, is_first = one == other, np.zeros(len(one), bool)
    is_first[first] = True
    kept = np.flatnonzero(is_first & ~is_loop)
    if len(kept) == len(one):
        return edges
    probability, is_combined = edges.probability, np.zeros(len(one), bool)
    if probability is not None:
        probability, is_combined = _combined(probability, group)
        probability = probability[kept]
    remark = _merging(edges, is_loop, ~is_first & ~is_loop, int(is_combined[kept].sum()))
    return replace(
        edges,
        senders=edges.senders[kept],
        receivers=edges.receivers[kept],
        probability=probability,
        origin=Origin(edges.origin.label, lambda edge: edges.origin.place(kept[edge])),
        remarks=(*edges.remarks, remark),
    )


def _combined(probability: np.ndarray, group: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The probability that edges of a group fire as one, and whether theirs differ.

    The same probability again is a copy, which counts once. Different ones are tried one by one: 1 - Π(1 - p).
    """
    order = np.lexsort((probability, group))
    is_new = np.append(True, (np.diff(group[order]) != 0) | (np.diff(probability[order]) != 0))
    distinct = order[is_new]
    with np.errstate(divide="ignore"):  # of an edge that always fires
        missed = np.log1p(-probability[distinct])
    fires = -np.expm1(np.bincount(group[distinct], missed))
    differ = (np.bincount(group[distinct]) > 1)[group]
    return np.where(differ, fires[group], probability), differ


def _merging(edges: _Edges, is_loop: np.ndarray, is_repeat: np.ndarray, combined: int) -> str:
    """What was dropped and merged, in one sentence."""
    merged = "merged" if edges.directed else "merged either way round"
    kinds = (("self-loop", "dropped", is_loop), ("repeated edge", merged, is_repeat))
    parts = [
        f"{_counted(int(mask.sum()), what)} {done} (first: {edges.origin.place(int(mask.argmax()))})"
        for what, done, mask in kinds
        if mask.any()
    ]
    differing = f"; {_counted(combined, 'edge')} of different probabilities combined as 1 - Π(1 - p)"
    return f"{edges.origin.label}: {' and '.join(parts)}{differing if combined else ''}."


def _counted(count: int, what: str) -> str:
    return f"{count:,} {what}" if count == 1 else f"{count:,} {what}s"


def _network(edges: _Edges, everywhere: float | None) -> Network:
    """Edges both ways where undirected, with probabilities; `everywhere` counts where the data have none."""
    senders, receivers, probability = edges.senders, edges.receivers, edges.probability
    if not edges.directed:
        senders, receivers = np.concatenate([senders, receivers]), np.concatenate([receivers, senders])
        probability = None if probability is None else np.concatenate([probability, probability])
    if probability is None:
        probability = inverse_indegree(receivers) if everywhere is None else np.full(len(receivers), everywhere)
    return Network(edges.ids, senders, receivers, probability.astype(np.float32))
