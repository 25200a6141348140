"""The addresses of the page, and what all of them share."""

from collections.abc import Iterator
from contextlib import contextmanager

from fastapi import FastAPI
from nicegui import run, ui

from lmta.service.desk import Desk, standing
from lmta.service.forecast import Forecasts
from lmta.service.page.bring import BringForm
from lmta.service.page.day import DayView
from lmta.service.page.new import NewForm
from lmta.service.page.parts import ask, attempt, heading, progress_text, result_text, session_of
from lmta.service.schemas import PlanOut
from lmta.service.store import NotFoundError, Plan

PATIENCE = 3600.0
"""Seconds for which a page that lost its connection keeps what was typed into it."""
SILENCE = 60.0
"""A connection is given up after about this many seconds of silence; a browser that draws a large network is silent."""
STYLE = """
:root { color-scheme: light dark; }
body { font-size: 16px; }
.nicegui-content { padding: 0; }
a:focus-visible, button:focus-visible, [tabindex]:focus-visible { outline: 3px solid #f0a202; outline-offset: 2px; }
.body--dark :is(.q-btn--outline, .q-btn--flat, .q-field, .q-radio, .q-checkbox, .q-menu) {
  --q-primary: #7cc0e8; --q-negative: #ff8a80;
}
.body--dark main a { color: #7cc0e8; }
.ids { overflow-wrap: anywhere; }
.q-table th { white-space: nowrap; overflow-wrap: normal; }
.q-table td { min-width: 3rem; }
.q-table td.text-left { min-width: 6rem; }
.q-uploader__subtitle { display: none; }
.days .q-table__grid-item-card { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 4px 12px; }
.days .q-table__grid-item-row + .q-table__grid-item-row { margin-top: 0; }
.patience { animation: appear 0.3s 1s both; }
@keyframes appear { from { opacity: 0; } }
"""
KEPT_THEME = """<script>
addEventListener("load", () => {
  const kept = localStorage.getItem("lmta-dark");
  if (kept !== null) setDark(kept === "true");
});
</script>"""
SWITCH_THEME = """() => {
  const dark = !document.body.classList.contains("body--dark");
  localStorage.setItem("lmta-dark", dark);
  setDark(dark);
}"""


def add_pages(app: FastAPI, desk: Desk, forecasts: Forecasts) -> None:
    """Put the page beside the API."""

    @ui.page("/", title="lmta advisor")
    async def list_page() -> None:
        with _frame():
            heading("Plans", 1)
            with _waiting():
                await ui.context.client.connected()
                plans = await attempt(desk.store.plans)
            _show_list(desk, plans or [])

    @ui.page("/new", title="New · lmta advisor", reconnect_timeout=PATIENCE)
    def new_page() -> None:
        with _frame():
            NewForm(desk).draw()
            BringForm(desk).draw()

    @ui.page("/plan/{name}", title="lmta advisor", reconnect_timeout=PATIENCE)
    async def plan_page(name: str) -> None:
        with _frame():
            try:
                with _waiting():
                    await ui.context.client.connected()
                    plan = await run.io_bound(desk.store.plan, name)
            except NotFoundError:
                heading("It is not here", 1)
                ui.label("This plan may have been removed.")
                ui.link("See all", "/")
                return
            assert plan is not None
            ui.page_title(f"{plan.title} · lmta advisor")
            await DayView(desk, forecasts, name).draw()

    ui.run_with(
        app,
        title="lmta advisor",
        favicon="🧭",
        dark=None,
        language="en-US",
        reconnect_timeout=SILENCE,
        show_welcome_message=False,
    )


@contextmanager
def _frame() -> Iterator[None]:
    """The head of every page, and room for its content."""
    ui.add_css(STYLE)
    ui.colors(primary="#2e6f95", secondary="#f0a202", negative="#c0392b", positive="#2f8f5b")
    ui.add_head_html(KEPT_THEME)
    with ui.header().classes("items-center justify-between px-4 py-2"):
        ui.link("lmta advisor", "/").classes("text-white text-lg font-bold no-underline")
        with ui.row().classes("items-center gap-1"):
            ui.button("New", icon="add", on_click=lambda: ui.navigate.to("/new")).props("flat color=white")
            theme = ui.button(icon="contrast").props('flat round color=white aria-label="dark or light"')
            theme.on("click", js_handler=SWITCH_THEME)
            ui.link("API", "/docs").classes("text-white text-sm")
    with ui.column().classes("w-full max-w-screen-xl mx-auto p-3 md:p-5 gap-4"):
        yield


@contextmanager
def _waiting() -> Iterator[None]:
    """A sign that something is on its way."""
    sign = ui.spinner(size="lg")
    try:
        yield
    finally:
        sign.delete()


def _show_list(desk: Desk, plans: list[Plan]) -> None:
    if not plans:
        with ui.card().classes("w-full items-center p-8 gap-3"):
            ui.icon("explore", size="3rem").classes("opacity-60")
            ui.label("Nothing here yet.").classes("text-lg")
            ui.label("Bring your own data, or begin with a sample.").classes("opacity-70 text-center")
            ui.button("Begin", on_click=lambda: ui.navigate.to("/new"))
        return
    with ui.element("div").classes("grid grid-cols-1 md:grid-cols-2 xl:grid-cols-3 gap-4 w-full"):
        for plan in plans:
            _card(desk, standing(plan))


def _card(desk: Desk, where: PlanOut) -> None:
    with ui.card().classes("w-full gap-2"):
        with ui.row().classes("items-center gap-2 no-wrap w-full"):
            ui.icon(session_of(where).icon, size="sm").classes("opacity-70")
            ui.link(where.title, f"/plan/{where.id}").classes("text-lg font-bold ids")
        ui.label(progress_text(where))
        ui.linear_progress((where.day - 1) / where.days, show_value=False).props("rounded")
        ui.label(f"{result_text(where)} · {where.policy}").classes("opacity-70 text-sm")
        with ui.row().classes("w-full justify-end gap-1"):
            ui.button("Remove", on_click=lambda: _ask_to_remove(desk, where)).props("flat dense color=negative")
            label = "Look" if where.finished else "Go on"
            ui.button(label, on_click=lambda: ui.navigate.to(f"/plan/{where.id}")).props("dense padding='xs md'")


async def _ask_to_remove(desk: Desk, where: PlanOut) -> None:
    if await ask("Remove this for good?", where.title, "Remove"):
        await attempt(desk.remove, where.id)
        ui.navigate.reload()
