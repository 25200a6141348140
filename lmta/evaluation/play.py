"""Play a policy on a batch of instances with given luck."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from lmta.policies.base import Policy, ScoreRule, day_seed, play_day_by_score, play_day_in_order
from lmta.problems.base import Problem
from lmta.sparse import padded_size


@dataclass(frozen=True)
class Batch:
    """Instances and one episode's luck for each: what every policy meets alike."""

    problem: Problem
    instances: list[Any]
    """The instance of each episode, padded to a common size; several episodes may share one."""
    stacked: Any
    """The instances as one batch, or the one instance that all episodes share."""
    shared: bool
    luck: Any
    seed: int

    @property
    def size(self) -> int:
        """Number of episodes."""
        return len(self.instances)

    @property
    def days(self) -> int:
        """The longest horizon."""
        return int(np.max(self.stacked.days))

    @property
    def budget(self) -> int:
        """The largest budget."""
        return int(np.max(self.stacked.budget))

    @property
    def axis(self) -> int | None:
        """The axis to map over in `stacked`."""
        return None if self.shared else 0


@dataclass(frozen=True)
class Play:
    """What a policy did and earned, by instance and day, and the first instances' states on each morning."""

    rewards: np.ndarray
    num_picks: np.ndarray
    prepared: list[Any]
    prepare_ms: float
    """Mean time to prepare for an instance."""
    mornings: list[list[Any]]


def make_batch(problem: Problem, instances: Sequence[Any], seed: int) -> Batch:
    """Stack the instances and draw their luck; the luck of episode i depends on `seed`, i and the instance alone.

    An instance that occurs several times is played that often, with luck of its own each time.
    """
    shared = all(instance is instances[0] for instance in instances)
    stacked = instances[0] if shared else problem.stack(instances)
    days = int(np.max(stacked.days))
    keys = jax.vmap(jax.random.fold_in, (None, 0))(jax.random.key(seed), jnp.arange(len(instances)))
    draw = jax.vmap(lambda instance, key: problem.draw_luck(instance, days, key), (None if shared else 0, 0))
    luck = jax.jit(draw)(stacked, keys)
    return Batch(problem, _one_by_one(instances, stacked, shared), stacked, shared, luck, seed)


def _one_by_one(instances: Sequence[Any], stacked: Any, shared: bool) -> list[Any]:
    """The padded instances, where the same stays the same."""
    if shared:
        return list(instances)
    first: dict[int, Any] = {}
    return [first.setdefault(id(given), padded) for given, padded in zip(instances, unstack(stacked), strict=True)]


def play(policy: Policy, batch: Batch, *, keep_mornings: int = 0, on_day: Callable[[], None] = lambda: None) -> Play:
    """All days of all episodes; `on_day` is called after each day."""
    max_picks = padded_size(batch.budget)
    prepared, prepare_ms = _prepare_all(policy, batch)
    schedules = jax.tree.map(lambda *rows: jnp.stack(rows), *[schedule for schedule, _ in prepared])
    reset = jax.vmap(batch.problem.reset, in_axes=batch.axis, axis_size=batch.size)
    states = reset(batch.stacked)
    rewards, num_picks, mornings = [], [], []
    for day in range(batch.days):
        mornings.append(unstack(states, keep_mornings))
        seeds = [day_seed(batch.seed, n, day) for n in range(batch.size)]
        if isinstance(policy.node_rule, ScoreRule):
            keys = jax.vmap(jax.random.key)(jnp.asarray(seeds, jnp.uint32))
            states, record = play_day_by_score(
                policy, batch.axis, max_picks, batch.stacked, states, batch.luck, schedules, keys
            )
        else:
            picks = _plan_all(policy, batch, states, prepared, seeds, max_picks)
            states, record = play_day_in_order(batch.problem, batch.axis, batch.stacked, states, batch.luck, picks)
        rewards.append(np.asarray(record.reward))
        num_picks.append(np.asarray(record.num_picks))
        on_day()
    return Play(np.stack(rewards, axis=1), np.stack(num_picks, axis=1), prepared, prepare_ms, mornings)


def unstack(stacked: Any, count: int | None = None) -> list[Any]:
    """The first `count` members of a batch (all by default), on the host."""
    host = jax.tree.map(np.asarray, stacked)
    size = len(jax.tree.leaves(host)[0])
    return [jax.tree.map(lambda leaf, n=n: leaf[n], host) for n in range(size if count is None else min(count, size))]


def _prepare_all(policy: Policy, batch: Batch) -> tuple[list[Any], float]:
    """What the policy prepares for each episode's instance, once an instance, and the mean time it takes."""
    of_instance: dict[int, Any] = {}
    start = time.perf_counter()
    for n, instance in enumerate(batch.instances):
        if id(instance) not in of_instance:
            of_instance[id(instance)] = policy.prepare(instance, day_seed(batch.seed, n))
    milliseconds = 1000 * (time.perf_counter() - start) / len(of_instance)
    return [of_instance[id(instance)] for instance in batch.instances], milliseconds


def _plan_all(policy: Policy, batch: Batch, states: Any, prepared: list, seeds: list[int], max_picks: int) -> Any:
    picks = np.full((batch.size, max_picks), -1, np.int32)
    for n, (instance, state) in enumerate(zip(batch.instances, unstack(states), strict=True)):
        if state.day < instance.days:
            _, chosen, _ = policy.choose(instance, state, prepared[n], seeds[n])
            picks[n, : len(chosen)] = chosen
    return jnp.asarray(picks)
