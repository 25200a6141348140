"""Results for people: the arena's table."""

import math
from collections.abc import Sequence

import numpy as np
from rich.table import Table

from lmta.arena.arena import Row, comparisons
from lmta.arena.statistics import Mean


def arena_table(rows: Sequence[Row], title: str) -> Table:
    """Score, difference to the first policy on the same instances, budget by day, time a decision."""
    table = Table(title=title, caption=_caption(rows))
    table.add_column("policy", no_wrap=True)
    table.add_column("mean ± s.e.m.", justify="right", no_wrap=True)
    table.add_column("difference", justify="right", no_wrap=True)
    table.add_column("paired p", justify="right", no_wrap=True)
    table.add_column("picks by day", min_width=12)
    table.add_column("ms median / p95", justify="right", no_wrap=True)
    table.add_column("prepare ms", justify="right", no_wrap=True)
    for position, (row, comparison) in enumerate(zip(rows, comparisons(rows), strict=True)):
        difference = comparison.difference
        median, p95 = np.percentile(row.decision_ms, [50, 95])
        table.add_row(
            row.policy,
            with_error(row.score),
            with_error(difference, "+") if position else "",
            _or_dash(comparison.paired_p, ".2g") if position else "",
            in_short(row.budget_by_day),
            f"{median:.2f} / {p95:.2f}",
            f"{row.prepare_ms:.1f}",
        )
    return table


def with_error(number: Mean, sign: str = "") -> str:
    """A mean with its standard error, which a single episode does not have."""
    return f"{number.mean:{sign}.2f} ± {_or_dash(number.sem, '.2f')}"


def _or_dash(number: float, form: str) -> str:
    return "–" if math.isnan(number) else f"{number:{form}}"


def _caption(rows: Sequence[Row]) -> str | None:
    optima = [row.optimum for row in rows if row.optimum is not None]
    if not optima:
        return None
    return f"Exact optimum in expectation: {optima[0]:.3f} (mean over the instances)"


def in_short(numbers: np.ndarray) -> str:
    """Numbers in short, with runs folded: 5×10, or 2×4 3."""
    texts = [f"{number:.1f}".removesuffix(".0") for number in numbers]
    folded: list[list] = []
    for text in texts:
        if folded and folded[-1][0] == text:
            folded[-1][1] += 1
        else:
            folded.append([text, 1])
    return " ".join(text if count == 1 else f"{text}×{count}" for text, count in folded)
