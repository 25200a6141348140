"""What LMTA has learned, in pictures."""

from collections.abc import Mapping
from functools import partial

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from lmta.diagnostics.lmta.findings import Findings
from lmta.diagnostics.lmta.theory import steps_made
from lmta.diagnostics.lmta.values import value_differences
from lmta.diagnostics.parts import Picture
from lmta.diagnostics.pictures import BLUE, BOTH, GREY, INK, RED, diagonal, label, scatter_by_day, summary
from lmta.diagnostics.statistics import ranks
from lmta.problems.networks import edges


def pictures(findings: Findings) -> Mapping[str, Picture]:
    """All of them, each with its number of panels."""
    return {
        "order": (2, partial(_order, findings)),
        "smoothness": (3, partial(_smoothness, findings)),
        "theory": (3, partial(_theory, findings)),
        "subgoals": (2, partial(_subgoals, findings)),
        "specialisation": (1, partial(_specialisation, findings)),
        "values": (2, partial(_values, findings)),
    }


def _order(findings: Findings, figure: Figure, panels: np.ndarray) -> None:
    """τ of single states, and the decisions that were played."""
    executions = findings.executions
    score = np.asarray(executions.distance) + findings.margins
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
    label(panels[0], "order of all subgoals at one state", "Kendall's τ_b of σ and duration", "states")
    panels[0].legend(fontsize=8)
    traces = findings.traces
    chosen = np.asarray(traces.model_distance) + findings.margins[np.asarray(traces.subgoal)]
    scatter_by_day(figure, panels[1], chosen, np.asarray(findings.rollouts.num_picks) + _jitter(chosen.shape))
    label(panels[1], "decisions as played", "σ(s, z) of the chosen subgoal", "picks made (jittered)")


def _smoothness(findings: Findings, figure: Figure, panels: np.ndarray) -> None:
    distance = np.asarray(findings.traces.model_distance)
    differences = value_differences(findings.traces, findings.returns).values()
    for panel, row, difference in zip(panels, findings.smoothness, differences, strict=True):
        scatter_by_day(figure, panel, distance, difference)
        title = f"{row.what}\nτ_b = {row.kendall:.2f}, ρ = {row.spearman:.2f}"
        label(panel, title, "d(h(s), g(h(s), z))", "|ΔV|")


def _theory(findings: Findings, figure: Figure, panels: np.ndarray) -> None:
    """Steps beside the cap, durations beside their bound, and how the model drifts."""
    theory, step = findings.theory, np.asarray(findings.traces.step_distance)
    made, last = steps_made(np.asarray(findings.rollouts.num_picks), step.shape[-1])
    bins = np.linspace(0, max(step[made].max(initial=0), 1.5 * theory.cap_distance), 50).tolist()
    panels[0].hist(step[made & ~last], bins, color=BLUE, alpha=0.6, label="within a day")
    panels[0].hist(step[last], bins, color=RED, alpha=0.6, label="to the next day")
    panels[0].axvline(theory.cap_distance, color=INK, linestyle="--", linewidth=1, label=f"κ = {theory.cap_distance:g}")
    label(panels[0], "primitive steps in latent space", "d(h(s'), h(s' + 1))", "steps")
    panels[0].legend(fontsize=8)
    order = np.argsort([bound.mean_duration for bound in theory.bounds])
    bounds = [theory.bounds[place] for place in order]
    place = np.arange(len(bounds))
    panels[1].bar(place, [b.mean_duration for b in bounds], color=GREY, label="mean duration")
    panels[1].plot(place, [b.lower_bound_mean for b in bounds], "o", color=BLUE, ms=4, label="bound, mean model error")
    panels[1].plot(place, [b.lower_bound for b in bounds], "_", color=RED, ms=7, label="bound, largest model error")
    panels[1].axhline(0, color=INK, linewidth=0.6)
    label(panels[1], "what margins promise of durations", "subgoals by mean duration", "picks")
    low, high = panels[1].get_ylim()
    panels[1].set_ylim(low, high + 0.35 * (high - low))
    panels[1].legend(fontsize=8, loc="upper left")
    drift = np.array(theory.unroll_error)
    panels[2].plot(1 + np.arange(len(drift)), drift, "o-", color=BLUE, label="model and truth")
    panels[2].axhline(np.sqrt(2), color=INK, linewidth=0.8, linestyle=":", label="unrelated latents")
    panels[2].set_ylim(0, 1.5)
    panels[2].xaxis.set_major_locator(MaxNLocator(integer=True))
    label(panels[2], "the model, step after step", "decisions unrolled", "mean latent distance")
    panels[2].legend(fontsize=8, loc="lower right")


