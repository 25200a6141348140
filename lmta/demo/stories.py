"""A campaign and a tour, lived day by day by an adviser while chance acts."""

import csv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import networkx as nx
import numpy as np
from matplotlib.figure import Figure

from lmta.demo.charts import draw_forecast, save
from lmta.demo.settings import Day, DemoSettings, Picture, Say
from lmta.planning.futures import simulate, summary
from lmta.planning.planner import planner
from lmta.planning.reasons import reasons
from lmta.policies.base import Policy
from lmta.policies.player import AbstractPlayer
from lmta.policies.registry import adviser
from lmta.problems.influence.campaign import Campaign
from lmta.problems.influence.rules import ACTIVE
from lmta.problems.influence.spec import INFLUENCE
from lmta.problems.influence.view import VIEW as NETWORK
from lmta.problems.orienteering.rules import OrienteeringRules
from lmta.problems.orienteering.spec import ORIENTEERING
from lmta.problems.orienteering.tour import Tour
from lmta.problems.orienteering.view import VIEW as MAP
from lmta.problems.orienteering.view import draw_routes
from lmta.problems.session import AbstractSession
from lmta.types import Decision

SEEDING_DAYS, SEEDS = 6, 6
TOUR_DAYS, VISITS = 5, 20
RULES = OrienteeringRules(limit=0.5, crowding=0.05)
"""Short days, on which the way matters."""
FUTURES = 100
"""Simulated for each forecast."""
Expected = Mapping[str, Sequence[float]]
"""Mean, low and high results, before the first day and after each."""


@dataclass(frozen=True)
class Story:
    """What was decided day by day, what was expected before, and what came of it."""

    days: list[Day]
    rule: str
    """What decides on every day."""
    pictures: list[Picture]
    expected: Expected
    results: list[float]
    """Before the first day and after each."""


def network() -> nx.Graph:
    """Who meets whom in Les Misérables."""
    return nx.les_miserables_graph()


def cities() -> dict[str, tuple[float, ...]]:
    """The fifty cities that come with the package: where each is and what it is worth, the start first."""
    _, data = ORIENTEERING.own_data.samples[0].file()
    rows = csv.DictReader(data.decode().splitlines())
    return {row["name"]: tuple(float(row[column]) for column in ("x", "y", "profit")) for row in rows}


def tell_campaign(settings: DemoSettings, say: Say) -> Story:
    """Seed Les Misérables with an adviser that thinks."""
    campaign = Campaign(network(), days=SEEDING_DAYS, budget=SEEDS)
    rule, thinker = adviser(INFLUENCE.name), planner(INFLUENCE.name, rollouts=settings.rollouts)
    expected = expect(campaign, rule, settings.seed)
    positions = NETWORK.layout(campaign.instance)
    days, results = [], [0.0]
    for decision, decided, following in live(campaign, thinker, settings):
        why = reason(decision, campaign, rule)
        activated = [campaign.ids[i] for i in np.flatnonzero(np.asarray(following.status) == ACTIVE)]
        campaign.advance(seeded=decision.nodes, activated=activated)
        done = f"Seed {_names(decision, 'nobody')}"
        outcome = f"{len(activated)} more hear of it; {campaign.progress()}."
        say(f"Les Misérables, day {decision.day}: {done}. {outcome}")
        draw = partial(_draw_network, campaign=campaign, decision=decision, state=decided, positions=positions)
        picture = save(settings.out, f"campaign-{decision.day}.png", f"{done} on day {decision.day}", draw)
        days.append(Day(done, outcome, why, picture))
        results.append(campaign.result)
    pictures = [_forecast_picture(settings.out, "campaign", campaign, expected, results)]
    return Story(days, rule.node_rule.why, pictures, expected, results)


