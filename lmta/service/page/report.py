"""The form for what happened."""

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Any

from nicegui import ui

from lmta.advisor.plan import read_numbers
from lmta.problems.delimited import Content
from lmta.problems.session import AbstractSession, ReportField
from lmta.service.page.fields import Check, NamesField, act_on, number_field, read_number
from lmta.service.page.parts import accept, card, paste_button
from lmta.types import InputError, quoted


class ReportForm:
    """A day as it was: what was done, what of it failed, what was observed."""

    def __init__(self, session: AbstractSession, advised: list[str], given: dict[str, Any] | None):
        """The form begins with `given`, or with what was advised as done."""
        self.day = session.day
        self._session = session
        self._done = session.fields("done")[0].name
        self._given = given or {self._done: advised}
        self._names = [str(name) for name in session.ids]
        self._fields: dict[str, NamesField | NumbersField] = {}

    def draw(self, submit: Callable[[dict[str, Any]], Awaitable[bool]]) -> None:
        """The fields and the button that reports them; what is taken makes the form give way to the next."""

        async def report() -> None:
            taken = accept(self._take)
            if taken is None:
                return
            button.props("loading")
            box.props("inert")  # whatever is typed from now on would go with the form
            if not await submit(taken):
                button.props(remove="loading")
                box.props(remove="inert")

        with card("What happened") as box:
            for field in sorted(self._session.report_fields, key=lambda field: field.role != "done"):
                self._fields[field.name] = self._draw_field(field)
            button = ui.button(f"Report day {self.day}", icon="check")
            act_on([text for field in self._fields.values() for text in field.texts], button, report)
        self._begun = self._content()

    @property
    def is_touched(self) -> bool:
        """Whether it holds anything of the user's."""
        return self._content() != self._begun

    def advise(self, advised: list[str]) -> None:
        """Other advice for the same day; what is the user's stays."""
        done = self._done_field
        if done.content == self._begun[self._done]:
            done.value = list(advised)
            self._begun[self._done] = done.content

    def _content(self) -> dict[str, Any]:
        return {name: field.content for name, field in self._fields.items()}

    def _take(self) -> dict[str, Any]:
        """All that the form holds, what is only typed included."""
        return {name: field.take() for name, field in self._fields.items()}

    @property
    def _done_field(self) -> NamesField:
        field = self._fields[self._done]
        assert isinstance(field, NamesField)
        return field

    def _draw_field(self, field: ReportField) -> "NamesField | NumbersField":
        """A field of the report; only what was done can have failed."""
        given = self._given.get(field.name, ())
        if field.has_numbers:
            return NumbersField(self._session, self._names, field, given)
        chosen = [str(name) for name in given]
        if field.role != "failed":
            return _draw_ids(field.label, chosen, lambda: self._names, self._known)
        some = _draw_ids(field.label, chosen, lambda: self._done_field.value, self._known_as_done)
        self._done_field.on_value_change(some.offer)
        return some

    def _known(self, text: str, place: str) -> str:
        return str(self._session.name(text, place))

    def _known_as_done(self, text: str, place: str) -> str:
        name = self._known(text, place)
        if name not in self._done_field.value:
            raise InputError(f"{place}: {quoted(name)} is not among those above; name it there first.")
        return name


class NumbersField:
    """A number for each of some ids, one by one or many at once."""

    def __init__(
        self, session: AbstractSession, names: list[str], field: ReportField, known: Sequence[tuple[Any, float]]
    ):
        self._session = session
        self._field = field
        self._numbers = {str(name): number for name, number in known}
        what = field.number
        ui.label(field.label).classes("text-sm opacity-70")
        with ui.row().classes("items-start w-full no-wrap gap-2"):
            self._ids = NamesField(
                f"Whose {what}", (), lambda: names, lambda text, place: str(session.name(text, place))
            )
            self._ids.classes("grow min-w-0 ids")
            self._number = number_field(what.capitalize()).classes("w-24").on("keydown.enter", self._note)
            self.texts = (self._ids, self._number)
            add = ui.button(icon="add").props(f'flat round aria-label="add: {what}"').classes("mt-2")
            act_on(self.texts, add, self._note)
            paste_button(field.label, f"An id and its {what} a line: name,{what}", self._paste)
        self._shown = ui.row().classes("gap-1")
        self._show()

    @property
    def content(self) -> tuple[Any, ...]:
        """What is noted, and what is typed beside it."""
        return dict(self._numbers), self._ids.content, self._number.value

    def take(self) -> dict[str, float]:
        """All numbers, with what is typed; an id without a number is refused, and a number without an id."""
        name, what = self._field.name, self._field.number
        ids, number = self._ids.take(), read_number(self._number, name)
        if number is not None and not ids:
            raise InputError(f"{name}: {number:g} has no id; name it, or empty the field.")
        if number is None and ids:
            raise InputError(f"{name}: {quoted(ids[0])} has no {what}; give it, or take the id away.")
        if number is not None:
            self._add(dict.fromkeys(ids, number))
            self._ids.value, self._number.value = [], ""
        return dict(self._numbers)

    def _note(self) -> None:
        accept(self.take)

    def _paste(self, text: str) -> None:
        pasted = read_numbers(Content("pasted", text.encode()), self._session, self._field)
        self._add({str(name): number for name, number in pasted})

    def _add(self, numbers: dict[str, float]) -> None:
        self._numbers |= numbers
        self._show()

    def _show(self) -> None:
        self._shown.clear()
        with self._shown:
            for name, number in self._numbers.items():
                chip = ui.chip(f"{name}: {number:g}", removable=True)
                chip.on_value_change(partial(self._remove, name))

    def _remove(self, name: str) -> None:
        self._numbers.pop(name, None)


def _draw_ids(label: str, chosen: list[str], offered: Callable[[], Sequence[str]], check: Check) -> NamesField:
    """Ids, offered while typing or pasted."""
    with ui.row().classes("items-start w-full no-wrap gap-1"):
        field = NamesField(label, chosen, offered, check).classes("grow min-w-0 ids")
        paste_button(label, "One id a line", partial(_paste, field))
    return field


def _paste(field: NamesField, text: str) -> None:
    lines = enumerate(text.splitlines(), 1)
    field.add([name for number, line in lines for name in field.read(line, f"pasted, line {number}")])
