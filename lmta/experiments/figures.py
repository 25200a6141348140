"""The pictures of the report."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from lmta.arena.statistics import Mean

COLOURS = ("#e4572e", "#2e6f95", "#3d8a5f", "#7b4b94", "#c79a2b", "#3d4654", "#d1495b", "#6b9ac4", "#8c8c8c", "#a5673f")
RED, BLUE, GREY = "#d1495b", "#2e6f95", "#c9ced6"
Points = Sequence[tuple[float, Mean]]


def draw_curves(figure: Figure, panels: Mapping[str, Mapping[str, tuple[np.ndarray, np.ndarray]]]) -> None:
    """Mean greedy score over epochs, with its standard error over seeds."""
    colour = _colours(dict.fromkeys(name for panel in panels.values() for name in panel))
    axes = _row(figure, len(panels))
    for panel, (title, lines) in zip(axes, panels.items(), strict=True):
        for name, (epochs, scores) in lines.items():
            mean = scores.mean(axis=0)
            panel.plot(epochs, mean, color=colour[name], marker=".", label=name)
            if len(scores) > 1:
                error = scores.std(axis=0, ddof=1) / np.sqrt(len(scores))
                panel.fill_between(epochs, mean - error, mean + error, color=colour[name], alpha=0.2, linewidth=0)
        _label(panel, title, "epoch", "reward of an episode")
        panel.xaxis.set_major_locator(MaxNLocator(integer=True))
    _legend(figure, axes)


def draw_lines(figure: Figure, lines: Mapping[str, Points], x: str) -> None:
    """Means over a number, with standard errors."""
    (panel,) = _row(figure, 1)
    colour = _colours(lines)
    for name, points in lines.items():
        panel.errorbar(*_bars(points), color=colour[name], marker="o", markersize=4, capsize=2, label=name)
    _label(panel, "", x, "reward of an episode")
    _legend(figure, [panel])


def draw_thinking(figure: Figure, settings: Mapping[str, Points]) -> None:
    """What thinking adds to the reward of the rule, in percent, over rollouts a decision."""
    (panel,) = _row(figure, 1)
    colour = _colours(settings)
    for name, points in settings.items():
        panel.errorbar(*_bars(points), color=colour[name], marker="o", markersize=4, capsize=2, label=name)
    panel.axhline(0, color="#3d4654", linewidth=0.8, linestyle="--")
    panel.set_xscale("log")
    _label(panel, "", "rollouts a decision", "gain over the rule, %")
    _legend(figure, [panel])


def draw_frontier(figure: Figure, methods: Mapping[str, Points]) -> None:
    """Reward against the time of a decision; points of a method are joined in the order of their simulations."""
    (panel,) = _row(figure, 1)
    colour = _colours(methods)
    for name, points in methods.items():
        panel.errorbar(*_bars(points), color=colour[name], marker="o", markersize=4, capsize=2, label=name)
    panel.set_xscale("log")
    _label(panel, "", "median time of a decision, ms", "reward of an episode")
    _legend(figure, [panel])


def draw_overview(figure: Figure, scores: Mapping[str, Mapping[str, np.ndarray]], problems: Sequence[str]) -> None:
    """A row for each method, a mark for each setting: the mean score beside the baseline's."""
    rows = list(scores)[::-1]
    figure.set_size_inches(6 * len(problems), 1.2 + 0.26 * len(rows))
    axes = figure.subplots(1, len(problems), sharey=True, squeeze=False)[0]
    settings = list(dict.fromkeys(column.partition(", ")[2] for by_column in scores.values() for column in by_column))
    colour = _colours(settings)
    for panel, problem in zip(axes, problems, strict=True):
        for setting in settings:
            column = f"{problem}, {setting}"
            there = [(scores[row][column].mean(), n) for n, row in enumerate(rows) if column in scores[row]]
            if there:
                panel.scatter(*zip(*there, strict=True), s=26, color=colour[setting], label=setting, alpha=0.85)
        panel.axvline(1, color="#3d4654", linewidth=0.8, linestyle="--")
        panel.set_yticks(range(len(rows)), rows, fontsize=8)
        _label(panel, problem, "score beside the baseline's", "")
    _legend(figure, axes)


def draw_clouds(figure: Figure, clouds: Mapping[str, np.ndarray]) -> None:
    """|ΔV| over latent distance, a point for each epoch of each run."""
    for panel, (title, points) in zip(_row(figure, len(clouds)), clouds.items(), strict=True):
        panel.scatter(points[:, 0], points[:, 1], s=14, color=BLUE, alpha=0.6)
        _label(panel, title, "d(h(s), g(h(s), z))", "|ΔV|")


def draw_subgoals(figure: Figure, shown: Mapping[str, Mapping[str, Any]]) -> None:
    """Nodes at their places, sized by what they are worth, with the picks of two subgoals."""
    for panel, (title, picture) in zip(_row(figure, len(shown)), shown.items(), strict=True):
        places, worth = np.array(picture["places"]), np.array(picture["worth"])
        size = 4 + 60 * (worth - worth.min()) / max(float(np.ptp(worth)), 1e-9)
        panel.scatter(*places.T, s=size, color=GREY, linewidth=0)
        for colour, picks in zip((RED, BLUE), picture["picks"], strict=True):
            panel.scatter(*places[picks].T, s=size[picks] + 12, color=colour, alpha=0.8, linewidth=0)
        panel.set_xticks([])
        panel.set_yticks([])
        panel.set_title(f"{title}: size by {picture['worth_name']}", fontsize=10, loc="left")


def _row(figure: Figure, count: int) -> list[Axes]:
    figure.set_size_inches(4.6 * count + (1.4 if count == 1 else 0), 3.8)
    return list(figure.subplots(1, count, squeeze=False)[0])


def _bars(points: Points) -> tuple[list[float], list[float], list[float]]:
    """x, mean and error, which is 0 where there is none."""
    return [x for x, _ in points], [mean.mean for _, mean in points], [float(np.nan_to_num(m.sem)) for _, m in points]


def _colours(names: Any) -> dict[str, str]:
    return {name: COLOURS[n % len(COLOURS)] for n, name in enumerate(names)}


def _label(axes: Axes, title: str, x: str, y: str) -> None:
    axes.set_title(title, fontsize=10, loc="left")
    axes.set(xlabel=x, ylabel=y)
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(alpha=0.25, linewidth=0.6)


def _legend(figure: Figure, axes: Sequence[Axes]) -> None:
    """One for all panels, above them."""
    pairs = [pair for panel in axes for pair in zip(*panel.get_legend_handles_labels(), strict=True)]
    entries = {label: handle for handle, label in pairs}
    if entries:
        figure.legend(entries.values(), entries.keys(), loc="outside upper center", ncols=4, frameon=False, fontsize=8)
