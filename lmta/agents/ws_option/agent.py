"""WS-option as an agent: the budget with the highest value, then picks by a DQN that is told what is left of it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int, Key

from lmta.agents.base import AbstractAgent, AgentDay, PickValues, Terms
from lmta.agents.presets import with_overrides
from lmta.agents.steps import Played, forecasts_of, played
from lmta.agents.ws_option.beam import search_picks
from lmta.agents.ws_option.networks import WsOptionModel, condition
from lmta.agents.ws_option.settings import WsOptionSettings
from lmta.agents.ws_option.update import WsOptionLearner, learn, make_optimisers
from lmta.devices import map_over_cores
from lmta.nn.q_learning import epsilon, epsilon_greedy
from lmta.nn.replay import Ring
from lmta.policies.budgets import average
from lmta.problems.base import DayRecord, pick_day, play_episode
from lmta.problems.spec import Spec
from lmta.types import Observation


@dataclass(frozen=True)
class WsOption(AbstractAgent):
    """Feng et al. 2025: the high level values budgets, the low level is told nothing but the budget."""

    name: ClassVar[str] = "ws-option"
    summary: ClassVar[str] = "Monte-Carlo values of budgets above, a DQN of picks below, trained by wake and sleep"
    settings_type: ClassVar[type] = WsOptionSettings
    settings: WsOptionSettings

    @classmethod
    def presets(cls, spec: Spec) -> Mapping[str, WsOptionSettings]:
        """One preset; its page in docs/agents says what of it was tuned."""
        return {"tuned": with_overrides(WsOptionSettings(), spec, cls.name, "tuned")}

    @property
    def capacity(self) -> int:
        """Games that the replay keeps."""
        return self.settings.train.games

    def init(self, seen: Observation, *, key: Key[Array, ""]) -> WsOptionModel:
        """Both levels."""
        return WsOptionModel(seen, self.settings.network, key=key)

    def begin(self, model: WsOptionModel) -> WsOptionLearner:
        """The learner before its first epoch."""
        high, low = make_optimisers(self.settings)
        return WsOptionLearner(
            model,
            model,
            model.low,
            high.init(eqx.filter(model.high, eqx.is_array)),
            low.init(eqx.filter(model.low, eqx.is_array)),
            jnp.zeros((), jnp.int32),
        )

    def playing(self, learner: WsOptionLearner) -> WsOptionModel:
        """The mean of the latest weights."""
        return learner.average

    def measures(self, learner: WsOptionLearner) -> dict[str, Float[Array, ""]]:
        """The rate of random picks."""
        return {"epsilon": self._epsilon(learner)}

    @property
    def pick_values(self) -> PickValues:
        """Q of each pick."""
        return PickValues(self.settings.train.discount, False)

    def play(self, learner: WsOptionLearner, instances: Any, epoch: Int[Array, ""], key: Key[Array, ""]) -> Played:
        """Every instance once: average budgets while asleep, ε-greedy ones later."""
        train = self.settings.train
        awake = jnp.maximum(epoch - train.sleep, 0)
        rates = self._epsilon(learner), train.budget_epsilon * train.budget_epsilon_decay**awake
        keys = jax.random.split(key, instances.days.shape[0])
        return map_over_cores(_PlayGame(self), (learner.model, *rates), instances, keys)

    def learn(
        self, learner: WsOptionLearner, replay: Ring, epoch: Int[Array, ""], key: Key[Array, ""]
    ) -> tuple[WsOptionLearner, Terms]:
        """All updates of an epoch; asleep only the low level learns."""
        return learn(self, learner, replay, epoch, key)

    def decide(self, model: WsOptionModel, instance: Any, state: Any, key: Key[Array, ""]) -> AgentDay:
        """The best budget and the best picks, one by one or by a beam."""
        budget = self.choose_budget(model, instance, state)
        pick = search_picks if self.settings.beam.width > 1 else type(self).make_picks
        return AgentDay(budget, pick(self, model, instance, state, budget))

    def choose_budget(
        self,
        model: WsOptionModel,
        instance: Any,
        state: Any,
        rate: Float[Array, ""] | float = 0.0,
        key: Key[Array, ""] | None = None,
    ) -> Int[Array, ""]:
        """argmax Q(s, k) over the budgets that may be chosen, ε-greedy where a key is given; asleep the average."""
        budgets = jnp.arange(self.max_picks + 1)
        seen, days_left = self.problem.observe(instance, state), instance.days - state.day
        values = model.high(seen, state.budget_left, days_left, budgets)
        even = state.budget_left / jnp.maximum(days_left, 1)
        most = jnp.where(days_left > 1, jnp.ceil(self.settings.train.most_even_shares * even), state.budget_left)
        chosen = epsilon_greedy(values, budgets <= jnp.minimum(most, state.budget_left), rate, key)
        return jnp.where(model.awake, chosen, average(instance, state, None)).astype(jnp.int32)

    def make_picks(
        self,
        model: WsOptionModel,
        instance: Any,
        state: Any,
        budget: Int[Array, ""],
        rate: Float[Array, ""] | float = 0.0,
        key: Key[Array, ""] | None = None,
    ) -> DayRecord:
        """Up to `budget` picks; the low level may end the day before."""

        def choose(state, num_picks):
            values = model.low(self.problem.observe(instance, state), condition(budget - num_picks))
            pick_key = None if key is None else jax.random.fold_in(key, num_picks)
            action = epsilon_greedy(values, self.legal(instance, state, budget - num_picks), rate, pick_key)
            return jnp.where(action == values.shape[0] - 1, -1, action), values[action]

        return pick_day(self.problem, instance, state, choose, budget, self.max_picks)

    def legal(self, instance: Any, state: Any, picks_left: Int[Array, ""]) -> Bool[Array, " nodes_and_one"]:
        """Legal picks while some of the day's budget is left, and the end of the day."""
        picks = self.problem.legal(instance, state) & (picks_left > 0)
        return jnp.append(picks, True)

    def _epsilon(self, learner: WsOptionLearner) -> Float[Array, ""]:
        train = self.settings.train
        return epsilon(train.epsilon_first, train.epsilon_last, train.epsilon_decay, learner.low_steps)


@dataclass(frozen=True)
class _PlayGame:
    """Plays one instance under exploration."""

    agent: WsOption

    def __call__(self, shared: tuple[Any, ...], instance: Any, key: Key[Array, ""]) -> Played:
        """`shared` is the model and the rates of random picks and budgets."""
        model, pick_rate, budget_rate = shared
        agent, problem = self.agent, self.agent.problem
        noise_key, play_key = jax.random.split(key)
        noise = problem.draw_noise(instance, agent.max_days, noise_key)

        def decide(state, key):
            budget_key, pick_key = jax.random.split(key)
            budget = agent.choose_budget(model, instance, state, budget_rate, budget_key)
            record = agent.make_picks(model, instance, state, budget, pick_rate, pick_key)
            return record, (budget, forecasts_of(problem, instance, state, record))

        episode = play_episode(problem, instance, noise, decide, jax.random.split(play_key, agent.max_days))
        return played(instance, episode, *episode.kept)
