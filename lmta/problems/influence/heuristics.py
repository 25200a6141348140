"""Node rules for influence that score every node: degree, score, lookahead."""

import numpy as np
from jaxtyping import Float

from lmta.kernels import mean_field
from lmta.lazy import Array, PRNGKeyArray, jnp
from lmta.problems.heuristics import ScoreRule
from lmta.problems.influence.adjacency import adjacency_of
from lmta.problems.influence.mean_field import look_ahead
from lmta.problems.influence.rules import INACTIVE, InfluenceInstance, InfluenceState
from lmta.sparse import over_edges


def degree(instance: InfluenceInstance, state: InfluenceState, key: PRNGKeyArray) -> Float[Array, " nodes"]:
    """The number of inactive out-neighbours."""
    graph = instance.graph
    return over_edges(_inactive(state), graph.edge_mask.astype(jnp.float32), graph.receivers, graph.senders)


def score(instance: InfluenceInstance, state: InfluenceState, key: PRNGKeyArray) -> Float[Array, " nodes"]:
    """The expected number of inactive out-neighbours that a seed would hit by itself."""
    graph = instance.graph
    return over_edges(_inactive(state), graph.weight, graph.receivers, graph.senders)


def lookahead(instance: InfluenceInstance, state: InfluenceState, key: PRNGKeyArray) -> Float[Array, " nodes"]:
    """How many more nodes will be influenced in the days left if a node is seeded now, by mean field."""
    return look_ahead(instance, state).gain


def lookahead_on_host(instance: InfluenceInstance, state: InfluenceState) -> np.ndarray:
    """The same in compiled loops, for a network of any size."""
    days_left = int(instance.days) - int(state.day)
    return mean_field.look_ahead(adjacency_of(instance), np.asarray(state.status), days_left).gain


def degree_on_host(instance: InfluenceInstance, state: InfluenceState) -> np.ndarray:
    """The same on the host."""
    return _over_out_edges(instance, state, np.asarray(instance.graph.edge_mask))


def score_on_host(instance: InfluenceInstance, state: InfluenceState) -> np.ndarray:
    """The same on the host."""
    return _over_out_edges(instance, state, np.asarray(instance.graph.weight))


def _over_out_edges(instance: InfluenceInstance, state: InfluenceState, weight: np.ndarray) -> np.ndarray:
    """For each node the sum of weights over its edges to inactive nodes, added up in the order of the edges."""
    graph = instance.graph
    hits = np.asarray(state.status)[np.asarray(graph.receivers)] == INACTIVE
    total = np.zeros(graph.num_nodes, np.float32)
    np.add.at(total, np.asarray(graph.senders)[hits], weight[hits].astype(np.float32))
    return total


def _inactive(state: InfluenceState) -> Float[Array, " nodes"]:
    return (state.status == INACTIVE).astype(jnp.float32)


DEGREE = ScoreRule(
    "degree",
    degree,
    "most inactive out-neighbours first; the value is their number.",
    on_host=degree_on_host,
)
SCORE = ScoreRule(
    "score",
    score,
    "most expected direct hits first; the value is their number.",
    on_host=score_on_host,
)
LOOKAHEAD = ScoreRule(
    "lookahead",
    lookahead,
    "the value estimates (mean field) how many nodes the seed adds in the days left.",
    on_host=lookahead_on_host,
)
