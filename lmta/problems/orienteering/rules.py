"""Stochastic orienteering: which cities to visit today, and in which order, while profits drift."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float, Int

from lmta.lazy import Array, PRNGKeyArray, eqx, jax, jnp
from lmta.problems.base import AbstractInstance, AbstractState, Bounds
from lmta.problems.graphs import make_graph, pad_graph, stack_on_host
from lmta.problems.orienteering.importer import Cities
from lmta.records import Record
from lmta.types import Graph, Observation

START = 0
NUM_NEIGHBOURS = 10
ROUNDING = 1e-5
"""By how much single precision may exceed the largest distance."""


@dataclass(frozen=True)
class OrienteeringRules:
    """The numbers of the problem (paper, App. D); distances are in units of the largest one."""

    limit: float = 1.5
    """Length of a day's route, as a share of the largest distance; cities beyond it cannot be picked."""
    penalty: float = 5.0
    """Price of each unit of length over the limit (the way back on the last day can exceed it)."""
    crowding: float = 0.1
    """m visits on one day cost crowding·(m - 1)²."""
    drift: float = 0.05
    """An unvisited city's profit moves by U(-drift, drift) a day."""
    floor: float = 0.3
    """No profit falls below this."""


class OrienteeringInstance(AbstractInstance):
    """Cities with their first profits, the rules as arrays, and the graph of nearest neighbours."""

    coordinates: Float[Array, " nodes 2"]
    profit: Float[Array, " nodes"]
    graph: Graph
    days: Int[Array, ""]
    budget: Int[Array, ""]
    limit: Float[Array, ""]
    penalty: Float[Array, ""]
    crowding: Float[Array, ""]
    drift: Float[Array, ""]
    floor: Float[Array, ""]


class OrienteeringState(AbstractState):
    """Profits now, cities visited, and today's route so far: where it stands, its length, visits and gain."""

    profit: Float[Array, " nodes"]
    visited: Bool[Array, " nodes"]
    position: Int[Array, ""]
    length: Float[Array, ""]
    visits_today: Int[Array, ""]
    gain_today: Float[Array, ""]
    day: Int[Array, ""]
    budget_left: Int[Array, ""]


class OrienteeringNoise(Record):
    """How each city's profit moves on each day, in units of the drift."""

    moves: Float[Array, " days nodes"]


