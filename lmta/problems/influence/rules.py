"""Adaptive influence maximisation under the independent cascade: who is inactive, active or removed."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float, Int, Int8

from lmta.lazy import Array, PRNGKeyArray, eqx, jax, jnp
from lmta.problems.base import AbstractInstance, AbstractState, Bounds
from lmta.problems.graphs import make_graph, on_host, pad_graph, stack_on_host
from lmta.problems.influence.importer import Network
from lmta.records import Record
from lmta.sparse import over_edges
from lmta.types import Graph, Observation

INACTIVE, ACTIVE, REMOVED = 0, 1, 2


class InfluenceInstance(AbstractInstance):
    """A network whose edges fire with probability `graph.weight`."""

    graph: Graph
    days: Int[Array, ""]
    budget: Int[Array, ""]


class InfluenceState(AbstractState):
    """The status of every node; padding counts as removed."""

    status: Int8[Array, " nodes"]
    day: Int[Array, ""]
    budget_left: Int[Array, ""]
    seeded_today: Int[Array, ""]


class InfluenceNoise(Record):
    """Which edges will fire when tried. An edge is tried once at most, so one coin for each is all of chance."""

    fires: Bool[Array, " edges"]


def hit_probability(graph: Graph, active: Float[Array, " nodes"]) -> Float[Array, " nodes"]:
    """The probability 1 - Π(1 - p) that a node is hit, if node u is active with probability `active[u]`."""
    return 1 - over_edges(active, graph.weight, graph.senders, graph.receivers, combine=_miss, reduction="multiply")


def _miss(active: Array, probability: Array) -> Array:
    return 1 - active * probability


@dataclass(frozen=True)
class Influence:
    """The rules of adaptive influence maximisation (paper, App. D)."""

    name: str = "aim"

    def reset(self, instance: InfluenceInstance) -> InfluenceState:
        """Everybody is inactive and the whole budget is left."""
        return InfluenceState(
            status=jnp.where(instance.graph.node_mask, INACTIVE, REMOVED).astype(jnp.int8),
            day=jnp.zeros((), jnp.int32),
            budget_left=instance.budget,
            seeded_today=jnp.zeros((), jnp.int32),
        )

    def draw_noise(self, instance: InfluenceInstance, max_days: int, key: PRNGKeyArray) -> InfluenceNoise:
        """A coin for every edge."""
        return InfluenceNoise(fires=jax.random.uniform(key, instance.graph.weight.shape) < instance.graph.weight)

    def legal(self, instance: InfluenceInstance, state: InfluenceState) -> Bool[Array, " nodes"]:
        """Inactive nodes, while budget and days are left."""
        return (state.status == INACTIVE) & (state.budget_left > 0) & (state.day < instance.days)

    def pick(self, instance: InfluenceInstance, state: InfluenceState, node: Int[Array, ""]) -> InfluenceState:
        """Seed a node."""
        status = state.status[node]
        exists = (node >= 0) & (node < instance.graph.num_nodes)
        ok = exists & (status == INACTIVE) & (state.budget_left > 0) & (state.day < instance.days)
        return InfluenceState(
            status=jnp.asarray(state.status).at[node].set(jnp.where(ok, ACTIVE, status).astype(jnp.int8)),
            day=state.day,
            budget_left=state.budget_left - ok,
            seeded_today=state.seeded_today + ok,
        )

    def forecast(self, instance: InfluenceInstance, state: InfluenceState) -> Float[Array, ""]:
        """Today's seeds and the expected number of nodes hit tonight, in closed form."""
        hit = hit_probability(instance.graph, (state.status == ACTIVE).astype(jnp.float32))
        return state.seeded_today + jnp.where(state.status == INACTIVE, hit, 0.0).sum()

    def gains(self, instance: InfluenceInstance, state: InfluenceState) -> Float[Array, " nodes"]:
        """What seeding each node would add to the forecast: itself, and neighbours that nobody else hits."""
        graph = instance.graph
        hit = hit_probability(graph, (state.status == ACTIVE).astype(jnp.float32))
        missed = jnp.where(state.status == INACTIVE, 1 - hit, 0.0)
        return missed + over_edges(missed, graph.weight, source=graph.receivers, target=graph.senders)

    def end_day(
        self, instance: InfluenceInstance, state: InfluenceState, noise: InfluenceNoise
    ) -> tuple[InfluenceState, Float[Array, ""]]:
        """Every active node tries its inactive out-neighbours once and is removed; the hit ones become active."""
        graph = instance.graph
        active = (state.status == ACTIVE).astype(jnp.uint8)
        fires = noise.fires.astype(jnp.uint8)
        hit = over_edges(active, fires, graph.senders, graph.receivers, reduction="max")
        newly_active = (hit > 0) & (state.status == INACTIVE)
        reward = state.seeded_today + newly_active.sum()
        return next_day(state, newly_active), reward.astype(jnp.float32)

    def observe(self, instance: InfluenceInstance, state: InfluenceState) -> Observation:
        """Status of each node (one-hot), and the fractions of days and budget left."""
        statuses = jnp.array([INACTIVE, ACTIVE, REMOVED], jnp.int8)
        return Observation(
            nodes=(state.status[:, None] == statuses).astype(jnp.float32),
            globals=jnp.stack(
                [1 - state.day / instance.days, state.budget_left / jnp.maximum(instance.budget, 1)]
            ).astype(jnp.float32),
            graph=instance.graph,
            gain=self.gains(instance, state),
        )

    def bounds(self, instance: InfluenceInstance) -> Bounds:
        """Features are zeros, ones and shares."""
        return Bounds(1.0, 1.0)

    def stack(
        self, instances: Sequence[InfluenceInstance], min_edges: int = 0, min_nodes: int = 0
    ) -> InfluenceInstance:
        """A batch; padding edges never fire and padding nodes are removed from the start."""
        num_nodes = max(min_nodes, *(i.graph.num_nodes for i in instances))
        num_edges = max(min_edges, *(i.graph.senders.shape[0] for i in instances))
        padded = [eqx.tree_at(lambda i: i.graph, i, pad_graph(i.graph, num_nodes, num_edges)) for i in instances]
        return stack_on_host(padded)


def next_day(state: InfluenceState, newly_active: Bool[Array, " nodes"]) -> InfluenceState:
    """The pre-decision state of the next day: who was active is removed, who was hit is active."""
    status = jnp.where(state.status == ACTIVE, REMOVED, state.status)
    return InfluenceState(
        status=jnp.where(newly_active, ACTIVE, status).astype(jnp.int8),
        day=state.day + 1,
        budget_left=state.budget_left,
        seeded_today=jnp.zeros((), jnp.int32),
    )


def make_instance(network: Network, days: int, budget: int) -> InfluenceInstance:
    """The task of spreading over `network` for `days` with `budget` seeds."""
    graph = make_graph(network.senders, network.receivers, network.probability, network.num_nodes)
    return InfluenceInstance(graph=graph, days=on_host(days, np.int32), budget=on_host(budget, np.int32))
