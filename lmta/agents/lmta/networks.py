"""Encoder, dynamics, prediction, margins, budgets, subgoals and the Q-network given a subgoal (paper §4, App. F)."""

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int, PRNGKeyArray, Real

from lmta.agents.lmta.settings import Departures, LmtaSettings, NetworkSettings
from lmta.nn.categorical import even_support, mean_on
from lmta.nn.graph_network import GraphNetwork, mean_pool
from lmta.nn.q_learning import MASKED
from lmta.nn.q_network import PlainQNetwork, WideQNetwork
from lmta.problems.spec import Size
from lmta.types import Observation

SPREAD, LAST_SPREAD = 0.5, 0.2
"""Width of the bell of budgets, in picks; narrow on the last day, where a pick that is not made is lost."""
ROUND_FROM = {"none": 0.5, "added": 0.5, "alone": 0.98}
"""The share of a pick that counts as a whole one. A bell alone waits until a whole pick is due, as even budgets do."""
OTHER_NUMBERS = 0.01
"""How much biased subgoals differ at first in all but their bias."""


def on_sphere(x: Float[Array, " latent"]) -> Float[Array, " latent"]:
    """The ℓ2-normalised vector; latents live on the unit sphere."""
    return x / jnp.sqrt(jnp.sum(x**2) + 1e-12)


def chordal(u: Float[Array, " latent"], v: Float[Array, " latent"]) -> Float[Array, ""]:
    """d(u, v) = ‖u - v‖ on the sphere, with a gradient of 0 where they meet."""
    square = jnp.sum((u - v) ** 2)
    safe = jnp.where(square > 0, square, 1.0)
    return jnp.where(square > 0, jnp.sqrt(safe), 0.0)


def _mlp(in_size: int, out_size: int, width: int, *, key: PRNGKeyArray) -> eqx.nn.MLP:
    return eqx.nn.MLP(in_size, out_size, width, depth=1, key=key)


class Encoder(eqx.Module):
    """h_θ: message passing, mean pooling, projection, normalisation."""

    network: GraphNetwork
    project: eqx.nn.Linear

    def __init__(self, node_size: int, global_size: int, sizes: NetworkSettings, *, key: PRNGKeyArray):
        network_key, project_key = jax.random.split(key)
        self.network = GraphNetwork(node_size, global_size, sizes.encoder_hidden, sizes.encoder_layers, key=network_key)
        self.project = eqx.nn.Linear(self.network.out_size + global_size, sizes.latent, key=project_key)

    def __call__(self, observation: Observation) -> Float[Array, " latent"]:
        """The latent of a state."""
        pooled = mean_pool(self.network(observation), observation.graph)
        return on_sphere(self.project(jnp.concatenate([pooled, observation.globals])))


class Dynamics(eqx.Module):
    """g_θ: one macro step, from latent and subgoal to the next latent and the distribution of the macro reward.

    Where budgets are chance variables it reads the budget too; otherwise it marginalises it.
    """

    body: eqx.nn.MLP
    latent: eqx.nn.Linear
    reward: eqx.nn.Linear
    reads_budget: bool = eqx.field(static=True)

    def __init__(self, sizes: NetworkSettings, reads_budget: bool, *, key: PRNGKeyArray):
        keys = jax.random.split(key, 3)
        self.reads_budget = reads_budget
        self.body = _mlp(sizes.latent + sizes.subgoal_size + reads_budget, sizes.hidden, sizes.hidden, key=keys[0])
        self.latent = eqx.nn.Linear(sizes.hidden, sizes.latent, key=keys[1])
        self.reward = eqx.nn.Linear(sizes.hidden, sizes.reward_bins, key=keys[2])

    def __call__(
        self, h: Float[Array, " latent"], z: Float[Array, " subgoal"], budget: Real[Array, ""] | None
    ) -> tuple[Float[Array, " latent"], Float[Array, " bins"]]:
        """(next latent, logits of the reward on its support)."""
        read = [h, z]
        if self.reads_budget:
            assert budget is not None, "dynamics with chance budgets needs the budget"
            read.append(jnp.log1p(budget)[None])
        x = jax.nn.relu(self.body(jnp.concatenate(read)))
        return on_sphere(self.latent(x)), self.reward(x)


