"""The rules of orienteering for one tour of any size, in NumPy: nothing is compiled."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lmta.lazy import jax
from lmta.problems.orienteering.rules import START, OrienteeringInstance, OrienteeringState


@dataclass(frozen=True)
class OrienteeringOnHost:
    """What `Orienteering` does in batches, for one episode, in the same single precision."""

    def reset(self, instance: OrienteeringInstance) -> OrienteeringState:
        """At the start city, which has no profit; padding counts as visited."""
        visited = ~np.asarray(instance.graph.node_mask)
        visited[START] = True
        profit = np.where(visited, np.float32(0), np.asarray(instance.profit))
        return make_state(profit, visited, START, 0, int(instance.budget))

    def legal(self, instance: OrienteeringInstance, state: OrienteeringState) -> np.ndarray:
        """Unvisited cities within what is left of the day's length, while budget and days are left."""
        goes_on = int(state.budget_left) > 0 and int(state.day) < int(instance.days)
        xy = np.asarray(instance.coordinates)
        ends = np.asarray(state.length) + _distance(xy, xy[int(state.position)])
        return ~np.asarray(state.visited) & (ends <= np.asarray(instance.limit)) & goes_on

    def pick(self, instance: OrienteeringInstance, state: OrienteeringState, nodes: Sequence[int]) -> OrienteeringState:
        """Go to cities and take their profits."""
        xy, profit, visited = np.asarray(instance.coordinates), np.array(state.profit), np.array(state.visited)
        at, length, gain = int(state.position), np.asarray(state.length), np.asarray(state.gain_today)
        for city in nodes:
            length, gain = length + _distance(xy[city], xy[at]), gain + profit[city]
            profit[city], visited[city], at = 0.0, True, city
        left, made = int(state.budget_left) - len(nodes), int(state.visits_today) + len(nodes)
        return make_state(profit, visited, at, int(state.day), left, float(length), made, float(gain))

    def forecast(self, instance: OrienteeringInstance, state: OrienteeringState) -> float:
        """Profits less crowding and penalty; chance plays no part in it. No visit, no cost."""
        made = int(state.visits_today)
        if made == 0:
            return 0.0
        xy, length = np.asarray(instance.coordinates), np.asarray(state.length)
        if int(state.day) == int(instance.days) - 1:
            length = length + _distance(xy[START], xy[int(state.position)])
        excess = np.asarray(instance.penalty) * np.maximum(length - np.asarray(instance.limit), np.float32(0))
        return float(
            np.asarray(state.gain_today) - np.asarray(instance.crowding) * np.float32((made - 1) ** 2) - excess
        )

    def draw_noise(self, instance: OrienteeringInstance, seed: int) -> np.ndarray:
        """How each city's profit moves on each day, in units of the drift."""
        shape = int(instance.days), len(instance.profit)
        return np.random.default_rng(seed).random(shape, np.float32) * np.float32(2) - np.float32(1)

    def end_day(
        self, instance: OrienteeringInstance, state: OrienteeringState, noise: np.ndarray
    ) -> tuple[OrienteeringState, float]:
        """Profits of unvisited cities drift; tomorrow's route begins where today's ended."""
        moved = np.asarray(state.profit) + np.asarray(instance.drift) * noise[int(state.day)]
        profit = np.maximum(moved, np.asarray(instance.floor))
        return next_day(state, profit), self.forecast(instance, state)


def next_day(state: OrienteeringState, profit: np.ndarray) -> OrienteeringState:
    """The pre-decision state of the next day: new profits of unvisited cities; the route begins where it ended."""
    visited = np.asarray(state.visited)
    profit = np.where(visited, np.float32(0), profit)
    return make_state(profit, visited, int(state.position), int(state.day) + 1, int(state.budget_left))


def make_state(
    profit: np.ndarray,
    visited: np.ndarray,
    position: int,
    day: int,
    budget_left: int,
    length: float = 0.0,
    visits_today: int = 0,
    gain_today: float = 0.0,
) -> OrienteeringState:
    """A state as the rules in batches have it, made on the host."""
    put = jax.device_put  # jnp.asarray compiles a program for each shape
    return OrienteeringState(
        profit=put(profit.astype(np.float32)),
        visited=put(visited),
        position=put(np.int32(position)),
        length=put(np.float32(length)),
        visits_today=put(np.int32(visits_today)),
        gain_today=put(np.float32(gain_today)),
        day=put(np.int32(day)),
        budget_left=put(np.int32(budget_left)),
    )


def _distance(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.asarray(np.sqrt(np.sum((a - b) ** 2, axis=-1)))