def tell_tour(settings: DemoSettings, say: Say) -> Story:
    """Visit cities with the adviser."""
    tour = Tour(cities(), days=TOUR_DAYS, budget=VISITS, rules=RULES)
    rule = adviser(ORIENTEERING.name)
    expected = expect(tour, rule, settings.seed)
    first, days, results, routes = tour.state, [], [0.0], []
    for decision, _, following in live(tour, rule, settings):
        why = reason(decision, tour, rule)
        profits = {tour.ids[i]: float(p) for i, p in enumerate(np.asarray(following.profit)) if p > 0}
        earned = tour.advance(visited=decision.nodes, profits=profits)
        done, outcome = f"Visit {_names(decision, 'nothing')}", f"Worth {earned:.2f}; {tour.result:.2f} earned in all."
        say(f"Tour, day {decision.day}: {done}. {outcome}")
        days.append(Day(done, outcome, why))
        results.append(tour.result)
        routes.append([tour.index(city, "city") for city in decision.nodes])
    draw = partial(_draw_tour, tour=tour, first=first, routes=routes)
    caption = "The way by day, with visits in order. The larger a dot, the higher the city's profit on the first day"
    pictures = [
        save(settings.out, "tour.png", caption, draw),
        _forecast_picture(settings.out, "tour", tour, expected, results),
    ]
    return Story(days, rule.node_rule.why, pictures, expected, results)


def live(
    session: AbstractSession, player: AbstractPlayer, settings: DemoSettings
) -> Iterator[tuple[Decision, Any, Any]]:
    """Each day's decision, its post-decision state, and the next pre-decision state, by simulation."""
    problem, instance = session.problem, session.instance
    noise = problem.draw_noise(instance, session.days, jax.random.key(settings.seed))
    while not session.finished:
        decision = player.decide(session, seed=settings.seed)
        decided = jax.tree.map(jnp.asarray, session.state)
        for node in decision.nodes:
            decided = problem.pick(instance, decided, jnp.int32(session.index(node, "node")))
        following, _ = problem.end_day(instance, decided, noise)
        yield decision, decided, following


def expect(session: AbstractSession, player: AbstractPlayer, seed: int) -> Expected:
    """Mean, low and high by day, with 0 before the first."""
    by_day = summary(player.name, simulate(player, session, FUTURES, seed, lambda: None))["by_day"]
    return {name: [0.0, *(day[name] for day in by_day)] for name in ("mean", "low", "high")}


def reason(decision: Decision, session: AbstractSession, rule: Policy) -> str:
    """Why so today, without what the rule does every day."""
    if session.budget_left == 0:
        return "nothing is left to spend."
    told = reasons(decision.thinking) if decision.thinking else []
    return " ".join(told) or decision.why.replace(f"; {rule.node_rule.why}", ".")


def _names(decision: Decision, nobody: str) -> str:
    return ", ".join(map(str, decision.nodes)) or nobody


def _forecast_picture(
    folder: Path,
    name: str,
    session: AbstractSession,
    expected: Expected,
    results: Sequence[float],
) -> Picture:
    caption = f"{session.result_name.capitalize()} by day beside the forecast of the first day, by {FUTURES} futures"
    draw = partial(draw_forecast, expected=expected, results=results, result_name=session.result_name)
    return save(folder, f"{name}-forecast.png", caption, draw)


def _draw_network(figure: Figure, campaign: Campaign, decision: Decision, state: Any, positions: np.ndarray) -> None:
    figure.set_size_inches(4.2, 3.4)
    axes = figure.subplots()
    NETWORK.draw(axes, campaign.instance, state, positions)
    for node in decision.nodes:
        place = positions[campaign.index(node, "node")]
        axes.scatter(*place, s=150, facecolors="none", edgecolors="#1b1b1e", linewidths=1.8, zorder=8)
        box = {"boxstyle": "round,pad=0.15", "facecolor": "white", "edgecolor": "none", "alpha": 0.75}
        axes.annotate(str(node), place, (0, 9), textcoords="offset points", ha="center", bbox=box, zorder=9)
    if decision.day == 1:
        axes.legend(loc="lower left", fontsize=8, frameon=False)


def _draw_tour(figure: Figure, tour: Tour, first: Any, routes: list[list[int]]) -> None:
    figure.set_size_inches(6, 5.8)
    axes = figure.subplots()
    MAP.draw(axes, tour.instance, first, MAP.layout(tour.instance))
    draw_routes(axes, tour.instance, routes)
    for number, city in enumerate(chain(*routes), 1):
        place = MAP.layout(tour.instance)[city]
        axes.annotate(str(number), place, (5, 4), textcoords="offset points", fontsize=8, zorder=9)
    shown = [pair for pair in zip(*axes.get_legend_handles_labels(), strict=True) if pair[1] not in ("visited", "here")]
    axes.legend(
        *zip(*shown, strict=True), loc="upper center", bbox_to_anchor=(0.5, 0), ncols=4, fontsize=9, frameon=False
    )
