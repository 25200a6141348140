"""Small parts that every page uses."""

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from nicegui import run, ui

from lmta.service.schemas import PlanOut
from lmta.types import InputError


async def attempt(work: Callable[..., Any], *arguments: Any) -> Any:
    """Do it beside the page; what is refused is shown and gives None."""
    try:
        return await run.io_bound(work, *arguments)
    except InputError as error:
        show_error(str(error))
    except sqlite3.OperationalError as error:
        show_error(f"The database cannot be used now ({error}); nothing was changed.")
    return None


def show_error(message: str) -> None:
    """A refusal, until it is closed."""
    ui.notify(message, type="negative", timeout=0, close_button="OK", multi_line=True)


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


def table(columns: dict[str, str], rows: Sequence[dict[str, Any]], left: Sequence[str] = ()) -> ui.table:
    """Rows under named columns; numbers to the right, the columns named `left` to the left."""
    described = [
        {"name": name, "label": label, "field": name, "align": "left" if name in left else "right"}
        for name, label in columns.items()
    ]
    keyed = [{"key": number, **row} for number, row in enumerate(rows)]
    shown = ui.table(columns=described, rows=keyed, row_key="key").classes("w-full ids")
    return shown.props("flat dense wrap-cells hide-pagination :rows-per-page-options='[0]'")


def number_text(value: float | None) -> str:
    """A number for people."""
    return "–" if value is None else f"{value:.3g}"


def progress_text(where: PlanOut) -> str:
    """The day and what is left."""
    when = f"All {where.days} days are over" if where.finished else f"Day {where.day} of {where.days}"
    what = "seeds" if where.kind == "campaign" else "visits"
    return f"{when} · {where.budget_left} of {where.budget} {what} left"


def result_text(where: PlanOut) -> str:
    """What was reached so far."""
    return f"{where.result:g} nodes reached" if where.kind == "campaign" else f"{where.result:.4g} earned"
