"""Everything as JSON and as CSV that a spreadsheet opens without running anything."""

import csv
import io
from typing import Any

from lmta.service.store import Plan

_FORMULA = tuple("=+-@＝＋－＠\t\r\n")
HEADER = ("day", "what", "id", "profit", "result")


def csv_text(plan: Plan) -> str:
    """One line for everything that was done or observed on a day."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n", quoting=csv.QUOTE_MINIMAL)
    writer.writerow(HEADER)
    for day in plan.days:
        for what, name, profit in _events(day.report):
            writer.writerow((day.number, what, harmless(name), "" if profit is None else profit, ""))
        writer.writerow((day.number, "end of day", "", "", day.result))
    return text.getvalue()


def harmless(name: Any) -> str:
    """An id that a spreadsheet takes as text: what looks like a formula gets a ' before it."""
    text = str(name)
    return f"'{text}" if text.startswith(_FORMULA) or text.lstrip().startswith(_FORMULA) else text


def _events(report: dict[str, Any]) -> list[tuple[str, Any, float | None]]:
    events: list[tuple[str, Any, float | None]] = []
    for what in ("seeded", "visited", "failed", "closed", "activated"):
        events.extend((what, name, None) for name in report.get(what, ()))
    events.extend(("profit tomorrow", name, profit) for name, profit in report.get("profits", ()))
    return events
