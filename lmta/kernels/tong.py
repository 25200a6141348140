"""Seed now or wait, as Tong, Wang, Guo and Du (2020) decide it for adaptive influence maximisation with a deadline."""

import numpy as np

from lmta.kernels.live_edge import Reach, add_seed, follow_cascade, marginal_gains
from lmta.kernels.network import Adjacency

THRESHOLD = 0.2


def num_worth_seeding(
    network: Adjacency,
    live: np.ndarray,
    status: np.ndarray,
    days_left: int,
    order: np.ndarray,
    threshold: float = THRESHOLD,
) -> int:
    """How many of the seeds that some rule names, in their order, to set today; the day ends at the first to wait."""
    reach = follow_cascade(network, live, status, days_left)
    alone = marginal_gains(network, live, reach, order)
    for made, (node, own_gain) in enumerate(zip(order, alone, strict=True)):
        if index(network, live, reach, node, own_gain, days_left) < threshold:
            return made
        add_seed(network, live, reach, node)
    return len(order)


def index(network: Adjacency, live: np.ndarray, reach: Reach, node: int, own_gain: float, days_left: int) -> float:
    """I = a·M_a + (1 - a)·M_t with a = 1 - 1/(days left).

    M_a is how much of its own gain a node keeps beside the seeds of today, and M_t what one day less would cost, once
    their cascade has run.
    """
    (beside,) = marginal_gains(network, live, reach, np.array([node]))
    afterwards = [_gain_afterwards(network, live, reach, node, days) for days in (days_left, days_left - 1)]
    keeps = beside / own_gain if own_gain > 0 else 0.0
    costs = 1 - afterwards[1] / afterwards[0] if afterwards[0] > 0 else 0.0
    weight = 1 - 1 / days_left
    return weight * keeps + (1 - weight) * costs


def _gain_afterwards(network: Adjacency, live: np.ndarray, reach: Reach, node: int, days: int) -> float:
    """What a node adds within some days if all that the cascade will reach has been reached before."""
    if days == 0:
        return 0.0
    over = np.repeat(reach.within[:, -1:], min(days, reach.within.shape[1] - 1) + 1, axis=1)
    return marginal_gains(network, live, Reach(over, reach.num_worlds), np.array([node]))[0]
