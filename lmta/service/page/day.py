"""The day view: where things stand, what is advised and why, what happened, what to expect."""

from functools import partial
from typing import Any

import numpy as np
from nicegui import ui

from lmta.advisor.plan import read_names, read_profits
from lmta.problems.delimited import Content
from lmta.problems.influence.campaign import Campaign
from lmta.problems.orienteering.tour import Tour
from lmta.problems.session import Session
from lmta.service.desk import Desk, policies_for, standing
from lmta.service.forecast import Forecasts
from lmta.service.page import charts
from lmta.service.page.parts import (
    attempt,
    card,
    chart,
    heading,
    number_text,
    paste_button,
    progress_text,
    renew,
    result_text,
    show_error,
    show_warning,
    table,
)
from lmta.service.store import Advised, Day, Forecast, Plan

MOST_OPTIONS = 20_000
"""Ids that are offered while typing."""
FUTURES = 100
SHOWN_SUBGOALS = 8
FIELDS = {
    "campaign": {"seeded": "Seeded", "failed": "Of these failed", "activated": "Whom the cascade reached"},
    "tour": {"visited": "Visited, in order", "closed": "Of these were closed"},
}
"""The ids in a report and what the form calls them; what was done comes first."""
CARDS_ON_A_PHONE = ":grid=Quasar.Screen.lt.sm"
"""A card for each row where a table would be too wide."""
MEASURES = {"value": "value", "gain": "adds today"}


