"""The days so far, and what can be taken away."""

from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Any

from nicegui import ui

from lmta.problems.session import AbstractSession, ReportField
from lmta.service.page.parts import card, number_text, table
from lmta.service.store import Advised, Day, Plan

CARDS_ON_A_PHONE = ":grid=Quasar.Screen.lt.sm"
"""A card for each row where a table would be too wide."""
FILES = {"JSON": "export.json", "CSV": "export.csv", "state for lmta plan": "state", "data": "data"}


def draw_past(plan: Plan, advised: dict[int, Advised], undo: Callable[[], Awaitable[None]]) -> None:
    """Every day as it was advised and reported."""
    with card("The days so far"):
        if plan.days:
            _draw_days(plan.days, advised, plan.spec.session)
            ui.button(f"Take back day {len(plan.days)}", icon="undo", on_click=undo).props("flat dense")
        else:
            ui.label("No day was reported yet.").classes("opacity-70")
        with ui.row().classes("gap-4 items-center"):
            ui.label("Take away:").classes("opacity-70")
            for label, path in FILES.items():
                ui.link(label, f"/api/v1/plans/{plan.id}/{path}").props("download")


def _draw_days(days: tuple[Day, ...], advised: dict[int, Advised], session: type[AbstractSession]) -> None:
    reported = {f"report {field.name}": field.name for field in session.report_fields}
    columns = {"day": "day", "result": "in all", "advised": "advised", **reported, "warnings": "pointed out"}
    rows = [_day_row(day, advised.get(day.number), session.report_fields) for day in days]
    shown = table(columns, rows, left=("advised", *reported, "warnings"))
    shown.classes("days").props(CARDS_ON_A_PHONE)


def _day_row(day: Day, advised: Advised | None, fields: tuple[ReportField, ...]) -> dict[str, Any]:
    return {
        "day": day.number,
        "advised": _listed(advised.ids if advised else ()),
        **{f"report {field.name}": _listed(_texts(day.report.get(field.name, ()), field)) for field in fields},
        "result": number_text(day.result, 4),
        "warnings": " ".join(day.warnings) or "–",
    }


def _texts(entries: Sequence[Any], field: ReportField) -> Iterable[Any]:
    """What a field of a report says, for people."""
    return (f"{name}: {number:g}" for name, number in entries) if field.has_numbers else entries


def _listed(texts: Iterable[Any]) -> str:
    return ", ".join(map(str, texts)) or "–"
