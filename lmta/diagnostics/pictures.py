"""A diagnosis in pictures."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from lmta.diagnostics.diagnose import Diagnosis
from lmta.diagnostics.statistics import Calibration, ranks
from lmta.diagnostics.values import following, pick_returns
from lmta.files import write_whole

RED, BLUE, BOTH, GREY, INK = "#d1495b", "#2e6f95", "#7b4b94", "#c9ced6", "#1b1b1e"


def draw_pictures(diagnosis: Diagnosis, folder: Path) -> list[Path]:
    """Draw and write all pictures; their files."""
    written = []
    for name, (columns, draw) in PICTURES.items():
        figure = Figure(figsize=(5.2 * columns, 4.4), dpi=130, layout="constrained")
        panels = np.atleast_1d(figure.subplots(1, columns))
        draw(figure, panels, diagnosis)
        path = folder / f"{name}.png"
        write_whole(path, FigureCanvasAgg(figure).print_png)
        written.append(path)
    return written


def _order(figure: Figure, panels: np.ndarray, diagnosis: Diagnosis) -> None:
    """τ of single states, and the decisions that were played."""
    executions = diagnosis.executions
    score = np.asarray(executions.distance) + diagnosis.margins
    kinds = {
        "mean of forced runs": (np.asarray(executions.duration).mean(axis=2), BLUE),
        "expected budget": (np.asarray(executions.expected_budget), RED),
    }
    bins = np.linspace(-1, 1, 41).tolist()
    for name, (durations, colour) in kinds.items():
        tau = np.array([ranks(*row).tau_b for row in zip(score, durations, strict=True)])
        known = tau[~np.isnan(tau)]
        panels[0].hist(known, bins, color=colour, alpha=0.55, label=f"{name}, {len(known)} states")
        if len(known):
            panels[0].axvline(known.mean(), color=colour, linewidth=1.5)
    panels[0].axvline(0, color=INK, linewidth=0.6, linestyle=":")
    _label(panels[0], "order of all subgoals at one state", "Kendall's τ_b of σ and duration", "states")
    panels[0].legend(fontsize=8)
    rollouts = diagnosis.rollouts
    chosen = np.asarray(rollouts.model_distance) + diagnosis.margins[np.asarray(rollouts.subgoal)]
    _by_day(figure, panels[1], chosen, np.asarray(rollouts.num_picks) + _jitter(chosen.shape))
    _label(panels[1], "decisions as played", "σ(s, z) of the chosen subgoal", "picks made (jittered)")


def _smoothness(figure: Figure, panels: np.ndarray, diagnosis: Diagnosis) -> None:
    rollouts = diagnosis.rollouts
    distance, search = np.asarray(rollouts.model_distance), np.asarray(rollouts.search_value)
    differences = (
        np.asarray(rollouts.value) - np.asarray(rollouts.model_value),
        search - following(search),
        diagnosis.returns - following(diagnosis.returns),
    )
    for panel, row, difference in zip(panels, diagnosis.smoothness, differences, strict=True):
        _by_day(figure, panel, distance, np.abs(difference))
        title = f"{row.what}\nτ_b = {row.kendall:.2f}, ρ = {row.spearman:.2f}"
        _label(panel, title, "d(h(s), g(h(s), z))", "|ΔV|")


def _theory(figure: Figure, panels: np.ndarray, diagnosis: Diagnosis) -> None:
    """Steps beside the cap, durations beside their bound, and how the model drifts."""
    theory, rollouts = diagnosis.theory, diagnosis.rollouts
    step, count = np.asarray(rollouts.step_distance), np.asarray(rollouts.num_picks)
    index = np.arange(step.shape[-1])
    last = index == count[..., None] - 1
    within = (index < count[..., None]) & ~last
    bins = np.linspace(0, max(step[within | last].max(initial=0), 1.5 * theory.cap_distance), 50).tolist()
    panels[0].hist(step[within], bins, color=BLUE, alpha=0.6, label="within a day")
    panels[0].hist(step[last], bins, color=RED, alpha=0.6, label="last pick and night")
    panels[0].axvline(theory.cap_distance, color=INK, linestyle="--", linewidth=1, label=f"κ = {theory.cap_distance:g}")
    _label(panels[0], "primitive steps in latent space", "d(h(s'), h(s' + 1))", "steps")
    panels[0].legend(fontsize=8)
    order = np.argsort([bound.mean_duration for bound in theory.bounds])
    bounds = [theory.bounds[place] for place in order]
    place = np.arange(len(bounds))
    panels[1].bar(place, [b.mean_duration for b in bounds], color=GREY, label="mean duration")
    panels[1].plot(place, [b.lower_bound_mean for b in bounds], "o", color=BLUE, ms=4, label="bound, mean model error")
    panels[1].plot(place, [b.lower_bound for b in bounds], "_", color=RED, ms=7, label="bound, largest model error")
    panels[1].axhline(0, color=INK, linewidth=0.6)
    _label(panels[1], "what margins promise of durations", "subgoals by mean duration", "picks")
    low, high = panels[1].get_ylim()
    panels[1].set_ylim(low, high + 0.35 * (high - low))
    panels[1].legend(fontsize=8, loc="upper left")
    drift = np.array(theory.unroll_error)
    panels[2].plot(1 + np.arange(len(drift)), drift, "o-", color=BLUE, label="model and truth")
    panels[2].axhline(np.sqrt(2), color=INK, linewidth=0.8, linestyle=":", label="unrelated latents")
    panels[2].set_ylim(0, 1.5)
    panels[2].xaxis.set_major_locator(MaxNLocator(integer=True))
    _label(panels[2], "the model, step after step", "decisions unrolled", "mean latent distance")
    panels[2].legend(fontsize=8, loc="lower right")


def _subgoals(figure: Figure, panels: np.ndarray, diagnosis: Diagnosis) -> None:
    """Every subgoal by what it picks first, and how much each two have in common."""
    dictionary, facts = diagnosis.dictionary, diagnosis.facts
    rows = dictionary.subgoals
    share = np.array([row.share for row in rows])
    dots = panels[0].scatter(
        [row.first.worth for row in rows],
        [row.first.spread for row in rows],
        s=30 + 900 * share,
        c=[row.forced_duration for row in rows],
        cmap="viridis",
        alpha=0.85,
        edgecolors="white",
        linewidths=0.6,
    )
    for row in (row for row in rows if row.chosen):
        place = (row.first.worth, row.first.spread)
        panels[0].annotate(str(row.number), place, (6, 6), textcoords="offset points", fontsize=8)
    figure.colorbar(dots, ax=panels[0], label="mean duration when forced")
    title = f"first {dictionary.first_picks} picks of each subgoal\n(size: how often search chooses it)"
    _label(panels[0], title, f"mean {facts.worth_name}", f"mean {facts.distance_name} between picks")
    order = np.argsort(-np.mean(dictionary.overlap, axis=1))
    image = panels[1].imshow(np.array(dictionary.overlap)[np.ix_(order, order)], vmin=0, vmax=1, cmap="magma")
    figure.colorbar(image, ax=panels[1], label="overlap (Jaccard)")
    _label(panels[1], f"{dictionary.distinct:.1f} different sets of picks a morning", "subgoals", "subgoals")
    panels[1].set_xticks([])
    panels[1].set_yticks([])


def _specialisation(figure: Figure, panels: np.ndarray, diagnosis: Diagnosis) -> None:
    """App. K: the picks of two subgoals on one instance, with nodes sized by their worth."""
    morning, facts, dictionary = diagnosis.exemplar, diagnosis.facts, diagnosis.dictionary
    graph, places = morning.instance.graph, facts.layout(morning.instance)
    worth = facts.worth(morning.instance, morning.state).astype(float)
    sets = [{int(node) for node in morning.picks[number] if node >= 0} for number in dictionary.unlike]
    picked = [sorted(sets[0] - sets[1]), sorted(sets[1] - sets[0]), sorted(sets[0] & sets[1])]
    labels = [f"only subgoal {number}" for number in dictionary.unlike] + ["both"]
    size = 4 + 90 * (worth / max(worth.max(), 1e-9)) ** 2
    axes: Axes = panels[0]
    if facts.shows_edges:
        real = np.flatnonzero(graph.edge_mask)
        ends = np.stack([np.asarray(graph.senders)[real], np.asarray(graph.receivers)[real]], axis=1)
        axes.add_collection(LineCollection(list(places[ends]), colors="#8a94a3", linewidths=0.3, alpha=0.25, zorder=1))
    nodes = np.flatnonzero(graph.node_mask)
    axes.scatter(*places[nodes].T, s=size[nodes], c=GREY, edgecolors="white", linewidths=0.3, zorder=2)
    for group, colour, label in zip(picked, (RED, BLUE, BOTH), labels, strict=True):
        axes.scatter(*places[group].T, s=size[group] + 30, c=colour, edgecolors=INK, linewidths=0.7, zorder=3)
        axes.plot([], [], "o", color=colour, markeredgecolor=INK, label=f"{label}: {len(group)}")
    axes.set_axis_off()
    axes.autoscale()
    axes.set_aspect("equal")
    title = f"the two subgoals least alike, first {dictionary.first_picks} picks\n(size of a node: {facts.worth_name})"
    axes.set_title(title, fontsize=10)
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, 0), ncols=3, fontsize=8, frameon=False)


def _play(figure: Figure, panels: np.ndarray, diagnosis: Diagnosis) -> None:
    """Budgets by day, search values beside returns, and Q beside the returns of picks."""
    rollouts, days = diagnosis.rollouts, diagnosis.budgets
    day = np.array([row.day for row in days])
    quartiles = np.array([row.quartiles for row in days])
    panels[0].bar(day, [row.executed.mean for row in days], color=GREY, label="picks made (mean)")
    panels[0].plot(day, [row.chosen.mean for row in days], "o-", color=BLUE, ms=4, label="budget chosen (mean)")
    panels[0].vlines(day, quartiles[:, 0], quartiles[:, 2], color=BLUE, linewidth=3, alpha=0.35, label="middle half")
    _label(panels[0], "budgets by day", "day", "picks")
    panels[0].xaxis.set_major_locator(MaxNLocator(integer=True))
    panels[0].legend(fontsize=8)
    _beside(figure, panels[1], np.asarray(rollouts.search_value), diagnosis.returns, diagnosis.values.search)
    _label(panels[1], panels[1].get_title(), "search value", "return that followed")
    count = np.asarray(rollouts.num_picks)
    made = np.arange(rollouts.picks.shape[-1]) < count[..., None]
    expected = np.asarray(rollouts.q_value)[made]
    happened = pick_returns(np.asarray(rollouts.pick_reward), count, diagnosis.low_discount)
    panels[2].scatter(expected, happened, s=8, color=BLUE, alpha=0.35, linewidths=0)
    _diagonal(panels[2], expected, happened)
    _label(panels[2], _summary(diagnosis.values.q), "Q of a pick", "return from that pick on")


def _beside(figure: Figure, axes: Axes, predicted: np.ndarray, happened: np.ndarray, row: Calibration) -> None:
    _by_day(figure, axes, predicted, happened)
    _diagonal(axes, predicted, happened)
    axes.set_title(_summary(row), fontsize=10)


def _summary(row: Calibration) -> str:
    return f"bias {row.bias:+.1f}, slope {row.slope:.2f}, ρ = {row.spearman:.2f}"


def _diagonal(axes: Axes, *values: np.ndarray) -> None:
    ends = [min(v.min(initial=0) for v in values), max(v.max(initial=0) for v in values)]
    axes.plot(ends, ends, color=INK, linewidth=0.8, linestyle="--", zorder=1)


def _by_day(figure: Figure, axes: Axes, x: np.ndarray, y: np.ndarray) -> None:
    """One dot a decision, coloured by its day."""
    day = np.broadcast_to(1 + np.arange(x.shape[1]), x.shape)
    dots = axes.scatter(x.ravel(), y.ravel(), c=day.ravel(), s=10, cmap="viridis", alpha=0.6, linewidths=0)
    figure.colorbar(dots, ax=axes, label="day")


def _jitter(shape: tuple[int, ...]) -> np.ndarray:
    return np.random.default_rng(0).uniform(-0.25, 0.25, shape)


def _label(axes: Axes, title: str, x: str, y: str) -> None:
    axes.set_title(title, fontsize=10)
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    axes.spines[["top", "right"]].set_visible(False)


PICTURES: dict[str, tuple[int, Callable[[Figure, np.ndarray, Diagnosis], None]]] = {
    "order": (2, _order),
    "smoothness": (3, _smoothness),
    "theory": (3, _theory),
    "subgoals": (2, _subgoals),
    "specialisation": (1, _specialisation),
    "play": (3, _play),
}
"""Name, number of panels, and what draws them."""
