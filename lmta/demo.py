"""What `make demo` shows: one campaign and one tour day by day, and the advisers beside other policies."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import networkx as nx
import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from lmta.arena.arena import Row
from lmta.arena.evaluate import EvaluateSettings
from lmta.arena.statistics import compare
from lmta.arena.tables import with_error
from lmta.files import check_writable, write_whole
from lmta.policies.registry import adviser
from lmta.problems.influence.campaign import Campaign
from lmta.problems.influence.rules import ACTIVE
from lmta.problems.influence.spec import INFLUENCE
from lmta.problems.influence.view import VIEW as NETWORK
from lmta.problems.orienteering.generators import uniform
from lmta.problems.orienteering.spec import ORIENTEERING
from lmta.problems.orienteering.tour import Tour
from lmta.problems.orienteering.view import VIEW as MAP
from lmta.problems.orienteering.view import draw_routes
from lmta.problems.registry import spec_of_session
from lmta.problems.session import AbstractSession
from lmta.problems.task import Task
from lmta.types import Decision, InputError

CAMPAIGN, TOUR, PAGE = "campaign.png", "tour.png", "index.html"


@dataclass(frozen=True)
class DemoSettings:
    """Play one campaign and one tour, and compare the advisers that come with lmta with other policies."""

    out: Path = Path("demo")
    """Folder for the page and its pictures."""
    instances: int = 20
    seed: int = 0


@dataclass(frozen=True)
class Story:
    """A campaign or a tour that was played: what was decided each day, and a picture of it."""

    title: str
    days: list[str]
    picture: Path


RIVALS = {
    INFLUENCE.name: ("average-score", "average-lookahead", "average-ris"),
    ORIENTEERING.name: ("greedy", "even-greedy", "even-insertion"),
}
"""Whom the adviser of each problem is compared with."""


def evaluations(settings: DemoSettings) -> list[tuple[EvaluateSettings, Task]]:
    """The comparisons that the demo prints."""

    def with_adviser(problem: str, rivals: Sequence[str]) -> tuple[EvaluateSettings, Task]:
        names = ",".join((adviser(problem).name, *rivals))
        return EvaluateSettings(names, instances=settings.instances, seed=settings.seed), Task.of(problem)

    return [with_adviser(problem, rivals) for problem, rivals in RIVALS.items()]


def check_folder(settings: DemoSettings) -> None:
    """Make the folder, and refuse one that cannot be written to."""
    try:
        settings.out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"out: the folder {settings.out} cannot be made ({error.strerror}).") from error
    for name in (CAMPAIGN, TOUR, PAGE):
        check_writable(settings.out / name)


def play_stories(settings: DemoSettings, say: Callable[[str], None]) -> list[Story]:
    """Play a campaign on Les Misérables and a tour through 60 cities, day by day, and draw them."""
    return [
        _campaign_story(settings.out / CAMPAIGN, settings.seed, say),
        _tour_story(settings.out / TOUR, settings.seed, say),
    ]


def write_page(settings: DemoSettings, arenas: Sequence[tuple[str, Sequence[Row]]], stories: Sequence[Story]) -> Path:
    """All that the demo has shown, as one page beside its pictures."""
    parts = [_story_html(story) for story in stories] + [_arena_html(title, rows) for title, rows in arenas]
    page = f"<!doctype html><html lang=en><meta charset=utf-8><title>lmta</title><style>{STYLE}</style>{''.join(parts)}"
    path = settings.out / PAGE
    write_whole(path, lambda temporary: temporary.write_text(page, encoding="utf-8"))
    return path


STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
body { color-scheme: light dark; }
img { max-width: 100%; background: white; }
table { border-collapse: collapse; }
th, td { padding: 0.2rem 0.8rem; text-align: right; border-bottom: 1px solid #8884; }
th:first-child, td:first-child { text-align: left; }
"""


def _story_html(story: Story) -> str:
    days = "".join(f"<li>{escape(day)}" for day in story.days)
    picture = f'<img src="{escape(story.picture.name)}" alt="{escape(story.title)}">'
    return f"<h2>{escape(story.title)}</h2><ol>{days}</ol>{picture}"


