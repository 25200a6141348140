"""Encoder, dynamics, prediction, margin, budget, subgoals and the goal-conditioned Q-network (paper §4, App. F)."""

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int, PRNGKeyArray

from lmta.config import ModelConfig
from lmta.nn.categorical import mean_on, unsquash
from lmta.nn.graph_network import GraphNetwork, mean_pool
from lmta.types import Observation

MASKED = -1e9
OTHER_NUMBERS = 0.01
"""How much subgoals differ at first in all but their ambition."""


def on_sphere(x: Float[Array, " latent"]) -> Float[Array, " latent"]:
    """The ℓ2-normalised vector; latents live on the unit sphere."""
    return x / jnp.sqrt(jnp.sum(x**2) + 1e-12)


def chordal(u: Float[Array, " latent"], v: Float[Array, " latent"]) -> Float[Array, ""]:
    """d(u, v) = ‖u - v‖ on the sphere, with a gradient of 0 where they meet."""
    square = jnp.sum((u - v) ** 2)
    safe = jnp.where(square > 0, square, 1.0)
    return jnp.where(square > 0, jnp.sqrt(safe), 0.0)


def _spread_out(h: Float[Array, " latent"]) -> Float[Array, " latent"]:
    """The latent as heads read it, at unit variance: the numbers of a unit vector are too small to learn from fast."""
    return h * jnp.sqrt(len(h))


class Encoder(eqx.Module):
    """h_θ: message passing, mean pooling, projection, normalisation."""

    network: GraphNetwork
    project: eqx.nn.Linear

    def __init__(self, node_size: int, global_size: int, config: ModelConfig, *, key: PRNGKeyArray):
        network_key, project_key = jax.random.split(key)
        self.network = GraphNetwork(
            node_size, global_size, config.encoder_hidden, config.encoder_layers, key=network_key
        )
        self.project = eqx.nn.Linear(self.network.out_size + global_size, config.latent, key=project_key)

    def __call__(self, observation: Observation) -> Float[Array, " latent"]:
        """The latent of a state."""
        pooled = mean_pool(self.network(observation), observation.graph)
        return on_sphere(self.project(jnp.concatenate([pooled, observation.globals])))


class Dynamics(eqx.Module):
    """g_θ: one macro step, from latent and subgoal to the next latent and the distribution of the macro reward."""

    body: eqx.nn.MLP
    latent: eqx.nn.Linear
    reward: eqx.nn.Linear

    def __init__(self, config: ModelConfig, *, key: PRNGKeyArray):
        keys = jax.random.split(key, 3)
        self.body = _mlp(config.latent + config.subgoal_size, config.hidden, config.hidden, key=keys[0])
        self.latent = eqx.nn.Linear(config.hidden, config.latent, key=keys[1])
        self.reward = eqx.nn.Linear(config.hidden, config.reward_bins, key=keys[2])

    def __call__(
        self, h: Float[Array, " latent"], z: Float[Array, " subgoal"]
    ) -> tuple[Float[Array, " latent"], Float[Array, " bins"]]:
        """(next latent, logits of the reward)."""
        x = jax.nn.relu(self.body(jnp.concatenate([_spread_out(h), z])))
        return on_sphere(self.latent(x)), self.reward(x)


class Prediction(eqx.Module):
    """f_θ: policy prior over subgoals, and value (in squashed units)."""

    policy: eqx.nn.MLP
    value: eqx.nn.MLP

    def __init__(self, config: ModelConfig, *, key: PRNGKeyArray):
        policy_key, value_key = jax.random.split(key)
        self.policy = _mlp(config.latent, config.subgoals, config.hidden, key=policy_key)
        self.value = _mlp(config.latent, 1, config.hidden, key=value_key)

    def __call__(self, h: Float[Array, " latent"]) -> tuple[Float[Array, " subgoals"], Float[Array, ""]]:
        """(logits over subgoals, squashed value)."""
        x = _spread_out(h)
        return self.policy(x), self.value(x)[0]