@dataclass(frozen=True)
class Orienteering:
    """The rules of stochastic orienteering (paper, App. D)."""

    name: str = "sop"

    def reset(self, instance: OrienteeringInstance) -> OrienteeringState:
        """At the start city, which has no profit; padding counts as visited."""
        visited = ~jnp.asarray(instance.graph.node_mask).at[START].set(False)
        return OrienteeringState(
            profit=jnp.where(visited, 0.0, instance.profit),
            visited=visited,
            position=jnp.full((), START, jnp.int32),
            length=jnp.zeros(()),
            visits_today=jnp.zeros((), jnp.int32),
            gain_today=jnp.zeros(()),
            day=jnp.zeros((), jnp.int32),
            budget_left=instance.budget,
        )

    def draw_noise(self, instance: OrienteeringInstance, max_days: int, key: PRNGKeyArray) -> OrienteeringNoise:
        """A move for every city and day."""
        keys = jax.vmap(jax.random.fold_in, (None, 0))(key, jnp.arange(max_days))
        num_nodes = instance.profit.shape[0]
        return OrienteeringNoise(jax.vmap(lambda k: jax.random.uniform(k, (num_nodes,), minval=-1.0))(keys))

    def distances(self, instance: OrienteeringInstance, state: OrienteeringState) -> Float[Array, " nodes"]:
        """How far every city is from where the route stands."""
        return distance_between(instance.coordinates, instance.coordinates[state.position])

    def legal(self, instance: OrienteeringInstance, state: OrienteeringState) -> Bool[Array, " nodes"]:
        """Unvisited cities within what is left of the day's length, while budget and days are left."""
        in_reach = state.length + self.distances(instance, state) <= instance.limit
        return ~state.visited & in_reach & (state.budget_left > 0) & (state.day < instance.days)

    def pick(self, instance: OrienteeringInstance, state: OrienteeringState, node: Int[Array, ""]) -> OrienteeringState:
        """Go to a city and take its profit."""
        step = distance_between(instance.coordinates[node], instance.coordinates[state.position])
        exists = (node >= 0) & (node < instance.graph.num_nodes)
        in_reach = ~state.visited[node] & (state.length + step <= instance.limit)
        ok = exists & in_reach & (state.budget_left > 0) & (state.day < instance.days)
        return OrienteeringState(
            profit=state.profit.at[node].multiply(jnp.where(ok, 0.0, 1.0)),
            visited=state.visited.at[node].set(state.visited[node] | ok),
            position=jnp.where(ok, node, state.position),
            length=state.length + jnp.where(ok, step, 0.0),
            visits_today=state.visits_today + ok,
            gain_today=state.gain_today + jnp.where(ok, state.profit[node], 0.0),
            day=state.day,
            budget_left=state.budget_left - ok,
        )

    def forecast(self, instance: OrienteeringInstance, state: OrienteeringState) -> Float[Array, ""]:
        """Profits less crowding and penalty; chance plays no part in it. No visit, no cost."""
        last_day = state.day == instance.days - 1
        way_back = distance_between(instance.coordinates[START], instance.coordinates[state.position])
        length = state.length + jnp.where(last_day, way_back, 0.0)
        crowding = instance.crowding * (state.visits_today - 1) ** 2
        excess = instance.penalty * jnp.maximum(length - instance.limit, 0.0)
        return jnp.where(state.visits_today > 0, state.gain_today - crowding - excess, 0.0)

    def gains(self, instance: OrienteeringInstance, state: OrienteeringState) -> Float[Array, " nodes"]:
        """What going to each city next would add to the forecast."""
        last_day = state.day == instance.days - 1
        way_back = distance_between(instance.coordinates, instance.coordinates[START])
        length = state.length + self.distances(instance, state) + jnp.where(last_day, way_back, 0.0)
        excess = instance.penalty * jnp.maximum(length - instance.limit, 0.0)
        crowding = instance.crowding * state.visits_today**2
        return state.gain_today + state.profit - crowding - excess - self.forecast(instance, state)

    def end_day(
        self, instance: OrienteeringInstance, state: OrienteeringState, noise: OrienteeringNoise
    ) -> tuple[OrienteeringState, Float[Array, ""]]:
        """Profits of unvisited cities drift; tomorrow's route begins where today's ended."""
        moved = state.profit + instance.drift * noise.moves[state.day]
        profit = jnp.maximum(moved, instance.floor)
        return next_day(state, profit), self.forecast(instance, state)

    def observe(self, instance: OrienteeringInstance, state: OrienteeringState) -> Observation:
        """Of cities: coordinates, profit, distance from here and from the start, visited, in reach, here, start.

        Of all: the shares of days, budget and length left, and what one more visit today costs by crowding.
        """
        index = jnp.arange(state.profit.shape[0])
        columns = [
            instance.coordinates[:, 0],
            instance.coordinates[:, 1],
            state.profit,
            self.distances(instance, state),
            distance_between(instance.coordinates, instance.coordinates[START]),
            state.visited,
            self.legal(instance, state),
            index == state.position,
            index == START,
        ]
        return Observation(
            nodes=jnp.stack([c.astype(jnp.float32) for c in columns], axis=-1),
            globals=jnp.stack(
                [
                    1 - state.day / instance.days,
                    state.budget_left / jnp.maximum(instance.budget, 1),
                    1 - state.length / instance.limit,
                    instance.crowding * jnp.maximum(2 * state.visits_today - 1, 0),
                ]
            ).astype(jnp.float32),
            graph=instance.graph,
            gain=self.gains(instance, state),
        )

    def bounds(self, instance: OrienteeringInstance) -> Bounds:
        """Distances are 1 at most, but for rounding; profits can rise by the drift a day, crowding with each visit."""
        first = max(1.0 + ROUNDING, float(instance.profit.max()), float(instance.floor))
        most_crowded = float(instance.crowding) * max(2 * int(instance.budget) - 1, 0)
        return Bounds(first + float(instance.drift) * int(instance.days), max(1.0, most_crowded))

    def stack(
        self, instances: Sequence[OrienteeringInstance], min_edges: int = 0, min_nodes: int = 0
    ) -> OrienteeringInstance:
        """A batch; padding cities count as visited."""
        num_nodes = max(min_nodes, *(i.profit.shape[0] for i in instances))
        num_edges = max(min_edges, *(i.graph.senders.shape[0] for i in instances))

        def pad(instance: OrienteeringInstance) -> OrienteeringInstance:
            extra = num_nodes - instance.profit.shape[0]
            return eqx.tree_at(
                lambda i: (i.coordinates, i.profit, i.graph),
                instance,
                (
                    np.pad(instance.coordinates, ((0, extra), (0, 0))),
                    np.pad(instance.profit, (0, extra)),
                    pad_graph(instance.graph, num_nodes, num_edges),
                ),
            )

        return stack_on_host([pad(instance) for instance in instances])


