"""Flat DQN: double DQN over primitive time, one pick or the end of the day a step."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import equinox as eqx
import jax
import jax.numpy as jnp
import optax
from jaxtyping import Array, Bool, Float, Int, Key

from lmta.agents.base import AbstractAgent, AgentDay, PickValues, Terms
from lmta.agents.presets import with_overrides
from lmta.agents.steps import Played, Step, forecasts_of, played, sample_steps
from lmta.devices import map_over_cores
from lmta.nn.optimisers import adam, apply_gradient
from lmta.nn.q_learning import copied_every, epsilon, epsilon_greedy, q_loss, q_target
from lmta.nn.q_network import EndingQNetwork
from lmta.nn.replay import Ring
from lmta.problems.base import DayRecord, pick_day, play_episode
from lmta.problems.spec import Spec
from lmta.types import Observation

NOTHING = jnp.zeros(0)
"""The Q-network has no condition."""


@dataclass(frozen=True)
class NetworkSettings:
    """Sizes of the Q-network."""

    hidden: int = 64
    layers: int = 3


@dataclass(frozen=True)
class TrainSettings:
    """Self-play, replay and optimisation."""

    episodes: int = 16
    """Episodes of self-play an epoch, played as one batch."""
    updates: int = 192
    """Gradient steps an epoch."""
    batch: int = 16
    games: int = 500
    """Games that the replay keeps."""
    steps: int = 20_000
    """Primitive steps that are learned from: the newest."""
    rate: float = 1e-3
    rate_decay: float = 0.001
    """The learning rate falls as 1/√(1 + this · steps)."""
    weight_decay: float = 1e-5
    clip: float = 5.0
    discount: float = 0.997
    epsilon_first: float = 0.90
    epsilon_last: float = 0.05
    epsilon_decay: float = 0.998
    """ε shrinks by this with every gradient step."""
    target_every: int = 100
    """Gradient steps between two copies to the target network."""


@dataclass(frozen=True)
class FlatDqnSettings:
    """All settings of Flat DQN."""

    network: NetworkSettings = field(default_factory=NetworkSettings)
    train: TrainSettings = field(default_factory=TrainSettings)
    end_day: bool = True
    """Whether ending the day is an action; without, picks go on until the budget is spent or nothing is legal."""


class FlatDqnLearner(eqx.Module):
    """What training changes."""

    network: EndingQNetwork
    target: EndingQNetwork
    optimiser: optax.OptState
    steps: Int[Array, ""]


@dataclass(frozen=True)
class FlatDqn(AbstractAgent):
    """One Q-network picks node after node, or ends the day."""

    name: ClassVar[str] = "flat-dqn"
    summary: ClassVar[str] = "double DQN over single picks and the end of the day, without hierarchy"
    settings_type: ClassVar[type] = FlatDqnSettings
    settings: FlatDqnSettings

    @classmethod
    def presets(cls, spec: Spec) -> Mapping[str, FlatDqnSettings]:
        """One preset; its page in docs/agents says what of it was tuned."""
        return {"tuned": with_overrides(FlatDqnSettings(), spec, cls.name, "tuned")}

    @property
    def capacity(self) -> int:
        """Games that the replay keeps."""
        return self.settings.train.games

    def init(self, seen: Observation, *, key: Key[Array, ""]) -> EndingQNetwork:
        """The Q-network."""
        sizes = self.settings.network
        return EndingQNetwork(seen.nodes.shape[1], seen.globals.shape[0], 0, sizes.hidden, sizes.layers, key=key)

    def begin(self, model: EndingQNetwork) -> FlatDqnLearner:
        """The learner before its first epoch."""
        state = self._optimiser().init(eqx.filter(model, eqx.is_array))
        return FlatDqnLearner(model, model, state, jnp.zeros((), jnp.int32))

    def playing(self, learner: FlatDqnLearner) -> EndingQNetwork:
        """The newest weights."""
        return learner.network

    def measures(self, learner: FlatDqnLearner) -> dict[str, Float[Array, ""]]:
        """The rate of random actions."""
        return {"epsilon": self._epsilon(learner)}

    @property
    def pick_values(self) -> PickValues:
        """Q of each pick."""
        return PickValues(self.settings.train.discount, False)

    def play(self, learner: FlatDqnLearner, instances: Any, epoch: Int[Array, ""], key: Key[Array, ""]) -> Played:
        """Every instance once, ε-greedy."""
        keys = jax.random.split(key, instances.days.shape[0])
        return map_over_cores(_PlayGame(self), (learner.network, self._epsilon(learner)), instances, keys)

    def learn(
        self, learner: FlatDqnLearner, replay: Ring, epoch: Int[Array, ""], key: Key[Array, ""]
    ) -> tuple[FlatDqnLearner, Terms]:
        """All updates of an epoch."""
        return _learn(self, learner, replay, key)

    def decide(self, model: EndingQNetwork, instance: Any, state: Any, key: Key[Array, ""]) -> AgentDay:
        """The best action again and again, until it is the end of the day."""
        record = self.make_picks(model, instance, state)
        return AgentDay(record.num_picks, record)

    def make_picks(
        self,
        model: EndingQNetwork,
        instance: Any,
        state: Any,
        rate: Float[Array, ""] | float = 0.0,
        key: Key[Array, ""] | None = None,
    ) -> DayRecord:
        """The day's picks, ε-greedy where a key is given."""

        def choose(state, num_picks):
            values = model(self.problem.observe(instance, state), NOTHING)
            pick_key = None if key is None else jax.random.fold_in(key, num_picks)
            action = epsilon_greedy(values, self.legal(instance, state), rate, pick_key)
            return jnp.where(action == values.shape[0] - 1, -1, action), values[action]

        return pick_day(self.problem, instance, state, choose, state.budget_left, self.max_picks)

    def legal(self, instance: Any, state: Any) -> Bool[Array, " nodes_and_one"]:
        """Legal picks, and the end of the day: always, or only where no pick is legal."""
        picks = self.problem.legal(instance, state)
        return jnp.append(picks, self.settings.end_day | ~picks.any())

    def _epsilon(self, learner: FlatDqnLearner) -> Float[Array, ""]:
        train = self.settings.train
        return epsilon(train.epsilon_first, train.epsilon_last, train.epsilon_decay, learner.steps)

    def _optimiser(self) -> optax.GradientTransformation:
        train = self.settings.train
        clip = optax.clip_by_global_norm(train.clip)
        return optax.chain(clip, adam(train.rate, train.weight_decay, train.rate_decay))