class BudgetHead(eqx.Module):
    """b_ψ and its critic V_η: how much to spend on a subgoal, and what to expect of it.

    A network on [h; z] gives logits and an urgency. The logits are added to a bell around the share of an even pace,
    where today counts e^(urgency + ambition) times as much as each later day; ambition differs from subgoal to subgoal.
    So the policy starts from the average allocation, and a good or bad day says something of all budgets, not of its
    own alone.
    """

    policy: eqx.nn.MLP
    value: eqx.nn.MLP
    ambition: Float[Array, " subgoal"]
    most: int = eqx.field(static=True)
    free: bool = eqx.field(static=True)
    given_subgoal: bool = eqx.field(static=True)
    spread: float = eqx.field(static=True)
    last_spread: float | None = eqx.field(static=True)
    round_from: float = eqx.field(static=True)
    scaled_input: bool = eqx.field(static=True)

    def __init__(self, config: ModelConfig, max_budget: int, *, key: PRNGKeyArray):
        policy_key, value_key = jax.random.split(key)
        in_size = config.latent + config.subgoal_size
        self.policy = _mlp(in_size, 1 + (max_budget + 1) * config.free_budgets, config.hidden, key=policy_key)
        self.value = _mlp(in_size, 1, config.hidden, key=value_key)
        self.ambition = jnp.zeros(config.subgoal_size).at[0].set(config.ambition)
        self.most = max_budget
        self.free = config.free_budgets
        self.given_subgoal = config.budget_given_subgoal
        self.spread = config.budget_spread
        self.last_spread = config.last_spread
        self.round_from = config.round_from
        self.scaled_input = config.scaled_budget_input

    def __call__(
        self,
        h: Float[Array, " latent"],
        z: Float[Array, " subgoal"],
        left: Int[Array, ""],
        days_left: Int[Array, ""],
        most: int | None = None,
        haste: Float[Array, ""] | float = 0.0,
    ) -> tuple[Float[Array, " budgets"], Float[Array, ""], Float[Array, ""]]:
        """(logits over 0..B_max with what exceeds `left` masked, urgency in all, squashed value of the critic).

        B_max is the budget of a training episode; a head without free logits serves up to any `most`. `haste` is added
        to what was learned.
        """
        z = z if self.given_subgoal else jnp.zeros_like(z)
        output = self.policy(jnp.concatenate([_spread_out(h) if self.scaled_input else h, z]))
        learned, urgency = output[:-1] if self.free else 0.0, output[-1] + self.ambition @ z + haste
        budgets = jnp.arange(1 + (self.most if most is None or self.free else most))
        later_days = jnp.maximum(days_left - 1, 0)
        centre = left * jax.nn.sigmoid(urgency - jnp.log(later_days))
        centre += jnp.where(later_days > 0, 0.5 - self.round_from, 0.0)
        spread = self.spread if self.last_spread is None else jnp.where(later_days > 0, self.spread, self.last_spread)
        logits = learned - 0.5 * ((budgets - centre) / spread) ** 2
        value = self.value(jnp.concatenate([_spread_out(h), z]))[0]
        return jnp.where(budgets <= left, logits, MASKED), urgency, value


class QNetwork(eqx.Module):
    """Q(s', a | z): message passing; the head sees each node's own features, what it heard, the subgoal, and how many
    picks of the day are left. With known gains it learns only what follows a pick."""

    network: GraphNetwork
    node: eqx.nn.Linear
    context: eqx.nn.Linear
    advantage: eqx.nn.Linear
    value: eqx.nn.MLP
    given_subgoal: bool = eqx.field(static=True)
    dueling: bool = eqx.field(static=True)
    known_gains: bool = eqx.field(static=True)
    ends_with_day: bool = eqx.field(static=True)

    def __init__(self, node_size: int, global_size: int, config: ModelConfig, *, key: PRNGKeyArray):
        keys = jax.random.split(key, 5)
        width = config.q_hidden
        self.network = GraphNetwork(node_size, global_size, width, config.q_layers, key=keys[0])
        context_size = self.network.out_size + config.subgoal_size + global_size + 1
        self.node = eqx.nn.Linear(node_size + self.network.out_size, width, use_bias=False, key=keys[1])
        self.context = eqx.nn.Linear(context_size, width, key=keys[2])
        advantage = eqx.nn.Linear(width, 1, key=keys[3])
        self.advantage = jax.tree.map(jnp.zeros_like, advantage) if config.known_gains else advantage
        self.value = _mlp(context_size, 1, width, key=keys[4])
        self.given_subgoal = config.low_level_given_subgoal
        self.dueling = config.dueling
        self.known_gains = config.known_gains
        self.ends_with_day = config.low_horizon == "day"

    def __call__(
        self, observation: Observation, z: Float[Array, " subgoal"], picks_left: Int[Array, ""]
    ) -> Float[Array, " nodes"]:
        """The value of picking each node (without mask), as the first of the day's `picks_left`."""
        nodes, graph = self.network(observation), observation.graph
        goal = z if self.given_subgoal else jnp.zeros_like(z)
        context = jnp.concatenate([mean_pool(nodes, graph), goal, observation.globals, jnp.log1p(picks_left)[None]])
        seen_and_heard = jnp.concatenate([observation.nodes, nodes], axis=1)
        hidden = jax.nn.relu(jax.vmap(self.node)(seen_and_heard) + self.context(context))
        advantage = jax.vmap(self.advantage)(hidden)
        learned = self.value(context) + advantage - mean_pool(advantage, graph) if self.dueling else advantage
        if not self.known_gains:
            return learned[:, 0]
        something_follows = (picks_left > 1) | (not self.ends_with_day)
        return observation.gain + jnp.where(something_follows, learned[:, 0], 0.0)


