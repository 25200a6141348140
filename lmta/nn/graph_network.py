"""Message passing on sparse graphs, both ways along the edges."""

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Float, Int, PRNGKeyArray

from lmta.lazy import Array
from lmta.sparse import over_edges
from lmta.types import Graph, Observation


@jax.custom_vjp
def aggregate(
    values: Float[Array, " nodes features"],
    weight: Float[Array, " edges"],
    source: Int[Array, " edges"],
    target: Int[Array, " edges"],
) -> Float[Array, " nodes features"]:
    """The weighted sum of the values at the other end of each node's edges; weights are data, without gradient."""
    return over_edges(values, weight, source, target)


def _aggregate_forward(values, weight, source, target):
    return over_edges(values, weight, source, target), (weight, source, target)


def _aggregate_backward(saved, cotangent):
    weight, source, target = saved
    return over_edges(cotangent, weight, target, source), None, None, None


aggregate.defvjp(_aggregate_forward, _aggregate_backward)


class GraphLayer(eqx.Module):
    """Each node's new features from its own, from those it hears from and from those that hear it."""

    own: eqx.nn.Linear
    along: eqx.nn.Linear
    against: eqx.nn.Linear

    def __init__(self, in_size: int, out_size: int, *, key: PRNGKeyArray):
        keys = jax.random.split(key, 3)
        self.own = eqx.nn.Linear(in_size, out_size, key=keys[0])
        self.along = eqx.nn.Linear(in_size, out_size, use_bias=False, key=keys[1])
        self.against = eqx.nn.Linear(in_size, out_size, use_bias=False, key=keys[2])

    def __call__(self, nodes: Float[Array, " nodes in"], graph: Graph) -> Float[Array, " nodes out"]:
        """Linear aggregation, then ReLU."""
        heard = aggregate(nodes, graph.weight, graph.senders, graph.receivers)
        hearers = aggregate(nodes, graph.weight, graph.receivers, graph.senders)
        total = jax.vmap(self.own)(nodes) + jax.vmap(self.along)(heard) + jax.vmap(self.against)(hearers)
        return jax.nn.relu(total)


class GraphNetwork(eqx.Module):
    """Layers of message passing over an observation, whose global features every node sees."""

    layers: tuple[GraphLayer, ...]
    out_size: int = eqx.field(static=True)

    def __init__(self, node_size: int, global_size: int, hidden: int, num_layers: int, *, key: PRNGKeyArray):
        sizes = [node_size + global_size, *[hidden] * num_layers]
        self.out_size = sizes[-1]
        keys = jax.random.split(key, num_layers)
        self.layers = tuple(GraphLayer(a, b, key=k) for a, b, k in zip(sizes[:-1], sizes[1:], keys, strict=True))

    def __call__(self, observation: Observation) -> Float[Array, " nodes hidden"]:
        """Features of every node."""
        num_nodes = observation.nodes.shape[0]
        everywhere = jnp.broadcast_to(observation.globals, (num_nodes, observation.globals.shape[0]))
        nodes = jnp.concatenate([observation.nodes, everywhere], axis=-1)
        for layer in self.layers:
            nodes = layer(nodes, observation.graph)
        return nodes


def mean_pool(nodes: Float[Array, " nodes features"], graph: Graph) -> Float[Array, " features"]:
    """The mean over real nodes."""
    mask = graph.node_mask.astype(nodes.dtype)
    return mask @ nodes / jnp.maximum(mask.sum(), 1)
