"""The model of both MuZeros: node embeddings and a latent of the graph at the root, dynamics on the latent and the
embedding of what was picked, a policy that scores nodes by their embeddings and the latent.

Actions are nodes, and a last one that ends the day.
"""

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int, PRNGKeyArray

from lmta.agents.muzero.settings import NetworkSettings
from lmta.nn.categorical import even_support, mean_on
from lmta.nn.graph_network import GraphNetwork, mean_pool
from lmta.nn.q_learning import MASKED
from lmta.types import Observation

NUM_COUNTERS = 4
LAST_DAY = 0.05
"""How many more days there seem to be on the last one, whose end loses what is left of the budget."""


class Scene(eqx.Module):
    """What stays the same below a root: embeddings of the nodes, which of them are legal now, and the size of the
    task."""

    nodes: Float[Array, " nodes hidden"]
    scored: Float[Array, " nodes hidden"]
    """The nodes' part of the policy head."""
    legal: Bool[Array, " nodes"]
    exists: Bool[Array, " nodes"]
    days: Int[Array, ""]
    budget: Int[Array, ""]


class Place(eqx.Module):
    """Where the model stands, at the root or after some actions: its latent, and what is known for certain."""

    latent: Float[Array, " latent"]
    days_left: Int[Array, ""]
    budget_left: Int[Array, ""]
    picked: Bool[Array, " nodes"]
    """Since the root."""
    same_day: Bool[Array, ""]
    """Whether no day has ended since the root."""

    def open(self, scene: Scene) -> Bool[Array, " nodes"]:
        """Nodes that may be picked, as far as is known: today those that were legal at the root, later any; the policy
        has to learn which of these are not. None is picked twice."""
        known = jnp.where(self.same_day, scene.legal, scene.exists)
        return known & ~self.picked & (self.budget_left > 0)

    @property
    def even_odds(self) -> Float[Array, ""]:
        """Log-odds of ending the day at which the budget is spent evenly on average: each order of the picks left and
        of the (days left - 1) ends between days is as likely as any other."""
        return jnp.log(jnp.maximum(self.days_left - 1, LAST_DAY)) - jnp.log(jnp.maximum(self.budget_left, 1))


def _zeros(module: eqx.nn.Linear) -> eqx.nn.Linear:
    """So that a head says nothing before it has learned."""
    return jax.tree.map(jnp.zeros_like, module)


def _linear(in_size: int, out_size: int, *, key: PRNGKeyArray) -> eqx.nn.Linear:
    return eqx.nn.Linear(in_size, out_size, key=key)


