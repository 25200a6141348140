"""The rules: an SIR epidemic on a contact network, and a few doses every morning."""

from collections.abc import Sequence
from dataclasses import dataclass

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int, Int8, PRNGKeyArray

from lmta.problems.base import AbstractInstance, AbstractState, Bounds
from lmta.problems.graphs import make_graph, pad_graph
from lmta.sparse import over_edges
from lmta.types import Graph, Observation

SUSCEPTIBLE, INFECTED, RECOVERED, VACCINATED = 0, 1, 2, 3


@dataclass(frozen=True)
class EpidemicRules:
    """The numbers of the problem."""

    infection: float = 0.1
    """The probability that an infected person infects a contact in a day, where the data have none."""
    recovery: float = 0.2
    """The probability that an infected person recovers in a day."""


class VaccinationInstance(AbstractInstance):
    """Contacts with their probability of infection, and who is infected at the start."""

    graph: Graph
    days: Int[Array, ""]
    budget: Int[Array, ""]
    recovery: Float[Array, ""]
    first_cases: Bool[Array, " nodes"]


class VaccinationState(AbstractState):
    """The status of everybody; padding counts as vaccinated."""

    status: Int8[Array, " nodes"]
    day: Int[Array, ""]
    budget_left: Int[Array, ""]


class VaccinationNoise(eqx.Module):
    """A number from 0 to 1 for each contact and day, and for each person and day."""

    meets: Float[Array, " days edges"]
    recovers: Float[Array, " days nodes"]


