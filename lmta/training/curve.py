"""The learning curve of a run as a picture, from its metrics."""

import math
from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from lmta.training.metrics import Metrics

GREEDY, SELF_PLAY, BASELINE, TERM = "#e4572e", "#9bb8cb", "#3d4654", "#2e6f95"
COLUMNS = 4


def learning_curve(lines: Sequence[Metrics], title: str) -> Figure:
    """Reward over epochs and over minutes, and every term of the losses in a panel of its own."""
    terms = list(lines[0]["loss"])
    rows = math.ceil(len(terms) / COLUMNS)
    figure = Figure(figsize=(12, 4.2 + 1.7 * rows), dpi=110, layout="constrained")
    figure.suptitle(title, fontsize=12)
    grid = figure.add_gridspec(2, 1, height_ratios=(4, 1.7 * rows), hspace=0.04)
    top, bottom = figure.add_subfigure(grid[0]), figure.add_subfigure(grid[1])
    epochs = np.array([line["epoch"] for line in lines])
    minutes = np.cumsum([line["seconds"]["play"] + line["seconds"]["learn"] for line in lines]) / 60
    left, right = top.subplots(1, 2, sharey=True)
    _draw_rewards(left, epochs, lines)
    _draw_rewards(right, minutes, lines)
    left.set(xlabel="epoch", ylabel="mean reward of an episode")
    left.xaxis.set_major_locator(MaxNLocator(integer=True, steps=[1, 2, 5, 10]))
    right.set(xlabel="minutes of self-play and updates", xlim=(0, None))
    top.legend(*left.get_legend_handles_labels(), loc="outside upper center", ncols=3, frameon=False, fontsize=9)
    panels = bottom.subplots(rows, COLUMNS, sharex=True, squeeze=False).ravel()
    for panel, term in zip(panels, terms, strict=False):
        panel.plot(epochs, [line["loss"][term] for line in lines], color=TERM, linewidth=1.2, marker=".", markersize=2)
        panel.xaxis.set_major_locator(MaxNLocator(integer=True, steps=[1, 2, 5, 10]))
        panel.set_title(term.replace("_", " "), fontsize=9, loc="left")
        panel.tick_params(labelsize=7)
        _tidy(panel)
    for panel in panels[len(terms) :]:
        panel.set_axis_off()
    return figure


def _draw_rewards(axes: Axes, x: np.ndarray, lines: Sequence[Metrics]) -> None:
    """Self-play, greedy play with the error of its difference to the baseline, and the baseline."""
    scores = [line["score"] for line in lines]
    axes.plot(x, scores, color=SELF_PLAY, linewidth=1.2, marker=".", markersize=3, label="self-play, exploring")
    measured = [n for n, line in enumerate(lines) if "evaluation" in line]
    if measured:
        found = [lines[n]["evaluation"] for n in measured]
        axes.axhline(
            found[-1]["baseline"], color=BASELINE, linewidth=1, linestyle="--", label=found[-1]["baseline_policy"]
        )
        axes.errorbar(
            x[measured],
            [evaluation["greedy"] for evaluation in found],
            yerr=[evaluation["difference_sem"] for evaluation in found],
            color=GREEDY,
            marker="o",
            markersize=4,
            capsize=2,
            linewidth=1.6,
            label="greedy play on held-out instances (± s.e.m. of the difference)",
        )
    _tidy(axes)


def _tidy(axes: Axes) -> None:
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(alpha=0.25, linewidth=0.6)
