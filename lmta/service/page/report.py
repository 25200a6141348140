"""The form for what happened."""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

from nicegui import ui

from lmta.advisor.plan import read_names, read_profits
from lmta.problems.delimited import Content
from lmta.problems.session import Session
from lmta.service.data import Kind
from lmta.service.page.parts import card, paste_button, show_error
from lmta.types import InputError, quoted

MOST_OPTIONS = 20_000
"""Ids that are offered while typing."""
DONE = {"campaign": ("seeded", "Seeded"), "tour": ("visited", "Visited, in order")}
FAILED = {"campaign": ("failed", "Of these failed"), "tour": ("closed", "Of these were closed")}
REACHED = ("activated", "Whom the cascade reached")
"""The ids in a report and what the form calls them."""


class ReportForm:
    """A day as it was: what was done, what of it failed, what was observed."""

    def __init__(self, session: Session, kind: Kind, given: dict[str, Any]):
        """`given` is what the form is filled with."""
        self._session = session
        self._kind: Kind = kind
        self._given = given
        self._names = [str(name) for name in session.ids]
        self._fields: dict[str, Any] = {}
        self._profits = {str(name): profit for name, profit in given.get("profits", ())}

    def draw(self, day: int, submit: Callable[[dict[str, Any]], Awaitable[bool]]) -> None:
        """The fields and the button that reports them; what is taken makes the form give way to the next."""

        async def report() -> None:
            button.props("loading")
            if not await submit(self._report()):
                button.props(remove="loading")

        with card("What happened"):
            (done, label), (failed, label_of_failed) = DONE[self._kind], FAILED[self._kind]
            self._draw_ids(done, label, self._names)
            self._draw_some_of(done, failed, label_of_failed)
            if self._kind == "campaign":
                self._draw_ids(*REACHED, self._names)
            else:
                self._draw_profits()
            button = ui.button(f"Report day {day}", icon="check", on_click=report)

    def _report(self) -> dict[str, Any]:
        report: dict[str, Any] = {name: list(field.value or ()) for name, field in self._fields.items()}
        return report | {"profits": dict(self._profits)} if self._kind == "tour" else report

    def _draw_ids(self, name: str, label: str, offered: list[str]) -> None:
        """Ids, offered while typing or pasted; where there are too many to offer, typed in full."""
        chosen = [str(one) for one in self._given.get(name, ())]
        with ui.row().classes("items-center w-full no-wrap gap-1"):
            if len(offered) > MOST_OPTIONS:
                field = ui.input_chips(label, value=chosen, new_value_mode="add-unique")
            else:
                field = ui.select(offered, label=label, value=chosen, multiple=True, with_input=True)
                field.props("use-chips clearable")
            field.classes("grow min-w-0 ids")
            paste_button(label, "One id a line", partial(self._paste, field))
        self._fields[name] = field

    def _draw_some_of(self, whole: str, name: str, label: str) -> None:
        """Ids of which only those in another field can be chosen."""
        done = self._fields[whole]
        self._draw_ids(name, label, list(done.value))
        some = self._fields[name]

        def follow() -> None:
            now = list(done.value or ())
            some.set_options(now, value=[one for one in some.value or () if one in now])

        done.on_value_change(follow)

    def _paste(self, field: Any, text: str) -> None:
        pasted = [str(name) for name in read_names(_pasted(text), self._session)]
        unknown = set(pasted) - set(field.options) if isinstance(field, ui.select) else set()
        if unknown:
            raise InputError(f"pasted: {quoted(min(unknown))} is not among those above; name it there first.")
        field.value = list(dict.fromkeys([*(field.value or ()), *pasted]))

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

        ui.label("Tomorrow's profits, where you know them").classes("text-sm opacity-70")
        with ui.row().classes("items-center w-full no-wrap gap-2"):
            city = ui.select(self._names[:MOST_OPTIONS], label="City", with_input=True).classes("grow min-w-0")
            profit = ui.number("Profit").classes("w-24")
            ui.button(icon="add", on_click=note).props('flat round aria-label="add this profit"')
            paste_button("Tomorrow's profits", "A city and its profit a line: name,profit", paste)
        known = ui.row().classes("gap-1")
        show()


def _pasted(text: str) -> Content:
    """What was pasted, as a file that messages can name."""
    return Content("pasted", text.encode())