def next_day(state: OrienteeringState, profit: Float[Array, " nodes"]) -> OrienteeringState:
    """The pre-decision state of the next day: new profits of unvisited cities; the route begins where it ended."""
    return OrienteeringState(
        profit=jnp.where(state.visited, 0.0, profit),
        visited=state.visited,
        position=state.position,
        length=jnp.zeros(()),
        visits_today=jnp.zeros((), jnp.int32),
        gain_today=jnp.zeros(()),
        day=state.day + 1,
        budget_left=state.budget_left,
    )


def distance_between(a: Float[Array, " *#n 2"], b: Float[Array, " *#n 2"]) -> Float[Array, " *n"]:
    """As the crow flies."""
    return jnp.sqrt(jnp.sum((a - b) ** 2, axis=-1))


def largest_distance(coordinates: np.ndarray) -> float:
    """The distance of the two cities that lie farthest apart (they are on the convex hull)."""
    from scipy.spatial import ConvexHull, QhullError  # noqa: PLC0415 (a decision on a network needs none of it)
    from scipy.spatial.distance import pdist  # noqa: PLC0415

    try:
        corners = coordinates[ConvexHull(coordinates).vertices]
    except QhullError:  # fewer than three cities, or all on one line
        spread = np.ptp(coordinates, axis=0)
        return float(np.hypot(*spread))
    return float(pdist(corners).max())


def _nearest_neighbours(coordinates: np.ndarray) -> Graph:
    """Edges to each city from its nearest ones, all of the same weight, so that a city hears their mean."""
    from scipy.spatial import KDTree  # noqa: PLC0415

    num_nodes = len(coordinates)
    count = min(NUM_NEIGHBOURS, num_nodes - 1)
    _, neighbour = KDTree(coordinates).query(coordinates, k=count + 1)
    receivers = np.repeat(np.arange(num_nodes), count + 1)
    keep = neighbour.ravel() != receivers
    senders, receivers = neighbour.ravel()[keep], receivers[keep]
    return make_graph(senders, receivers, np.full(len(senders), 1 / max(1, count)), num_nodes)


def make_instance(
    cities: Cities, profit: np.ndarray, days: int, budget: int, rules: OrienteeringRules
) -> OrienteeringInstance:
    """The task of touring `cities` for `days` with `budget` visits; coordinates are scaled to diameter 1."""
    coordinates = (cities.coordinates - cities.coordinates.min(axis=0)) / largest_distance(cities.coordinates)
    put = jax.device_put  # jnp.asarray compiles a program for each shape
    first = np.array(profit, np.float32)
    first[START] = 0.0
    return OrienteeringInstance(
        coordinates=put(coordinates.astype(np.float32)),
        profit=put(first),
        graph=_nearest_neighbours(coordinates),
        days=put(np.int32(days)),
        budget=put(np.int32(budget)),
        limit=put(np.float32(rules.limit)),
        penalty=put(np.float32(rules.penalty)),
        crowding=put(np.float32(rules.crowding)),
        drift=put(np.float32(rules.drift)),
        floor=put(np.float32(rules.floor)),
    )
