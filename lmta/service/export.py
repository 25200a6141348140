"""Everything as JSON and as CSV that a spreadsheet opens without running anything."""

import csv
import io
from typing import Any

from lmta.service.store import Advised, Plan

_FORMULA = tuple("=+-@＝＋－＠\t\r\n")
HEADER = ("day", "what", "id", "profit", "result", "policy", "budget")


def csv_text(plan: Plan, advised: dict[int, Advised]) -> str:
    """One line for everything that was advised, done or observed on a day."""
    text = io.StringIO()
    writer = csv.DictWriter(text, HEADER, lineterminator="\r\n", quoting=csv.QUOTE_MINIMAL)
    writer.writeheader()
    for day in plan.days:
        then = advised.get(day.number)
        if then is not None:
            writer.writerow({"day": day.number, "what": "advice", "policy": then.policy, "budget": then.budget})
            writer.writerows({"day": day.number, "what": "advised", "id": harmless(name)} for name in then.ids)
        for what, name, profit in _events(day.report):
            writer.writerow({"day": day.number, "what": what, "id": harmless(name), "profit": profit})
        writer.writerow({"day": day.number, "what": "end of day", "result": day.result})
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
