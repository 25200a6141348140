"""What no policy can exceed on the instances of the arena, where the problem knows such a number."""

from dataclasses import dataclass

import numpy as np

from lmta.arena.statistics import Mean, mean_of
from lmta.problems.batch import Batch, make_batch, unstack
from lmta.problems.session import check_seed, whole_number
from lmta.problems.spec import Spec
from lmta.problems.task import Task


@dataclass(frozen=True)
class BoundSettings:
    """An upper bound, on the instances and with the noise that `lmta evaluate` plays."""

    instances: int = 60
    """Instances, as in `lmta evaluate`."""
    seed: int = 0
    """Seed of the instances and of their noise."""


def bound(settings: BoundSettings, task: Task) -> Mean:
    """The mean bound over instances; no policy earns more on average."""
    task.check()
    task.spec.require_bound()
    seed, count = check_seed(settings.seed), whole_number(settings.instances, "instances", 1)
    batch = make_batch(task.spec.problem, task.instances(seed, count), seed)
    return mean_of(np.array(bounds_of(task.spec, batch)))


def bounds_of(spec: Spec, batch: Batch) -> list[float]:
    """The bound of each episode of a batch."""
    limit = spec.require_bound()
    noise = unstack(batch.noise, batch.size)
    return [limit(instance, moves) for instance, moves in zip(batch.instances, noise, strict=True)]
