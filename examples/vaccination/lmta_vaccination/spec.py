"""Vaccination as lmta knows it: the entry point `lmta.problems` names VACCINATION."""

from typing import Any

import numpy as np

from lmta.problems.heuristics import RANDOM
from lmta.problems.influence.importer import load_network
from lmta.problems.session import check_horizon, check_nodes
from lmta.problems.spec import OwnData, Policies, Sample, Size, Spec
from lmta.types import InputError
from lmta_vaccination.data import FIRST_CASES, GENERATORS, ContactFile, ContactOptions, Contacts, load, look, sample
from lmta_vaccination.policies import DEGREE, RING
from lmta_vaccination.rules import EpidemicRules, Vaccination, VaccinationInstance, make_instance
from lmta_vaccination.session import Outbreak, drawn_cases
from lmta_vaccination.view import VIEW


def check_rules(rules: EpidemicRules) -> None:
    """Refuse what is no probability."""
    for name in ("infection", "recovery"):
        value = getattr(rules, name)
        if not 0 <= value <= 1:
            raise InputError(f"{name}: {value} given, a probability from 0 to 1 is needed.")


def draw(
    source: Contacts | str, size: Size, options: ContactOptions, rules: EpidemicRules, rng: np.random.Generator
) -> VaccinationInstance:
    """Generated contacts, or one's own, as a task."""
    check_rules(rules)
    generated = isinstance(source, str)
    if isinstance(source, str):
        check_nodes(size.nodes)
        graph = GENERATORS[source](size.nodes, options.contacts, rng)
        source = Contacts(load_network(graph), False, None)
    network = source.network
    check_horizon(size.days, size.budget, network.num_nodes, "people")
    count = options.first_cases if generated else FIRST_CASES
    cases = drawn_cases(network.num_nodes, count, rng) if source.first_cases is None else source.first_cases
    probability = network.probability if source.has_probabilities else np.full(len(network.senders), rules.infection)
    return make_instance(network.senders, network.receivers, probability, cases, size.days, size.budget, rules.recovery)


def begin(data: Any, *, days: int, budget: int, read: ContactFile, rules: EpidemicRules) -> Outbreak:
    """An outbreak before its first day."""
    check_rules(rules)
    return Outbreak(data, days=days, budget=budget, read=read, rules=rules)


VACCINATION = Spec(
    name="vaccination",
    title="vaccination: whom to vaccinate today while an epidemic spreads",
    problem=Vaccination(),
    features={"plain": Vaccination()},
    default=Size(200, 10, 20),
    rules=EpidemicRules,
    drawn=ContactOptions,
    generators=tuple(GENERATORS),
    draw=draw,
    own_data=OwnData(
        option="contacts-file",
        describe="An own contact network: an edge list of who meets whom (CSV, TSV, white space) or GraphML.",
        suffixes=(".csv", ".tsv", ".txt", ".edges", ".graphml"),
        options=ContactFile,
        load=load,
        look=look,
        leaves_to_chance=lambda contacts: contacts.first_cases is None,
        samples=(
            Sample(
                "karate-club",
                "Karate club",
                "34 people and who meets whom outside (from NetworkX).",
                sample,
                days=6,
                budget=6,
                options={"infected": "1,34"},
            ),
        ),
    ),
    session=Outbreak,
    begin=begin,
    policies=Policies(
        node_rules={"degree": DEGREE, "ring": RING, "random": RANDOM},
        short_names={"random": "average-random"},
        adviser="normal-ring",
        baseline="normal-degree",
    ),
    view=VIEW,
)
