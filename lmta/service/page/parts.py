"""Small parts that every page uses."""

import asyncio
import logging
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from typing import Any, Literal, TypeVar

from nicegui import run, ui

from lmta.problems.registry import spec_of_word
from lmta.problems.session import AbstractSession
from lmta.service.desk import policies_for
from lmta.service.page.fields import act_on
from lmta.service.schemas import PlanOut
from lmta.types import InputError

Given = TypeVar("Given")
LOG = logging.getLogger(__name__)


async def attempt(work: Callable[..., Any], *arguments: Any) -> Any:
    """Do it beside the page; what is refused is shown and gives None. Work that gives a future is waited for."""
    try:
        made = await run.io_bound(work, *arguments)
        return await asyncio.wrap_future(made) if isinstance(made, Future) else made
    except InputError as error:
        show_error(str(error))
    except sqlite3.OperationalError as error:
        show_error(f"The database cannot be used now ({error}); nothing was changed.")
    except Exception:
        LOG.exception("page: %s", work)
        show_error("Something broke; see the log.")
    return None


def accept(read: Callable[[], Given]) -> Given | None:
    """What a form gives; what is refused is shown and gives None."""
    try:
        return read()
    except InputError as error:
        show_error(str(error))
    return None


def show_error(message: str) -> None:
    """A refusal, until it is closed or another takes its place."""
    _notify(message, "negative", 0, "white", group="refusal", badgeStyle="display: none")


def show_warning(message: str) -> None:
    """What to mind, for a while."""
    _notify(message, "warning", 10_000, "dark")


def _notify(message: str, kind: Literal["negative", "warning"], timeout: int, colour: str, **more: Any) -> None:
    actions = [{"label": "OK", "color": colour}]
    ui.notify(message, type=kind, timeout=timeout, multi_line=True, actions=actions, **more)


def heading(text: str, level: int) -> ui.label:
    """A heading that screen readers know as one."""
    size = "text-2xl" if level == 1 else "text-lg"
    return ui.label(text).classes(f"{size} font-bold ids").props(f"role=heading aria-level={level}")


@contextmanager
def card(title: str) -> Iterator[ui.card]:
    """A card with a heading."""
    with ui.card().classes("w-full gap-3") as box:
        heading(title, 2)
        yield box


def chart(options: dict[str, Any], label: str, height: str) -> ui.echart:
    """A picture with a description."""
    return ui.echart(options).classes(f"w-full {height}").props(f'role=img aria-label="{label}"')


def renew(shown: ui.echart, options: dict[str, Any]) -> None:
    """The same picture with other content, without taking it from the page."""
    shown.options.clear()
    shown.options.update(options)
    shown.update()


async def ask(question: str, about: str, yes: str) -> bool:
    """Whether the user wants it all the same."""
    with ui.dialog() as dialog, ui.card():
        ui.label(question).classes("text-lg")
        ui.label(about).classes("ids font-bold")
        with ui.row().classes("w-full justify-end"):
            ui.button("Keep it", on_click=lambda: dialog.submit(False)).props("flat autofocus")
            ui.button(yes, on_click=lambda: dialog.submit(True)).props("color=negative")
    return bool(await dialog)


def upload(label: str, limit: int, on_upload: Callable[[Any], Any]) -> ui.upload:
    """A place for one file, which is sent at once."""
    field = ui.upload(
        label=label,
        auto_upload=True,
        max_file_size=limit,
        max_files=1,
        on_upload=on_upload,
        on_rejected=lambda: show_error(f"file: one file of at most {limit // 1_000_000} MB is taken."),
    )
    return field.props("flat bordered").classes("w-full")


def paste_button(label: str, hint: str, take: Callable[[str], None]) -> None:
    """A way to give many lines at once. What is refused is shown; the lines stay until added or cancelled."""

    def close() -> None:
        lines.value = ""
        dialog.close()

    def add() -> None:
        take(lines.value or "")
        close()

    with ui.dialog().props("persistent") as dialog, ui.card().classes("w-full"):
        heading(label, 2)
        lines = ui.textarea(hint).props("outlined autofocus").classes("w-full")
        with ui.row().classes("w-full justify-end"):
            ui.button("Cancel", on_click=close).props("flat")
            act_on([lines], ui.button("Add"), lambda: accept(add))
    button = ui.button(icon="content_paste", on_click=dialog.open).classes("mt-2")
    button.props(f'flat round aria-label="paste many: {label}"').tooltip("Paste many")


def table(columns: dict[str, str], rows: Sequence[dict[str, Any]], left: Sequence[str] = ()) -> ui.table:
    """Rows under named columns; numbers to the right, the columns named `left` to the left."""
    described = [
        {"name": name, "label": label, "field": name, "align": "left" if name in left else "right"}
        for name, label in columns.items()
    ]
    keyed = [{"key": number, **row} for number, row in enumerate(rows)]
    shown = ui.table(columns=described, rows=keyed, row_key="key").classes("w-full ids")
    return shown.props("flat dense wrap-cells hide-pagination :rows-per-page-options='[0]'")


def session_of(where: PlanOut) -> type[AbstractSession]:
    """What a plan is, in words, icons and fields."""
    return spec_of_word(where.kind).session


def policies_and(kind: str, present: str) -> list[str]:
    """Who may decide, and whoever does now."""
    return list(dict.fromkeys([*policies_for(kind), present]))


def number_text(value: float | None, digits: int = 3) -> str:
    """A number for people: with so many digits, or whole from 1,000 on."""
    if value is None:
        return "–"
    return f"{value:,.0f}" if abs(value) >= 1_000 else f"{value:.{digits}g}"


def progress_text(where: PlanOut) -> str:
    """The day and what is left."""
    when = f"All {where.days} days are over" if where.finished else f"Day {where.day} of {where.days}"
    return f"{when} · {where.budget_left} of {where.budget} {session_of(where).budget_name} left"


def result_text(where: PlanOut) -> str:
    """What was reached so far."""
    return session_of(where).result_text(where.result)
