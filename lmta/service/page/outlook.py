"""The result by day beside what was expected, and forecasts from here."""

from typing import Any

from nicegui import ui

from lmta.service.desk import Desk, named_player
from lmta.service.forecast import Forecasts
from lmta.service.page import charts
from lmta.service.page.fields import NamesField, act_on
from lmta.service.page.parts import (
    accept,
    attempt,
    card,
    chart,
    number_text,
    policies_and,
    renew,
    session_of,
    show_error,
    table,
)
from lmta.service.schemas import PlanOut
from lmta.service.store import Forecast, Plan

FUTURES = 100
UNDER_WAY = ("queued", "running")


class Outlook:
    """One visitor's chart of one plan; made once, then renewed."""

    def __init__(self, desk: Desk, forecasts: Forecasts):
        self._desk = desk
        self._forecasts = forecasts
        self._curve: ui.echart | None = None
        self._compared: NamesField | None = None

    def draw(self, plan: Plan, where: PlanOut) -> None:
        """All of it as things stand now; the policies to compare stay as the user has them."""
        if self._compared is not None and self._compared.value == [self._where.policy]:
            self._compared.value = [where.policy]
        self._plan, self._where = plan, where
        if self._curve is None:
            with card("By day, and what to expect") as self._card:
                self._curve = chart(self._by_day(None), "result by day and what was expected", "h-72")
                self._expected = ui.column().classes("w-full gap-2")
                self._job_row = ui.row().classes("items-center w-full gap-3 no-wrap")
                self._asking = ui.column().classes("w-full gap-2")
        self._draw_lines()
        if where.finished:
            self._asking.clear()
            self._compared = None
        elif self._compared is None:
            with self._asking:
                self._compared = self._draw_ask()

    def _by_day(self, done: Forecast | None) -> dict[str, Any]:
        unit = session_of(self._where).result_name
        results = [day.result for day in self._plan.days]
        return charts.progress(self._where.days, results, unit, done and done.outcome)

    def _draw_lines(self) -> None:
        """The latest forecast that was finished."""
        assert self._curve is not None
        jobs = self._desk.store.forecasts(self._plan.id)
        done = next((job for job in jobs if job.status == "done"), None)
        renew(self._curve, self._by_day(done))
        self._expected.clear()
        with self._expected:
            if done is not None:
                self._draw_expected(done)
            elif not self._where.finished:
                ui.label("No forecast yet: ask for one below.").classes("opacity-70 text-sm")

    def _draw_expected(self, job: Forecast) -> None:
        rows = [
            {
                "policy": row["policy"],
                "mean": number_text(row["mean"]),
                "interval": f"{number_text(row['low'])} to {number_text(row['high'])}",
            }
            for row in sorted(job.outcome["policies"], key=lambda row: -row["mean"])
        ]
        columns = {"policy": "if this decides", "mean": "expected in the end", "interval": "9 of 10 futures"}
        table(columns, rows, left=("policy",)).classes("expected")
        made = job.outcome["day"]
        since = "" if made == self._where.day else ", without what has happened since"
        said = f"As seen on day {made}{since}: {job.request['futures']} futures with the same noise for everyone."
        ui.label(said).classes("opacity-70 text-sm")

    def _draw_ask(self) -> NamesField:
        def names() -> list[str]:
            return policies_and(self._where.kind, self._where.policy)

        def check(text: str, place: str) -> str:
            if text not in names():
                named_player(text, self._where.kind)
            return text

        chosen = NamesField("Compare policies", [self._where.policy], names, check).classes("w-full")
        ask = ui.button("Forecast", icon="insights").props("outline")

        async def start() -> None:
            wanted = accept(chosen.take)
            if wanted is None:
                return
            wanted = wanted or [self._where.policy]
            job = await attempt(self._forecasts.ask, self._plan.id, wanted, FUTURES, self._where.seed)
            if job is not None:
                self._follow(job, ask)

        act_on([chosen], ask, start)
        running = next((job for job in self._desk.store.forecasts(self._plan.id) if job.status in UNDER_WAY), None)
        if running is not None:
            self._follow(running, ask)
        return chosen

    def _follow(self, job: Forecast, ask: ui.button) -> None:
        """Show how a job gets on until it has ended."""

        async def look() -> None:
            jobs = await attempt(self._desk.store.forecasts, self._plan.id) or ()
            now = next((other for other in jobs if other.id == job.id), None)  # none where its day was taken back
            if now is not None and now.status in UNDER_WAY:
                bar.value = self._forecasts.progress(now)
                said.text = _stage(now.status, bar.value)
                return
            timer.cancel()
            self._job_row.clear()
            ask.set_enabled(True)
            if now is not None and now.status == "failed":
                show_error(now.outcome["error"])
            self._draw_lines()

        async def stop() -> None:
            await attempt(self._forecasts.cancel, self._plan.id, job.id)

        ask.set_enabled(False)
        self._job_row.clear()
        with self._job_row:
            ui.spinner(size="sm")
            said = ui.label(_stage(job.status, 0.0)).classes("text-sm whitespace-nowrap").props("role=status")
            bar = ui.linear_progress(0, show_value=False).classes("grow min-w-0").props('aria-label="forecast"')
            ui.button("Cancel", on_click=stop).props("flat dense")
        with self._card:
            timer = ui.timer(0.5, look)


def _stage(status: str, progress: float) -> str:
    """How far a job is, in a word or two."""
    if status == "queued":
        return "Waiting for its turn"
    return f"{progress:.0%} looked ahead" if progress else "Getting ready …"
