"""What `make demo` shows: the classical policies on both problems, and a picture of one campaign and one tour."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import networkx as nx
import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from lmta.evaluation.evaluate import EvaluateSettings
from lmta.files import check_writable, write_whole
from lmta.policies.player import AbstractPlayer
from lmta.policies.registry import policy
from lmta.problems.influence import picture as network_picture
from lmta.problems.influence.campaign import Campaign
from lmta.problems.influence.rules import ACTIVE
from lmta.problems.orienteering import picture as map_picture
from lmta.problems.orienteering.generators import uniform
from lmta.problems.orienteering.tour import Tour
from lmta.problems.session import Session
from lmta.types import Decision, InputError

PICTURES = ("campaign.png", "tour.png")


@dataclass(frozen=True)
class DemoSettings:
    """Compare the classical policies on fresh benchmarks and draw one campaign and one tour."""

    out: Path = Path("demo")
    """Folder for the pictures."""
    instances: int = 20
    seed: int = 0


def evaluations(settings: DemoSettings) -> list[EvaluateSettings]:
    """The comparisons that the demo prints."""
    count, seed = settings.instances, settings.seed
    aim = "average-degree,average-score,average-lookahead,average-ris,normal-degree,static-score"
    sop = "greedy,even-greedy,even-insertion,cap4-insertion"
    return [
        EvaluateSettings(policies=aim, problem="aim", instances=count, seed=seed),
        EvaluateSettings(policies=sop, problem="sop", instances=count, seed=seed),
    ]


def check_folder(settings: DemoSettings) -> None:
    """Make the folder, and refuse one that cannot be written to."""
    try:
        settings.out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"out: the folder {settings.out} cannot be made ({error.strerror}).") from error
    for name in PICTURES:
        check_writable(settings.out / name)


def draw_pictures(settings: DemoSettings, say: Callable[[str], None]) -> list[Path]:
    """Play a campaign on Les Misérables and a tour through 60 cities, day by day, and draw them."""
    return [
        _campaign_picture(settings.out / PICTURES[0], settings.seed, say),
        _tour_picture(settings.out / PICTURES[1], settings.seed, say),
    ]


def _campaign_picture(path: Path, seed: int, say: Callable[[str], None]) -> Path:
    campaign = Campaign(nx.les_miserables_graph(), days=6, budget=6)
    adviser = policy("average-lookahead")
    positions = network_picture.layout(campaign.instance)
    figure = Figure(figsize=(12, 8), dpi=110, layout="constrained")
    panels = figure.subplots(2, 3).ravel()
    for panel, (decision, evening, morning) in zip(panels, _live(campaign, adviser, seed), strict=True):
        activated = [campaign.ids[i] for i in np.flatnonzero(np.asarray(morning.status) == ACTIVE)]
        campaign.advance(seeded=decision.nodes, activated=activated)
        names = ", ".join(map(str, decision.nodes))
        say(f"Les Misérables, day {decision.day}: seed {names}; {len(activated)} more hear of it.")
        network_picture.draw(panel, campaign.instance, evening, positions)
        for node in decision.nodes:
            panel.annotate(str(node), positions[campaign.index(node, "node")], fontsize=9, weight="bold", zorder=9)
        panel.set_title(f"day {decision.day}: seed {names}; {campaign.influenced} reached by night", fontsize=10)
    panels[0].legend(loc="lower left", fontsize=8)
    return _save(figure, path)


def _tour_picture(path: Path, seed: int, say: Callable[[str], None]) -> Path:
    tour = Tour(uniform(60, np.random.default_rng(seed)), days=5, budget=20)
    first, routes = tour.state, []
    for decision, _, morning in _live(tour, policy("even-insertion"), seed):
        profits = {tour.ids[i]: float(p) for i, p in enumerate(np.asarray(morning.profit)) if p > 0}
        reward = tour.advance(visited=decision.nodes, profits=profits)
        say(f"Tour, day {decision.day}: visit {', '.join(map(str, decision.nodes))}; worth {reward:.2f}.")
        routes.append([tour.index(city, "city") for city in decision.nodes])
    figure = Figure(figsize=(8, 7), dpi=110, layout="constrained")
    axes = figure.subplots()
    map_picture.draw(axes, tour.instance, first, map_picture.layout(tour.instance))
    map_picture.draw_routes(axes, tour.instance, routes)
    axes.set_title(f"{tour.days} days, {tour.budget} visits, {tour.collected:.2f} earned")
    axes.legend(loc="center left", bbox_to_anchor=(1, 0.5), fontsize=8)
    return _save(figure, path)


def _live(session: Session, adviser: AbstractPlayer, seed: int) -> Iterator[tuple[Decision, Any, Any]]:
    """Each day's decision, the state once it is carried out, and the state on the next morning, by simulation."""
    luck = session.problem.draw_luck(session.instance, session.days, jax.random.key(seed))
    while not session.finished:
        decision = adviser.decide(session)
        evening = session.state
        for node in decision.nodes:
            evening = session.problem.pick(session.instance, evening, jnp.int32(session.index(node, "node")))
        morning, _ = session.problem.end_day(session.instance, evening, luck)
        yield decision, evening, morning


def _save(figure: Figure, path: Path) -> Path:
    canvas = FigureCanvasAgg(figure)
    write_whole(path, canvas.print_png)
    return path
