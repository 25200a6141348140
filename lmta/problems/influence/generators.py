"""Random networks; every edge fires with probability 1/indegree of its receiver."""

from collections.abc import Callable

import networkx as nx
import numpy as np

from lmta.problems.influence.importer import Network, inverse_indegree, load_network

Generator = Callable[[int, float, np.random.Generator], Network]
"""(number of nodes, mean degree, random numbers) → network."""


def erdos_renyi(num_nodes: int, degree: float, rng: np.random.Generator) -> Network:
    """Directed Erdős–Rényi: each ordered pair is an edge with probability degree/num_nodes."""
    num_pairs = num_nodes * (num_nodes - 1)
    num_edges = rng.binomial(num_pairs, min(1.0, degree / num_nodes))
    pairs = _distinct_integers(num_pairs, num_edges, rng)
    senders, receivers = np.divmod(pairs, max(1, num_nodes - 1))
    receivers += receivers >= senders  # the diagonal is left out
    return Network(
        ids=tuple(range(num_nodes)),
        senders=senders.astype(np.int32),
        receivers=receivers.astype(np.int32),
        probability=inverse_indegree(receivers),
    )


def power_law(num_nodes: int, degree: float, rng: np.random.Generator) -> Network:
    """Barabási–Albert with max(1, round(degree/2)) edges a newcomer, each counted both ways."""
    edges_each = min(max(1, round(degree / 2)), num_nodes - 1)
    return load_network(nx.barabasi_albert_graph(num_nodes, edges_each, seed=_seed(rng)))


def stochastic_block(num_nodes: int, degree: float, rng: np.random.Generator) -> Network:
    """Directed communities of about 50 nodes; nine of ten edges stay within one."""
    num_blocks = max(1, round(num_nodes / 50))
    sizes = np.bincount(np.arange(num_nodes) % num_blocks)
    within = min(1.0, 0.9 * degree / max(1, sizes[0] - 1))
    between = min(1.0, 0.1 * degree / max(1, num_nodes - sizes[0]))
    density = np.where(np.eye(num_blocks, dtype=bool), within, between)
    graph = nx.stochastic_block_model(sizes.tolist(), density.tolist(), seed=_seed(rng), directed=True)
    return load_network(graph)


def small_world(num_nodes: int, degree: float, rng: np.random.Generator) -> Network:
    """Watts–Strogatz: a ring of `degree` neighbours (made even), a tenth of them rewired; edges count both ways."""
    neighbours = min(2 * max(1, round(degree / 2)), num_nodes - 1)
    return load_network(nx.watts_strogatz_graph(num_nodes, neighbours, 0.1, seed=_seed(rng)))


GENERATORS: dict[str, Generator] = {
    "erdos-renyi": erdos_renyi,
    "power-law": power_law,
    "block": stochastic_block,
    "small-world": small_world,
}


def _distinct_integers(high: int, count: int, rng: np.random.Generator) -> np.ndarray:
    """`count` different integers under `high`, without a permutation of all of them."""
    chosen = np.unique(rng.integers(high, size=count)) if high else np.zeros(0, np.int64)
    while len(chosen) < count:
        more = rng.integers(high, size=count - len(chosen))
        chosen = np.unique(np.concatenate([chosen, more]))
    return chosen


def _seed(rng: np.random.Generator) -> int:
    return int(rng.integers(2**31))
