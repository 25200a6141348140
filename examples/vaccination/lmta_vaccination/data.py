"""Contact networks: generated ones, and one's own."""

from dataclasses import dataclass
from typing import Any

import networkx as nx
import numpy as np

from lmta.hints import hearing
from lmta.problems.influence.importer import Network, load_network
from lmta.problems.spec import Seen
from lmta.types import InputError

FIRST_CASES = 3
"""First cases where nobody says who they are."""


@dataclass(frozen=True)
class ContactOptions:
    """What generated contact networks depend on."""

    contacts: float = 6.0
    """Mean number of contacts of a person."""
    first_cases: int = 8
    """How many are infected at the start."""


@dataclass(frozen=True)
class ContactFile:
    """How one's own contact network is read."""

    infected: str = ""
    """Who is infected at the start: ids separated by commas; three drawn people where nobody is named."""


@dataclass(frozen=True)
class Contacts:
    """People and who meets whom, every contact both ways; `first_cases` is None where they are to be drawn."""

    network: Network
    has_probabilities: bool
    first_cases: np.ndarray | None


def small_world(num_people: int, contacts: float, rng: np.random.Generator) -> nx.Graph:
    """Watts–Strogatz: neighbours on a ring, a tenth of the contacts rewired."""
    nearest = min(2 * max(1, round(contacts / 2)), num_people - 1)
    return nx.watts_strogatz_graph(num_people, nearest, 0.1, seed=int(rng.integers(2**31)))


def scale_free(num_people: int, contacts: float, rng: np.random.Generator) -> nx.Graph:
    """Barabási–Albert: a few people have many contacts."""
    each = min(max(1, round(contacts / 2)), num_people - 1)
    return nx.barabasi_albert_graph(num_people, each, seed=int(rng.integers(2**31)))


GENERATORS = {"small-world": small_world, "scale-free": scale_free}


def load(source: Any, options: ContactFile) -> Contacts:
    """One's own contact network: an edge list of who meets whom, with or without probabilities of infection."""
    if isinstance(source, Contacts):
        return source
    network = load_network(source, directed=False)
    with hearing():  # what there is to mind was said above
        with_one = load_network(source, directed=False, probability=1.0)  # where the data have none, this tells
    has_probabilities = not bool((with_one.probability == 1).all())
    cases = _named(network, options.infected) if options.infected.strip() else None
    return Contacts(network, has_probabilities, cases)


def _named(network: Network, infected: str) -> np.ndarray:
    index = {str(name): i for i, name in enumerate(network.ids)}
    cases = np.zeros(network.num_nodes, bool)
    for name in filter(None, (part.strip() for part in infected.split(","))):
        if name not in index:
            raise InputError(f"infected: {name!r} is not one of the {network.num_nodes} people in the contacts.")
        cases[index[name]] = True
    return cases


def look(contacts: Contacts) -> Seen:
    """People, contacts, and how many contacts each has."""
    network = contacts.network
    numbers = np.bincount(network.senders, minlength=network.num_nodes)
    return Seen(network.num_nodes, len(network.senders) // 2, numbers, "contacts", network.ids)


def sample() -> tuple[str, bytes]:
    """Zachary's karate club: 34 people and who meets whom outside."""
    rows = [f"{a + 1},{b + 1}" for a, b in nx.karate_club_graph().edges]
    return "karate-club.csv", "\n".join(["source,target", *rows, ""]).encode()
