"""Episodes side by side: the instances and the noise that every player meets alike."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lmta.lazy import jax, jnp
from lmta.problems.base import Problem


@dataclass(frozen=True)
class Batch:
    """Instances and one episode's noise for each: what every player meets alike."""

    problem: Problem
    instances: list[Any]
    """The instance of each episode, padded to a common size; several episodes may share one."""
    stacked: Any
    """The instances as one batch, or the one instance that all episodes share."""
    shared: bool
    noise: Any
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


def make_batch(problem: Problem, instances: Sequence[Any], seed: int) -> Batch:
    """Stack the instances and draw their noise; the noise of episode i depends on `seed`, i and the instance alone.

    An instance that occurs several times is played that often, with noise of its own each time.
    """
    shared = all(instance is instances[0] for instance in instances)
    stacked = instances[0] if shared else problem.stack(instances)
    days = int(np.max(stacked.days))
    keys = jax.vmap(jax.random.fold_in, (None, 0))(jax.random.key(seed), jnp.arange(len(instances)))
    draw = jax.vmap(lambda instance, key: problem.draw_noise(instance, days, key), (None if shared else 0, 0))
    noise = jax.jit(draw)(stacked, keys)
    return Batch(problem, _one_by_one(instances, stacked, shared), stacked, shared, noise, seed)


def _one_by_one(instances: Sequence[Any], stacked: Any, shared: bool) -> list[Any]:
    """The padded instances, where the same stays the same."""
    if shared:
        return list(instances)
    first: dict[int, Any] = {}
    return [first.setdefault(id(given), padded) for given, padded in zip(instances, unstack(stacked), strict=True)]


def unstack(stacked: Any, count: int | None = None) -> list[Any]:
    """The first `count` members of a batch (all by default), on the host."""
    host = jax.tree.map(np.asarray, stacked)
    size = len(jax.tree.leaves(host)[0])
    return [jax.tree.map(lambda leaf, n=n: leaf[n], host) for n in range(size if count is None else min(count, size))]
