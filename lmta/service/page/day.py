"""The day view: where things stand, what is advised and why, what happened, what to expect."""

from functools import partial
from typing import Any

import numpy as np
from nicegui import run, ui

from lmta.problems.session import AbstractSession
from lmta.service.desk import Desk, standing
from lmta.service.forecast import Forecasts
from lmta.service.page.advice import draw_advice, draw_waiting
from lmta.service.page.outlook import Outlook
from lmta.service.page.parts import (
    ask,
    attempt,
    card,
    chart,
    heading,
    policies_and,
    progress_text,
    renew,
    result_text,
    show_warning,
)
from lmta.service.page.past import draw_past
from lmta.service.page.report import ReportForm
from lmta.service.store import Day, Plan

A_MOMENT = 3.0
"""Seconds after which the service gets ready for tomorrow: compiling at once would delay the page itself."""
TO_THE_TOP = "window.scrollTo({top: 0, behavior: 'smooth'})"


class DayView:
    """One visitor's view of one plan."""

    def __init__(self, desk: Desk, forecasts: Forecasts, name: str):
        self._desk = desk
        self._name = name
        self._chart = Outlook(desk, forecasts)
        self._positions: np.ndarray | None = None
        self._advised: list[int] = []
        self._drawing: ui.echart | None = None
        self._form: ReportForm | None = None
        self._latest = 0
        self._taken_back: Day | None = None

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
        with self._top, ui.row().classes("items-center gap-3").props("role=status"):
            ui.spinner(size="lg")
            ui.label("Opening …")
        await self._refresh()

    async def _refresh(self) -> None:
        """Load where things stand and draw it; the advice may take a while, and who asks anew meanwhile takes over."""
        self._latest += 1
        mine = self._latest
        loaded = await attempt(self._load)
        if loaded is None or mine != self._latest:
            return
        self._plan, self._session = loaded
        self._where = standing(self._plan)
        self._draw_top()
        if not self._picture.default_slot.children:
            self._begin_picture()
        self._past.clear()
        with self._past:
            draw_past(self._plan, self._desk.store.advised(self._name), self._undo)
        with self._outlook:
            self._chart.draw(self._plan, self._where)
        await self._draw_today(mine)

    def _load(self) -> tuple[Plan, AbstractSession]:
        plan = self._desk.store.plan(self._name)
        return plan, self._desk.session(plan)

    def _draw_top(self) -> None:
        where = self._where
        self._top.clear()
        with self._top:
            heading(where.title, 1)
            ui.label(f"{progress_text(where)} · {result_text(where)}").classes("text-base")
            ui.linear_progress((where.day - 1) / where.days, show_value=False).props("rounded")

    async def _draw_today(self, mine: int) -> None:
        """Today's advice with its reasons, the picture that shows it, and the form for what happens then."""
        self._advice.clear()
        self._report.set_visibility(False)
        if self._form is not None and self._form.day != self._where.day:
            self._report.clear()
            self._form = None
        if self._where.finished:
            self._show_picture([])
            with self._advice, card("It is done"):
                ui.label(f"All {self._where.days} days are over: {result_text(self._where)}.")
                ui.label("The whole story can be taken away below.").classes("opacity-70")
            return
        title = f"Day {self._where.day}: what to do"
        with self._advice, card(title):
            draw_waiting(self._where.policy, partial(self._desk.thinks_of, self._name))
        advice = await attempt(self._desk.advise, self._name)
        if mine != self._latest:
            return
        self._advice.clear()
        with self._advice, card(title):
            if advice is None:
                ui.label("There is no advice by this policy; choose another.").props("role=alert")
            else:
                draw_advice(advice, type(self._session))
            self._draw_policy()
        picks = [] if advice is None else [str(pick["id"]) for pick in advice["picks"]]
        self._show_picture(picks)
        self._draw_report(picks)

    def _draw_report(self, picks: list[str]) -> None:
        """The form of a day stays for as long as the day does, and with it all that was typed or taken back."""
        if self._form is None:
            back = self._taken_back
            given = back.report if back is not None and back.number == self._where.day else None
            with self._report:
                self._form = ReportForm(self._session, picks, given)
                self._form.draw(self._submit)
                self._newest = ui.row()
        else:
            self._form.advise(picks)
        self._report.set_visibility(True)
        with self._report:
            ui.timer(A_MOMENT, partial(self._desk.get_ready, self._plan), once=True)

    def _draw_policy(self) -> None:
        async def choose(event: Any) -> None:
            if await attempt(self._desk.change, self._name, None, event.value, None):
                await self._refresh()

        names = policies_and(self._where.kind, self._where.policy)
        chooser = ui.select(names, value=self._where.policy, label="Who decides", on_change=choose)
        chooser.classes("w-full")

    def _begin_picture(self) -> None:
        """The frame of the picture. A large network takes a while to lay out, and nothing waits for that."""
        view, instance = self._plan.spec.view, self._session.instance

        async def lay_out() -> None:
            if view.fits_in_page(instance):
                self._positions = await run.io_bound(view.layout, instance)
            frame.clear()
            with frame:
                if self._positions is None:
                    said = "Too large to draw whole: the neighbourhood of today's advice."
                    ui.label(said).classes("opacity-70 text-sm")
                self._drawing = chart(self._picture_now(), f"{view.title}, with today's advice", "h-80 md:h-[28rem]")

        with self._picture, card(view.title):
            frame = ui.column().classes("w-full gap-1 min-h-80 md:min-h-[28rem]")
            with frame:
                ui.spinner(size="lg")
                ui.timer(0, lay_out, once=True)

    def _picture_now(self) -> dict[str, Any]:
        """Where things stand, with what is advised and what was done."""
        session, plan = self._session, self._plan
        past = [[session.index(name, "history") for name in day.report[plan.done]] for day in plan.days]
        return plan.spec.view.chart(session, self._positions, self._advised, past)

    def _show_picture(self, advised: list[str]) -> None:
        self._advised = [self._session.index(name, "advice") for name in advised]
        if self._drawing is not None:
            renew(self._drawing, self._picture_now())

    async def _submit(self, report: dict[str, Any]) -> bool:
        """Report the day; whether it was taken."""
        day = await attempt(self._desk.report, self._name, self._where.day, report)
        if day is None:
            await self._offer_newest()
            return False
        self._taken_back = None
        for warning in day.warnings:
            show_warning(warning)
        ui.notify(f"Day {day.number} is noted.", type="positive")
        ui.run_javascript(TO_THE_TOP)
        await self._refresh()
        return True

    async def _offer_newest(self) -> None:
        """The way to the day that another tab has come to; what was typed stays until then."""
        plan = await attempt(self._desk.store.plan, self._name)
        self._newest.clear()
        if plan is not None and plan.day != self._where.day:
            with self._newest:
                ui.button("Go to the newest day", icon="update", on_click=self._refresh).props("outline")

    async def _undo(self) -> None:
        last = self._plan.days[-1]
        if self._form is not None and self._form.is_touched:
            lost = f"What the form holds for day {self._form.day} would be lost."
            if not await ask(f"Take back day {last.number}?", lost, "Take back"):
                return
        if await attempt(self._desk.undo, self._name, last.number):
            ui.notify(f"Day {last.number} is taken back; what was reported stands in the form again.", type="positive")
            ui.run_javascript(TO_THE_TOP)
            self._taken_back = last
        await self._refresh()
