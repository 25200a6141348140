"""A diagnosis in pictures: that of every learner, and what others are drawn with."""

from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from lmta.diagnostics.common import values_and_returns
from lmta.diagnostics.diagnose import Diagnosis
from lmta.diagnostics.parts import Picture
from lmta.diagnostics.statistics import Calibration
from lmta.files import write_whole

RED, BLUE, BOTH, GREY, INK = "#d1495b", "#2e6f95", "#7b4b94", "#c9ced6", "#1b1b1e"


def draw_pictures(diagnosis: Diagnosis, folder: Path) -> list[Path]:
    """Draw and write all pictures; their files."""
    panels = 2 if diagnosis.common.values is None else 3
    pictures: dict[str, Picture] = {"play": (panels, lambda figure, axes: _play(figure, axes, diagnosis))}
    pictures |= dict(diagnosis.part.pictures(diagnosis.own)) if diagnosis.part else {}
    written = []
    for name, (columns, draw) in pictures.items():
        figure = Figure(figsize=(5.2 * columns, 4.4), dpi=130, layout="constrained")
        draw(figure, np.atleast_1d(figure.subplots(1, columns)))
        path = folder / f"{name}.png"
        write_whole(path, FigureCanvasAgg(figure).print_png)
        written.append(path)
    return written


def _play(figure: Figure, panels: np.ndarray, diagnosis: Diagnosis) -> None:
    """Budgets by day, picks beside the heuristic's, and values of picks beside the returns that followed."""
    common, days = diagnosis.common, diagnosis.common.budgets
    day = np.array([row.day for row in days])
    quartiles = np.array([row.quartiles for row in days])
    panels[0].bar(day, [row.executed.mean for row in days], color=GREY, label="picks made (mean)")
    panels[0].plot(day, [row.chosen.mean for row in days], "o-", color=BLUE, ms=4, label="budget chosen (mean)")
    panels[0].vlines(day, quartiles[:, 0], quartiles[:, 2], color=BLUE, linewidth=3, alpha=0.35, label="middle half")
    panels[0].plot(day, [row.adviser for row in days], "_", color=RED, ms=9, label="the adviser, at the same states")
    panels[0].set_ylim(0, 1.4 * max(quartiles.max(), *(max(row.chosen.mean, row.adviser, 1) for row in days)))
    label(panels[0], "budgets by day", "day", "picks")
    agreement = common.agreement
    panels[1].plot(day, agreement.by_day, "o-", color=BLUE, ms=4, label="the agent's")
    panels[1].axhline(agreement.by_chance, color=INK, linewidth=0.8, linestyle=":", label="drawn evenly")
    panels[1].set_ylim(0, 1.05)
    label(panels[1], f"picks that are those of {agreement.heuristic}", "day", "share of the day's picks")
    for panel in panels[:2]:
        panel.xaxis.set_major_locator(MaxNLocator(integer=True))
        panel.legend(fontsize=8)
    meaning = diagnosis.subject.agent.pick_values
    if common.values is not None and meaning is not None:
        expected, happened = values_and_returns(diagnosis.rollouts, meaning)
        panels[2].scatter(expected, happened, s=8, color=BLUE, alpha=0.35, linewidths=0)
        diagonal(panels[2], expected, happened)
        until = "the end of the day" if meaning.ends_with_day else "the end"
        label(panels[2], summary(common.values), "value of a pick", f"return from that pick to {until}")


def summary(row: Calibration) -> str:
    """A calibration in a line."""
    return f"bias {row.bias:+.1f}, slope {row.slope:.2f}, ρ = {row.spearman:.2f}"


def diagonal(axes: Axes, *values: np.ndarray) -> None:
    """Where expectation and outcome are equal."""
    ends = [min(v.min(initial=0) for v in values), max(v.max(initial=0) for v in values)]
    axes.plot(ends, ends, color=INK, linewidth=0.8, linestyle="--", zorder=1)


def scatter_by_day(figure: Figure, axes: Axes, x: np.ndarray, y: np.ndarray) -> None:
    """One dot a decision, coloured by its day."""
    day = np.broadcast_to(1 + np.arange(x.shape[1]), x.shape)
    dots = axes.scatter(x.ravel(), y.ravel(), c=day.ravel(), s=10, cmap="viridis", alpha=0.6, linewidths=0)
    figure.colorbar(dots, ax=axes, label="day")


def label(axes: Axes, title: str, x: str, y: str) -> None:
    """Title and names of the axes."""
    axes.set_title(title, fontsize=10)
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    axes.spines[["top", "right"]].set_visible(False)
