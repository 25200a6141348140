"""The networks of Director: world model, goal autoencoder, manager, worker, critics."""

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int, Key, PRNGKeyArray

from lmta.agents.director.settings import NetworkSettings
from lmta.nn.categorical import even_support, mean_on, unsquash
from lmta.nn.discrete import draw, straight_through
from lmta.nn.graph_network import GraphNetwork, mean_pool
from lmta.nn.q_learning import MASKED
from lmta.types import Observation


def pooled_features(observation: Observation) -> Float[Array, " features"]:
    """What the world model reconstructs: the mean over nodes, and the features of all."""
    return jnp.concatenate([mean_pool(observation.nodes, observation.graph), observation.globals])


def _mlp(in_size: int, out_size: int, sizes: NetworkSettings, *, key: PRNGKeyArray) -> eqx.nn.MLP:
    return eqx.nn.MLP(in_size, out_size, sizes.width, depth=2, activation=jax.nn.elu, key=key)


class WorldModel(eqx.Module):
    """Observation → latent and nodes; (latent, picked node, does the day end) → next latent; what latents tell."""

    network: GraphNetwork
    project: eqx.nn.Linear
    cell: eqx.nn.GRUCell
    features: eqx.nn.MLP
    reward: eqx.nn.MLP
    goes_on: eqx.nn.MLP
    largest_reward: float = eqx.field(static=True)

    def __init__(self, seen: Observation, sizes: NetworkSettings, largest_reward: float, *, key: PRNGKeyArray):
        keys = jax.random.split(key, 6)
        node_size, global_size = seen.nodes.shape[1], seen.globals.shape[0]
        self.network = GraphNetwork(node_size, global_size, sizes.hidden, sizes.layers, key=keys[0])
        self.project = eqx.nn.Linear(self.network.out_size + global_size, sizes.latent, key=keys[1])
        self.cell = eqx.nn.GRUCell(node_size + self.network.out_size + 1, sizes.latent, key=keys[2])
        self.features = _mlp(sizes.latent, node_size + global_size, sizes, key=keys[3])
        self.reward = _mlp(2 * sizes.latent, sizes.reward_bins, sizes, key=keys[4])
        self.goes_on = _mlp(sizes.latent, 1, sizes, key=keys[5])
        self.largest_reward = largest_reward

    def encode(self, observation: Observation) -> tuple[Float[Array, " latent"], Float[Array, " nodes embedding"]]:
        """(the latent of a state, what is known of each node: its features and its messages)."""
        nodes = self.network(observation)
        context = jnp.concatenate([mean_pool(nodes, observation.graph), observation.globals])
        return jnp.tanh(self.project(context)), jnp.concatenate([observation.nodes, nodes], axis=1)

    def step(
        self, latent: Float[Array, " latent"], node: Float[Array, " embedding"], ends_day: Bool[Array, ""]
    ) -> Float[Array, " latent"]:
        """The latent after a pick, and after the night where the day ends with it."""
        return self.cell(jnp.append(node, ends_day), latent)

    def reward_logits(self, before: Float[Array, " latent"], after: Float[Array, " latent"]) -> Float[Array, " bins"]:
        """Of the reward of a step on its support. It sees latents alone, so what a pick earns must show in them."""
        return self.reward(jnp.concatenate([before, after]))

    @property
    def support(self) -> Float[Array, " bins"]:
        """Of rewards."""
        return even_support(self.largest_reward, self.reward.out_size)  # pyright: ignore

    def expected_reward(self, before: Float[Array, " latent"], after: Float[Array, " latent"]) -> Float[Array, ""]:
        """Of a step."""
        return mean_on(self.reward_logits(before, after), self.support)


class GoalAutoencoder(eqx.Module):
    """Latent → code of one-hot vectors → latent; what the decoder gives is a goal."""

    encoder: eqx.nn.MLP
    decoder: eqx.nn.MLP
    shape: tuple[int, int] = eqx.field(static=True)

    def __init__(self, sizes: NetworkSettings, *, key: PRNGKeyArray):
        keys = jax.random.split(key)
        self.shape = sizes.codes, sizes.classes
        self.encoder = _mlp(sizes.latent, sizes.codes * sizes.classes, sizes, key=keys[0])
        self.decoder = _mlp(sizes.codes * sizes.classes, sizes.latent, sizes, key=keys[1])

    def logits(self, latent: Float[Array, " latent"]) -> Float[Array, " codes classes"]:
        """Of each one-hot vector of the code."""
        return self.encoder(latent).reshape(self.shape)

    def decode(self, code: Float[Array, " codes classes"]) -> Float[Array, " latent"]:
        """The goal that a code stands for."""
        return self.decoder(code.reshape(-1))

    def reconstruct(self, latent: Float[Array, " latent"], key: Key[Array, ""] | None) -> Float[Array, " latent"]:
        """Through a drawn code, whose gradient passes straight; without a key through the most likely one."""
        keys = None if key is None else jax.random.split(key, self.shape[0])
        return self.decode(jax.vmap(straight_through)(self.logits(latent), keys))


