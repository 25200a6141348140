"""Stochastic orienteering as the rest of the package knows it."""

from functools import cache
from typing import Any

import numpy as np

from lmta.problems.heuristics import RANDOM
from lmta.problems.mixtures import between, log_uniform
from lmta.problems.orienteering.bound import upper_bound
from lmta.problems.orienteering.features import OrienteeringWithLookahead
from lmta.problems.orienteering.generators import GENERATORS, draw_profits
from lmta.problems.orienteering.genetic import GENETIC
from lmta.problems.orienteering.heuristics import GREEDY, Insertion
from lmta.problems.orienteering.importer import Cities, load_cities
from lmta.problems.orienteering.rollout_insertion import RolloutInsertion
from lmta.problems.orienteering.rollout_routes import RolloutRoutes, Routes
from lmta.problems.orienteering.rules import Orienteering, OrienteeringInstance, OrienteeringRules, make_instance
from lmta.problems.orienteering.strategies import TourSimulator
from lmta.problems.orienteering.tour import Tour, check_rules
from lmta.problems.orienteering.view import VIEW
from lmta.problems.session import check_horizon, check_nodes
from lmta.problems.spec import UPPER_BOUND, Ceiling, Nothing, OwnData, Policies, Sample, Seen, Size, Spec


def look(cities: Cities) -> Seen:
    """Cities and their profits."""
    profit = np.ones(len(cities.names)) if cities.profit is None else cities.profit
    return Seen(len(cities.names), 0, profit[1:], "profit", cities.names, nodes_name="cities")


def begin(data: Any, *, days: int, budget: int, read: Nothing, rules: OrienteeringRules) -> Tour:
    """A tour before its first day."""
    return Tour(data, days=days, budget=budget, rules=rules)


def draw(
    source: Cities | str, size: Size, options: Nothing, rules: OrienteeringRules, rng: np.random.Generator
) -> OrienteeringInstance:
    """Generated cities, or one's own, as a task."""
    check_rules(rules)
    if isinstance(source, str):
        check_nodes(size.nodes)
        source = GENERATORS[source](size.nodes, rng)
    count = len(source.names)
    check_horizon(size.days, size.budget, count - 1, "cities besides the start")
    profit = draw_profits(count, rng) if source.profit is None else source.profit
    return make_instance(source, profit, size.days, size.budget, rules)


def vary(most: Size, rng: np.random.Generator) -> tuple[Size, Nothing, OrienteeringRules]:
    """Fifty cities and more, a visit in three days to six a day, and days of all lengths."""
    nodes, days = between(rng, 50, most.nodes), between(rng, 3, most.days)
    budget = max(1, min(most.budget, nodes // 2, round(days * log_uniform(rng, 0.3, 6.0))))
    rules = OrienteeringRules(
        limit=log_uniform(rng, 0.4, 1.5),
        crowding=float(rng.uniform(0.05, 0.2)),
        drift=log_uniform(rng, 0.02, 0.2),
    )
    return Size(nodes, days, budget), Nothing(), rules


@cache
def _fifty_cities() -> tuple[str, bytes]:
    names = [
        first + last
        for first in ("Ash", "Birch", "Clay", "Elm", "Fern", "Gold", "Hazel", "Lake", "Moss", "Oak")
        for last in ("bridge", "field", "ford", "mill", "wick")
    ]
    places = np.random.default_rng(50).random((len(names), 3))
    rows = [f"{n},{100 * x:.1f},{100 * y:.1f},{0.5 + p / 2:.2f}" for n, (x, y, p) in zip(names, places, strict=True)]
    return "fifty-cities.csv", "\n".join(["name,x,y,profit", *rows, ""]).encode()


ORIENTEERING = Spec(
    name="sop",
    aliases=("orienteering",),
    title="stochastic orienteering: which cities to visit today while profits drift",
    problem=Orienteering(),
    features={"plain": Orienteering(), "lookahead": OrienteeringWithLookahead()},
    default=Size(500, 10, 50),
    rules=OrienteeringRules,
    drawn=Nothing,
    generators=tuple(GENERATORS),
    draw=draw,
    vary=vary,
    own_data=OwnData(
        option="cities",
        describe="Your cities, the start first: CSV (name, x, y and, where known, profit) or TSPLIB.",
        suffixes=(".csv", ".tsv", ".txt", ".tsp"),
        options=Nothing,
        load=lambda source, options: load_cities(source),
        look=look,
        leaves_to_chance=lambda cities: cities.profit is None,
        samples=(
            Sample(
                "fifty-cities",
                "Fifty cities",
                "50 generated cities with profits.",
                _fifty_cities,
                days=5,
                budget=15,
            ),
        ),
    ),
    session=Tour,
    begin=begin,
    policies=Policies(
        node_rules={
            "greedy": GREEDY,
            "insertion": Insertion(),
            "rollout-insertion": RolloutInsertion(),
            "routes": Routes(),
            "rollout-routes": RolloutRoutes(),
            "random": RANDOM,
        },
        pairings={"ga": GENETIC},
        short_names={"greedy": "normal-greedy", "ga": "ga-greedy", "random": "average-random"},
        simulator=TourSimulator,
        adviser="rolling-rollout-routes",
        baseline="even-greedy",
    ),
    view=VIEW,
    ceilings={UPPER_BOUND: Ceiling(upper_bound, "no policy earns more than {} on average")},
    learners={
        "lmta": {
            "search.simulations": 250,
            "search.c_init": 1.5,
            "search.dirichlet_alpha": 0.20,
            "search.dirichlet_mix": 0.20,
            "search.temperature": 1.5,
            "loss.entropy": 0.02,
            "train.low_rate": 5e-4,
            "train.target_every": 200,
        },
        "lmta.lmta": {
            "departures.return_targets": 160,
            "departures.group_size": 4,
            "departures.budget_prior": "alone",
            "departures.subgoal_bias": 0.15,
            "departures.exploratory_teach": False,
            "departures.q_network": "known-gains",
        },
    },
    largest_reward=lambda size: float(max(10, 2 * size.budget // max(1, size.days))),
)
