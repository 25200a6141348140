"""Fields for typed text, none of which is lost: it is taken, or it stays and is refused by name."""

import json
import math
import re
from collections.abc import Callable, Container, Iterable, Sequence
from contextlib import suppress
from heapq import nsmallest
from itertools import islice
from typing import Any

from nicegui import events, ui

from lmta.types import InputError, quoted

MOST_OFFERED = 50
"""Names that are offered at once."""
MOST_SEARCHED = 100_000
"""Names among which a keystroke looks for those to offer, so that it holds nobody up; the others are typed in full."""
SEPARATORS = ("\n", ",", r"\s+")
"""What stands between names, the surest first: a name may have commas or spaces in it."""
HINT = "Enter adds what is typed: one, or several with commas or spaces between"

Check = Callable[[str, str], str]
"""The name that a text stands for, or an error that begins with the given place of the text."""

# Left to itself, Quasar empties the field when it loses the focus and on Escape, and the browser drops line breaks.
KEEP_ON_BLUR = """() => {
  const text = getHtmlElement(ID).value;
  queueMicrotask(() => getElement(ID).updateInputValue(text, true));
}"""
KEEP_ON_ESCAPE = "() => getElement(ID).hidePopup()"
KEEP_LINES = r"""(event) => {
  const text = event.clipboardData.getData("text").trim();
  if (!text.includes("\n")) return;
  event.preventDefault();
  document.execCommand("insertText", false, text.replace(/\s*\n\s*/g, ", "));
}"""
# Text leaves the field only when the server has taken it; until then a comma keeps the next name apart.
ENTER = "(text) => { getElement(ID).updateInputValue(text + ', ', true); emit(text); }"
ANSWER = """(sent, left) => {
  const text = getHtmlElement(ID).value;
  let here = sent;  // without the names at its beginning that an earlier answer has taken away
  while (!text.startsWith(here)) here = here.replace(/^.*?(, |$)/, "");
  if (!left || text === sent) getElement(ID).updateInputValue(left + text.slice(here.length), true);
}"""
SEND = "getElement(ID)?.$emit('EVENT', getHtmlElement(ID).value);"


def read_list(text: str, place: str, check: Check, separators: Sequence[str] = SEPARATORS) -> list[str]:
    """The names in a text, which may be one or a list; what is none is told as a whole where no word of it is one."""
    if not text.strip():
        return []
    try:
        return [check(text.strip(), place)]
    except InputError:
        if not separators:
            raise
        parts = [part for part in re.split(separators[0], text) if part.strip()]
        if len(separators) == 1 and not any(_is_name(part, check) for part in parts):
            raise
    return [name for part in parts for name in read_list(part, place, check, separators[1:])]


def _is_name(text: str, check: Check) -> bool:
    try:
        check(text, "")
    except InputError:
        return False
    return True


def best_matches(text: str, names: Sequence[str], chosen: Container[str]) -> list[str]:
    """Names not chosen yet that have the text in them: first those that begin with it, and of these the shortest."""
    needle = text.strip().casefold()
    searched = islice(names, MOST_SEARCHED)
    found = (name for name in searched if needle in name.casefold() and name not in chosen)
    if not needle:
        return list(islice(found, MOST_OFFERED))
    return nsmallest(MOST_OFFERED, found, lambda name: (not name.casefold().startswith(needle), len(name)))


