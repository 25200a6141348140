"""Graph Q-networks: a value for each node, given a condition such as a subgoal."""

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, PRNGKeyArray

from lmta.nn.graph_network import GraphNetwork, mean_pool
from lmta.types import Observation


class PlainQNetwork(eqx.Module):
    """Message passing, then a small network on each node's representation and the condition."""

    network: GraphNetwork
    head: eqx.nn.MLP

    def __init__(
        self, node_size: int, global_size: int, condition_size: int, hidden: int, layers: int, *, key: PRNGKeyArray
    ):
        network_key, head_key = jax.random.split(key)
        self.network = GraphNetwork(node_size, global_size, hidden, layers, key=network_key)
        self.head = eqx.nn.MLP(self.network.out_size + condition_size, 1, hidden, depth=1, key=head_key)

    def __call__(self, observation: Observation, condition: Float[Array, " condition"]) -> Float[Array, " nodes"]:
        """The value of picking each node, without mask."""
        nodes = self.network(observation)
        everywhere = jnp.broadcast_to(condition, (nodes.shape[0], condition.shape[0]))
        return jax.vmap(self.head)(jnp.concatenate([nodes, everywhere], axis=1))[:, 0]


LARGEST_CORRECTION = 0.1
"""By how much of its worth a pick's known worth may be corrected: the maximum over hundreds of free corrections, each
with its noise, unlearns a heuristic."""


class WideQNetwork(eqx.Module):
    """Message passing; the head also sees each node's own features and the mean of all, and a value of the state is
    kept apart from the advantages of nodes (dueling). Where the observation tells what picks are worth until the end,
    advantages are that, with small corrections."""

    network: GraphNetwork
    node: eqx.nn.Linear
    context: eqx.nn.Linear
    advantage: eqx.nn.Linear
    value: eqx.nn.MLP

    def __init__(
        self,
        node_size: int,
        global_size: int,
        condition_size: int,
        hidden: int,
        layers: int,
        *,
        zero_advantage: bool = False,
        key: PRNGKeyArray,
    ):
        keys = jax.random.split(key, 5)
        self.network = GraphNetwork(node_size, global_size, hidden, layers, key=keys[0])
        context_size = self.network.out_size + condition_size + global_size
        self.node = eqx.nn.Linear(node_size + self.network.out_size, hidden, use_bias=False, key=keys[1])
        self.context = eqx.nn.Linear(context_size, hidden, key=keys[2])
        advantage = eqx.nn.Linear(hidden, 1, key=keys[3])
        self.advantage = jax.tree.map(jnp.zeros_like, advantage) if zero_advantage else advantage
        self.value = eqx.nn.MLP(context_size, 1, hidden, depth=1, key=keys[4])

    def __call__(self, observation: Observation, condition: Float[Array, " condition"]) -> Float[Array, " nodes"]:
        """The value of picking each node, without mask."""
        return self.with_context(observation, condition)[0]

    def with_context(
        self, observation: Observation, condition: Float[Array, " condition"]
    ) -> tuple[Float[Array, " nodes"], Float[Array, " context"]]:
        """(the value of picking each node, what is known of the state as a whole)."""
        nodes, graph = self.network(observation), observation.graph
        context = jnp.concatenate([mean_pool(nodes, graph), condition, observation.globals])
        seen_and_heard = jnp.concatenate([observation.nodes, nodes], axis=1)
        hidden = jax.nn.relu(jax.vmap(self.node)(seen_and_heard) + self.context(context))
        advantage = jax.vmap(self.advantage)(hidden)
        if observation.worth is not None:
            advantage = observation.worth[:, None] * (1 + LARGEST_CORRECTION * jnp.tanh(advantage))
        return (self.value(context) + advantage - mean_pool(advantage, graph))[:, 0], context


class EndingQNetwork(eqx.Module):
    """A value for each node, and a last one for ending the day."""

    picks: WideQNetwork
    end: eqx.nn.MLP

    def __init__(
        self, node_size: int, global_size: int, condition_size: int, hidden: int, layers: int, *, key: PRNGKeyArray
    ):
        picks_key, end_key = jax.random.split(key)
        self.picks = WideQNetwork(node_size, global_size, condition_size, hidden, layers, key=picks_key)
        context_size = self.picks.network.out_size + condition_size + global_size
        self.end = eqx.nn.MLP(context_size, 1, hidden, depth=1, key=end_key)

    def __call__(
        self, observation: Observation, condition: Float[Array, " condition"]
    ) -> Float[Array, " nodes_and_one"]:
        """The value of picking each node, and of ending the day, without mask."""
        values, context = self.picks.with_context(observation, condition)
        return jnp.concatenate([values, self.end(context)])
