"""A training run, epoch by epoch: what it is made of, how it begins, and how it goes on."""

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Int, UInt32

from lmta.agents.lmta import Agent
from lmta.agents.settings import RunSettings, make_model
from lmta.devices import on_first_core
from lmta.problems.registry import BENCHMARKS
from lmta.sparse import padded_size
from lmta.training.epoch import learn, play_games, store
from lmta.training.replay import Replay, make_replay
from lmta.training.update import Learner, make_learner


class TrainingError(RuntimeError):
    """Training cannot go on; the message says when and why."""


class Progress(eqx.Module):
    """All that changes in a run; with the settings it is enough to go on exactly."""

    learner: Learner
    replay: Replay
    key_data: UInt32[Array, " 2"]
    epoch: Int[Array, ""]
    """Epochs done."""


def make_agent(settings: RunSettings) -> Agent:
    """The agent that plays and learns."""
    benchmark = BENCHMARKS[settings.problem]
    return Agent(benchmark.problem, settings.config, benchmark.size(settings.instance).days)


def begin(settings: RunSettings) -> Progress:
    """A run before its first epoch."""
    agent, instances = make_agent(settings), _instances(settings, 0)
    model_key, run_key = jax.random.split(jax.random.key(settings.seed))
    budget = BENCHMARKS[settings.problem].size(settings.instance).budget
    learner = make_learner(make_model(settings, key=model_key), settings.config)
    shapes = eqx.filter_eval_shape(play_games, agent, learner, instances, jnp.int32(0), run_key, padded_size(budget))
    game = jax.tree.map(lambda leaf: jnp.zeros(leaf.shape[1:], leaf.dtype), shapes)
    replay = make_replay(game, settings.config.train.games)
    progress = Progress(learner, replay, jax.random.key_data(run_key), jnp.zeros((), jnp.int32))
    return on_first_core(progress)


def advance(settings: RunSettings, progress: Progress) -> tuple[Progress, dict[str, float]]:
    """One epoch, and what it gave: the mean score of self-play and every term of the losses."""
    agent = make_agent(settings)
    epoch = int(progress.epoch)
    key, play_key, learn_key = jax.random.split(jax.random.wrap_key_data(progress.key_data), 3)
    budget = BENCHMARKS[settings.problem].size(settings.instance).budget
    games = play_games(
        agent, progress.learner, _instances(settings, epoch), progress.epoch, play_key, padded_size(budget)
    )
    replay = store(progress.replay, games)
    learner, terms = learn(agent, progress.learner, replay, progress.epoch, learn_key)
    metrics = {name: float(value) for name, value in terms.items()}
    for name, value in metrics.items():
        if not np.isfinite(value):
            raise TrainingError(f"epoch {epoch}: the term {name!r} is {value}; the last checkpoint stays as it is.")
    metrics |= {"epoch": epoch, "score": float(games.reward.sum(axis=1).mean())}
    return Progress(learner, replay, jax.random.key_data(key), progress.epoch + 1), metrics


def _instances(settings: RunSettings, epoch: int) -> Any:
    """New instances for every epoch, padded alike in all of them."""
    benchmark, count = BENCHMARKS[settings.problem], settings.config.train.episodes
    rng = np.random.SeedSequence([settings.seed, epoch])
    drawn = benchmark.instances(settings.instance, int(rng.generate_state(1)[0]), count)
    return benchmark.problem.stack(drawn, min_edges=_room_for_edges(settings))


def _room_for_edges(settings: RunSettings) -> int:
    """More edges than any instance of the run should have: those of one, and a fifth again."""
    benchmark = BENCHMARKS[settings.problem]
    sample = benchmark.instances(settings.instance, settings.seed, 1)[0]
    return padded_size(int(sample.graph.edge_mask.sum() * 6 // 5) + 8)