class HighLevel(eqx.Module):
    """All that Θ_HL stands for: world model, prediction, margins, budget, and the dictionary of subgoals."""

    encoder: Encoder
    dynamics: Dynamics
    prediction: Prediction
    budget: BudgetHead
    subgoals: Float[Array, " subgoals size"]
    margin_head: eqx.nn.MLP
    reward_bins: int = eqx.field(static=True)
    reward_range: float = eqx.field(static=True)
    learned_margin: bool = eqx.field(static=True)

    def __init__(self, node_size: int, global_size: int, max_budget: int, config: ModelConfig, *, key: PRNGKeyArray):
        keys = jax.random.split(key, 6)
        self.encoder = Encoder(node_size, global_size, config, key=keys[0])
        self.dynamics = Dynamics(config, key=keys[1])
        self.prediction = Prediction(config, key=keys[2])
        self.budget = BudgetHead(config, max_budget, key=keys[3])
        self.subgoals = _first_subgoals(config, key=keys[4])
        self.margin_head = _mlp(config.subgoal_size, 1, config.hidden, key=keys[5])
        self.reward_bins = config.reward_bins
        self.reward_range = config.reward_range
        self.learned_margin = config.learned_margin

    @property
    def support(self) -> Float[Array, " bins"]:
        """The atoms of the macro reward, in squashed units."""
        return jnp.linspace(-self.reward_range, self.reward_range, self.reward_bins)

    def step(
        self, h: Float[Array, " latent"], subgoal: Int[Array, ""]
    ) -> tuple[Float[Array, " latent"], Float[Array, " bins"]]:
        """One macro step in latent space: (next latent, logits of the reward)."""
        return self.dynamics(h, self.subgoals[subgoal])

    def reward(self, logits: Float[Array, " bins"]) -> Float[Array, ""]:
        """The macro reward in true units."""
        return unsquash(mean_on(logits, self.support))

    def margins(self, fixed: Float[Array, ""]) -> Float[Array, " subgoals"]:
        """m_φ(z) ≥ 0 for every subgoal, or the fixed margin for all."""
        learned = jax.nn.softplus(jax.vmap(self.margin_head)(self.subgoals)[:, 0])
        return learned if self.learned_margin else jnp.full(self.subgoals.shape[0], fixed)


class Lmta(eqx.Module):
    """The whole agent: the high level, and the low level unless a guide takes its place."""

    high: HighLevel
    low: QNetwork | None

    def __init__(self, node_size: int, global_size: int, max_budget: int, config: ModelConfig, *, key: PRNGKeyArray):
        high_key, low_key = jax.random.split(key)
        self.high = HighLevel(node_size, global_size, max_budget, config, key=high_key)
        guided = config.low_level == "guided"
        self.low = None if guided else QNetwork(node_size, global_size, config, key=low_key)


def first_ambitions(config: ModelConfig) -> Float[Array, " subgoals"]:
    """How much more than a later day today counts for each subgoal at the start, as a logarithm."""
    if not config.budget_given_subgoal:
        return jnp.zeros(config.subgoals)
    return config.ambition * _normal_quantiles(config.subgoals)


def _normal_quantiles(count: int) -> Float[Array, " count"]:
    return jax.scipy.special.ndtri((jnp.arange(count) + 0.5) / count)


def _first_subgoals(config: ModelConfig, *, key: PRNGKeyArray) -> Float[Array, " subgoals size"]:
    """Subgoals that differ in their first number, which the budget policy reads as ambition, and little in others.

    With all numbers as different, the model would have to learn each subgoal by itself, and search would choose by its
    errors: what is known of an ambition holds for its neighbours too.
    """
    others = OTHER_NUMBERS * jax.random.normal(key, (config.subgoals, config.subgoal_size))
    return others.at[:, 0].set(_normal_quantiles(config.subgoals))


def _mlp(in_size: int, out_size: int, width: int, *, key: PRNGKeyArray) -> eqx.nn.MLP:
    return eqx.nn.MLP(in_size, out_size, width, depth=1, key=key)
