"""Fields for the options of a problem, made from the dataclass that has them."""

from collections.abc import Callable, Mapping
from typing import Any

from nicegui import ui

from lmta.advisor.options import Option, options_of
from lmta.service.page.fields import number_field, read_number, require_number


class OptionsForm:
    """A field for each option of a dataclass; what is typed is read as it is, and refused by the option's name."""

    def __init__(self, part: type, on_change: Callable[[], Any]):
        """`on_change` is called when another value was chosen, or a field was left."""
        self._options = options_of(part)
        self._fields: dict[str, Any] = {}
        with ui.element("div").classes("grid grid-cols-1 sm:grid-cols-2 gap-3 w-full") as self.box:
            for option in self._options:
                with ui.column().classes("gap-0 w-full"):
                    self._fields[option.name] = _draw(option, on_change).classes("w-full")
                    ui.label(option.describe).classes("opacity-70 text-xs")
        self.texts = [field for field in self._fields.values() if isinstance(field, ui.input)]
        self._suggested = {name: field.value for name, field in self._fields.items()}

    def __bool__(self) -> bool:
        return bool(self._options)

    def suggest(self, values: Mapping[str, Any]) -> None:
        """Fill in these values, and the defaults elsewhere, but for what the user has changed."""
        for option in self._options:
            field, shown = self._fields[option.name], _shown(option, values.get(option.name, option.default))
            if field.value == self._suggested[option.name]:
                field.value = shown
            self._suggested[option.name] = shown

    def values(self) -> dict[str, Any]:
        """What the fields say, by the names of the options."""
        return {option.name: _read(option, self._fields[option.name]) for option in self._options}


def _draw(option: Option, on_change: Callable[[], Any]) -> Any:
    label, value = option.name.replace("_", " ").capitalize(), _shown(option, option.default)
    if option.type is bool:
        return ui.checkbox(label, value=value, on_change=on_change)
    if option.choices:
        choices = list(option.choices)
        return ui.select(choices, label=label, value=value, clearable=option.is_optional, on_change=on_change)
    if option.is_number:
        return number_field(label, value=option.default).on("blur", on_change)
    return ui.input(label, value=value).on("blur", on_change)


def _read(option: Option, field: Any) -> Any:
    if not option.is_number:
        return None if option.is_optional and not field.value else field.value
    return (read_number if option.is_optional else require_number)(field, option.name)


def _shown(option: Option, value: Any) -> Any:
    """A value as the option's field holds it."""
    if option.type is bool or option.choices:
        return value
    if value is None:
        return ""
    return f"{value:.15g}" if option.is_number else str(value)
