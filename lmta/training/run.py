"""A training run, epoch by epoch: what it is made of, how it begins, and how it goes on."""

import math
import time
from functools import partial
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Int, UInt32

from lmta.agents.base import Games, Learner, Model
from lmta.agents.settings import RunSettings, make_agent, make_model
from lmta.devices import on_first_core
from lmta.nn.replay import Ring, add, make_ring
from lmta.sparse import padded_size
from lmta.types import TrainingError


class Progress(eqx.Module):
    """All that changes in a run; with the settings it is enough to go on exactly."""

    learner: Learner
    replay: Ring
    key_data: UInt32[Array, " 2"]
    epoch: Int[Array, ""]
    """Epochs done."""


def begin(settings: RunSettings) -> Progress:
    """A run before its first epoch."""
    agent, instances = make_agent(settings), draw_instances(settings, 0)
    model_key, run_key = jax.random.split(jax.random.key(settings.seed))
    model = make_model(settings, key=model_key)
    learner = agent.begin(model)
    shapes = eqx.filter_eval_shape(agent.play, learner, instances, jnp.int32(0), run_key)
    game = jax.tree.map(lambda leaf: jnp.zeros(leaf.shape[1:], leaf.dtype), shapes)
    replay = make_ring(game, agent.capacity)
    progress = Progress(learner, replay, jax.random.key_data(run_key), jnp.zeros((), jnp.int32))
    return on_first_core(progress)


def playing(settings: RunSettings, progress: Progress) -> Model:
    """The weights that play."""
    return make_agent(settings).playing(progress.learner)


def advance(settings: RunSettings, progress: Progress) -> tuple[Progress, dict[str, Any]]:
    """One epoch, and what it gave: the mean score of self-play, every term of the losses, and the time it took."""
    agent = make_agent(settings)
    epochs_before, learner = int(progress.epoch), progress.learner
    key, play_key, learn_key = jax.random.split(jax.random.wrap_key_data(progress.key_data), 3)
    measures = {name: float(value) for name, value in agent.measures(learner).items()}
    start = time.perf_counter()
    instances = draw_instances(settings, epochs_before)
    games = jax.block_until_ready(agent.play(learner, instances, progress.epoch, play_key))
    played = time.perf_counter()
    replay = _store(progress.replay, games)
    learner, terms = agent.learn(learner, replay, progress.epoch, learn_key)
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
        **measures,
        "loss": losses,
        "seconds": {"play": played - start, "learn": learned - played},
        "episodes_per_second": settings.config.train.episodes / (learned - start),
    }
    return Progress(learner, replay, jax.random.key_data(key), progress.epoch + 1), metrics


@partial(jax.jit, donate_argnums=0)
def _store(replay: Ring, games: Games) -> Ring:
    """Put games into the replay in place."""
    return add(replay, games)


def draw_instances(settings: RunSettings, epoch: int) -> Any:
    """New instances for every epoch, each as often as its group is large, padded alike in all epochs."""
    spec, agent = settings.spec, make_agent(settings)
    rng = np.random.SeedSequence([settings.seed, epoch])
    seed, count = int(rng.generate_state(1)[0]), settings.config.train.episodes // agent.group_size
    draw = spec.mixture if settings.mixture else spec.instances
    drawn = [instance for instance in draw(settings.instance, seed, count) for _ in range(agent.group_size)]
    nodes = spec.size(settings.instance).nodes
    return spec.problem.stack(drawn, min_edges=_room_for_edges(settings), min_nodes=nodes)


def _room_for_edges(settings: RunSettings) -> int:
    """More edges than any instance of the run should have: those of one, and eight standard deviations of a count;
    twice as many for a mixture."""
    edges = int(settings.spec.instances(settings.instance, settings.seed, 1)[0].graph.edge_mask.sum())
    return padded_size((2 if settings.mixture else 1) * edges + math.ceil(8 * math.sqrt(edges)))
