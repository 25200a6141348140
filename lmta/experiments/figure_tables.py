"""What is shown as a picture: learning curves, scaling, frontier, all methods at one look, calibration, subgoals."""

from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

from lmta.arena.statistics import Mean, compare
from lmta.diagnostics.statistics import bootstrap, kendall, spearman
from lmta.experiments.curves import aligned
from lmta.experiments.declare import Table
from lmta.experiments.markdown import PENDING, Draw, Section, picture, table, with_error
from lmta.experiments.published import CALIBRATION
from lmta.experiments.results import Found, Results
from lmta.experiments.score_tables import Summaries, decision_ms, render_scores, score_text, summaries
from lmta.experiments.statistics import BOOTSTRAP, Interval, stratified_iqm

NOTHING = Section([f"{PENDING.capitalize()}.", ""])


def _draw(name: str, *data: Any) -> Draw:
    """A drawing of `lmta.experiments.figures`, which is imported only where pictures are drawn."""

    def draw(figure: Any) -> None:
        getattr(import_module("lmta.experiments.figures"), name)(figure, *data)

    return draw


def render_curves(declared: Table, results: Results) -> Section:
    """A panel for each setting, a line for each learner: greedy play on held-out instances after so many epochs."""
    found = summaries(declared, results)
    if not found:
        return NOTHING
    panels = {
        column: {row: _curves(found[row, column]) for row in declared.rows if (row, column) in found}
        for column in declared.columns
    }
    seeds = "; ".join(
        f"{column}: " + (", ".join(f"{row} {found[row, column].seeds}" for row in panel) or PENDING)
        for column, panel in panels.items()
    )
    text = f"Means over training seeds (shaded: s.e.m.), whose numbers are: {seeds}."
    drawing = _draw("draw_curves", panels)
    return Section([*picture(declared.name, declared.title), text, ""], {declared.name: drawing})


def _curves(found: Found) -> tuple[np.ndarray, np.ndarray]:
    """(epochs, greedy scores by seed and epoch), as far as all seeds go."""
    curves = [
        {point["epoch"]: point["greedy"] for point in file["training"]["curve"] if "greedy" in point}
        for file in found.files
    ]
    return aligned(curves)


def render_lines(declared: Table, results: Results) -> Section:
    """Scores as a table, and as lines over the columns, whose titles end in a number."""
    found = summaries(declared, results)
    scores = render_scores(declared, results)
    if not found:
        return scores
    lines = {
        row: [
            (float(column.rpartition("=")[2]), found[row, column].mean)
            for column in declared.columns
            if (row, column) in found
        ]
        for row in declared.rows
    }
    drawing = _draw("draw_lines", {row: points for row, points in lines.items() if points}, "nodes")
    return Section(
        [*scores.lines, *picture(declared.name, declared.title)], {declared.name: drawing}, facts=scores.facts
    )


def render_thinking(declared: Table, results: Results) -> Section:
    """A row for each setting: what the first column earns, and what the others, which think more, earn beyond it."""
    found = summaries(declared, results)
    rule, *efforts = declared.columns
    rows, gains = [], {}
    for setting in declared.rows:
        there = {column: found[setting, column] for column in declared.columns if (setting, column) in found}
        if rule not in there:
            rows.append([setting, PENDING, *[""] * len(efforts)])
            continue
        beside = {column: _gain(what, there[rule]) for column, what in there.items() if column != rule}
        texts = [with_error(beside[column], "+") if column in beside else PENDING for column in efforts]
        rows.append([setting, with_error(there[rule].mean), *texts])
        own = there[rule].mean.mean
        gains[setting] = [(float(c), Mean(100 * g.mean / own, 100 * g.sem / own)) for c, g in beside.items()]
    lines = table(["setting", f"{rule} rollouts", *efforts], rows)
    gains = {setting: points for setting, points in gains.items() if points}
    if not gains:
        return Section(lines)
    return Section([*lines, *picture(declared.name, declared.title)], {declared.name: _draw("draw_thinking", gains)})


def _gain(found: Found, rule: Found) -> Mean:
    """The paired difference on the instances that both have played."""
    episodes = min(what.scores.shape[1] for what in (found, rule))
    return compare(found.first(episodes).by_episode, rule.first(episodes).by_episode).difference