class NamesField(ui.input_chips):
    """Names as chips, offered while typing.

    What is chosen and what is typed are known here at every moment. The browser says which name to add or to remove: a
    whole list that it sent could be older than ours.
    """

    def __init__(self, label: str, chosen: Sequence[str], offered: Callable[[], Sequence[str]], check: Check):
        """`offered` gives the names to choose from, `check` tells which of them a text stands for."""
        super().__init__(label, value=list(chosen), clearable=True)
        self._offered = offered
        self._check = check
        self._typed = ""
        self.texts = (self,)
        """Where text is typed."""
        self.props(f'behavior=menu hint="{HINT}" hide-hint').props(remove="hide-dropdown-icon")
        self.on("input-value", self._follow)
        self.on("input", self._forgive, js_handler="() => emit()")
        self.on("filter", js_handler="(text, update) => update()")
        self.on("new-value", self._enter, js_handler=self._script(ENTER))
        self.on("add", self._choose, js_handler="(added) => emit(added.value)")
        self.on("remove", self._remove, js_handler="(removed) => emit(removed.value)")
        self.on("blur", js_handler=self._script(KEEP_ON_BLUR))
        self.on("keydown.escape", js_handler=self._script(KEEP_ON_ESCAPE))
        self.on("paste", js_handler=KEEP_LINES)
        self.on_value_change(self.offer)
        self.offer()

    @property
    def content(self) -> tuple[list[str], str]:
        """What is chosen, and what is typed beside it."""
        return list(self.value), self._typed

    def offer(self) -> None:
        """Offer what fits the text."""
        self._props["options"] = best_matches(self._typed, self._offered(), set(self.value))

    def read(self, text: str, place: str) -> list[str]:
        """The names in a text."""
        return read_list(text, place, self._check)

    def add(self, names: Sequence[str]) -> None:
        """Choose these, too."""
        self.value = list(dict.fromkeys([*self.value, *names]))

    def take(self) -> list[str]:
        """Add what is typed; all that is chosen then. Text with anything in it that is no name stays as it is."""
        self._add_text(self._typed)
        self._answer(self._typed, "")
        return list(self.value)

    def _add_text(self, text: str) -> None:
        try:
            self.add(self.read(text, self.label or ""))
        except InputError as error:
            self.error = str(error)
            raise

    def _answer(self, sent: str, left: str) -> None:
        """Leave so much of the text that the field begins with; what was typed since then stays."""
        if self._typed == sent:
            self._typed = left
        self.client.run_javascript(f"({self._script(ANSWER)})({json.dumps(sent)}, {json.dumps(left)})")

    def _enter(self, event: events.GenericEventArguments) -> None:
        left = event.args
        with suppress(InputError):  # told below the field
            self._add_text(event.args)
            left = ""
        self._answer(f"{event.args}, ", left)

    def _choose(self, event: events.GenericEventArguments) -> None:
        self.add([event.args])
        self._answer(self._typed, "")

    def _follow(self, event: events.GenericEventArguments) -> None:
        if event.args != self._typed:
            self._typed = event.args
            self.offer()

    def _forgive(self) -> None:
        self.error = None

    def _remove(self, event: events.GenericEventArguments) -> None:
        self.value = [name for name in self.value if name != event.args]

    def _event_args_to_value(self, e: events.GenericEventArguments) -> list[str]:
        return [] if e.args is None else self.value

    def _script(self, source: str) -> str:
        return source.replace("ID", str(self.id))


TextField = ui.input | NamesField


def act_on(fields: Iterable[TextField], button: ui.button, act: Callable[[], Any]) -> None:
    """Let a button act on fields. Their text comes with the click: if a connection breaks, all arrives or nothing."""
    sent = "".join(SEND.replace("ID", str(field.id)).replace("EVENT", _event_of(field)) for field in fields)
    button.on("click", act, js_handler=f"() => {{ {sent} emit(); }}")


def _event_of(field: TextField) -> str:
    return "inputValue" if isinstance(field, NamesField) else "update:value"


def number_field(label: str, value: float | None = None) -> ui.input:
    """A number as it is typed: of what is none, a browser's own field for numbers would tell us nothing."""
    return ui.input(label, value="" if value is None else f"{value:.15g}").props("inputmode=decimal")


def read_number(field: ui.input, name: str) -> float | None:
    """The number that stands in a field; None where it is empty."""
    text = (field.value or "").strip()
    if not text:
        return None
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise InputError(f"{name}: {quoted(text)} given, a number such as 10 or 0.5 is needed.")
    return number


def require_number(field: ui.input, name: str) -> float:
    """The number that must stand in a field."""
    number = read_number(field, name)
    if number is None:
        raise InputError(f"{name}: is empty; a number is needed.")
    return number
