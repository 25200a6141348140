"""Two classical policies: who has most contacts, and the ring around the infected."""

from jaxtyping import Array, Float, PRNGKeyArray

from lmta.problems.heuristics import ScoreRule
from lmta.sparse import over_edges
from lmta_vaccination.rules import INFECTED, SUSCEPTIBLE, VaccinationInstance, VaccinationState

MANY = 1_000.0


def degree(instance: VaccinationInstance, state: VaccinationState, key: PRNGKeyArray) -> Float[Array, " nodes"]:
    """How many susceptible contacts each has."""
    graph, susceptible = instance.graph, (state.status == SUSCEPTIBLE).astype("float32")
    return over_edges(susceptible, graph.edge_mask.astype("float32"), graph.receivers, graph.senders)


def ring(instance: VaccinationInstance, state: VaccinationState, key: PRNGKeyArray) -> Float[Array, " nodes"]:
    """Contacts of the infected first, and of these who has most susceptible contacts."""
    graph, infected = instance.graph, (state.status == INFECTED).astype("float32")
    exposed = over_edges(infected, graph.edge_mask.astype("float32"), graph.receivers, graph.senders)
    return MANY * (exposed > 0) + degree(instance, state, key)


DEGREE = ScoreRule("degree", degree, "most susceptible contacts first; the value is their number.")
RING = ScoreRule("ring", ring, "contacts of the infected first, and of these who has most susceptible contacts.")
