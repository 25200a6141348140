"""The days so far, and what can be taken away."""

from collections.abc import Awaitable, Callable
from typing import Any

from nicegui import ui

from lmta.service.data import Kind
from lmta.service.desk import kind_of
from lmta.service.page.parts import card, number_text, table
from lmta.service.store import Advised, Day, Plan

CARDS_ON_A_PHONE = ":grid=Quasar.Screen.lt.sm"
"""A card for each row where a table would be too wide."""
REPORTED = {"campaign": ("seeded", "failed", "reached"), "tour": ("visited", "closed", "profits")}
FILES = {"JSON": "export.json", "CSV": "export.csv", "state for lmta plan": "state", "data": "data"}


def draw_past(plan: Plan, advised: dict[int, Advised], undo: Callable[[], Awaitable[None]]) -> None:
    """Every day as it was advised and reported."""
    with card("The days so far"):
        if plan.days:
            _draw_days(plan.days, advised, kind_of(plan.beginning))
            ui.button(f"Take back day {len(plan.days)}", icon="undo", on_click=undo).props("flat dense")
        else:
            ui.label("No day was reported yet.").classes("opacity-70")
        with ui.row().classes("gap-4 items-center"):
            ui.label("Take away:").classes("opacity-70")
            for label, path in FILES.items():
                ui.link(label, f"/api/v1/plans/{plan.id}/{path}").props("download")


def _draw_days(days: tuple[Day, ...], advised: dict[int, Advised], kind: Kind) -> None:
    reported = dict(zip(("done", "failed", "seen"), REPORTED[kind], strict=True))
    columns = {"day": "day", "result": "in all", "advised": "advised", **reported, "warnings": "pointed out"}
    rows = [_day_row(day, advised.get(day.number)) for day in days]
    shown = table(columns, rows, left=("advised", "done", "failed", "seen", "warnings"))
    shown.classes("days").props(CARDS_ON_A_PHONE)


def _day_row(day: Day, advised: Advised | None) -> dict[str, Any]:
    report = day.report
    done = report.get("seeded", report.get("visited", ()))
    failed = report.get("failed", report.get("closed", ()))
    seen = report.get("activated") or [f"{name}: {profit:g}" for name, profit in report.get("profits", ())]
    return {
        "day": day.number,
        "advised": ", ".join(map(str, advised.ids if advised else ())) or "–",
        "done": ", ".join(map(str, done)) or "–",
        "failed": ", ".join(map(str, failed)) or "–",
        "seen": ", ".join(map(str, seen)) or "–",
        "result": number_text(day.result, 4),
        "warnings": " ".join(day.warnings) or "–",
    }
