"""The optimal policy of tiny influence problems, by expectimax."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from lmta.kernels.expectimax import MAX_NODES, best_seeds, post_decision_values, ternary_weights
from lmta.problems.heuristics import PlanRule
from lmta.problems.influence.rules import ACTIVE, INACTIVE, InfluenceInstance, InfluenceState
from lmta.types import InputError

MAX_TABLE = 10_000_000


class Tables(NamedTuple):
    """The value of every post-decision state by day, budget left and status, and of the first day."""

    night: np.ndarray
    weights: np.ndarray
    optimum: float


def solve(instance: InfluenceInstance) -> Tables:
    """Work out every status once, from the last day to the first."""
    graph = instance.graph
    num_nodes, budget = graph.num_nodes, int(instance.budget)
    if num_nodes > MAX_NODES:
        raise InputError(f"exact: the network has {num_nodes} nodes; at most {MAX_NODES} can be solved exactly.")
    if int(instance.days) * (budget + 1) * 3**num_nodes > MAX_TABLE:
        raise InputError("exact: too many days and too much budget for a table of every status; take fewer.")
    probability = np.zeros((num_nodes, num_nodes))
    real = np.flatnonzero(graph.edge_mask)
    probability[np.asarray(graph.senders)[real], np.asarray(graph.receivers)[real]] = np.asarray(graph.weight)[real]
    night, pre_decision = post_decision_values(probability, int(instance.days), budget)
    weights = ternary_weights(num_nodes)
    everyone_inactive = weights[_bits(np.asarray(graph.node_mask))]
    return Tables(night, weights, float(pre_decision[budget, everyone_inactive]))


@dataclass(frozen=True)
class Exact(PlanRule):
    """Plays the optimum; the budget rule before it should grant all that is left."""

    name: str = "exact"
    why: str = "the seeds are optimal by expectimax; each pick's value is that of the whole decision."

    def prepare(self, instance: InfluenceInstance) -> Tables:
        """Solve the instance."""
        return solve(instance)

    def optimum(self, prepared: Tables) -> float:
        """The value of the first day."""
        return prepared.optimum

    def plan(self, prepared: Tables, state: InfluenceState, budget: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
        """The best set of seeds, in the order of the nodes."""
        status = np.asarray(state.status)
        inactive, active = _bits(status == INACTIVE), _bits(status == ACTIVE)
        night, weights = prepared.night[int(state.day)], prepared.weights
        seeds = best_seeds(inactive, active, budget, night, weights)
        picks = np.array([i for i in range(len(status)) if seeds >> i & 1], np.int32)
        after = weights[inactive & ~seeds] + 2 * weights[active | seeds]
        return picks, np.full(len(picks), len(picks) + night[budget - len(picks), after])


def _bits(mask: np.ndarray) -> int:
    return sum(1 << int(i) for i in np.flatnonzero(mask))
