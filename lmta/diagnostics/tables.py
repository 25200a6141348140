"""A diagnosis for people: the tables of every learner, and how numbers are written in all of them."""

import math
from collections.abc import Iterable

from rich.table import Table

from lmta.arena.tables import with_error
from lmta.diagnostics.common import Common
from lmta.diagnostics.diagnose import Diagnosis
from lmta.diagnostics.statistics import Calibration, Interval


def tables(diagnosis: Diagnosis) -> Iterable[Table]:
    """All of them, in the order of the documentation."""
    common = diagnosis.common
    yield _scores(common, diagnosis.title)
    yield _budgets(common)
    if common.values is not None:
        yield values_table("Values of picks beside what followed", {"value of a pick": common.values})
    yield from diagnosis.part.tables(diagnosis.own) if diagnosis.part else ()


def _scores(common: Common, title: str) -> Table:
    table = new_table("Scores, with the same noise for all", f"{title}.", "player")
    for name in ("mean ± s.e.m.", "agent ahead by"):
        table.add_column(name, justify="right", no_wrap=True)
    for row in common.scores:
        table.add_row(
            row.player, with_error(row.score), "" if math.isnan(row.ahead.mean) else with_error(row.ahead, "+")
        )
    return table


def _budgets(common: Common) -> Table:
    agreement = common.agreement
    caption = (
        f"Of the picks {share(agreement.equal.mean)} ± {share(agreement.equal.sem)} are those of "
        f"{agreement.heuristic} at the same state, as many of them ({share(agreement.by_chance)} by chance; "
        f"{agreement.days} days with a pick)."
    )
    table = new_table("Budgets and picks by day", caption, "day")
    for row in common.budgets:
        table.add_column(str(row.day), justify="right")
    table.add_row("left", *(number(row.left, 1) for row in common.budgets))
    table.add_row("chosen", *(number(row.chosen.mean, 1) for row in common.budgets))
    table.add_row("picks made", *(number(row.executed.mean, 1) for row in common.budgets))
    table.add_row("adviser, same states", *(number(row.adviser, 1) for row in common.budgets))
    table.add_row(f"picks of {agreement.heuristic}", *(share(part) for part in agreement.by_day))
    return table


def values_table(title: str, rows: dict[str, Calibration]) -> Table:
    """Expectations beside what happened."""
    table = new_table(title, "", "expectation")
    for name in ("predicted", "happened", "bias", "r.m.s. error", "slope", "Spearman's ρ", "points"):
        table.add_column(name, justify="right", no_wrap=True)
    for name, row in rows.items():
        parts = (row.predicted, row.realised, row.bias, row.root_mean_square, row.slope, row.spearman)
        table.add_row(name, *(number(part) for part in parts), str(row.count))
    return table


def new_table(title: str, caption: str, first: str) -> Table:
    """A table with its first column."""
    table = Table(title=title, caption=caption or None)
    table.add_column(first)
    return table


def number(value: float, digits: int = 2) -> str:
    """A number, or a dash where there is none."""
    return "–" if math.isnan(value) else f"{value:.{digits}f}"


def share(value: float) -> str:
    """A share in per cent, or a dash where there is none."""
    return "–" if math.isnan(value) else f"{value:.0%}"


def interval(given: Interval) -> str:
    """Both ends, or a dash where there are none."""
    return "–" if math.isnan(given.low) else f"{given.low:.2f} … {given.high:.2f}"
