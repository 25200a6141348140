"""The budget rule `tong`: the day ends at the first pick of the node rule that had better wait (Tong et al. 2020)."""

from typing import Any

import numpy as np

from lmta.kernels.live_edge import draw_worlds, words_for
from lmta.kernels.tong import num_worth_seeding
from lmta.problems.heuristics import BudgetRule, Clock, Horizon, Pairing
from lmta.problems.influence.adjacency import adjacency_of
from lmta.problems.influence.rules import InfluenceInstance, InfluenceState


def num_today(instance: InfluenceInstance, state: InfluenceState, picks: np.ndarray, seed: int) -> int:
    """How many of the picks to make today."""
    network = adjacency_of(instance)
    live = draw_worlds(network, words_for(network.num_nodes), seed)
    days_left = int(instance.days) - int(state.day)
    return num_worth_seeding(network, live, np.asarray(state.status), days_left, picks)


def all_left(instance: Horizon, state: Clock, schedule: None) -> Any:
    """The whole budget: what to leave to later days is decided pick by pick."""
    return state.budget_left


TONG = Pairing(BudgetRule("tong", all_left, num_today=num_today, may_wait=True))
