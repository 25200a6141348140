"""LMTA as an agent: encode, search for a subgoal, choose its budget, make the picks; self-play and learning."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int, Key

from lmta.agents.base import AbstractAgent, AgentDay, PickValues, Terms
from lmta.agents.lmta.game import Game
from lmta.agents.lmta.networks import LmtaModel
from lmta.agents.lmta.play import SEARCHED, self_play
from lmta.agents.lmta.search import ChanceBudgets, Plan, choose_by_q, plan
from lmta.agents.lmta.settings import PRESETS, LmtaSettings
from lmta.agents.lmta.update import LmtaLearner, begin, learn
from lmta.agents.presets import with_overrides
from lmta.nn.categorical import unsquash
from lmta.nn.q_learning import epsilon, epsilon_greedy
from lmta.nn.replay import Ring
from lmta.problems.base import Choose, DayRecord, ForecastingProblem, pick_day
from lmta.problems.spec import Spec
from lmta.types import InputError, Observation, SearchReport


class Intent(eqx.Module):
    """A decision of the high level: what the search found, the subgoal that is taken, and its budget."""

    plan: Plan
    subgoal: Int[Array, ""]
    budget: Int[Array, ""]
    budget_logits: Float[Array, " budgets"]


@dataclass(frozen=True)
class Lmta(AbstractAgent):
    """Hierarchical planning with a multi-timescale latent model (paper, section 4)."""

    name: ClassVar[str] = "lmta"
    summary: ClassVar[str] = "tree search over learned subgoals in a multi-timescale latent model, a budget for each"
    settings_type: ClassVar[type] = LmtaSettings
    settings: LmtaSettings

    @classmethod
    def presets(cls, spec: Spec) -> Mapping[str, LmtaSettings]:
        """`lmta`, what earns most, and `paper`, as published."""
        return {name: with_overrides(settings, spec, cls.name, name) for name, settings in PRESETS.items()}

    @classmethod
    def check(cls, settings: LmtaSettings, spec: Spec) -> None:
        """Refuse what contradicts itself."""
        group, episodes = settings.departures.group_size, settings.train.episodes
        if episodes % group or group > max(1, episodes // 2):
            raise InputError(
                f"departures.group-size: {group} given, it must divide the {episodes} episodes of an epoch in two "
                "groups at least; or 1 for none."
            )
        if settings.train.games < episodes:
            raise InputError(f"train.games: {settings.train.games} given, at least the {episodes} episodes are needed.")
        if settings.departures.q_network == "known-gains" and not isinstance(spec.problem, ForecastingProblem):
            raise InputError(
                f"departures.q-network: {spec.name} does not know gains in closed form; use wide or plain."
            )
        if settings.departures.subgoal_bias > 0 and settings.departures.budget_prior == "none":
            raise InputError("departures.subgoal-bias: needs a --departures.budget-prior that it can bias.")
        if settings.ablation.chance_budgets and not settings.ablation.searches:
            raise InputError("chance-budgets: variant F has no search in which they could be drawn; leave one out.")

    @property
    def group_size(self) -> int:
        """Episodes that share an instance and its noise."""
        return self.settings.departures.group_size

    @property
    def capacity(self) -> int:
        """Games that the replay keeps."""
        return self.settings.train.games

    def init(self, seen: Observation, *, key: Key[Array, ""]) -> LmtaModel:
        """All networks, for budgets up to that of training."""
        return LmtaModel(seen, self.settings, self.size, self.largest_reward, key=key)

    def begin(self, model: LmtaModel) -> LmtaLearner:
        """The learner before its first epoch."""
        return begin(model, self.settings)

    def playing(self, learner: LmtaLearner) -> LmtaModel:
        """The average of the latest weights, or the newest."""
        return learner.average

    def play(self, learner: LmtaLearner, instances: Any, epoch: Int[Array, ""], key: Key[Array, ""]) -> Game:
        """Self-play of an epoch."""
        return self_play(self, learner.model, instances, self.epsilon(learner), epoch, key)

    def learn(
        self, learner: LmtaLearner, replay: Ring, epoch: Int[Array, ""], key: Key[Array, ""]
    ) -> tuple[LmtaLearner, Terms]:
        """All updates of an epoch."""
        return learn(self.problem, self.settings, learner, replay, epoch, key)

    def measures(self, learner: LmtaLearner) -> dict[str, Float[Array, ""]]:
        """The rate of random picks."""
        return {"epsilon": self.epsilon(learner)}

    def epsilon(self, learner: LmtaLearner) -> Float[Array, ""]:
        """The rate of random picks of the low level."""
        train = self.settings.train
        return epsilon(train.epsilon_first, train.epsilon_last, train.epsilon_decay, learner.low_steps)

    def decide(self, model: LmtaModel, instance: Any, state: Any, key: Key[Array, ""]) -> AgentDay:
        """The best subgoal, its likeliest budget, the best picks."""
        intent = self.intend(model, instance, state, key, explore=False)
        record = self.make_picks(model, instance, state, intent.subgoal, intent.budget)
        return AgentDay(intent.budget, record, intent.plan)

    def intend(
        self,
        model: LmtaModel,
        instance: Any,
        state: Any,
        key: Key[Array, ""],
        *,
        explore: bool,
        instead: Int[Array, ""] | int = SEARCHED,
        epsilon: Float[Array, ""] | float = 0.0,
    ) -> Intent:
        """Encode, search, choose a subgoal and a budget for it: drawn when exploring, the likeliest otherwise.

        The subgoal `instead` is taken in place of the search's, if there is one; `epsilon` is for variant F.
        """
        search_key, budget_key = jax.random.split(key)
        latent = model.high.encoder(self.problem.observe(instance, state))
        days_left = instance.days - state.day
        found = self.search(model, latent, days_left, state.budget_left, search_key, explore=explore, epsilon=epsilon)
        subgoal = jnp.where(instead == SEARCHED, found.subgoal, instead)
        logits, _ = model.high.budgets(latent, subgoal, state.budget_left, days_left, self.max_picks)
        budget = jax.random.categorical(budget_key, logits) if explore else jnp.argmax(logits)
        return Intent(found, subgoal, budget.astype(jnp.int32), logits)

    def search(
        self,
        model: LmtaModel,
        latent: Float[Array, " latent"],
        days_left: Int[Array, ""],
        budget_left: Int[Array, ""],
        key: Key[Array, ""],
        *,
        explore: bool,
        epsilon: Float[Array, ""] | float = 0.0,
    ) -> Plan:
        """Which subgoal, by search, or by its Q in variant F."""
        samples = self.settings.ablation.chance_budgets
        if not self.settings.ablation.searches:
            return choose_by_q(unsquash(model.high.predict(latent)[0]), epsilon, key if explore else None)
        return plan(
            model.high,
            self.settings.search,
            latent,
            days_left,
            key,
            max_depth=self.max_days,
            explore=explore,
            chance=ChanceBudgets(budget_left, samples, self.max_picks) if samples else None,
        )

    def make_picks(
        self,
        model: LmtaModel,
        instance: Any,
        state: Any,
        subgoal: Int[Array, ""],
        budget: Int[Array, ""],
        epsilon: Float[Array, ""] | float = 0.0,
        key: Key[Array, ""] | None = None,
    ) -> DayRecord:
        """The day's picks, one by one by the low level."""
        chooser = self._chooser(model, instance, subgoal, budget, epsilon, key)
        return pick_day(self.problem, instance, state, chooser, budget, self.max_picks)

    def _chooser(
        self,
        model: LmtaModel,
        instance: Any,
        subgoal: Int[Array, ""],
        budget: Int[Array, ""],
        epsilon: Float[Array, ""] | float,
        key: Key[Array, ""] | None,
    ) -> Choose:
        """The legal node with the highest Q given subgoal and budget, or any legal one with probability ε."""
        z = model.high.subgoals[subgoal]

        def choose(state, num_picks):
            legal = self.problem.legal(instance, state)
            values = model.low(self.problem.observe(instance, state), z, budget - num_picks)
            pick_key = None if key is None else jax.random.fold_in(key, num_picks)
            node = epsilon_greedy(values, legal, epsilon, pick_key)
            return jnp.where(legal.any(), node, -1), values[node]

        return choose

    @property
    def pick_values(self) -> PickValues:
        """Q of the low level."""
        return PickValues(self.settings.train.low_discount, self.settings.departures.q_ends_with_day)

    def search_report(self, report: Plan) -> SearchReport:
        """What the search found, on the host."""
        return SearchReport(
            int(report.subgoal), np.asarray(report.policy), float(report.value), np.asarray(report.subgoal_values)
        )

    def why(self, budget: int, num_picks: int, budget_left: int, search: SearchReport | None) -> str:
        """The budget and the subgoal with its weight in the search."""
        assert search is not None
        short = ", but no more than these are in reach" if num_picks < budget else ""
        share = f"{search.policy[search.subgoal]:.0%} of the search"
        return f"{budget} of {budget_left} left for the learned subgoal {search.subgoal} ({share}){short}."

    def fitted(self, days: int, budget: int) -> "Lmta":
        """With room for so many days; free logits know no larger budget of a day than in training."""
        roomy = super().fitted(days, budget)
        return roomy if self.settings.departures.budget_prior == "alone" else replace(roomy, max_picks=self.max_picks)

    def with_simulations(self, simulations: int) -> "Lmta":
        """With another number of simulations; 0 lets the prior decide."""
        return replace(
            self, settings=replace(self.settings, search=replace(self.settings.search, simulations=simulations))
        )
