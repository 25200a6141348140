"""Adaptive influence maximisation as the rest of the package knows it, and its benchmark Power-2500."""

from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Literal

import networkx as nx
import numpy as np

from lmta.kernels.seeding import FEWEST_NODES
from lmta.problems.heuristics import RANDOM
from lmta.problems.influence.adaptive import ADAPTIVE
from lmta.problems.influence.bound import no_end_of_days, upper_bound
from lmta.problems.influence.campaign import Campaign
from lmta.problems.influence.estimates import LIVE_EDGE, MEASURED, OPIM
from lmta.problems.influence.exact import Exact
from lmta.problems.influence.family import TUNING
from lmta.problems.influence.features import InfluenceWithLookahead
from lmta.problems.influence.generators import GENERATORS
from lmta.problems.influence.heuristics import DEGREE, LOOKAHEAD, SCORE
from lmta.problems.influence.importer import Network, load_network
from lmta.problems.influence.rollout import ROLLOUT
from lmta.problems.influence.rules import Influence, InfluenceInstance, make_instance
from lmta.problems.influence.sampling import ReverseReachable
from lmta.problems.influence.strategies import CampaignSimulator
from lmta.problems.influence.tong import TONG
from lmta.problems.influence.view import VIEW
from lmta.problems.mixtures import between, log_uniform
from lmta.problems.session import check_horizon, check_nodes
from lmta.problems.spec import UPPER_BOUND, Ceiling, Nothing, OwnData, Policies, Sample, Seen, Size, Spec
from lmta.types import InputError

MEAN_DEGREE, MOST_DEGREE = 5.0, 10.0


@dataclass(frozen=True)
class NetworkOptions:
    """What generated networks depend on."""

    degree: float | None = None
    """Mean degree of generated networks: 5 (power-law and small-world: the nearest even number, 4)."""
    probabilities: Literal["indegree", "random"] | None = None
    """How likely edges of generated networks fire: 1/indegree of the receiver by default, or random, U(0, 2/degree)."""


@dataclass(frozen=True)
class NetworkFile:
    """How one's own network is read."""

    undirected: bool = False
    """Count every edge both ways, also of a directed GraphML."""
    probability: float | None = None
    """That of every edge where the data have none; 1/indegree of the receiver by default."""


def load(source: Any, options: NetworkFile) -> Network:
    """One's own network."""
    return load_network(source, directed=not options.undirected, probability=options.probability)


def look(network: Network) -> Seen:
    """Nodes, edges, and how many edges leave each node."""
    degrees = np.bincount(network.senders, minlength=network.num_nodes)
    return Seen(network.num_nodes, len(network.senders), degrees, "out-degree", network.ids)


def begin(data: Any, *, days: int, budget: int, read: NetworkFile, rules: Nothing) -> Campaign:
    """A campaign before its first day."""
    return Campaign(data, days=days, budget=budget, directed=not read.undirected, probability=read.probability)


def draw(
    source: Network | str, size: Size, options: NetworkOptions, rules: Nothing, rng: np.random.Generator
) -> InfluenceInstance:
    """A generated network, or one's own, as a task."""
    if isinstance(source, str):
        check_nodes(size.nodes)
        degree = MEAN_DEGREE if options.degree is None else options.degree
        if not 0 < degree < size.nodes:
            raise InputError(f"degree: {degree:g} given, it must lie between 0 and the number of nodes.")
        source = GENERATORS[source](size.nodes, degree, rng)
        if options.probabilities == "random":
            probability = np.minimum(rng.uniform(0, 2 / degree, len(source.senders)), 1.0)
            source = replace(source, probability=probability)
    check_horizon(size.days, size.budget, source.num_nodes, "nodes")
    return make_instance(source, size.days, size.budget)


def vary(most: Size, rng: np.random.Generator) -> tuple[Size, NetworkOptions, Nothing]:
    """Networks of 200 nodes and more, sparse and dense, with a seed for every 200 to 5 nodes in 3 days and more."""
    nodes = between(rng, FEWEST_NODES, most.nodes)
    days = int(rng.integers(min(3, most.days), most.days + 1))
    budget = min(most.budget, max(1, round(nodes * log_uniform(rng, 0.005, 0.2))))
    degree = min(log_uniform(rng, 2.5, MOST_DEGREE), nodes / 2)
    options = NetworkOptions(degree, "random" if rng.random() < 0.3 else "indegree")
    return Size(nodes, days, budget), options, Nothing()


def upgrade_journal(journal: dict[str, Any]) -> dict[str, Any]:
    """Earlier state files say `directed` and `probability` beside the rest."""
    if "directed" not in journal:
        return journal
    kept = {name: value for name, value in journal.items() if name not in ("directed", "probability")}
    directed = journal["directed"]
    undirected = not directed if isinstance(directed, bool) else directed
    read = {"undirected": undirected, "probability": journal.get("probability")}
    return kept | {"read": read}


@cache
def _les_miserables() -> tuple[str, bytes]:
    rows = [f"{a},{b}" for a, b in nx.les_miserables_graph().edges]
    return "les-miserables.csv", "\n".join(["source,target", *rows, ""]).encode()


INFLUENCE = Spec(
    name="aim",
    aliases=("influence",),
    title="adaptive influence maximisation: whom to seed today",
    problem=Influence(),
    features={"plain": Influence(), "lookahead": InfluenceWithLookahead()},
    default=Size(500, 10, 50),
    rules=Nothing,
    drawn=NetworkOptions,
    ceilings={
        UPPER_BOUND: Ceiling(upper_bound, "no policy reaches more than {} on average, however many days it has"),
        "no-end-of-days": Ceiling(
            no_end_of_days, "seeds set one by one, each when the cascade is over, however long it takes, reach {}"
        ),
    },
    generators=tuple(GENERATORS),
    draw=draw,
    vary=vary,
    own_data=OwnData(
        option="graph",
        describe="Your network: an edge list (CSV, TSV or white space: source, target and, where known, probability) "
        "or GraphML.",
        suffixes=(".csv", ".tsv", ".txt", ".edges", ".graphml"),
        options=NetworkFile,
        load=load,
        look=look,
        leaves_to_chance=lambda network: False,
        samples=(
            Sample(
                "les-miserables",
                "Les Misérables",
                "77 characters of the novel, joined where they meet (from NetworkX).",
                _les_miserables,
                days=10,
                budget=10,
                options={"undirected": True},
            ),
        ),
    ),
    session=Campaign,
    begin=begin,
    policies=Policies(
        node_rules={
            "degree": DEGREE,
            "score": SCORE,
            "lookahead": LOOKAHEAD,
            "measured": MEASURED,
            "live-edge": LIVE_EDGE,
            "ris": ReverseReachable(),
            "opim": OPIM,
            "exact": Exact(),
            "random": RANDOM,
        },
        pairings={"adaptive": ADAPTIVE, "tong": TONG, "rollout": ROLLOUT},
        short_names={"rollout": "rollout-lookahead", "exact": "normal-exact", "random": "average-random"},
        complete=frozenset({"exact"}),
        simulator=CampaignSimulator,
        tuning=TUNING,
        adviser="adaptive-measured",
        baseline="average-score",
    ),
    view=VIEW,
    largest_reward=lambda size: float(size.nodes),
    upgrade_journal=upgrade_journal,
)
POWER_2500 = replace(
    INFLUENCE,
    name="power2500",
    aliases=(),
    title="influence on a power-law network of 2,500 nodes (Barabási–Albert)",
    default=Size(2500, 10, 60),
    generators=("power-law",),
)