class DayView:
    """One visitor's view of one campaign or tour."""

    def __init__(self, desk: Desk, forecasts: Forecasts, name: str):
        self._desk = desk
        self._forecasts = forecasts
        self._name = name
        self._positions: np.ndarray | None = None
        self._profits: dict[str, float] = {}
        self._drawing: ui.echart | None = None
        self._curve: ui.echart | None = None

    async def draw(self) -> None:
        """Everything, then again whenever a day is over."""
        self._top = ui.column().classes("w-full gap-1")
        with ui.element("div").classes("grid grid-cols-1 lg:grid-cols-5 gap-4 w-full items-start"):
            with ui.element("div").classes("contents lg:flex flex-col gap-4 lg:col-span-3"):
                self._picture = ui.column().classes("w-full order-2 lg:order-none")
                self._outlook = ui.column().classes("w-full order-4 lg:order-none")
            with ui.element("div").classes("contents lg:flex flex-col gap-4 lg:col-span-2"):
                self._advice = ui.column().classes("w-full order-1 lg:order-none")
                self._report = ui.column().classes("w-full order-3 lg:order-none")
        self._past = ui.column().classes("w-full")
        await self._refresh()

    async def _refresh(self, given: dict[str, Any] | None = None) -> None:
        """Load where things stand and draw it; the advice may take a while. `given` is a report to begin with."""
        loaded = await attempt(self._load)
        if loaded is None:
            return
        self._plan, self._session = loaded
        self._where = standing(self._plan)
        self._draw_top()
        self._draw_past()
        self._draw_outlook()
        await self._draw_advice(given)

    def _load(self) -> tuple[Plan, Session]:
        plan = self._desk.store.plan(self._name)
        session = self._desk.session(plan)
        if isinstance(session, Campaign) and self._positions is None:
            self._positions = charts.places(session)
        return plan, session

    def _draw_top(self) -> None:
        where = self._where
        self._top.clear()
        with self._top:
            heading(where.title, 1)
            ui.label(f"{progress_text(where)} · {result_text(where)}").classes("text-base")
            ui.linear_progress((where.day - 1) / where.days, show_value=False).props("rounded")

    # --- advice ------------------------------------------------------------------------------------------------------

    async def _draw_advice(self, given: dict[str, Any] | None) -> None:
        """Today's advice with its reasons, and the picture that shows it."""
        self._advice.clear()
        self._report.clear()
        if self._where.finished:
            self._draw_picture([])
            with self._advice, card("It is done"):
                ui.label(f"All {self._where.days} days are over: {result_text(self._where)}.")
                ui.label("The whole story can be taken away below.").classes("opacity-70")
            return
        with self._advice, card(f"Day {self._where.day}: what to do"):
            waiting = ui.row().classes("items-center gap-3")
            with waiting:
                ui.spinner(size="md")
                ui.label("Thinking about today …")
        self._draw_picture([])
        advice = await attempt(self._desk.advice, self._name)
        self._advice.clear()
        with self._advice, card(f"Day {self._where.day}: what to do"):
            if advice is None:
                ui.label("There is no advice by this policy; choose another.").props("role=alert")
            else:
                self._draw_picks(advice)
            self._draw_policy()
        picks = [] if advice is None else [str(pick["id"]) for pick in advice["picks"]]
        if picks:
            self._draw_picture([self._session.index(name, "advice") for name in picks])
        self._draw_report(given or {next(iter(FIELDS[self._where.kind])): picks})

    def _draw_picks(self, advice: dict[str, Any]) -> None:
        is_campaign = self._where.kind == "campaign"
        if advice["picks"]:
            columns = {"rank": "", "id": "seed" if is_campaign else "visit, in this order", **MEASURES}
            table(columns, _rows(advice["picks"]), left=("id",)).classes("advice")
            stays = advice["budget_left"] - len(advice["picks"])
            ui.label(f"{stays} of the budget stay for later.").classes("opacity-70 text-sm")
        else:
            ui.label("Nothing is to be done today.")
        ui.label(f"Why: {advice['why']}").classes("ids")
        took = max(1, round(advice["milliseconds"]))
        compiled = " (the first decision of its size compiles, too)" if took >= 1_000 else ""
        ui.label(f"{advice['policy']} took {took:,} ms{compiled}.").classes("opacity-70 text-sm")
        if advice["search"] is not None:
            with ui.expansion("Subgoals that the search compared").classes("w-full"):
                _draw_subgoals(advice["search"])
        if advice["alternatives"]:
            with ui.expansion("Alternatives").classes("w-full"):
                table({"rank": "", "id": "instead", **MEASURES}, _rows(advice["alternatives"]), left=("id",))
                said = f"Each in place of the last pick, ranked by {advice['ranked_by']}."
                ui.label(said).classes("opacity-70 text-sm")

    def _draw_policy(self) -> None:
        async def choose(event: Any) -> None:
            if await attempt(self._desk.change, self._name, None, event.value, None):
                await self._refresh()

        chooser = ui.select(
            self._policies(), value=self._where.policy, label="Who decides", with_input=True, on_change=choose
        )
        chooser.classes("w-full")

    def _policies(self) -> list[str]:
        """Who may decide, and whoever does now."""
        return list(dict.fromkeys([*policies_for(self._where.kind), self._where.policy]))

    def _draw_picture(self, advised: list[int]) -> None:
        """The network or the map; made once, then renewed."""
        session = self._session
        if isinstance(session, Campaign):
            options = charts.network(session, self._positions, advised)
            title, label = "The network", "the network by status, advised nodes marked"
            part = self._positions is None
        else:
            assert isinstance(session, Tour)
            past = [[session.index(city, "history") for city in day.report["visited"]] for day in self._plan.days]
            options = charts.tour_map(session, advised, past)
            title, label, part = "The map", "the cities, with today's route", False
        if self._drawing is not None:
            renew(self._drawing, options)
            return
        with self._picture, card(title):
            if part:
                ui.label("Too large to draw whole: the neighbourhood of today's advice.").classes("opacity-70 text-sm")
            self._drawing = chart(options, label, "h-80 md:h-[28rem]")

    # --- report ------------------------------------------------------------------------------------------------------

    def _draw_report(self, given: dict[str, Any]) -> None:
        """The form for what happened, filled with what is given."""
        with self._report, card("What happened"):
            self._fields = {
                name: self._chooser(label, [str(one) for one in given.get(name, ())])
                for name, label in FIELDS[self._where.kind].items()
            }
            if self._where.kind == "tour":
                self._profits = {str(name): profit for name, profit in given.get("profits", ())}
                self._draw_profits()
            button = ui.button(f"Report day {self._where.day}", icon="check")
            button.on_click(partial(self._submit, button))
            self._newest = ui.row()

    def _chooser(self, label: str, chosen: list[str]) -> Any:
        """Ids, offered while typing or pasted; where there are too many to offer, typed in full."""
        names = [str(name) for name in self._session.ids]
        with ui.row().classes("items-center w-full no-wrap gap-1"):
            if len(names) > MOST_OPTIONS:
                field = ui.input_chips(label, value=chosen, new_value_mode="add-unique")
            else:
                field = ui.select(names, label=label, value=chosen, multiple=True, with_input=True)
                field.props("use-chips clearable")
            field.classes("grow min-w-0 ids")

            def add(text: str) -> None:
                pasted = read_names(_pasted(text), self._session)
                field.value = list(dict.fromkeys([*(field.value or ()), *map(str, pasted)]))

            paste_button(label, "One id a line", add)
        return field

    def _draw_profits(self) -> None:
        """Tomorrow's profits, one by one or many at once."""

        def show() -> None:
            known.clear()
            with known:
                for name, value in self._profits.items():
                    chip = ui.chip(f"{name}: {value:g}", removable=True)
                    chip.on_value_change(partial(remove, name))

        def remove(name: str) -> None:
            self._profits.pop(name, None)

        def note() -> None:
            if city.value is None or profit.value is None:
                show_error("profits: choose a city and give its profit.")
                return
            self._profits[city.value] = profit.value
            city.value = profit.value = None
            show()

        def paste(text: str) -> None:
            pasted = read_profits(_pasted(text), self._session)
            self._profits |= {str(name): value for name, value in pasted}
            show()

        names = [str(name) for name in self._session.ids]
        ui.label("Tomorrow's profits, where you know them").classes("text-sm opacity-70")
        with ui.row().classes("items-center w-full no-wrap gap-2"):
            city = ui.select(names[:MOST_OPTIONS], label="City", with_input=True).classes("grow min-w-0")
            profit = ui.number("Profit", min=0).classes("w-24")
            ui.button(icon="add", on_click=note).props('flat round aria-label="add this profit"')
            paste_button("Tomorrow's profits", "A city and its profit a line: name,profit", paste)
        known = ui.row().classes("gap-1")
        show()

    async def _submit(self, button: ui.button) -> None:
        report: dict[str, Any] = {name: list(field.value or ()) for name, field in self._fields.items()}
        if self._where.kind == "tour":
            report["profits"] = dict(self._profits)
        button.props("loading")
        day = await attempt(self._desk.report, self._name, self._where.day, report)
        button.props(remove="loading")
        if day is None:
            await self._offer_newest()
            return
        for warning in day.warnings:
            show_warning(warning)
        ui.notify(f"Day {day.number} is noted.", type="positive")
        await self._refresh()

    async def _offer_newest(self) -> None:
        """The way to the day that another tab has come to; what was typed stays until then."""
        plan = await attempt(self._desk.store.plan, self._name)
        self._newest.clear()
        if plan is not None and plan.day != self._where.day:
            with self._newest:
                ui.button("Go to the newest day", icon="update", on_click=self._refresh).props("outline")

    # --- outlook -----------------------------------------------------------------------------------------------------

    def _draw_outlook(self) -> None:
        """The result by day beside what was expected, and forecasts from here."""
        if self._curve is None:
            with self._outlook, card("By day, and what to expect"):
                self._curve = chart(self._by_day(None), "result by day and what was expected", "h-72")
                self._expected = ui.column().classes("w-full gap-2")
                self._job_row = ui.row().classes("items-center w-full gap-3")
                self._asking = ui.column().classes("w-full gap-2")
        self._draw_lines()
        self._asking.clear()
        if not self._where.finished:
            with self._asking:
                self._draw_ask()

    def _by_day(self, done: Forecast | None) -> dict[str, Any]:
        unit = "nodes reached" if self._where.kind == "campaign" else "profit earned"
        results = [day.result for day in self._plan.days]
        return charts.progress(self._where.days, results, unit, done and done.outcome)

    def _draw_lines(self) -> None:
        """The latest forecast that was finished."""
        assert self._curve is not None
        jobs = self._desk.store.forecasts(self._name)
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
        said = f"As seen on day {made}{since}: {job.request['futures']} futures with the same luck for everyone."
        ui.label(said).classes("opacity-70 text-sm")

    def _draw_ask(self) -> None:
        own = self._where.policy
        chosen = ui.select(self._policies(), label="Compare policies", value=[own], multiple=True, with_input=True)
        chosen.classes("w-full").props("use-chips")
        ask = ui.button("Forecast", icon="insights").props("outline")

        async def start() -> None:
            names = list(chosen.value or [own])
            job = await attempt(self._forecasts.ask, self._name, names, FUTURES, self._where.seed)
            if job is not None:
                self._follow(job, ask)

        ask.on_click(start)
        running = next((j for j in self._desk.store.forecasts(self._name) if j.status in ("queued", "running")), None)
        if running is not None:
            self._follow(running, ask)

    def _follow(self, job: Forecast, ask: ui.button) -> None:
        """Show how a job gets on until it has ended."""

        async def look() -> None:
            jobs = await attempt(self._desk.store.forecasts, self._name) or ()
            now = next((other for other in jobs if other.id == job.id), None)  # none where its day was taken back
            if now is not None and now.status in ("queued", "running"):
                bar.value = self._forecasts.progress(now)
                return
            timer.cancel()
            self._job_row.clear()
            ask.set_enabled(True)
            if now is not None and now.status == "failed":
                show_error(now.outcome["error"])
            self._draw_lines()

        async def stop() -> None:
            await attempt(self._forecasts.cancel, self._name, job.id)

        ask.set_enabled(False)
        self._job_row.clear()
        with self._job_row:
            ui.spinner(size="sm")
            bar = ui.linear_progress(0, show_value=False).classes("grow").props('aria-label="forecast"')
            ui.button("Cancel", on_click=stop).props("flat dense")
        with self._outlook:
            timer = ui.timer(0.5, look)

    # --- past --------------------------------------------------------------------------------------------------------

    def _draw_past(self) -> None:
        self._past.clear()
        with self._past, card("The days so far"):
            if self._plan.days:
                self._draw_days()
                last = len(self._plan.days)
                ui.button(f"Take back day {last}", icon="undo", on_click=self._undo).props("flat dense")
            else:
                ui.label("No day was reported yet.").classes("opacity-70")
            address = f"/api/v1/plans/{self._name}"
            with ui.row().classes("gap-4 items-center"):
                ui.label("Take away:").classes("opacity-70")
                for label, path in (
                    ("JSON", "export.json"),
                    ("CSV", "export.csv"),
                    ("state for lmta plan", "state"),
                    ("data", "data"),
                ):
                    ui.link(label, f"{address}/{path}").props("download")

    def _draw_days(self) -> None:
        is_campaign = self._where.kind == "campaign"
        names = ("seeded", "failed", "reached") if is_campaign else ("visited", "closed", "profits")
        reported = dict(zip(("done", "failed", "seen"), names, strict=True))
        columns = {"day": "day", "result": "in all", "advised": "advised", **reported, "warnings": "pointed out"}
        advised = self._desk.store.advised(self._name)
        rows = [_day_row(day, advised.get(day.number)) for day in self._plan.days]
        table(columns, rows, left=("advised", "done", "failed", "seen", "warnings")).classes("days").props(
            CARDS_ON_A_PHONE
        )

    async def _undo(self) -> None:
        last = self._plan.days[-1]
        if await attempt(self._desk.undo, self._name, last.number):
            await self._refresh(last.report)
        else:
            await self._refresh()


def _pasted(text: str) -> Content:
    """What was pasted, as a file that messages can name."""
    return Content("pasted", text.encode())


def _rows(picks: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [
        {"rank": rank, "id": str(p["id"]), "value": number_text(p["value"]), "gain": number_text(p["gain"])}
        for rank, p in enumerate(picks, 1)
    ]


def _draw_subgoals(search: dict[str, Any]) -> None:
    rows = [
        {
            "subgoal": f"{one['subgoal']}{' (chosen)' if one['subgoal'] == search['subgoal'] else ''}",
            "share": f"{one['share'] or 0:.0%}",
            "value": number_text(one["value"]),
        }
        for one in search["subgoals"][:SHOWN_SUBGOALS]
    ]
    table({"subgoal": "subgoal", "share": "share", "value": "rough estimate from today on"}, rows)


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
