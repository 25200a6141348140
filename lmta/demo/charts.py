"""The charts of the demo; they are readable at the width of a telephone."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from lmta.arena.arena import Row, comparisons
from lmta.demo.settings import Picture
from lmta.experiments.figures import BLUE, GREY, RED
from lmta.experiments.markdown import write_figure

INK = "#3d4654"
INTERVAL = 1.96
"""Standard errors to either side of a 95 % interval."""


def save(folder: Path, file: str, caption: str, draw: Callable[[Figure], None]) -> Picture:
    """Draw a picture into the folder."""
    write_figure(folder / file, draw)
    return Picture(file, caption)


def draw_forecast(
    figure: Figure, expected: Mapping[str, Sequence[float]], results: Sequence[float], result_name: str
) -> None:
    """The result day by day beside what was expected of it on the first day."""
    axes = _axes(figure, 3.4)
    days = np.arange(len(results))
    axes.fill_between(days, expected["low"], expected["high"], color=BLUE, alpha=0.18, linewidth=0, label="90 % band")
    axes.plot(days, expected["mean"], color=BLUE, linestyle="--", label="expected on the first day")
    axes.plot(days, results, color=RED, marker="o", linewidth=2, label="what happened")
    axes.set(xlabel="after day", ylabel=result_name, ylim=(0, None))
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.legend(loc="lower right", frameon=False)


def draw_differences(figure: Figure, rows: Sequence[Row], names: Sequence[str]) -> None:
    """What each policy earns beside the first, in the same worlds, with 95 % intervals."""
    axes = _axes(figure, 1.3 + 0.42 * len(rows))
    for place, (row, comparison) in enumerate(zip(rows, comparisons(rows), strict=True)):
        difference, colour = comparison.difference, INK if row is rows[0] else RED
        error = 0.0 if row is rows[0] else INTERVAL * np.nan_to_num(difference.sem)
        axes.errorbar(difference.mean, place, xerr=error, color=colour, marker="o", capsize=4, linewidth=2)
    axes.axvline(0, color=INK, linewidth=0.9, linestyle="--")
    axes.set_yticks(range(len(rows)), names)
    axes.invert_yaxis()
    axes.margins(y=0.12)
    axes.set_xlabel(f"more or less than {names[0]}")


def draw_subgoals(
    figure: Figure, budgets: np.ndarray, picks: np.ndarray, granted: np.ndarray, chosen: int, labels: Sequence[str]
) -> None:
    """Each subgoal's budget, and the nodes that it would pick first: filled where its budget reaches."""
    figure.set_size_inches(6, 1.6 + 0.32 * len(budgets))
    left, right = figure.subplots(1, 2, sharey=True, width_ratios=(1, 2))
    places = np.arange(len(budgets))
    left.barh(places, budgets, color=[RED if number == chosen else GREY for number in places], height=0.7)
    left.set_yticks(places, [str(number) for number in places])
    left.set(xlabel="seeds granted", ylabel="subgoal")
    nodes = list(dict.fromkeys(int(node) for column in picks.T for node in column if node >= 0))
    for number, row in enumerate(picks):
        for rank, node in enumerate(int(node) for node in row if node >= 0):
            now = rank < granted[number]
            right.scatter(nodes.index(node), number, s=130, facecolor=BLUE if now else "white", edgecolor=BLUE)
            colour = "white" if now else BLUE
            right.text(nodes.index(node), number, str(rank + 1), color=colour, fontsize=8, ha="center", va="center")
    right.set_xticks(range(len(nodes)), [labels[node] for node in nodes], fontsize=8)
    right.margins(x=0.08)
    right.set_xlabel("what it picks first, second, …: nodes by out degree")
    left.invert_yaxis()
    for axes in (left, right):
        _tidy(axes)


def _axes(figure: Figure, height: float) -> Axes:
    figure.set_size_inches(6, height)
    axes = figure.subplots()
    _tidy(axes)
    return axes


def _tidy(axes: Axes) -> None:
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(alpha=0.25, linewidth=0.6)
    axes.set_axisbelow(True)
