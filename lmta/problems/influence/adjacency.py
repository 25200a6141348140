"""The adjacency lists that compiled loops read, of an instance."""

import numpy as np

from lmta.kernels.network import Adjacency, make_adjacency
from lmta.problems.influence.rules import InfluenceInstance


def adjacency_of(instance: InfluenceInstance) -> Adjacency:
    """The network without the padding of its edges; nodes that are padding stay, and are removed from the start."""
    graph = instance.graph
    real = np.flatnonzero(graph.edge_mask)
    senders, receivers, weight = (np.asarray(part)[real] for part in (graph.senders, graph.receivers, graph.weight))
    return make_adjacency(senders, receivers, weight, graph.num_nodes)
