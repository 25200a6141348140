"""What Flat and Sampled MuZero have in common as agents: all but the search."""

from abc import abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Int, Key

from lmta.agents.base import AbstractAgent, AgentDay, PickValues, Terms
from lmta.agents.muzero.games import SearchedGame
from lmta.agents.muzero.networks import MuZeroModel, Place, Scene
from lmta.agents.muzero.search import Found, pick_of
from lmta.agents.muzero.update import MuZeroLearner, learn, make_optimiser
from lmta.agents.presets import with_overrides
from lmta.agents.steps import count_steps, forecasts_of, place_of, played
from lmta.devices import map_over_cores
from lmta.nn.replay import Ring
from lmta.problems.base import DayRecord, pick_day_remembering, play_episode
from lmta.problems.spec import Spec
from lmta.types import InputError, Observation

Find = Callable[[Scene, Place, Key[Array, ""]], Found]
"""(root, key) → what to do there."""


@dataclass(frozen=True)
class AbstractMuZero(AbstractAgent):
    """Searches before every pick; the last action ends the day."""

    @abstractmethod
    def search(self, model: MuZeroModel, scene: Scene, place: Place, key: Key[Array, ""], *, explore: bool) -> Found:
        """What to do at a root."""

    @abstractmethod
    def blank(self, num_nodes: int) -> Found:
        """What search gives on graphs of that size, with all numbers 0."""

    @classmethod
    def presets(cls, spec: Spec) -> Mapping[str, Any]:
        """One preset; its page in docs/agents says what of it was tuned."""
        return {"tuned": with_overrides(cls.settings_type(), spec, cls.name, "tuned")}

    @classmethod
    def check(cls, settings: Any, spec: Spec) -> None:
        """The replay must hold an epoch, and the policy learns from the search."""
        train = settings.train
        if settings.search.simulations == 0:
            raise InputError(
                "search.simulations: 0 given, but the policy learns from the search; at least 1 is needed."
            )
        if train.games < train.episodes:
            raise InputError(f"train.games: {train.games} given, at least the {train.episodes} episodes are needed.")

    @property
    def capacity(self) -> int:
        """Games that the replay keeps."""
        return self.settings.train.games

    def init(self, seen: Observation, *, key: Key[Array, ""]) -> MuZeroModel:
        """All networks; no episode is worth more than the largest reward on every day."""
        largest = self.largest_reward
        return MuZeroModel(seen, self.settings.network, largest, largest * self.size.days, key=key)

    def begin(self, model: MuZeroModel) -> MuZeroLearner:
        """The learner before its first epoch."""
        return MuZeroLearner(model, make_optimiser(self).init(eqx.filter(model, eqx.is_array)))

    def playing(self, learner: MuZeroLearner) -> MuZeroModel:
        """The newest weights."""
        return learner.model

    @property
    def pick_values(self) -> PickValues:
        """Values of picks as the search found them."""
        return PickValues(self.settings.train.discount, False)

    def play(self, learner: MuZeroLearner, instances: Any, epoch: Int[Array, ""], key: Key[Array, ""]) -> SearchedGame:
        """Every instance once, by search; in the first epochs by the policy prior alone."""
        keys = jax.random.split(key, instances.days.shape[0])
        searching = epoch >= self.settings.train.warm_up
        return map_over_cores(_PlayGame(self), (learner.model, searching), instances, keys)

    def learn(
        self, learner: MuZeroLearner, replay: Ring, epoch: Int[Array, ""], key: Key[Array, ""]
    ) -> tuple[MuZeroLearner, Terms]:
        """All updates of an epoch."""
        return learn(self, learner, replay, key)

    def decide(self, model: MuZeroModel, instance: Any, state: Any, key: Key[Array, ""]) -> AgentDay:
        """The best action again and again, until it is the end of the day."""
        find = partial(self.find, model, explore=False)
        record, _ = self.make_picks(model, instance, state, find, key)
        return AgentDay(record.num_picks, record)

    def make_picks(
        self, model: MuZeroModel, instance: Any, state: Any, find: Find, key: Key[Array, ""]
    ) -> tuple[DayRecord, Found]:
        """The day's picks, and what was found before each and before the end of the day; 0 beyond."""
        num_nodes = instance.graph.num_nodes

        def choose(state, num_picks, kept):
            found = find(*self.represent(model, instance, state), jax.random.fold_in(key, num_picks))
            kept = jax.tree.map(lambda all_found, new: all_found.at[num_picks].set(new), kept, found)
            return jnp.where(found.action == num_nodes, -1, found.action), found.action_value, kept

        room = self.max_picks
        nothing = jax.tree.map(lambda leaf: jnp.zeros((room + 1, *leaf.shape), leaf.dtype), self.blank(num_nodes))
        return pick_day_remembering(self.problem, instance, state, choose, state.budget_left, room, nothing)

    def represent(self, model: MuZeroModel, instance: Any, state: Any) -> tuple[Scene, Place]:
        """The root for a state."""
        seen, legal = self.problem.observe(instance, state), self.problem.legal(instance, state)
        return model.represent(seen, legal, instance, state)

    def find(self, model: MuZeroModel, scene: Scene, place: Place, key: Key[Array, ""], *, explore: bool) -> Found:
        """What to do at a root, by search; without simulations by the policy prior."""
        by = self.search if self.settings.search.simulations > 0 else self.by_prior
        return by(model, scene, place, key, explore=explore)

    def by_prior(self, model: MuZeroModel, scene: Scene, place: Place, key: Key[Array, ""], *, explore: bool) -> Found:
        """What the policy prior says; it teaches nothing."""
        logits, value = model.policy(scene, place), model.expected_value(scene, place)
        action = jax.random.categorical(key, logits) if explore else jnp.argmax(logits)
        chosen = lambda found: (found.action, found.action_value, found.value)  # noqa: E731
        return eqx.tree_at(chosen, self.blank(scene.nodes.shape[0]), (action.astype(jnp.int32), value, value))

    def with_simulations(self, simulations: int) -> "AbstractMuZero":
        """With another number of simulations; 0 lets the prior decide."""
        search = replace(self.settings.search, simulations=simulations)
        return replace(self, settings=replace(self.settings, search=search))


