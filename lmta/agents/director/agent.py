"""Director as an agent: even budgets, a goal for the day, picks by a worker that is told the goal."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import equinox as eqx
import jax
import jax.numpy as jnp
import optax
from jaxtyping import Array, Float, Int, Key

from lmta.agents.base import AbstractAgent, AgentDay, Terms
from lmta.agents.director.imagination import Timetable, timetable
from lmta.agents.director.losses import Scales, director_loss
from lmta.agents.director.networks import Critics, DirectorModel, draw_code
from lmta.agents.director.replay import sample_segments
from lmta.agents.director.settings import DirectorSettings
from lmta.agents.presets import with_overrides
from lmta.agents.steps import Played, forecasts_of, played
from lmta.devices import map_over_cores
from lmta.nn.actor_critic import adapted
from lmta.nn.discrete import draw
from lmta.nn.optimisers import adam, apply_gradient, averaged
from lmta.nn.q_learning import copied_every
from lmta.nn.replay import Ring
from lmta.policies.budgets import average
from lmta.problems.base import DayRecord, pick_day_remembering, play_episode
from lmta.problems.spec import Size, Spec
from lmta.types import InputError, Observation

KL_LIMITS, CODE_ENTROPY_LIMITS, ENTROPY_LIMITS = (1e-5, 1.0), (1e-4, 1.0), (0.02, 1.0)
"""What the adaptive weights are clipped to. The worker's entropy swings from end to end of wider limits: its weight
goes on growing, or shrinking, while the policy still answers to what it was."""


class DirectorLearner(eqx.Module):
    """What training changes."""

    average: DirectorModel
    """The mean of the latest models, which plays once training is over."""
    model: DirectorModel
    slow: Critics
    scales: Scales
    optimiser: optax.OptState
    steps: Int[Array, ""]


@dataclass(frozen=True)
class Director(AbstractAgent):
    """Hafner et al. 2022: the manager says where to be in latent space, the worker is paid for being there."""

    name: ClassVar[str] = "director"
    summary: ClassVar[str] = "goals in the latent space of a world model above, a worker paid for reaching them below"
    settings_type: ClassVar[type] = DirectorSettings
    settings: DirectorSettings

    @classmethod
    def make(cls, spec: Spec, features: str, settings: DirectorSettings, size: Size) -> "Director":
        """The agent; a goal cannot last longer than a day, since days are decided one by one."""
        agent = super().make(spec, features, settings, size)
        if settings.stride > agent.picks_a_day:
            raise InputError(
                f"stride: {settings.stride} given, but a day has {agent.picks_a_day} picks; goals end with the day."
            )
        return agent

    @classmethod
    def presets(cls, spec: Spec) -> Mapping[str, DirectorSettings]:
        """One preset; its page in docs/agents says what of it was tuned."""
        return {"tuned": with_overrides(DirectorSettings(), spec, cls.name, "tuned")}

    @property
    def picks_a_day(self) -> int:
        """Of the instances it learns on."""
        return max(1, self.size.budget // self.size.days)

    @property
    def timetable(self) -> Timetable:
        """Of imagination."""
        return timetable(self.picks_a_day, self.settings.stride or self.picks_a_day, self.settings.train.horizon)

    @property
    def capacity(self) -> int:
        """Games that the replay keeps."""
        return self.settings.train.games

    def init(self, seen: Observation, *, key: Key[Array, ""]) -> DirectorModel:
        """All networks."""
        return DirectorModel(seen, self.settings.network, self.largest_reward, key=key)

    def begin(self, model: DirectorModel) -> DirectorLearner:
        """The learner before its first epoch; all adaptive weights are 1."""
        scales = Scales(jnp.ones(()), jnp.ones(self.settings.network.codes), jnp.ones(()))
        state = self._optimiser().init(eqx.filter(model, eqx.is_array))
        return DirectorLearner(model, model, model.critics, scales, state, jnp.zeros((), jnp.int32))

    def playing(self, learner: DirectorLearner) -> DirectorModel:
        """The mean of the latest weights."""
        return learner.average

    def measures(self, learner: DirectorLearner) -> dict[str, Float[Array, ""]]:
        """The adaptive weights."""
        scales = learner.scales
        return {
            "code_kl_scale": scales.code_kl,
            "entropy_scale": scales.entropy,
            "code_entropy_scale": scales.code_entropy.mean(),
        }

    def play(self, learner: DirectorLearner, instances: Any, epoch: Int[Array, ""], key: Key[Array, ""]) -> Played:
        """Every instance once, goals and picks drawn from their policies."""
        keys = jax.random.split(key, instances.days.shape[0])
        return map_over_cores(_PlayGame(self), learner.model, instances, keys)

    def learn(
        self, learner: DirectorLearner, replay: Ring, epoch: Int[Array, ""], key: Key[Array, ""]
    ) -> tuple[DirectorLearner, Terms]:
        """All updates of an epoch."""
        return _learn(self, learner, replay, epoch, key)

    def decide(self, model: DirectorModel, instance: Any, state: Any, key: Key[Array, ""]) -> AgentDay:
        """The average budget; the most likely goal and picks."""
        budget = jnp.asarray(average(instance, state, None), jnp.int32)
        return AgentDay(budget, self.make_picks(model, instance, state, budget))

    def make_picks(
        self,
        model: DirectorModel,
        instance: Any,
        state: Any,
        budget: Int[Array, ""],
        key: Key[Array, ""] | None = None,
    ) -> DayRecord:
        """The day's picks, each for the goal of its stretch of the day; drawn where a key is given."""
        stride = self.settings.stride or self.max_picks

        def choose(state, num_picks, goal):
            keys = None, None
            if key is not None:
                keys = jax.random.split(jax.random.fold_in(key, num_picks))
            latent, nodes = model.world.encode(self.problem.observe(instance, state))
            goal = jnp.where(num_picks % stride == 0, choose_goal(model, latent, keys[0]), goal)
            legal = self.problem.legal(instance, state)
            logits = model.worker(model.worker.keys(nodes), latent, goal, legal)
            node = draw(logits, keys[1])
            return jnp.where(legal.any(), node, -1), logits[node], goal

        no_goal = jnp.zeros(self.settings.network.latent)
        return pick_day_remembering(self.problem, instance, state, choose, budget, self.max_picks, no_goal)[0]

    def _optimiser(self) -> optax.GradientTransformation:
        """Clipped Adam for what models the world, and another for what acts in it."""
        train = self.settings.train
        clip = optax.clip_by_global_norm(train.clip)
        make = lambda rate: optax.chain(clip, adam(rate, train.weight_decay, train.rate_decay))  # noqa: E731
        parts = lambda model: (model.world, model.goals, model.manager, model.worker, model.critics)  # noqa: E731
        kinds = ("model", "model", "policy", "policy", "policy")
        return optax.multi_transform(
            {"model": make(train.rate), "policy": make(train.policy_rate)},
            lambda model: eqx.tree_at(parts, model, kinds),
        )