def _arena_html(title: str, rows: Sequence[Row]) -> str:
    lines = "".join(
        f"<tr><td>{escape(row.policy)}<td>{with_error(row.score)}"
        f"<td>{with_error(compare(row.episodes, rows[0].episodes).difference, '+') if row is not rows[0] else ''}"
        f"<td>{np.median(row.decision_ms):.1f}"
        for row in rows
    )
    head = "<tr><th>policy<th>mean ± s.e.m.<th>difference to the first<th>ms a decision"
    return f"<h2>{escape(title)}</h2><table>{head}{lines}</table>"


def _campaign_story(path: Path, seed: int, say: Callable[[str], None]) -> Story:
    campaign = Campaign(nx.les_miserables_graph(), days=6, budget=6)
    positions = NETWORK.layout(campaign.instance)
    figure = Figure(figsize=(12, 8), dpi=110, layout="constrained")
    panels, days = figure.subplots(2, 3).ravel(), []
    for panel, (decision, decided, following) in zip(panels, _live(campaign, seed), strict=True):
        activated = [campaign.ids[i] for i in np.flatnonzero(np.asarray(following.status) == ACTIVE)]
        campaign.advance(seeded=decision.nodes, activated=activated)
        names = ", ".join(map(str, decision.nodes)) or "nobody"
        days.append(f"Seed {names}; {len(activated)} more hear of it. Why: {decision.why}")
        say(f"Les Misérables, day {decision.day}: seed {names}; {len(activated)} more hear of it.")
        NETWORK.draw(panel, campaign.instance, decided, positions)
        for node in decision.nodes:
            panel.annotate(str(node), positions[campaign.index(node, "node")], fontsize=9, weight="bold", zorder=9)
        panel.set_title(f"day {decision.day}: seed {names}; {campaign.influenced} reached in all", fontsize=10)
    panels[0].legend(loc="lower left", fontsize=8)
    return Story("A campaign on Les Misérables: six seeds in six days", days, _save(figure, path))


def _tour_story(path: Path, seed: int, say: Callable[[str], None]) -> Story:
    tour = Tour(uniform(60, np.random.default_rng(seed)), days=5, budget=20)
    first, routes, days = tour.state, [], []
    for decision, _, following in _live(tour, seed):
        profits = {tour.ids[i]: float(p) for i, p in enumerate(np.asarray(following.profit)) if p > 0}
        reward = tour.advance(visited=decision.nodes, profits=profits)
        names = ", ".join(map(str, decision.nodes)) or "nothing"
        days.append(f"Visit {names}; worth {reward:.2f}. Why: {decision.why}")
        say(f"Tour, day {decision.day}: visit {names}; worth {reward:.2f}.")
        routes.append([tour.index(city, "city") for city in decision.nodes])
    figure = Figure(figsize=(8, 7), dpi=110, layout="constrained")
    axes = figure.subplots()
    MAP.draw(axes, tour.instance, first, MAP.layout(tour.instance))
    draw_routes(axes, tour.instance, routes)
    axes.set_title(f"{tour.days} days, {tour.budget} visits, {tour.collected:.2f} earned")
    axes.legend(loc="center left", bbox_to_anchor=(1, 0.5), fontsize=8)
    return Story("A tour through 60 cities: twenty visits in five days", days, _save(figure, path))


def _live(session: AbstractSession, seed: int) -> Iterator[tuple[Decision, Any, Any]]:
    """Each day's decision of the adviser, its post-decision state, and the next pre-decision state, by simulation."""
    decide = adviser(spec_of_session(session).name).decide
    noise = session.problem.draw_noise(session.instance, session.days, jax.random.key(seed))
    while not session.finished:
        decision = decide(session)
        decided = session.state
        for node in decision.nodes:
            decided = session.problem.pick(session.instance, decided, jnp.int32(session.index(node, "node")))
        following, _ = session.problem.end_day(session.instance, decided, noise)
        yield decision, decided, following


def _save(figure: Figure, path: Path) -> Path:
    canvas = FigureCanvasAgg(figure)
    write_whole(path, canvas.print_png)
    return path
