"""The rules of influence for one campaign of any size, in NumPy: nothing is compiled."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lmta.problems.graphs import on_host
from lmta.problems.influence.rules import ACTIVE, INACTIVE, REMOVED, InfluenceInstance, InfluenceState


@dataclass(frozen=True)
class InfluenceOnHost:
    """What `Influence` does in batches, for one episode."""

    def reset(self, instance: InfluenceInstance) -> InfluenceState:
        """Everybody is inactive and the whole budget is left."""
        status = np.where(instance.graph.node_mask, INACTIVE, REMOVED)
        return make_state(status, 0, int(instance.budget))

    def legal(self, instance: InfluenceInstance, state: InfluenceState) -> np.ndarray:
        """Inactive nodes, while budget and days are left."""
        goes_on = int(state.budget_left) > 0 and int(state.day) < int(instance.days)
        return (np.asarray(state.status) == INACTIVE) & goes_on

    def pick(self, instance: InfluenceInstance, state: InfluenceState, nodes: Sequence[int]) -> InfluenceState:
        """Seed nodes."""
        status = np.array(state.status)
        status[list(nodes)] = ACTIVE
        left, seeded = int(state.budget_left) - len(nodes), int(state.seeded_today) + len(nodes)
        return make_state(status, int(state.day), left, seeded)

    def forecast(self, instance: InfluenceInstance, state: InfluenceState) -> float:
        """Today's seeds and the expected number of nodes hit tonight, in closed form."""
        graph, status = instance.graph, np.asarray(state.status)
        tries = (status == ACTIVE)[graph.senders]
        missed = np.ones(len(status))
        np.multiply.at(missed, np.asarray(graph.receivers)[tries], 1 - np.asarray(graph.weight)[tries])
        return int(state.seeded_today) + float((1 - missed)[status == INACTIVE].sum())

    def draw_noise(self, instance: InfluenceInstance, seed: int) -> np.ndarray:
        """Which edges will fire when tried."""
        weight = np.asarray(instance.graph.weight)
        return np.random.default_rng(seed).random(len(weight), np.float32) < weight

    def end_day(
        self, instance: InfluenceInstance, state: InfluenceState, noise: np.ndarray
    ) -> tuple[InfluenceState, float]:
        """Every active node tries its inactive out-neighbours once and is removed; the hit ones become active."""
        graph, status = instance.graph, np.asarray(state.status)
        hit = np.zeros(len(status), bool)
        hit[np.asarray(graph.receivers)[(status == ACTIVE)[graph.senders] & noise]] = True
        hit &= status == INACTIVE
        return next_day(state, hit), float(int(state.seeded_today) + hit.sum())


def next_day(state: InfluenceState, newly_active: np.ndarray) -> InfluenceState:
    """The pre-decision state of the next day: who was active is removed, who was hit is active."""
    status = np.asarray(state.status)
    status = np.where(newly_active, ACTIVE, np.where(status == ACTIVE, REMOVED, status))
    return make_state(status, int(state.day) + 1, int(state.budget_left))


def make_state(status: np.ndarray, day: int, budget_left: int, seeded_today: int = 0) -> InfluenceState:
    """A state as the rules in batches have it, made on the host."""
    return InfluenceState(
        status=on_host(status, np.int8),
        day=on_host(day, np.int32),
        budget_left=on_host(budget_left, np.int32),
        seeded_today=on_host(seeded_today, np.int32),
    )
