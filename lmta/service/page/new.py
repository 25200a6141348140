"""The form for a new campaign or tour: data, what they hold, settings."""

from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from typing import Any

from nicegui import events, ui

from lmta.advisor.plan import DEFAULT_POLICY
from lmta.problems.delimited import Content
from lmta.problems.orienteering.rules import OrienteeringRules
from lmta.service.data import SAMPLES, Kind, Preview, safe_name, sample_content
from lmta.service.desk import PROBLEM_OF, Begin, Desk, policies_for
from lmta.service.page import charts
from lmta.service.page.parts import attempt, card, chart, heading, show_error, upload
from lmta.types import InputError

FORMATS = {
    "campaign": "An edge list (CSV, TSV or text: source, target and, if you like, probability) or GraphML.",
    "tour": "CSV (name, x, y and, if you like, profit; the first is the start) or TSPLIB.",
}
KINDS: dict[Kind, str] = {"campaign": "Campaign on a network", "tour": "Tour through cities"}
RULES = {
    "limit": "Length of a day's route (1 is the largest distance)",
    "penalty": "Price of length beyond it",
    "crowding": "Price of many visits a day",
    "drift": "Profits move by at most this a day",
    "floor": "Profits never fall under",
}


class NewForm:
    """One visitor's form."""

    def __init__(self, desk: Desk):
        self._desk = desk
        self._kind: Kind = "campaign"
        self._content: Content | None = None
        self._looked_at: tuple[Content | None, Kind, bool | None] | None = None
        self._rules: dict[str, ui.number] = {}
        self._expected: Future[None] | None = None

    def draw(self) -> None:
        """The whole form."""
        heading("New campaign or tour", 1)
        with ui.element("div").classes("grid grid-cols-1 lg:grid-cols-2 gap-4 w-full items-start"):
            self._draw_data()
            with card("What the data hold") as box:
                box.classes("lg:row-span-2")
                self._preview = ui.column().classes("w-full gap-2")
                with self._preview:
                    ui.label("Choose a file or a sample to see it here.").classes("opacity-70")
            self._draw_settings()

    def _draw_data(self) -> None:
        with card("Data"):
            self._kinds = ui.radio(KINDS, value=self._kind, on_change=self._choose_kind).props("inline")
            self._formats = ui.label(FORMATS[self._kind]).classes("opacity-70 text-sm")
            self._upload = upload("Your file: choose it (+) or drop it here", self._desk.limits.bytes, self._take_file)
            self._both_ways = ui.checkbox("Every edge counts both ways", on_change=self._look_again)
            with ui.row().classes("items-center gap-2"):
                ui.label("Or a sample:")
                for sample in SAMPLES.values():
                    use = ui.button(sample.title, on_click=partial(self._take_sample, sample.name))
                    use.props("outline dense padding='xs md'").tooltip(sample.description)

    def _draw_settings(self) -> None:
        """Numbers are taken as they are typed: with bounds of its own a field would change them without a word."""
        with card("Settings"):
            self._title = ui.input("Title").classes("w-full").props("maxlength=200")
            with ui.element("div").classes("grid grid-cols-2 gap-3 w-full"):
                self._days = ui.number("Days", value=10).on("blur", self._expect)
                self._budget = ui.number("Budget (seeds or visits in all)", value=10).on("blur", self._expect)
                self._policy = ui.select(policies_for(self._kind), label="Who decides", with_input=True)
                self._seed = ui.number("Random seed", value=0)
            with ui.expansion("More").classes("w-full"):
                self._probability = ui.number("Probability of every edge where the data have none")
                self._probability.props("hint='1/indegree if empty'").classes("w-full")
                with ui.element("div").classes("grid grid-cols-1 sm:grid-cols-2 gap-3 w-full") as self._tour_settings:
                    for name, label in RULES.items():
                        self._rules[name] = ui.number(label, value=getattr(OrienteeringRules, name))
            self._begin = ui.button("Begin", icon="play_arrow", on_click=self._submit)
            self._begin.set_enabled(False)
            self._show_kind()

    def _show_kind(self) -> None:
        is_campaign = self._kind == "campaign"
        self._formats.text = FORMATS[self._kind]
        self._both_ways.set_visibility(is_campaign)
        self._probability.set_visibility(is_campaign)
        self._tour_settings.set_visibility(not is_campaign)
        self._policy.set_options(policies_for(self._kind), value=DEFAULT_POLICY[PROBLEM_OF[self._kind]])

    async def _choose_kind(self, event: events.ValueChangeEventArguments) -> None:
        self._kind = event.value
        self._show_kind()
        await self._look_again()

    async def _take_file(self, event: events.UploadEventArguments) -> None:
        before = self._content and self._content.name
        self._content = Content(safe_name(event.file.name), await event.file.read())
        if self._title.value in ("", before, *(sample.title for sample in SAMPLES.values())):
            self._title.value = self._content.name
        self._upload.reset()
        await self._look_again()

    async def _take_sample(self, name: str) -> None:
        sample = SAMPLES[name]
        self._content = sample_content(name)
        self._kind = self._kinds.value = sample.kind
        self._show_kind()
        self._both_ways.value = not sample.directed
        self._title.value, self._days.value, self._budget.value = sample.title, sample.days, sample.budget
        await self._look_again()

    async def _look_again(self) -> None:
        """Show what the data hold, or what must be mended."""
        wanted = (self._content, self._kind, self._both_ways.value)
        content = self._content
        if content is None or wanted == self._looked_at:
            return
        self._looked_at = wanted
        self._begin.set_enabled(False)
        self._preview.clear()
        with self._preview:
            ui.spinner(size="lg")
        seen = await attempt(self._desk.preview, content, self._kind, not self._both_ways.value)
        if wanted is not self._looked_at:
            return
        self._preview.clear()
        with self._preview:
            if seen is None:
                ui.label("It cannot be shown; choose another file.").props("role=alert")
                return
            self._show(*seen)
        self._begin.set_enabled(not seen[0].errors)
        if seen[0].errors:
            await self._suggest_other(content)
        else:
            self._expect()

    async def _suggest_other(self, content: Content) -> None:
        """Say so where the data are fit for the other kind."""
        other: Kind = "tour" if self._kind == "campaign" else "campaign"
        seen = await attempt(self._desk.preview, content, other, True)
        if seen is not None and not seen[0].errors and content is self._content:
            with self._preview:
                said = f"It can be read for a {other}, though: choose “{KINDS[other]}” if that is what you want."
                ui.label(said).props("role=status")

    def _expect(self) -> None:
        """Let the service get ready for what will probably be begun."""
        if not self._begin.enabled:
            return
        if self._expected is not None:
            self._expected.cancel()
        with suppress(InputError):  # told when it is begun
            self._expected = self._desk.expect(self._wanted())

    def _show(self, seen: Preview, warnings: list[str]) -> None:
        ui.label(seen.filename).classes("font-bold ids")
        for error in seen.errors:
            with ui.row().classes("items-start no-wrap gap-2").props("role=alert"):
                ui.icon("error", color="negative", size="sm")
                ui.label(error).classes("ids")
        if seen.errors:
            ui.label("Mend these and choose the file again.").classes("opacity-70")
            return
        for warning in warnings:
            with ui.row().classes("items-start no-wrap gap-2"):
                ui.icon("warning", color="warning", size="sm")
                ui.label(warning).classes("ids")
        is_campaign = seen.kind == "campaign"
        count = f"{seen.nodes:,} nodes, {seen.edges:,} directed edges" if is_campaign else f"{seen.nodes:,} cities"
        ui.label(count).classes("text-lg")
        what = "out-neighbours" if is_campaign else "profit"
        chart(charts.histogram(seen.histogram, what), "histogram", "h-64")
        ui.label("The first: " + ", ".join(str(name) for name in seen.first_ids)).classes("ids opacity-70 text-sm")

    async def _submit(self) -> None:
        try:
            wanted = self._wanted()
        except InputError as error:
            show_error(str(error))
            return
        self._begin.props("loading")
        begun = await attempt(self._desk.begin, wanted)
        self._begin.props(remove="loading")
        if begun is not None:
            ui.navigate.to(f"/plan/{begun[0].id}")

    def _wanted(self) -> Begin:
        assert self._content is not None
        if self._kind == "tour":
            rules = {name: _given(field.value, name) for name, field in self._rules.items()}
            more: dict[str, Any] = {"rules": OrienteeringRules(**rules)}
        else:
            more = {"directed": not self._both_ways.value, "probability": self._probability.value}
        return Begin(
            title=(self._title.value or self._content.name)[:200],
            kind=self._kind,
            content=self._content,
            days=_whole(self._days.value, "days"),
            budget=_whole(self._budget.value, "budget"),
            policy=self._policy.value,
            seed=_whole(self._seed.value, "seed"),
            **more,
        )


def _whole(value: float | None, field: str) -> int:
    number = _given(value, field)
    if number != int(number):
        raise InputError(f"{field}: {number:g} given, a whole number is needed.")
    return int(number)


def _given(value: float | None, field: str) -> float:
    if value is None:
        raise InputError(f"{field}: is empty; a number is needed.")
    return value