class Prediction(eqx.Module):
    """f_θ: policy prior over subgoals, and value (in squashed units)."""

    policy: eqx.nn.MLP
    value: eqx.nn.MLP

    def __init__(self, sizes: NetworkSettings, *, key: PRNGKeyArray):
        policy_key, value_key = jax.random.split(key)
        self.policy = _mlp(sizes.latent, sizes.subgoals, sizes.hidden, key=policy_key)
        self.value = _mlp(sizes.latent, 1, sizes.hidden, key=value_key)

    def __call__(self, h: Float[Array, " latent"]) -> tuple[Float[Array, " subgoals"], Float[Array, ""]]:
        """(logits over subgoals, squashed value)."""
        return self.policy(h), self.value(h)[0]


class BudgetHead(eqx.Module):
    """b_ψ and its critic V_η: how much to spend on a subgoal, and what to expect of it.

    The paper's network on [h; z] gives a logit for each budget. With a prior it also gives a tilt: the logits are then
    added to a bell around the share in which today counts e^(tilt + bias of the subgoal) times as much as each later
    day. So the policy starts from the average allocation, and a good or bad day says something of all budgets.
    """

    policy: eqx.nn.MLP
    value: eqx.nn.MLP
    most: int = eqx.field(static=True)
    prior: str = eqx.field(static=True)
    sees_subgoal: bool = eqx.field(static=True)

    def __init__(self, settings: LmtaSettings, max_budget: int, *, key: PRNGKeyArray):
        policy_key, value_key = jax.random.split(key)
        sizes, departures = settings.network, settings.departures
        in_size = sizes.latent + sizes.subgoal_size
        free, tilt = departures.budget_prior != "alone", departures.budget_prior != "none"
        self.policy = _mlp(in_size, (max_budget + 1) * free + tilt, sizes.hidden, key=policy_key)
        self.value = _mlp(in_size, 1, sizes.hidden, key=value_key)
        self.most = max_budget
        self.prior = departures.budget_prior
        self.sees_subgoal = settings.ablation.budget_sees_subgoal

    def __call__(
        self,
        h: Float[Array, " latent"],
        z: Float[Array, " subgoal"],
        bias: Float[Array, ""],
        left: Int[Array, ""],
        days_left: Int[Array, ""],
        most: int | None = None,
    ) -> tuple[Float[Array, " budgets"], Float[Array, ""]]:
        """(logits over 0..B_max with what exceeds `left` masked, tilt).

        B_max is the budget of a training episode; a prior alone serves up to any `most`.
        """
        z = z if self.sees_subgoal else jnp.zeros_like(z)
        output = self.policy(jnp.concatenate([h, z]))
        if self.prior == "none":
            logits, tilt = output, jnp.zeros(())
        else:
            free, tilt = (output[:-1] if self.prior == "added" else 0.0), output[-1] + bias
            num_budgets = 1 + (self.most if most is None or self.prior == "added" else most)
            logits = free + self._bell(jnp.arange(num_budgets), tilt, left, days_left)
        return jnp.where(jnp.arange(logits.shape[0]) <= left, logits, MASKED), tilt

    def critic(self, h: Float[Array, " latent"], z: Float[Array, " subgoal"]) -> Float[Array, ""]:
        """V_η(h, z), in squashed units."""
        return self.value(jnp.concatenate([h, z if self.sees_subgoal else jnp.zeros_like(z)]))[0]

    def _bell(
        self,
        budgets: Int[Array, " budgets"],
        tilt: Float[Array, ""],
        left: Int[Array, ""],
        days_left: Int[Array, ""],
    ) -> Float[Array, " budgets"]:
        """Logits of a normal distribution around left / (1 + later days · e^-tilt)."""
        later_days = jnp.maximum(days_left - 1, 0)
        centre = left * jax.nn.sigmoid(tilt - jnp.log(later_days))
        centre += jnp.where(later_days > 0, 0.5 - ROUND_FROM[self.prior], 0.0)
        spread = jnp.where(later_days > 0, SPREAD, LAST_SPREAD)
        return -0.5 * ((budgets - centre) / spread) ** 2