def choose_goal(
    model: DirectorModel, latent: Float[Array, " latent"], key: Key[Array, ""] | None = None
) -> Float[Array, " latent"]:
    """The manager's goal; without a key the most likely one."""
    code = draw_code(model.manager(latent), key)
    return model.goals.decode(jax.nn.one_hot(code, model.goals.shape[1]))


@dataclass(frozen=True)
class _PlayGame:
    """Plays one instance, goals and picks drawn."""

    agent: Director

    def __call__(self, model: DirectorModel, instance: Any, key: Key[Array, ""]) -> Played:
        agent, problem = self.agent, self.agent.problem
        noise_key, play_key = jax.random.split(key)
        noise = problem.draw_noise(instance, agent.max_days, noise_key)

        def decide(state, key):
            budget = jnp.asarray(average(instance, state, None), jnp.int32)
            record = agent.make_picks(model, instance, state, budget, key)
            return record, (budget, forecasts_of(problem, instance, state, record))

        episode = play_episode(problem, instance, noise, decide, jax.random.split(play_key, agent.max_days))
        return played(instance, episode, *episode.kept)


@eqx.filter_jit(donate="none")
def _learn(
    agent: Director, learner: DirectorLearner, replay: Ring, epoch: Int[Array, ""], key: Key[Array, ""]
) -> tuple[DirectorLearner, Terms]:
    train, loss, optimiser = agent.settings.train, agent.settings.loss, agent._optimiser()
    arrays, static = eqx.partition(learner, eqx.is_array)
    steps = len(agent.timetable.ends_day)

    def step(arrays, key):
        now: DirectorLearner = eqx.combine(arrays, static)
        sample_key, loss_key = jax.random.split(key)
        batch = sample_segments(agent.problem, replay, steps, train.batch, sample_key)
        gradient, (terms, measured) = eqx.filter_grad(director_loss, has_aux=True)(
            now.model, now.slow, now.scales, agent, batch, loss_key
        )
        model, state = apply_gradient(optimiser, gradient, now.optimiser, now.model)
        count = now.steps + 1
        slow = copied_every(train.target_every, count, model.critics, now.slow)
        old, target = now.scales, loss.entropy_target
        scales = Scales(
            adapted(old.code_kl, measured.code_kl, loss.code_kl, KL_LIMITS, raises=False),
            adapted(old.code_entropy, measured.code_entropy, target, CODE_ENTROPY_LIMITS, raises=True),
            adapted(old.entropy, measured.entropy, target, ENTROPY_LIMITS, raises=True),
        )
        return eqx.filter(DirectorLearner(now.average, model, slow, scales, state, count), eqx.is_array), terms

    arrays, terms = jax.lax.scan(step, arrays, jax.random.split(key, train.updates))
    after: DirectorLearner = eqx.combine(arrays, static)
    average = averaged(after.average, after.model, train.averaging, epoch)
    return eqx.tree_at(lambda a: a.average, after, average), jax.tree.map(jnp.mean, terms)
