"""Does the score σ(s, z) = d(h, g(h, z)) + m(z) know how long a subgoal lasts? (App. L)"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lmta.arena.statistics import Mean, mean_of
from lmta.diagnostics.lmta.latents import Executions, Traces
from lmta.diagnostics.statistics import Interval, Ranks, bootstrap, kendall, mean_where_known, ranks


@dataclass(frozen=True)
class Ordering:
    """Kendall's τ of a score against a duration, averaged over groups within which pairs are compared."""

    what: str
    tau_b: Mean
    interval: Interval
    tau_a: float
    without_ties: float
    tied: float
    groups: int
    undefined: int
    """Groups without a τ, since all durations (or all scores) are equal."""


@dataclass(frozen=True)
class Order:
    """The measure by the book, and read in other ways."""

    orderings: tuple[Ordering, ...]
    reliability: float
    """Test–retest: τ_b within states between durations averaged over every other run and over the rest."""
    nothing_left: float
    """Share of the states where no budget is left, so that every duration is 0."""


def measure_order(
    executions: Executions,
    all_left: np.ndarray,
    traces: Traces,
    executed: np.ndarray,
    margins: np.ndarray,
    repeats: int,
    rng: np.random.Generator,
) -> Order:
    """Every reading; `all_left` are durations with all that is left granted, at the first of the states, and `executed`
    those of the episodes."""
    distance, duration = np.asarray(executions.distance), np.asarray(executions.duration)
    mean_duration = duration.mean(axis=2)
    score = distance + margins
    chosen = np.asarray(traces.model_distance) + margins[np.asarray(traces.subgoal)]
    margin_alone = np.broadcast_to(margins, score.shape)
    orderings = (
        within("σ, mean duration of forced runs (App. L)", score, mean_duration, repeats, rng),
        within("d alone, the same", distance, mean_duration, repeats, rng),
        within("m alone, the same", margin_alone, mean_duration, repeats, rng),
        within("σ, expected budget", score, np.asarray(executions.expected_budget), repeats, rng),
        within("σ, until nothing is legal", score[: len(all_left)], all_left, repeats, rng),
        pooled("σ, executed decisions, all pairs", chosen, executed, repeats, rng),
        within("σ, executed decisions, same day", chosen.T, executed.T, repeats, rng),
    )
    return Order(orderings, _reliability(duration), float(np.mean(duration.max(axis=(1, 2)) == 0)))


def _reliability(duration: np.ndarray) -> float:
    """Runs on the last axis; NaN where there is only one."""
    if duration.shape[-1] == 1:
        return math.nan
    halves = zip(duration[..., ::2].mean(axis=2), duration[..., 1::2].mean(axis=2), strict=True)
    return mean_where_known(np.array([kendall(*half) for half in halves]))


def within(what: str, scores: np.ndarray, durations: np.ndarray, repeats: int, rng: np.random.Generator) -> Ordering:
    """τ of each row, averaged over the rows that have one; the interval is a bootstrap over rows."""
    found = [ranks(*row) for row in zip(scores, durations, strict=True)]
    tau_b = np.array([row.tau_b for row in found])
    known = tau_b[~np.isnan(tau_b)]
    interval = bootstrap(lambda rows: mean_where_known(tau_b[rows]), len(tau_b), repeats, rng)
    return _ordering(what, mean_of(known) if len(known) else Mean(math.nan, math.nan), interval, found)


def pooled(what: str, scores: np.ndarray, durations: np.ndarray, repeats: int, rng: np.random.Generator) -> Ordering:
    """τ over all pairs of all rows at once; the interval is a bootstrap over rows, which stay whole."""
    together = ranks(scores.ravel(), durations.ravel())
    interval = bootstrap(lambda rows: kendall(scores[rows].ravel(), durations[rows].ravel()), len(scores), repeats, rng)
    return _ordering(what, Mean(together.tau_b, math.nan), interval, [together])


def _ordering(what: str, tau_b: Mean, interval: Interval, found: Sequence[Ranks]) -> Ordering:
    table = np.array(found)
    _, tau_a, without_ties, tied = map(mean_where_known, table.T)
    return Ordering(
        what=what,
        tau_b=tau_b,
        interval=interval,
        tau_a=tau_a,
        without_ties=without_ties,
        tied=tied,
        groups=len(found),
        undefined=int(np.isnan(table[:, 0]).sum()),
    )