class MuZeroModel(eqx.Module):
    """Representation, dynamics and prediction, on one example."""

    network: GraphNetwork
    node: eqx.nn.Linear
    project: eqx.nn.Linear
    end: Float[Array, " hidden"]
    """The embedding of the end of the day."""
    change: eqx.nn.MLP
    reward_body: eqx.nn.MLP
    scored: eqx.nn.Linear
    context: eqx.nn.Linear
    score: Float[Array, " hidden"]
    end_odds: eqx.nn.MLP
    value_body: eqx.nn.MLP
    bins: int = eqx.field(static=True)
    largest_reward: float = eqx.field(static=True)
    largest_value: float = eqx.field(static=True)

    def __init__(
        self,
        seen: Observation,
        sizes: NetworkSettings,
        largest_reward: float,
        largest_value: float,
        *,
        key: PRNGKeyArray,
    ):
        keys = jax.random.split(key, 10)
        node_size, global_size = seen.nodes.shape[1], seen.globals.shape[0]
        hidden, latent = sizes.hidden, sizes.latent
        state_size = latent + NUM_COUNTERS
        self.network = GraphNetwork(node_size, global_size, hidden, sizes.layers, key=keys[0])
        self.node = _linear(node_size + self.network.out_size, hidden, key=keys[1])
        self.project = _linear(hidden + global_size, latent, key=keys[2])
        self.end = jax.random.normal(keys[3], (hidden,))
        self.change = eqx.nn.MLP(state_size + hidden, latent, hidden, depth=1, key=keys[4])
        self.reward_body = eqx.nn.MLP(state_size + hidden, sizes.bins, hidden, depth=1, key=keys[5])
        self.scored = eqx.nn.Linear(hidden, hidden, use_bias=False, key=keys[6])
        self.context = _linear(state_size, hidden, key=keys[7])
        self.score = jnp.zeros(hidden)
        odds = eqx.nn.MLP(state_size, 1, hidden, depth=1, key=keys[8])
        self.end_odds = eqx.tree_at(lambda mlp: mlp.layers[-1], odds, replace_fn=_zeros)
        self.value_body = eqx.nn.MLP(state_size, sizes.bins, hidden, depth=1, key=keys[9])
        self.bins, self.largest_reward, self.largest_value = sizes.bins, largest_reward, largest_value

    def represent(
        self, seen: Observation, legal: Bool[Array, " nodes"], instance: Any, state: Any
    ) -> tuple[Scene, Place]:
        """h: embeddings of the nodes by message passing, and a latent from their mean."""
        heard = self.network(seen)
        nodes = jax.nn.relu(jax.vmap(self.node)(jnp.concatenate([seen.nodes, heard], axis=1)))
        latent = _normalised(self.project(jnp.concatenate([mean_pool(nodes, seen.graph), seen.globals])))
        exists = seen.graph.node_mask
        scene = Scene(nodes, jax.vmap(self.scored)(nodes), legal & exists, exists, instance.days, instance.budget)
        days_left = instance.days - state.day
        return scene, Place(latent, days_left, state.budget_left, jnp.zeros_like(exists), jnp.array(True))

    def step(self, scene: Scene, place: Place, action: Int[Array, ""]) -> tuple[Place, Float[Array, " bins"]]:
        """g: the place after an action, and logits of its reward."""
        num_nodes = scene.nodes.shape[0]
        ends = action == num_nodes
        picked = jnp.minimum(action, num_nodes - 1)
        given = jnp.concatenate([_state(scene, place), jnp.where(ends, self.end, scene.nodes[picked])])
        after = Place(
            latent=_normalised(place.latent + self.change(given)),
            days_left=jnp.maximum(place.days_left - ends, 0),
            budget_left=jnp.maximum(place.budget_left - ~ends, 0),
            picked=place.picked.at[picked].set(place.picked[picked] | ~ends),
            same_day=place.same_day & ~ends,
        )
        return after, self.reward_body(given)

    def policy(self, scene: Scene, place: Place) -> Float[Array, " nodes_and_one"]:
        """f, first part: logits of all actions, with those masked that are known to be illegal.

        The last logit makes ending the day as likely as its learned odds say, however many nodes there are. They start
        from those of a budget spent evenly.
        """
        context = self.context(_state(scene, place))
        scores = jax.nn.relu(scene.scored + context) @ self.score
        allowed = place.open(scene)
        masked = jnp.where(allowed, scores, MASKED)
        odds = place.even_odds + self.end_odds(_state(scene, place))[0]
        end = jnp.where(allowed.any(), jax.nn.logsumexp(masked) + odds, 0.0)
        return jnp.append(masked, end)

    def value(self, scene: Scene, place: Place) -> Float[Array, " bins"]:
        """f, second part: logits of the rewards still to come."""
        return self.value_body(_state(scene, place))

    def expected_reward(self, logits: Float[Array, " bins"]) -> Float[Array, ""]:
        """In true units."""
        return mean_on(logits, self.reward_support)

    def expected_value(self, scene: Scene, place: Place) -> Float[Array, ""]:
        """In true units; 0 once the days are over."""
        return jnp.where(place.days_left > 0, mean_on(self.value(scene, place), self.value_support), 0.0)

    @property
    def reward_support(self) -> Float[Array, " bins"]:
        """Atoms of the reward."""
        return even_support(self.largest_reward, self.bins)

    @property
    def value_support(self) -> Float[Array, " bins"]:
        """Atoms of the value."""
        return even_support(self.largest_value, self.bins)


def _normalised(x: Float[Array, " latent"]) -> Float[Array, " latent"]:
    """Mean 0 and variance 1, so that latents keep their size along an unroll."""
    centred = x - x.mean()
    return centred * jax.lax.rsqrt(jnp.mean(centred**2) + 1e-5)


def _state(scene: Scene, place: Place) -> Float[Array, " state"]:
    """The latent and what is left, as shares and as numbers."""
    days, budget = place.days_left, place.budget_left
    counters = [
        days / jnp.maximum(scene.days, 1),
        budget / jnp.maximum(scene.budget, 1),
        jnp.log1p(days) / 3,
        jnp.log1p(budget) / 5,
    ]
    return jnp.concatenate([place.latent, jnp.stack(counters)])