@dataclass(frozen=True)
class _PlayGame:
    """Plays one instance under exploration; in an exploratory episode days end by the odds of an even budget, whatever
    the search says."""

    agent: AbstractMuZero

    def __call__(self, shared: tuple[MuZeroModel, Bool[Array, ""]], instance: Any, key: Key[Array, ""]) -> SearchedGame:
        model, searching = shared
        agent, problem = self.agent, self.agent.problem
        noise_key, play_key, even_key = jax.random.split(key, 3)
        noise = problem.draw_noise(instance, agent.max_days, noise_key)
        evenly = searching & jax.random.bernoulli(even_key, agent.settings.train.exploratory)
        find = partial(self._find, model, searching, evenly)

        def decide(state, key):
            record, found = agent.make_picks(model, instance, state, find, key)
            return record, (found, state.budget_left, forecasts_of(problem, instance, state, record))

        episode = play_episode(problem, instance, noise, decide, jax.random.split(play_key, agent.max_days))
        found, budget, forecasts = episode.kept
        game = played(instance, episode, budget, forecasts)
        number = jnp.arange(agent.max_days + agent.max_picks)
        day, index = place_of(game, number)
        live = number < count_steps(game)
        found = jax.tree.map(lambda leaf: leaf[day, jnp.minimum(index, leaf.shape[1] - 1)], found)
        policy = jnp.where(live[:, None], found.policy, 0.0).astype(jnp.float16)
        return SearchedGame(game, found.actions, policy, jnp.where(live, found.value, 0.0))

    def _find(
        self,
        model: MuZeroModel,
        searching: Bool[Array, ""],
        evenly: Bool[Array, ""],
        scene: Scene,
        place: Place,
        key: Key[Array, ""],
    ) -> Found:
        """By search or, while warming up, by the policy prior; in an exploratory episode with another action."""
        search_key, end_key, pick_key = jax.random.split(key, 3)
        given = model, scene, place, search_key
        by_search, by_prior = (partial(by, *given, explore=True) for by in (self.agent.find, self.agent.by_prior))
        found = jax.lax.cond(searching, by_search, by_prior)
        num_nodes = scene.nodes.shape[0]
        ends = jax.random.bernoulli(end_key, jax.nn.sigmoid(place.even_odds))
        instead = jnp.where(ends, num_nodes, pick_of(found, num_nodes, pick_key))
        return eqx.tree_at(lambda f: f.action, found, jnp.where(evenly, instead, found.action))
