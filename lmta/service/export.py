"""Everything as JSON and as CSV that a spreadsheet opens without running anything."""

import csv
import io
from collections.abc import Iterator
from typing import Any

from lmta.problems.session import AbstractSession
from lmta.service.store import Advised, Day, Plan

_FORMULA = tuple("=+-@＝＋－＠\t\r\n")


def csv_text(plan: Plan, advised: dict[int, Advised]) -> str:
    """One line for everything that was advised, done or observed on a day."""
    session = plan.spec.session
    numbers = dict.fromkeys(field.number for field in session.report_fields if field.has_numbers)
    header = ("day", "what", "id", *numbers, "result", "policy", "budget")
    text = io.StringIO()
    writer = csv.DictWriter(text, header, lineterminator="\r\n", quoting=csv.QUOTE_MINIMAL)
    writer.writeheader()
    for day in plan.days:
        then = advised.get(day.number)
        if then is not None:
            writer.writerow({"day": day.number, "what": "advice", "policy": then.policy, "budget": then.budget})
            writer.writerows({"day": day.number, "what": "advised", "id": harmless(name)} for name in then.ids)
        writer.writerows({"day": day.number, **event} for event in _events(day, session))
        writer.writerow({"day": day.number, "what": "end of day", "result": day.result})
    return text.getvalue()


def harmless(name: Any) -> str:
    """An id that a spreadsheet takes as text: what looks like a formula gets a ' before it."""
    text = str(name)
    return f"'{text}" if text.startswith(_FORMULA) or text.lstrip().startswith(_FORMULA) else text


def _events(day: Day, session: type[AbstractSession]) -> Iterator[dict[str, Any]]:
    """What was reported, in the order of the report's fields."""
    for field in session.report_fields:
        for entry in day.report.get(field.name, ()):
            name, number = (entry[0], {field.number: entry[1]}) if field.has_numbers else (entry, {})
            yield {"what": field.name, "id": harmless(name), **number}
