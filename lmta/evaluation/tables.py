"""Results for people: the arena's table."""

from collections.abc import Sequence

import numpy as np
from rich.table import Table

from lmta.evaluation.arena import Row, comparisons


def arena_table(rows: Sequence[Row], title: str) -> Table:
    """Score, difference to the first policy on the same instances, budget by day, time a decision."""
    table = Table(title=title, caption=_caption(rows))
    table.add_column("policy", no_wrap=True)
    table.add_column("mean ± s.e.m.", justify="right", no_wrap=True)
    table.add_column("difference", justify="right", no_wrap=True)
    table.add_column("Welch p", justify="right", no_wrap=True)
    table.add_column("picks by day", min_width=12)
    table.add_column("ms median / p95", justify="right", no_wrap=True)
    for position, (row, comparison) in enumerate(zip(rows, comparisons(rows), strict=True)):
        difference = comparison.difference
        median, p95 = np.percentile(row.decision_ms, [50, 95])
        table.add_row(
            row.policy,
            f"{row.score.mean:.2f} ± {row.score.sem:.2f}",
            f"{difference.mean:+.2f} ± {difference.sem:.2f}" if position else "",
            f"{comparison.welch_p:.2g}" if position else "",
            _runs(row.budget_by_day),
            f"{median:.2f} / {p95:.2f}",
        )
    return table


def _caption(rows: Sequence[Row]) -> str | None:
    optima = [row.optimum for row in rows if row.optimum is not None]
    if not optima:
        return None
    return f"Exact optimum in expectation: {optima[0]:.3f} (mean over the instances)"


def _runs(numbers: np.ndarray) -> str:
    """Numbers in short, with runs folded: 5×10, or 2×4 3."""
    texts = [f"{number:.1f}".removesuffix(".0") for number in numbers]
    folded: list[list] = []
    for text in texts:
        if folded and folded[-1][0] == text:
            folded[-1][1] += 1
        else:
            folded.append([text, 1])
    return " ".join(text if count == 1 else f"{text}×{count}" for text, count in folded)
