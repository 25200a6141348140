"""What policies do not exceed on the instances of the arena, where the problem knows such numbers."""

from dataclasses import dataclass

import numpy as np

from lmta.arena.statistics import Mean, mean_of
from lmta.problems.batch import Batch, make_batch, unstack
from lmta.problems.session import check_seed, whole_number
from lmta.problems.spec import UPPER_BOUND, Spec
from lmta.problems.task import Task


@dataclass(frozen=True)
class BoundSettings:
    """An upper bound, on the instances and with the noise that `lmta evaluate` plays."""

    instances: int = 60
    """Instances, as in `lmta evaluate`."""
    seed: int = 0
    """Seed of the instances and of their noise."""


def bound(settings: BoundSettings, task: Task) -> dict[str, Mean]:
    """The mean of each ceiling over the instances, by its name; a sentence where the problem knows none."""
    task.check()
    seed, count = check_seed(settings.seed), whole_number(settings.instances, "instances", 1)
    names = list(task.spec.ceilings) or [UPPER_BOUND]
    for name in names:
        task.spec.ceiling(name)
    batch = make_batch(task.spec.problem, task.instances(seed, count), seed)
    return {name: mean_of(np.array(bounds_of(task.spec, batch, name))) for name in names}


def bounds_of(spec: Spec, batch: Batch, name: str = UPPER_BOUND) -> list[float]:
    """A ceiling of each episode of a batch."""
    measure = spec.ceiling(name).measure
    noise = unstack(batch.noise, batch.size)
    return [measure(instance, moves) for instance, moves in zip(batch.instances, noise, strict=True)]
