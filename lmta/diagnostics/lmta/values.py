"""Values of states: smooth in the latent geometry (App. M), and true to what happens."""

import math
from dataclasses import dataclass

import numpy as np

from lmta.diagnostics.lmta.latents import Traces
from lmta.diagnostics.statistics import Calibration, Interval, bootstrap, calibration, kendall, spearman


@dataclass(frozen=True)
class Smoothness:
    """Rank correlation of latent displacement d(u, v) and value difference |ΔV| over decisions."""

    what: str
    points: int
    kendall: float
    kendall_interval: Interval
    spearman: float
    spearman_interval: Interval
    steepest: float
    """The largest |ΔV| / d: what a Lipschitz constant L_S must be at least."""


@dataclass(frozen=True)
class Values:
    """How far what is expected of states can be trusted."""

    search: Calibration
    """Value of the root against the discounted return that followed."""
    search_by_day: tuple[Calibration, ...]
    head: Calibration
    """The value head against the same."""


def value_differences(traces: Traces, returns: np.ndarray) -> dict[str, np.ndarray]:
    """|V(u) - V(v)| for u = h(s), v = g(h(s), z), with V the value head; and |V(s) - V(s⁺)| by two training targets."""
    search = np.asarray(traces.search_value)
    return {
        "value head at h(s) and g(h(s), z)": np.abs(np.asarray(traces.value) - np.asarray(traces.model_value)),
        "search value at s and s⁺": np.abs(search - following(search)),
        "return from s and from s⁺": np.abs(returns - following(returns)),
    }


def measure_smoothness(
    traces: Traces, returns: np.ndarray, repeats: int, rng: np.random.Generator
) -> tuple[Smoothness, ...]:
    """For each kind of value difference, how it goes with the distance."""
    distance = np.asarray(traces.model_distance)
    differences = value_differences(traces, returns)
    return tuple(smoothness(what, distance, difference, repeats, rng) for what, difference in differences.items())


def smoothness(
    what: str, distance: np.ndarray, difference: np.ndarray, repeats: int, rng: np.random.Generator
) -> Smoothness:
    """τ_b and ρ over all decisions; the bootstrap draws whole episodes (rows), whose decisions hang together."""

    def interval(correlation):
        draw = lambda rows: correlation(distance[rows].ravel(), difference[rows].ravel())  # noqa: E731
        return bootstrap(draw, len(distance), repeats, rng)

    moved = distance > 0
    return Smoothness(
        what=what,
        points=distance.size,
        kendall=kendall(distance.ravel(), difference.ravel()),
        kendall_interval=interval(kendall),
        spearman=spearman(distance.ravel(), difference.ravel()),
        spearman_interval=interval(spearman),
        steepest=float((difference[moved] / distance[moved]).max()) if moved.any() else math.nan,
    )


def following(values: np.ndarray) -> np.ndarray:
    """The value one decision later; 0 after the last."""
    return np.concatenate([values[:, 1:], np.zeros((len(values), 1))], axis=1)


def measure_values(traces: Traces, returns: np.ndarray) -> Values:
    """Search value and value head beside returns."""
    search, head = np.asarray(traces.search_value), np.asarray(traces.value)
    return Values(
        search=calibration(search.ravel(), returns.ravel()),
        search_by_day=tuple(calibration(search[:, day], returns[:, day]) for day in range(returns.shape[1])),
        head=calibration(head.ravel(), returns.ravel()),
    )