def render_frontier(declared: Table, results: Results) -> Section:
    """Reward and time of a decision, by simulations where a method searches."""
    found = summaries(declared, results)
    rows = []
    for row, column in declared.entries:
        here = found.get((row, column))
        rows.append([row, column, score_text(here) if here else PENDING, decision_ms(here) if here else ""])
    lines = table(["method", "search", "reward", "ms a decision"], rows, texts=2)
    if not found:
        return Section(lines)
    points: dict[str, list[tuple[float, Mean]]] = {}
    for (row, _), here in found.items():
        points.setdefault(row, []).append((float(decision_ms(here)), here.mean))
    drawing = _draw("draw_frontier", points)
    return Section([*lines, *picture(declared.name, declared.title)], {declared.name: drawing})


def render_overview(baselines: dict[str, str], declared: Table, results: Results) -> Section:
    """Interquartile means over all settings of each problem, with bootstrap intervals, and a picture."""
    scores = _relative(declared, summaries(declared, results), baselines)
    if not scores:
        return NOTHING
    head, rows = ["method"], []
    for problem in baselines:
        head += [f"{problem}: interquartile mean (95 %)", "settings"]
    for row, by_column in scores.items():
        rows.append([row])
        for problem in baselines:
            chosen = [values for column, values in by_column.items() if _problem(column) == problem]
            iqm = stratified_iqm(chosen, np.random.default_rng(0)) if chosen else None
            rows[-1] += [_interval(iqm) if iqm else "", str(len(chosen) or "")]
    drawing = _draw("draw_overview", scores, list(baselines))
    return Section([*table(head, rows), *picture(declared.name, declared.title)], {declared.name: drawing})


def _relative(declared: Table, found: Summaries, baselines: dict[str, str]) -> dict[str, dict[str, np.ndarray]]:
    """Scores by seed and instance, divided by the mean of the problem's baseline in that setting; by row and column."""
    scores: dict[str, dict[str, np.ndarray]] = {}
    for row, column in declared.entries:
        here, base = found.get((row, column)), found.get((baselines[_problem(column)], column))
        if here is not None and base is not None:
            scores.setdefault(row, {})[column] = here.scores / base.mean.mean
    return scores


def _problem(column: str) -> str:
    return column.partition(",")[0]


def _interval(found: Interval) -> str:
    return f"{found.value:.3f} ({found.low:.3f} … {found.high:.3f})"


def render_calibration(declared: Table, results: Results) -> Section:
    """Rank correlations of latent distance and value difference, beside the paper's, and the points."""
    found = summaries(declared, results)
    rows, clouds = [], {}
    for row, column in declared.entries:
        theirs = [f"*{value:.3f} ({low:.3f} … {high:.3f})*" for value, low, high in CALIBRATION[row]]
        here = found.get((row, column))
        if here is None:
            rows.append([row, PENDING, PENDING, "", *theirs])
            continue
        points = np.array([[p["distance"], p["value_difference"]] for file in here.files for p in file["points"]])
        clouds[row] = points
        ours = [_interval(_correlation(points, measure)) for measure in (kendall, spearman)]
        rows.append([row, *ours, f"{len(points)} ({here.seeds})", *theirs])
    head = ["problem", "Kendall's τ_b", "Spearman's ρ", "points (seeds)", "published τ_b", "published ρ"]
    lines = table(head, rows)
    if not clouds:
        return Section(lines)
    return Section([*lines, *picture(declared.name, declared.title)], {declared.name: _draw("draw_clouds", clouds)})


def _correlation(points: np.ndarray, measure: Callable[[np.ndarray, np.ndarray], float]) -> Interval:
    x, y = points.T
    low, high = bootstrap(lambda chosen: measure(x[chosen], y[chosen]), len(x), BOOTSTRAP, np.random.default_rng(0))
    return Interval(measure(x, y), low, high)


def render_pictures(declared: Table, results: Results) -> Section:
    """Nodes of an instance, larger where they are worth more, with what two subgoals pick."""
    found = summaries(declared, results)
    if not found:
        return NOTHING
    shown = {column: found[row, column].files[0]["picture"] for row, column in found}
    text = "Red and blue: the picks of the two subgoals of one training run that differ most in what they pick."
    drawing = _draw("draw_subgoals", shown)
    return Section([*picture(declared.name, declared.title), text, ""], {declared.name: drawing})
