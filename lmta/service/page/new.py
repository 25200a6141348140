"""The form for a new plan: what it is, data, what they hold, settings."""

from collections.abc import Mapping
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from typing import Any

from nicegui import events, ui

from lmta.problems.delimited import Content
from lmta.problems.registry import session_words
from lmta.problems.spec import Sample, Spec
from lmta.service.data import Preview, safe_name, sample_content, samples
from lmta.service.desk import Begin, Desk, policies_for, preferred
from lmta.service.page import charts
from lmta.service.page.fields import act_on, number_field, require_number
from lmta.service.page.options import OptionsForm
from lmta.service.page.parts import accept, attempt, card, chart, heading, upload
from lmta.service.schemas import LONGEST_TITLE
from lmta.types import InputError


class NewForm:
    """One visitor's form."""

    def __init__(self, desk: Desk):
        self._desk = desk
        self._specs = session_words()
        self._kind = next(iter(self._specs))
        self._content: Content | None = None
        self._looked_at: tuple[Any, ...] | None = None
        self._expected: Future[None] | None = None

    @property
    def _spec(self) -> Spec:
        return self._specs[self._kind]

    def draw(self) -> None:
        """The whole form."""
        heading("New plan", 1)
        with ui.element("div").classes("grid grid-cols-1 lg:grid-cols-2 gap-4 w-full items-start"):
            self._draw_data()
            with card("What the data hold") as box:
                box.classes("lg:row-span-2")
                self._preview = ui.column().classes("w-full gap-2")
                with self._preview:
                    ui.label("Choose a file or a sample to see it here.").classes("opacity-70")
            self._draw_settings()

    def _draw_data(self) -> None:
        titles = {word: spec.session.title for word, spec in self._specs.items()}
        with card("Data"):
            self._kinds = ui.radio(titles, value=self._kind, on_change=self._choose_kind).props("inline")
            self._formats = ui.label().classes("opacity-70 text-sm")
            self._upload = upload("Your file: choose it (+) or drop it here", self._desk.limits.bytes, self._take_file)
            with ui.row().classes("items-center gap-2"):
                ui.label("Or a sample:")
                for spec, sample in samples():
                    use = ui.button(sample.title, on_click=partial(self._take_sample, spec.session.word, sample))
                    use.props("outline dense padding='xs md'").tooltip(sample.description)
            self._read = {
                word: OptionsForm(spec.own_data.options, self._look_again) for word, spec in self._specs.items()
            }

    def _draw_settings(self) -> None:
        with card("Settings"):
            self._title = ui.input("Title").classes("w-full")
            with ui.element("div").classes("grid grid-cols-2 gap-3 w-full"):
                self._days = number_field("Days", value=10).on("blur", self._expect)
                self._budget = number_field("Budget", value=10).on("blur", self._expect)
                self._policy = ui.select(policies_for(self._kind), label="Who decides")
                self._seed = number_field("Random seed", value=0)
            with ui.expansion("Rules").classes("w-full") as self._more:
                self._rules = {word: OptionsForm(spec.rules, self._expect) for word, spec in self._specs.items()}
            self._begin = ui.button("Begin", icon="play_arrow")
            self._begin.set_enabled(False)
            self._suggested = {field: field.value for field in (self._title, self._days, self._budget)}
            options = [text for form in (*self._read.values(), *self._rules.values()) for text in form.texts]
            act_on([*self._suggested, self._seed, *options], self._begin, self._submit)
            self._show_kind()

    def _show_kind(self) -> None:
        """The options, formats and policies of the problem that is chosen."""
        spec = self._spec
        self._formats.text = spec.own_data.describe
        self._budget.label = f"Budget ({spec.session.budget_name} in all)"
        for word in self._specs:
            self._read[word].box.set_visibility(word == self._kind)
            self._rules[word].box.set_visibility(word == self._kind)
        self._more.set_visibility(bool(self._rules[self._kind]))
        names, chosen = policies_for(self._kind), self._policy.value
        self._policy.set_options(names, value=chosen if chosen in names else preferred(self._kind))

    async def _choose_kind(self, event: events.ValueChangeEventArguments) -> None:
        self._kind = event.value
        self._show_kind()
        await self._look_again()

    async def _take_file(self, event: events.UploadEventArguments) -> None:
        self._content = Content(safe_name(event.file.name), await event.file.read())
        self._suggest(self._title, self._content.name)
        self._suggest_options({})
        self._upload.reset()
        await self._look_again()

    async def _take_sample(self, kind: str, sample: Sample) -> None:
        self._content = sample_content(sample)
        self._kind = self._kinds.value = kind
        self._show_kind()
        self._suggest_options(sample.options)
        self._suggest(self._title, sample.title)
        self._suggest(self._days, str(sample.days))
        self._suggest(self._budget, str(sample.budget))
        await self._look_again()

    def _suggest(self, field: ui.input, text: str) -> None:
        """Fill a field that is empty or has what was filled in last; what the user has typed stays."""
        if field.value in ("", self._suggested[field]):
            field.value = self._suggested[field] = text

    def _suggest_options(self, values: Mapping[str, Any]) -> None:
        for form in (self._read[self._kind], self._rules[self._kind]):
            form.suggest(values)

    async def _look_again(self) -> None:
        """Show what the data hold, or what must be mended."""
        content, read = self._content, accept(self._read[self._kind].values)
        wanted = (content, self._kind, read)
        if content is None or read is None or wanted == self._looked_at:
            return
        self._looked_at = wanted
        self._begin.set_enabled(False)
        self._preview.clear()
        with self._preview:
            ui.spinner(size="lg")
        seen = await attempt(self._desk.preview, content, self._kind, read)
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
        """Say so where the data are fit for another kind."""
        kind = self._kind
        for other, spec in self._specs.items():
            seen = None if other == kind else await attempt(self._desk.preview, content, other, {})
            if (content, kind) != (self._content, self._kind):
                return
            if seen is not None and not seen[0].errors:
                title = spec.session.title
                with self._preview:
                    said = f"It can be read for a {other}, though: choose “{title}” if that is what you want."
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
        edges = f", {seen.edges:,} edges" if seen.edges else ""
        ui.label(f"{seen.nodes:,} {seen.nodes_name}{edges}").classes("text-lg")
        chart(charts.histogram(seen.histogram, seen.histogram_of), "histogram", "h-64")
        ui.label("The first: " + ", ".join(str(name) for name in seen.first_ids)).classes("ids opacity-70 text-sm")

    async def _submit(self) -> None:
        wanted = accept(self._wanted)
        if wanted is None:
            return
        self._begin.props("loading")
        begun = await attempt(self._desk.begin, wanted)
        self._begin.props(remove="loading")
        if begun is not None:
            ui.navigate.to(f"/plan/{begun[0].id}")

    def _wanted(self) -> Begin:
        assert self._content is not None
        return Begin(
            title=self._title_text() or self._content.name,
            kind=self._kind,
            content=self._content,
            days=_whole(self._days, "days"),
            budget=_whole(self._budget, "budget"),
            policy=self._policy.value,
            seed=_whole(self._seed, "seed"),
            options=self._read[self._kind].values() | self._rules[self._kind].values(),
        )

    def _title_text(self) -> str:
        title = (self._title.value or "").strip()
        if len(title) > LONGEST_TITLE:
            raise InputError(f"title: {len(title)} characters given, at most {LONGEST_TITLE} are taken.")
        return title


def _whole(field: ui.input, name: str) -> int:
    number = require_number(field, name)
    if number != int(number):
        raise InputError(f"{name}: {number:g} given, a whole number is needed.")
    return int(number)
