"""A training run, epoch by epoch: what it is made of, how it begins, and how it goes on."""

import math
import time
from dataclasses import replace
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Int, UInt32

from lmta.agents.lmta import Agent
from lmta.agents.settings import RunSettings, make_model, problem_of
from lmta.devices import on_first_core
from lmta.problems.registry import BENCHMARKS, MOST_DEGREE
from lmta.sparse import padded_size
from lmta.training.epoch import epsilon, learn, play_games, store
from lmta.training.replay import Replay, make_replay
from lmta.training.update import Learner, make_learner
from lmta.types import TrainingError


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
    size = benchmark.size(settings.instance)
    return Agent(problem_of(settings), settings.config, size.days, padded_size(size.budget))


def begin(settings: RunSettings) -> Progress:
    """A run before its first epoch."""
    agent, instances = make_agent(settings), _instances(settings, 0)
    model_key, run_key = jax.random.split(jax.random.key(settings.seed))
    learner = make_learner(make_model(settings, key=model_key), settings.config)
    shapes = eqx.filter_eval_shape(play_games, agent, learner, instances, jnp.int32(0), run_key)
    game = jax.tree.map(lambda leaf: jnp.zeros(leaf.shape[1:], leaf.dtype), shapes)
    replay = make_replay(game, settings.config.train.games)
    progress = Progress(learner, replay, jax.random.key_data(run_key), jnp.zeros((), jnp.int32))
    return on_first_core(progress)


def advance(settings: RunSettings, progress: Progress) -> tuple[Progress, dict[str, Any]]:
    """One epoch, and what it gave: the mean score of self-play, every term of the losses, and the time it took."""
    agent = make_agent(settings)
    epochs_before, learner = int(progress.epoch), progress.learner
    key, play_key, learn_key = jax.random.split(jax.random.wrap_key_data(progress.key_data), 3)
    explored = float(epsilon(agent, learner.low_steps))
    start = time.perf_counter()
    instances = _instances(settings, epochs_before)
    games = jax.block_until_ready(play_games(agent, learner, instances, progress.epoch, play_key))
    played = time.perf_counter()
    replay = store(progress.replay, games)
    learner, terms = learn(agent, learner, replay, progress.epoch, learn_key)
    losses = {name: float(value) for name, value in terms.items()}
    learned = time.perf_counter()
    for name, value in losses.items():
        if not np.isfinite(value):
            raise TrainingError(
                f"epoch {epochs_before + 1}: the term {name!r} is {value}; the last checkpoint stays as it is."
            )
    metrics = {
        "epoch": epochs_before + 1,
        "score": float(games.reward.sum(axis=1).mean()),
        "epsilon": explored,
        "loss": losses,
        "seconds": {"play": played - start, "learn": learned - played},
        "episodes_per_second": settings.config.train.episodes / (learned - start),
    }
    return Progress(learner, replay, jax.random.key_data(key), progress.epoch + 1), metrics


def _instances(settings: RunSettings, epoch: int) -> Any:
    """New instances for every epoch, each as often as it has futures, padded alike in all epochs."""
    benchmark, train = BENCHMARKS[settings.problem], settings.config.train
    rng = np.random.SeedSequence([settings.seed, epoch])
    seed, count = int(rng.generate_state(1)[0]), train.episodes // train.futures
    draw = benchmark.mixture if train.mixture else benchmark.instances
    drawn = [i for i in draw(settings.instance, seed, count) for _ in range(train.futures)]
    nodes = benchmark.size(settings.instance).nodes
    return benchmark.problem.stack(drawn, min_edges=_room_for_edges(settings), min_nodes=nodes)


def _room_for_edges(settings: RunSettings) -> int:
    """More edges than any instance of the run should have: those of one, and eight standard deviations of a count."""
    benchmark, instance = BENCHMARKS[settings.problem], settings.instance
    if settings.config.train.mixture:
        instance = replace(instance, degree=min(MOST_DEGREE, benchmark.size(instance).nodes / 2))
    edges = int(benchmark.instances(instance, settings.seed, 1)[0].graph.edge_mask.sum())
    return padded_size(edges + math.ceil(8 * math.sqrt(edges)))
