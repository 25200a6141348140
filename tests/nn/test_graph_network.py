"""Message passing agrees with dense matrices, forward and backward, and knows nothing of padding or order."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from lmta.nn.graph_network import GraphNetwork, aggregate, mean_pool
from lmta.problems.influence.generators import erdos_renyi
from lmta.problems.influence.rules import Influence, make_instance

RULES = Influence()
NETWORK = GraphNetwork(3, 2, 8, 2, key=jax.random.key(0))


def observation(nodes=12, seed=0, picks=(3,)):
    instance = make_instance(erdos_renyi(nodes, 3.0, np.random.default_rng(seed)), 3, 4)
    state = RULES.reset(instance)
    for node in picks:
        state = RULES.pick(instance, state, jnp.int32(node))
    return RULES.observe(instance, state)


def dense(graph):
    matrix = np.zeros((graph.num_nodes, graph.num_nodes), np.float32)
    np.add.at(matrix, (np.asarray(graph.receivers), np.asarray(graph.senders)), np.asarray(graph.weight))
    return jnp.asarray(matrix)


def test_aggregate_and_its_gradient_are_the_dense_product():
    graph = observation().graph
    x, y = (jax.random.normal(jax.random.key(k), (12, 4)) for k in (1, 2))
    sparse = lambda v: jnp.sum(aggregate(v, graph.weight, graph.senders, graph.receivers) * y)  # noqa: E731
    full = lambda v: jnp.sum((dense(graph) @ v) * y)  # noqa: E731
    np.testing.assert_allclose(sparse(x), full(x), rtol=1e-5)
    np.testing.assert_allclose(jax.grad(sparse)(x), jax.grad(full)(x), rtol=1e-5, atol=1e-6)


def test_the_gradient_of_a_batch_of_graphs_is_that_of_each():
    instances = RULES.stack([make_instance(erdos_renyi(12, 3.0, np.random.default_rng(s)), 3, 4) for s in (1, 2)])
    batch = jax.vmap(lambda i: RULES.observe(i, RULES.reset(i)))(instances)
    views = [jax.tree.map(lambda leaf, n=n: leaf[n], batch) for n in range(2)]
    loss = lambda network, view: jnp.sum(network(view) ** 2)  # noqa: E731
    together = eqx.filter_grad(lambda n: jax.vmap(lambda v: loss(n, v))(batch).sum())(NETWORK)
    apart = [eqx.filter_grad(loss)(NETWORK, view) for view in views]
    for got, one, other in zip(*map(jax.tree.leaves, (together, *apart)), strict=True):
        np.testing.assert_allclose(got, one + other, rtol=2e-4, atol=1e-5)


def test_padding_changes_no_node():
    small = observation()
    instances = [make_instance(erdos_renyi(n, 3.0, np.random.default_rng(0)), 3, 4) for n in (12, 30)]
    padded = jax.tree.map(lambda leaf: leaf[0], RULES.stack(instances))
    state = RULES.pick(padded, RULES.reset(padded), jnp.int32(3))
    large = RULES.observe(padded, state)
    np.testing.assert_allclose(NETWORK(large)[:12], NETWORK(small), rtol=1e-5, atol=1e-6)
    pooled = [mean_pool(NETWORK(view), view.graph) for view in (small, large)]
    np.testing.assert_allclose(*pooled, rtol=1e-5, atol=1e-6)