@dataclass(frozen=True)
class Vaccination:
    """The score is how many are never infected: all who begin healthy count on the first day, each infection takes one
    away."""

    name: str = "vaccination"

    def reset(self, instance: VaccinationInstance) -> VaccinationState:
        """The first cases are infected, everybody else is susceptible."""
        status = jnp.where(instance.first_cases, INFECTED, SUSCEPTIBLE)
        return VaccinationState(
            status=jnp.where(instance.graph.node_mask, status, VACCINATED).astype(jnp.int8),
            day=jnp.zeros((), jnp.int32),
            budget_left=instance.budget,
        )

    def draw_noise(self, instance: VaccinationInstance, max_days: int, key: PRNGKeyArray) -> VaccinationNoise:
        """Each day has numbers of its own, whatever the number of days."""
        days = jax.vmap(jax.random.fold_in, (None, 0))(key, jnp.arange(max_days))
        meet_keys, recover_keys = jax.vmap(jax.random.split, out_axes=1)(days)
        num_edges, num_nodes = instance.graph.weight.shape[0], instance.graph.num_nodes
        return VaccinationNoise(
            meets=jax.vmap(lambda k: jax.random.uniform(k, (num_edges,)))(meet_keys),
            recovers=jax.vmap(lambda k: jax.random.uniform(k, (num_nodes,)))(recover_keys),
        )

    def legal(self, instance: VaccinationInstance, state: VaccinationState) -> Bool[Array, " nodes"]:
        """Who is still susceptible, while doses and days are left."""
        return (state.status == SUSCEPTIBLE) & (state.budget_left > 0) & (state.day < instance.days)

    def pick(self, instance: VaccinationInstance, state: VaccinationState, node: Int[Array, ""]) -> VaccinationState:
        """Vaccinate somebody, who is safe at once."""
        exists = (node >= 0) & (node < instance.graph.num_nodes)
        status = state.status[node]
        ok = exists & (status == SUSCEPTIBLE) & (state.budget_left > 0) & (state.day < instance.days)
        return VaccinationState(
            status=state.status.at[node].set(jnp.where(ok, VACCINATED, status).astype(jnp.int8)),
            day=state.day,
            budget_left=state.budget_left - ok,
        )

    def end_day(
        self, instance: VaccinationInstance, state: VaccinationState, noise: VaccinationNoise
    ) -> tuple[VaccinationState, Float[Array, ""]]:
        """The infected meet their contacts, then some of them recover."""
        graph = instance.graph
        infected = (state.status == INFECTED).astype(jnp.float32)
        meets = (noise.meets[state.day] < graph.weight).astype(jnp.float32)
        hit = over_edges(infected, meets, graph.senders, graph.receivers, reduction="max") > 0
        newly = hit & (state.status == SUSCEPTIBLE)
        recovered = (state.status == INFECTED) & (noise.recovers[state.day] < instance.recovery)
        reward = self._healthy_at_first(instance, state) - newly.sum()
        return next_day(state, newly, recovered), reward.astype(jnp.float32)

    def forecast(self, instance: VaccinationInstance, state: VaccinationState) -> Float[Array, ""]:
        """The reward expected of today: a closed form that a problem may have and need not."""
        risk = jnp.where(state.status == SUSCEPTIBLE, self._risk(instance, state), 0.0)
        return self._healthy_at_first(instance, state) - risk.sum()

    def gains(self, instance: VaccinationInstance, state: VaccinationState) -> Float[Array, " nodes"]:
        """What vaccinating each adds to the forecast: its own risk of tonight."""
        return self._risk(instance, state)

    def observe(self, instance: VaccinationInstance, state: VaccinationState) -> Observation:
        """Status (one-hot) and risk of tonight; shares of days and doses left."""
        statuses = jnp.arange(4, dtype=jnp.int8)
        one_hot = (state.status[:, None] == statuses).astype(jnp.float32)
        risk = jnp.where(state.status == SUSCEPTIBLE, self._risk(instance, state), 0.0)
        left = [1 - state.day / instance.days, state.budget_left / jnp.maximum(instance.budget, 1)]
        return Observation(
            nodes=jnp.concatenate([one_hot, risk[:, None]], axis=1),
            globals=jnp.stack(left).astype(jnp.float32),
            graph=instance.graph,
            gain=self.gains(instance, state),
        )

    def bounds(self, instance: VaccinationInstance) -> Bounds:
        """Features are zeros, ones, shares and probabilities."""
        return Bounds(1.0, 1.0)

    def stack(
        self, instances: Sequence[VaccinationInstance], min_edges: int = 0, min_nodes: int = 0
    ) -> VaccinationInstance:
        """A batch; padding edges never infect and padding people are vaccinated."""
        num_nodes = max(min_nodes, *(i.graph.num_nodes for i in instances))
        num_edges = max(min_edges, *(i.graph.senders.shape[0] for i in instances))

        def pad(instance: VaccinationInstance) -> VaccinationInstance:
            extra = num_nodes - instance.graph.num_nodes
            parts = pad_graph(instance.graph, num_nodes, num_edges), jnp.pad(instance.first_cases, (0, extra))
            return eqx.tree_at(lambda i: (i.graph, i.first_cases), instance, parts)

        return jax.tree.map(lambda *leaves: jnp.stack(leaves), *map(pad, instances))

    def _risk(self, instance: VaccinationInstance, state: VaccinationState) -> Float[Array, " nodes"]:
        """The probability 1 - Π(1 - p) to be infected tonight."""
        graph, infected = instance.graph, (state.status == INFECTED).astype(jnp.float32)
        return 1 - over_edges(
            infected, graph.weight, graph.senders, graph.receivers, combine=_miss, reduction="multiply"
        )

    def _healthy_at_first(self, instance: VaccinationInstance, state: VaccinationState) -> Float[Array, ""]:
        healthy = (instance.graph.node_mask & ~instance.first_cases).sum()
        return jnp.where(state.day == 0, healthy, 0).astype(jnp.float32)


def _miss(infected: Array, probability: Array) -> Array:
    return 1 - infected * probability


def next_day(
    state: VaccinationState, newly: Bool[Array, " nodes"], recovered: Bool[Array, " nodes"]
) -> VaccinationState:
    """The state after the night."""
    status = jnp.where(recovered, RECOVERED, jnp.where(newly, INFECTED, state.status))
    return VaccinationState(status=status.astype(jnp.int8), day=state.day + 1, budget_left=state.budget_left)


def make_instance(
    senders: np.ndarray,
    receivers: np.ndarray,
    probability: np.ndarray,
    first_cases: np.ndarray,
    days: int,
    budget: int,
    recovery: float,
) -> VaccinationInstance:
    """The task of protecting people for `days` with `budget` doses; every contact stands in the list both ways."""
    return VaccinationInstance(
        graph=make_graph(senders, receivers, probability, len(first_cases)),
        days=jnp.int32(days),
        budget=jnp.int32(budget),
        recovery=jnp.float32(recovery),
        first_cases=jnp.asarray(first_cases, bool),
    )
