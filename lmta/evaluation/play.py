"""Play a policy on a batch of instances with given luck."""

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
    """One by one, padded to a common size."""
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
    mornings: list[list[Any]]


def make_batch(problem: Problem, instances: Sequence[Any], seed: int) -> Batch:
    """Stack the instances and draw their luck; the luck of episode i depends on `seed`, i and the instance alone."""
    shared = all(instance is instances[0] for instance in instances)
    stacked = instances[0] if shared else problem.stack(instances)
    days = int(np.max(stacked.days))
    keys = jax.vmap(jax.random.fold_in, (None, 0))(jax.random.key(seed), jnp.arange(len(instances)))
    draw = jax.vmap(lambda instance, key: problem.draw_luck(instance, days, key), (None if shared else 0, 0))
    luck = jax.jit(draw)(stacked, keys)
    return Batch(problem, list(instances) if shared else unstack(stacked), stacked, shared, luck, seed)


def play(policy: Policy, batch: Batch, *, keep_mornings: int = 0, on_day: Callable[[], None] = lambda: None) -> Play:
    """All days of all episodes; `on_day` is called after each day."""
    max_picks = padded_size(batch.budget)
    prepared = _prepare_all(policy, batch)
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
    return Play(np.stack(rewards, axis=1), np.stack(num_picks, axis=1), prepared, mornings)


def unstack(stacked: Any, count: int | None = None) -> list[Any]:
    """The first `count` members of a batch (all by default), on the host."""
    host = jax.tree.map(np.asarray, stacked)
    size = len(jax.tree.leaves(host)[0])
    return [jax.tree.map(lambda leaf, n=n: leaf[n], host) for n in range(size if count is None else min(count, size))]


def _prepare_all(policy: Policy, batch: Batch) -> list[Any]:
    if batch.shared:
        return [policy.prepare(batch.stacked, batch.seed)] * batch.size
    return [policy.prepare(instance, day_seed(batch.seed, n)) for n, instance in enumerate(batch.instances)]


def _plan_all(policy: Policy, batch: Batch, states: Any, prepared: list, seeds: list[int], max_picks: int) -> Any:
    picks = np.full((batch.size, max_picks), -1, np.int32)
    for n, (instance, state) in enumerate(zip(batch.instances, unstack(states), strict=True)):
        if state.day < instance.days:
            _, chosen, _ = policy.choose(instance, state, prepared[n], seeds[n])
            picks[n, : len(chosen)] = chosen
    return jnp.asarray(picks)