class HighLevel(eqx.Module):
    """All that Θ_HL stands for: world model, prediction, margins, budget, and the dictionary of subgoals."""

    encoder: Encoder
    dynamics: Dynamics
    prediction: Prediction
    budget: BudgetHead
    subgoals: Float[Array, " subgoals size"]
    biases: Float[Array, " subgoals"]
    """What each subgoal adds to the tilt of its budgets."""
    margin_head: eqx.nn.MLP
    largest_reward: float = eqx.field(static=True)
    reward_bins: int = eqx.field(static=True)
    learns_margins: bool = eqx.field(static=True)
    scale: float = eqx.field(static=True)
    """What latents are multiplied by before dynamics, prediction and critic read them."""

    def __init__(
        self, seen: Observation, settings: LmtaSettings, size: Size, largest_reward: float, *, key: PRNGKeyArray
    ):
        keys = jax.random.split(key, 6)
        sizes = settings.network
        self.encoder = Encoder(seen.nodes.shape[1], seen.globals.shape[0], sizes, key=keys[0])
        self.dynamics = Dynamics(sizes, settings.ablation.chance_budgets > 0, key=keys[1])
        self.prediction = Prediction(sizes, key=keys[2])
        self.budget = BudgetHead(settings, size.budget, key=keys[3])
        self.subgoals = _first_subgoals(sizes, settings.departures, key=keys[4])
        self.biases = first_biases(settings)
        self.margin_head = _mlp(sizes.subgoal_size, 1, sizes.hidden, key=keys[5])
        self.largest_reward = largest_reward
        self.reward_bins = sizes.reward_bins
        self.learns_margins = settings.ablation.learns_margins
        self.scale = float(sizes.latent**0.5) if settings.departures.scaled_latents else 1.0

    @property
    def support(self) -> Float[Array, " bins"]:
        """The atoms of the macro reward, in true units."""
        return even_support(self.largest_reward, self.reward_bins)

    def _scaled(self, h: Float[Array, " latent"]) -> Float[Array, " latent"]:
        """The latent as heads read it. Gradients pass as they are: scaled too, those of values drown the rewards'."""
        return h + jax.lax.stop_gradient((self.scale - 1) * h)

    def predict(self, h: Float[Array, " latent"]) -> tuple[Float[Array, " subgoals"], Float[Array, ""]]:
        """(logits over subgoals, squashed value) of a latent."""
        return self.prediction(self._scaled(h))

    def step(
        self, h: Float[Array, " latent"], z: Float[Array, " size"], budget: Real[Array, ""] | None = None
    ) -> tuple[Float[Array, " latent"], Float[Array, " bins"]]:
        """One macro step in latent space: (next latent, logits of the reward). The budget is for chance budgets."""
        return self.dynamics(self._scaled(h), z, budget)

    def reward(self, logits: Float[Array, " bins"]) -> Float[Array, ""]:
        """The mean macro reward."""
        return mean_on(logits, self.support)

    def budgets(
        self,
        h: Float[Array, " latent"],
        subgoal: Int[Array, ""],
        left: Int[Array, ""],
        days_left: Int[Array, ""],
        most: int | None = None,
    ) -> tuple[Float[Array, " budgets"], Float[Array, ""]]:
        """(logits over the budgets of a subgoal, tilt)."""
        return self.budget(h, self.subgoals[subgoal], self.biases[subgoal], left, days_left, most)

    def all_budgets(
        self, h: Float[Array, " latent"], left: Int[Array, ""], days_left: Int[Array, ""], most: int | None = None
    ) -> tuple[Float[Array, " subgoals budgets"], Float[Array, " subgoals"]]:
        """The same for every subgoal."""
        return jax.vmap(lambda number: self.budgets(h, number, left, days_left, most))(jnp.arange(len(self.subgoals)))

    def critic(self, h: Float[Array, " latent"], z: Float[Array, " size"]) -> Float[Array, ""]:
        """V_η(h, z), in squashed units."""
        return self.budget.critic(self._scaled(h), z)

    def margins(self, fixed: Float[Array, ""]) -> Float[Array, " subgoals"]:
        """m_φ(z) ≥ 0 for every subgoal, or the fixed margin for all."""
        learned = jax.nn.softplus(jax.vmap(self.margin_head)(self.subgoals)[:, 0])
        return learned if self.learns_margins else jnp.full(self.subgoals.shape[0], fixed)