@dataclass(frozen=True)
class _PlayGame:
    """Plays one instance under exploration."""

    agent: FlatDqn

    def __call__(self, shared: tuple[EndingQNetwork, Float[Array, ""]], instance: Any, key: Key[Array, ""]) -> Played:
        model, rate = shared
        agent, problem = self.agent, self.agent.problem
        noise_key, play_key = jax.random.split(key)
        noise = problem.draw_noise(instance, agent.max_days, noise_key)

        def decide(state, key):
            record = agent.make_picks(model, instance, state, rate, key)
            return record, (state.budget_left, forecasts_of(problem, instance, state, record))

        episode = play_episode(problem, instance, noise, decide, jax.random.split(play_key, agent.max_days))
        return played(instance, episode, *episode.kept)


def flat_loss(
    network: EndingQNetwork, target: EndingQNetwork, agent: FlatDqn, batch: Step
) -> tuple[Float[Array, ""], Terms]:
    """(Q(s, a) - (r + γ Q'(s', argmax Q(s', ·))))², the squared error of double DQN."""

    def one(step: Step):
        value = network(agent.problem.observe(step.instance, step.state), NOTHING)[step.action]
        seen = agent.problem.observe(step.instance, step.next_state)
        legal = agent.legal(step.instance, step.next_state)
        discount = agent.settings.train.discount * step.goes_on
        wanted = q_target(step.reward, discount, target(seen, NOTHING), network(seen, NOTHING), legal)
        return q_loss(value, wanted), value

    error, value = jax.vmap(one)(batch)
    return error.mean(), {"q": error.mean(), "q_value": value.mean()}


@eqx.filter_jit(donate="none")
def _learn(agent: FlatDqn, learner: FlatDqnLearner, replay: Ring, key: Key[Array, ""]) -> tuple[FlatDqnLearner, Terms]:
    train, optimiser = agent.settings.train, agent._optimiser()
    arrays, static = eqx.partition(learner, eqx.is_array)

    def step(arrays, key):
        now = eqx.combine(arrays, static)
        batch = sample_steps(agent.problem, replay, train.steps, train.batch, key)
        gradient, terms = eqx.filter_grad(flat_loss, has_aux=True)(now.network, now.target, agent, batch)
        network, state = apply_gradient(optimiser, gradient, now.optimiser, now.network)
        count = now.steps + 1
        target = copied_every(train.target_every, count, network, now.target)
        return eqx.filter(FlatDqnLearner(network, target, state, count), eqx.is_array), terms

    arrays, terms = jax.lax.scan(step, arrays, jax.random.split(key, train.updates))
    return eqx.combine(arrays, static), jax.tree.map(jnp.mean, terms)