def _subgoals(findings: Findings, figure: Figure, panels: np.ndarray) -> None:
    """Every subgoal by what it picks first, and how much each two have in common."""
    dictionary, view = findings.dictionary, findings.view
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
    label(panels[0], title, f"mean {view.worth_name}", f"mean {view.distance_name} between picks")
    order = np.argsort(-np.mean(dictionary.overlap, axis=1))
    image = panels[1].imshow(np.array(dictionary.overlap)[np.ix_(order, order)], vmin=0, vmax=1, cmap="magma")
    figure.colorbar(image, ax=panels[1], label="overlap (Jaccard)")
    label(panels[1], f"{dictionary.distinct:.1f} different sets of first picks", "subgoals", "subgoals")
    panels[1].set_xticks([])
    panels[1].set_yticks([])


def _specialisation(findings: Findings, figure: Figure, panels: np.ndarray) -> None:
    """App. K: the picks of two subgoals on one instance, with nodes sized by their worth."""
    day, view, dictionary = findings.exemplar, findings.view, findings.dictionary
    graph, places = day.instance.graph, view.layout(day.instance)
    worth = view.worth(day.instance, day.state).astype(float)
    sets = [{int(node) for node in day.picks[number] if node >= 0} for number in dictionary.unlike]
    picked = [sorted(sets[0] - sets[1]), sorted(sets[1] - sets[0]), sorted(sets[0] & sets[1])]
    labels = [f"only subgoal {number}" for number in dictionary.unlike] + ["both"]
    size = 4 + 90 * (worth / max(worth.max(), 1e-9)) ** 2
    axes: Axes = panels[0]
    if view.shows_edges:
        lines = list(places[np.stack(edges(graph), axis=1)])
        axes.add_collection(LineCollection(lines, colors="#8a94a3", linewidths=0.3, alpha=0.25, zorder=1))
    nodes = np.flatnonzero(graph.node_mask)
    axes.scatter(*places[nodes].T, s=size[nodes], c=GREY, edgecolors="white", linewidths=0.3, zorder=2)
    for group, colour, whose in zip(picked, (RED, BLUE, BOTH), labels, strict=True):
        axes.scatter(*places[group].T, s=size[group] + 30, c=colour, edgecolors=INK, linewidths=0.7, zorder=3)
        axes.plot([], [], "o", color=colour, markeredgecolor=INK, label=f"{whose}: {len(group)}")
    axes.set_axis_off()
    axes.autoscale()
    axes.set_aspect("equal")
    title = f"the two subgoals least alike, first {dictionary.first_picks} picks\n(size of a node: {view.worth_name})"
    axes.set_title(title, fontsize=10)
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, 0), ncols=3, fontsize=8, frameon=False)


def _values(findings: Findings, figure: Figure, panels: np.ndarray) -> None:
    """Search value and value head beside the returns that followed."""
    kinds = {
        "search value": (findings.traces.search_value, findings.values.search),
        "value head": (findings.traces.value, findings.values.head),
    }
    for panel, (name, (expected, row)) in zip(panels, kinds.items(), strict=True):
        scatter_by_day(figure, panel, np.asarray(expected), findings.returns)
        diagonal(panel, np.asarray(expected), findings.returns)
        label(panel, summary(row), name, "return that followed")


def _jitter(shape: tuple[int, ...]) -> np.ndarray:
    return np.random.default_rng(0).uniform(-0.25, 0.25, shape)