class Manager(eqx.Module):
    """Latent → logits of a code."""

    policy: eqx.nn.MLP
    shape: tuple[int, int] = eqx.field(static=True)

    def __init__(self, sizes: NetworkSettings, *, key: PRNGKeyArray):
        self.shape = sizes.codes, sizes.classes
        self.policy = _mlp(sizes.latent, sizes.codes * sizes.classes, sizes, key=key)

    def __call__(self, latent: Float[Array, " latent"]) -> Float[Array, " codes classes"]:
        """Logits of each one-hot vector."""
        return self.policy(latent).reshape(self.shape)


class Worker(eqx.Module):
    """Scores nodes by the product of a key, from what is known of the node, and a query, from latent and goal."""

    key: eqx.nn.MLP
    query: eqx.nn.MLP

    def __init__(self, embedding: int, sizes: NetworkSettings, *, key: PRNGKeyArray):
        keys = jax.random.split(key)
        self.key = eqx.nn.MLP(embedding, sizes.hidden, sizes.hidden, 1, activation=jax.nn.elu, key=keys[0])
        self.query = _mlp(2 * sizes.latent, sizes.hidden, sizes, key=keys[1])

    def keys(self, nodes: Float[Array, " nodes embedding"]) -> Float[Array, " nodes hidden"]:
        """They do not depend on latent and goal, and serve for many steps."""
        return jax.vmap(self.key)(nodes)

    def __call__(
        self,
        keys: Float[Array, " nodes hidden"],
        latent: Float[Array, " latent"],
        goal: Float[Array, " latent"],
        legal: Bool[Array, " nodes"],
    ) -> Float[Array, " nodes"]:
        """Logits of picks, masked where none is legal."""
        query = self.query(jnp.concatenate([latent, goal]))
        return jnp.where(legal, keys @ query / jnp.sqrt(jnp.float32(query.shape[0])), MASKED)


class Critics(eqx.Module):
    """Values of latents, in true units: extrinsic and exploratory ones for the manager, of a goal for the worker."""

    manager: eqx.nn.MLP
    worker: eqx.nn.MLP

    def __init__(self, sizes: NetworkSettings, *, key: PRNGKeyArray):
        keys = jax.random.split(key)
        self.manager = _mlp(sizes.latent, 2, sizes, key=keys[0])
        self.worker = _mlp(2 * sizes.latent, 1, sizes, key=keys[1])

    def of_manager(self, latent: Float[Array, " latent"]) -> Float[Array, " 2"]:
        """(extrinsic, exploratory)."""
        return unsquash(self.manager(latent))

    def of_worker(self, latent: Float[Array, " latent"], goal: Float[Array, " latent"]) -> Float[Array, ""]:
        """What the goal will still pay."""
        return unsquash(self.worker(jnp.concatenate([latent, goal])))[0]


class DirectorModel(eqx.Module):
    """All weights that play, and the critics that taught them."""

    world: WorldModel
    goals: GoalAutoencoder
    manager: Manager
    worker: Worker
    critics: Critics

    def __init__(self, seen: Observation, sizes: NetworkSettings, largest_reward: float, *, key: PRNGKeyArray):
        keys = jax.random.split(key, 5)
        self.world = WorldModel(seen, sizes, largest_reward, key=keys[0])
        self.goals = GoalAutoencoder(sizes, key=keys[1])
        self.manager = Manager(sizes, key=keys[2])
        self.worker = Worker(seen.nodes.shape[1] + self.world.network.out_size, sizes, key=keys[3])
        self.critics = Critics(sizes, key=keys[4])


def draw_code(logits: Float[Array, " codes classes"], key: Key[Array, ""] | None) -> Int[Array, " codes"]:
    """One class for each one-hot vector; without a key the most likely ones."""
    keys = None if key is None else jax.random.split(key, logits.shape[0])
    return jax.vmap(draw)(logits, keys)
