"""The demo from beginning to end: a campaign, a tour, a learner, and the page that shows them."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median

import jax

from lmta.agents.players import PREFIX, with_effort
from lmta.arena.arena import Row
from lmta.arena.evaluate import EvaluateSettings, Prepared, evaluate, prepare
from lmta.arena.statistics import Mean, compare
from lmta.arena.tables import with_error
from lmta.demo import learner, stories
from lmta.demo.charts import INTERVAL, draw_differences, save
from lmta.demo.page import PAGE, write_page
from lmta.demo.settings import Comparison, DemoSettings, Headline, Part, Say
from lmta.files import check_writable
from lmta.planning.effort import make_effort
from lmta.policies.registry import adviser
from lmta.problems.influence.spec import INFLUENCE
from lmta.problems.orienteering.spec import ORIENTEERING
from lmta.problems.session import whole_number
from lmta.problems.task import Task
from lmta.training.metrics import Metrics, read_metrics
from lmta.types import InputError

RIVALS = {
    INFLUENCE.name: ("average-lookahead", "average-ris", "average-score", "average-degree"),
    ORIENTEERING.name: ("even-insertion", "even-greedy", "greedy"),
}
"""Whom the adviser of each problem is compared with."""
LEARNERS_RIVALS = ("average-lookahead", "average-score")
LEARNER = "LMTA, trained here"
ALIKE = 0.95
"""Subgoals that share more of their picks than this go for the same nodes."""


@dataclass(frozen=True)
class Shown:
    """Where the page is, and what is worth remembering of it."""

    page: Path
    headlines: Sequence[Headline]


def show(settings: DemoSettings, say: Say) -> Shown:
    """Play, compare, train, and write the page."""
    check(settings)
    began = time.perf_counter()
    parts = []
    for make_part in (campaign_part, tour_part, learner_part):
        start = time.perf_counter()
        parts.append(make_part(settings, say))
        say(f"{parts[-1].title}: done in {time.perf_counter() - start:.0f} s.")
    page = write_page(settings.out, parts, time.perf_counter() - began)
    return Shown(page, [headline for part in parts for headline in part.headlines])


def check(settings: DemoSettings) -> None:
    """Refuse what makes no sense, make the folder, and refuse one that cannot be written to."""
    whole_number(settings.instances, "instances", 2)
    whole_number(settings.rollouts, "rollouts", 1)
    whole_number(settings.epochs, "epochs", 1)
    try:
        settings.out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"out: the folder {settings.out} cannot be made ({error.strerror}).") from error
    check_writable(settings.out / PAGE)


def campaign_part(settings: DemoSettings, say: Say) -> Part:
    """Les Misérables, and what thinking adds there."""
    story = stories.tell_campaign(settings, say)
    rule = adviser(INFLUENCE.name).name
    thinker = with_effort(rule, make_effort(None, settings.rollouts))
    task = Task.of(INFLUENCE.name, own=stories.network(), days=stories.SEEDING_DAYS, budget=stories.SEEDS)
    comparison, _ = compared(settings, say, task, (rule, thinker, *RIVALS[INFLUENCE.name]), "policies")
    gain = compare(comparison.rows[1].episodes, comparison.rows[0].episodes).difference
    low, high = story.expected["low"][-1], story.expected["high"][-1]
    size = len(stories.network())
    return Part(
        title="A campaign on Les Misérables",
        task=f"News spreads by chance from whoever has just heard it to whom they meet. {stories.SEEDS} people may be "
        f"told in {stories.SEEDING_DAYS} days: all at once reaches many early, waiting shows where the news went.",
        days=story.days,
        pictures=story.pictures,
        findings=[
            f"The rule: {story.rule}",
            f"Reached: {story.results[-1]:.0f} of {size}. Expected on the first day: {story.expected['mean'][-1]:.1f}, "
            f"in nine futures of ten {low:.0f} to {high:.0f}.",
            f"Thinking: {thinker} is the rule {rule} with {settings.rollouts:,} rollouts before each decision. In the "
            f"same {settings.instances} futures it reaches {with_error(gain, '+')} people ({verdict(gain)}).",
        ],
        comparison=comparison,
        headlines=[
            Headline(
                f"{story.results[-1]:.0f} of {size}",
                f"people reached with {stories.SEEDS} seeds; expected were {story.expected['mean'][-1]:.1f} "
                f"({low:.0f} to {high:.0f})",
            ),
            Headline(with_error(gain, "+"), f"people: what thinking about each decision adds ({verdict(gain)})"),
        ],
    )


def tour_part(settings: DemoSettings, say: Say) -> Part:
    """Fifty cities."""
    story = stories.tell_tour(settings, say)
    size = {"days": stories.TOUR_DAYS, "budget": stories.VISITS}
    task = Task.of(ORIENTEERING.name, own=stories.cities(), rules=stories.RULES, **size)
    names = (adviser(ORIENTEERING.name).name, *RIVALS[ORIENTEERING.name])
    comparison, _ = compared(settings, say, task, names, "policies-tour")
    low, high = story.expected["low"][-1], story.expected["high"][-1]
    return Part(
        title=f"A tour through {len(stories.cities())} cities",
        task=f"What a visit earns drifts from day to day, a day's way is at most {stories.RULES.limit:g} times the "
        f"largest distance, and many visits on one day earn less each. {stories.VISITS} visits have to last for "
        f"{stories.TOUR_DAYS} days, and the last day should end near the start.",
        days=story.days,
        pictures=story.pictures,
        findings=[
            f"The rule: {story.rule}",
            f"Earned: {story.results[-1]:.2f}. Expected on the first day: {story.expected['mean'][-1]:.2f}, in nine "
            f"futures of ten {low:.2f} to {high:.2f}.",
        ],
        comparison=comparison,
    )


def learner_part(settings: DemoSettings, say: Say) -> Part:
    """LMTA on small networks."""
    folder = learner.train_learner(settings, say)
    compiling, learning = seconds_of(read_metrics(folder))
    names = (adviser(INFLUENCE.name).name, f"{PREFIX}{folder}", *LEARNERS_RIVALS)
    comparison, prepared = compared(settings, say, learner.task(), names, "policies-learner")
    by_name = {row.policy: row for row in comparison.rows}
    size, trained = learner.SIZE, by_name[LEARNER]
    beside = {name: compare(trained.episodes, by_name[name].episodes).difference for name in by_name if name != LEARNER}
    instance = jax.device_put(prepared.batch.instances[0])
    found = learner.look_at_subgoals(folder, instance)
    to_adviser = beside[names[0]]
    return Part(
        title="LMTA, a learner",
        task=f"LMTA searches over learned subgoals, grants the one it finds a budget, and lets a Q-network pick the "
        f"nodes. Here a small one learns on networks of {size.nodes} nodes, {size.days} days and {size.budget} seeds, "
        f"from nothing, for {settings.epochs} epochs: {learning:.0f} s, after {compiling:.0f} s of compiling.",
        pictures=[learner.draw_curve(settings, folder), learner.draw_looked_at(settings, found, instance)],
        findings=[
            f"What it earns: {'; '.join(told(name, mean) for name, mean in beside.items())}.",
            f"What its subgoals do: they grant {found.budgets.min():.1f} to {found.budgets.max():.1f} seeds on the "
            f"first day, and two of them share {found.overlap:.0%} of their first {found.picks.shape[1]} picks on "
            f"average{'; they differ in how much they spend, not in whom they pick' if found.overlap > ALIKE else ''}. "
            f"The search takes subgoal {found.chosen}, which grants {found.granted[found.chosen]}.",
            f"The run is in {folder}: lmta diagnose {folder} looks closer, and lmta train --resume --out {folder} "
            f"--epochs {2 * settings.epochs} goes on.",
        ],
        comparison=comparison,
        headlines=[
            Headline(
                with_error(to_adviser, "+"),
                f"nodes: what LMTA reaches beside the adviser, after {settings.epochs} epochs ({verdict(to_adviser)})",
            )
        ],
    )


def compared(
    settings: DemoSettings, say: Say, task: Task, names: Sequence[str], file: str
) -> tuple[Comparison, Prepared]:
    """Policies in the same worlds, as rows and as a chart."""
    say(f"Comparing {len(names)} policies in the same {settings.instances} worlds.")
    evaluation = EvaluateSettings(",".join(names), instances=settings.instances, seed=settings.seed)
    prepared = prepare(evaluation, task)
    rows = [_shown(row, settings) for row in evaluate(prepared)]
    caption = f"Policies beside {rows[0].policy} in the same {settings.instances} worlds, with 95 % intervals"
    draw = lambda figure: draw_differences(figure, rows, [row.policy for row in rows])  # noqa: E731
    return Comparison(prepared.title, rows, save(settings.out, f"{file}.png", caption, draw)), prepared


def _shown(row: Row, settings: DemoSettings) -> Row:
    """The row, with the learner by name instead of by its folder."""
    folder = f"{PREFIX}{settings.out / learner.FOLDER}"
    return replace(row, policy=LEARNER) if row.policy == folder else row


def seconds_of(lines: Sequence[Metrics]) -> tuple[float, float]:
    """(seconds of compiling, as far as the first epoch tells; seconds of play, updates and evaluation without it)."""
    play_and_learn = [line["seconds"]["play"] + line["seconds"]["learn"] for line in lines]
    total = sum(sum(line["seconds"].values()) for line in lines)
    compiling = play_and_learn[0] - median(play_and_learn)
    return compiling, total - compiling


def told(name: str, difference: Mean) -> str:
    """How the learner does beside a policy, in words."""
    word = "more" if difference.mean > 0 else "less"
    if abs(difference.mean) <= INTERVAL * difference.sem:
        return f"about as much as {name} ({with_error(difference, '+')})"
    return f"{word} than {name} ({with_error(difference, '+')})"


def verdict(difference: Mean) -> str:
    """Whether a paired difference can be told from chance."""
    if abs(difference.mean) > INTERVAL * difference.sem:
        return "more than chance explains"
    return "within what chance explains"