class LowLevel(eqx.Module):
    """Q(s', a | z): the value of each node, given the subgoal and how many picks of the day are left."""

    network: PlainQNetwork | WideQNetwork
    kind: str = eqx.field(static=True)

    def __init__(self, seen: Observation, settings: LmtaSettings, *, key: PRNGKeyArray):
        sizes, self.kind = settings.network, settings.departures.q_network
        shape = seen.nodes.shape[1], seen.globals.shape[0]
        if self.kind == "plain":
            self.network = PlainQNetwork(*shape, sizes.subgoal_size, sizes.q_hidden, sizes.q_layers, key=key)
        else:
            known = self.kind == "known-gains"
            condition = sizes.subgoal_size + 1
            self.network = WideQNetwork(
                *shape, condition, sizes.q_hidden, sizes.q_layers, zero_advantage=known, key=key
            )

    def __call__(
        self, observation: Observation, z: Float[Array, " subgoal"], picks_left: Int[Array, ""]
    ) -> Float[Array, " nodes"]:
        """The value of picking each node (without mask), as the first of the day's `picks_left`."""
        if self.kind == "plain":
            return self.network(observation, z)
        learned = self.network(observation, jnp.concatenate([z, jnp.log1p(picks_left)[None]]))
        if self.kind == "wide":
            return learned
        assert observation.gain is not None
        return observation.gain + jnp.where(picks_left > 1, learned, 0.0)


class LmtaModel(eqx.Module):
    """All weights of LMTA."""

    high: HighLevel
    low: LowLevel

    def __init__(
        self, seen: Observation, settings: LmtaSettings, size: Size, largest_reward: float, *, key: PRNGKeyArray
    ):
        high_key, low_key = jax.random.split(key)
        self.high = HighLevel(seen, settings, size, largest_reward, key=high_key)
        self.low = LowLevel(seen, settings, key=low_key)


def first_biases(settings: LmtaSettings) -> Float[Array, " subgoals"]:
    """How much more than a later day today counts for each subgoal at the start, as a logarithm."""
    if not settings.ablation.budget_sees_subgoal:
        return jnp.zeros(settings.network.subgoals)
    return settings.departures.subgoal_bias * _normal_quantiles(settings.network.subgoals)


def _normal_quantiles(count: int) -> Float[Array, " count"]:
    return jax.scipy.special.ndtri((jnp.arange(count) + 0.5) / count)


def _first_subgoals(
    sizes: NetworkSettings, departures: Departures, *, key: PRNGKeyArray
) -> Float[Array, " subgoals size"]:
    """Random vectors; with a bias, vectors that differ in their first number, as their biases do, and little in others.
    What is known of a bias holds for its neighbours too, and search does not choose by errors."""
    drawn = jax.random.normal(key, (sizes.subgoals, sizes.subgoal_size))
    if departures.subgoal_bias == 0:
        return drawn
    return (OTHER_NUMBERS * drawn).at[:, 0].set(_normal_quantiles(sizes.subgoals))
