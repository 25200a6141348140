"""The node rule `ris`: adaptive greedy on reverse-reachable sets of what is left of the network."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from lmta.kernels.reverse_reachable import draw_sets, greedy_cover
from lmta.problems.heuristics import PlanRule
from lmta.problems.influence.rules import INACTIVE, InfluenceInstance, InfluenceState

MIN_SETS = 20_000
SETS_PER_NODE = 10


class InEdges(NamedTuple):
    """The edges that end in each node, one node after the other, and the number of days."""

    start: np.ndarray
    sender: np.ndarray
    probability: np.ndarray
    days: int


@dataclass(frozen=True)
class ReverseReachable(PlanRule):
    """Draws sets of nodes that would reach a random inactive node in the days left, and covers them greedily."""

    name: str = "ris"
    why: str = "each pick covers most of the reverse-reachable sets left; its value is the expected gain in nodes."

    def prepare(self, instance: InfluenceInstance) -> InEdges:
        """Edges by receiver; padding is left out."""
        graph = instance.graph
        real = np.flatnonzero(graph.edge_mask)
        receivers = np.asarray(graph.receivers)[real]
        order = np.argsort(receivers, kind="stable")
        return InEdges(
            start=np.searchsorted(receivers[order], np.arange(graph.num_nodes + 1)),
            sender=np.asarray(graph.senders)[real][order],
            probability=np.asarray(graph.weight)[real][order],
            days=int(instance.days),
        )

    def plan(self, prepared: InEdges, state: InfluenceState, budget: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
        """Today's seeds and the expected number of nodes that each adds."""
        status = np.asarray(state.status)
        num_inactive = int((status == INACTIVE).sum())
        if num_inactive == 0:
            return np.zeros(0, np.int32), np.zeros(0)
        num_sets = max(MIN_SETS, SETS_PER_NODE * num_inactive)
        horizon = prepared.days - int(state.day)
        members, start = draw_sets(
            prepared.start, prepared.sender, prepared.probability, status, num_sets, horizon, seed
        )
        picks, covered = greedy_cover(members, start, status, budget)
        return picks, covered * (num_inactive / (len(start) - 1))
