"""Where a campaign stands, as compiled loops read it."""

from typing import NamedTuple

import numpy as np

from lmta.kernels.network import INACTIVE, REMOVED, Adjacency
from lmta.problems.influence.adjacency import adjacency_of
from lmta.problems.influence.rules import InfluenceInstance, InfluenceState


class Situation(NamedTuple):
    """A network, and where a campaign on it stands."""

    network: Adjacency
    status: np.ndarray
    days_left: int
    budget_left: int


def first_day(instance: InfluenceInstance) -> Situation:
    """Before the first day: everybody but padding is inactive."""
    everybody = np.where(instance.graph.node_mask, INACTIVE, REMOVED)
    return Situation(adjacency_of(instance), everybody, int(instance.days), int(instance.budget))


def situation(network: Adjacency, days: int, state: InfluenceState) -> Situation:
    """Where a campaign of so many days stands."""
    return Situation(network, np.asarray(state.status), days - int(state.day), int(state.budget_left))
