"""The networks of WS-option: values of budgets above, values of picks below."""

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int, PRNGKeyArray

from lmta.agents.ws_option.settings import NetworkSettings
from lmta.nn.graph_network import GraphNetwork, mean_pool
from lmta.nn.q_network import EndingQNetwork
from lmta.types import Observation


class BudgetValues(eqx.Module):
    """Q(s, k): what follows if today is granted k picks, in squashed units; k and what is left are inputs, so that any
    budget can be valued."""

    network: GraphNetwork
    head: eqx.nn.MLP

    def __init__(self, node_size: int, global_size: int, sizes: NetworkSettings, *, key: PRNGKeyArray):
        network_key, head_key = jax.random.split(key)
        self.network = GraphNetwork(node_size, global_size, sizes.hidden, sizes.high_layers, key=network_key)
        self.head = eqx.nn.MLP(self.network.out_size + global_size + 5, 1, 2 * sizes.hidden, depth=2, key=head_key)

    def __call__(
        self, observation: Observation, left: Int[Array, ""], days_left: Int[Array, ""], budgets: Int[Array, " budgets"]
    ) -> Float[Array, " budgets"]:
        """The value of each budget, without mask."""
        pooled = mean_pool(self.network(observation), observation.graph)
        context = jnp.concatenate([pooled, observation.globals])

        def one(budget):
            even = left / jnp.maximum(days_left, 1)
            numbers = [
                budget / jnp.maximum(left, 1),
                jnp.log1p(budget),
                jnp.log1p(left),
                jnp.log1p(days_left),
                jnp.log((budget + 0.5) / (even + 0.5)),
            ]
            return self.head(jnp.concatenate([context, jnp.stack(numbers).astype(jnp.float32)]))[0]

        return jax.vmap(one)(budgets)


class WsOptionModel(eqx.Module):
    """All weights of WS-option."""

    high: BudgetValues
    low: EndingQNetwork
    awake: Bool[Array, ""]
    """Whether the high level has begun to learn; budgets are average before."""

    def __init__(self, seen: Observation, sizes: NetworkSettings, *, key: PRNGKeyArray):
        high_key, low_key = jax.random.split(key)
        shape = seen.nodes.shape[1], seen.globals.shape[0]
        self.high = BudgetValues(*shape, sizes, key=high_key)
        self.low = EndingQNetwork(*shape, 1, sizes.hidden, sizes.low_layers, key=low_key)
        self.awake = jnp.array(False)


def condition(picks_left: Int[Array, ""]) -> Float[Array, " one"]:
    """All that the high level says to the low level."""
    return jnp.log1p(picks_left.astype(jnp.float32))[None]
