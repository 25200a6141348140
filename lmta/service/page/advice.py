"""Today's advice as a table with its reasons."""

from typing import Any

from nicegui import ui

from lmta.service.data import Kind
from lmta.service.page.parts import UNITS, number_text, table

SHOWN_SUBGOALS = 8
MEASURES = {"value": "value", "gain": "adds today"}


def draw_waiting() -> None:
    """A sign that a decision is on its way, and why it may take a while."""
    with ui.row().classes("items-center gap-3 no-wrap").props("role=status"):
        ui.spinner(size="md")
        with ui.column().classes("gap-0"):
            ui.label("Thinking about today …")
            slow = "The first decision for data of this size takes some seconds: it is compiled. The next are quick."
            ui.label(slow).classes("opacity-70 text-sm patience")


def draw_advice(advice: dict[str, Any], kind: Kind) -> None:
    """What to do, why, and what else there would have been."""
    if advice["picks"]:
        done = "seed" if kind == "campaign" else "visit, in this order"
        table({"rank": "", "id": done, **MEASURES}, _rows(advice["picks"]), left=("id",)).classes("advice")
        stays = advice["budget_left"] - len(advice["picks"])
        ui.label(f"{UNITS[kind].capitalize()} left for later: {stays:,}.").classes("opacity-70 text-sm")
    else:
        ui.label("Nothing is to be done today.")
    ui.label(f"Why: {advice['why']}").classes("ids")
    took = max(1, round(advice["milliseconds"]))
    compiled = " (the first decision of its size compiles, too)" if took >= 1_000 else ""
    ui.label(f"{advice['policy']} took {took:,} ms{compiled}.").classes("opacity-70 text-sm")
    if advice["search"] is not None:
        with ui.expansion("Subgoals that the search compared").classes("w-full"):
            _draw_subgoals(advice["search"])
    if advice["alternatives"]:
        with ui.expansion("Alternatives").classes("w-full"):
            table({"rank": "", "id": "instead", **MEASURES}, _rows(advice["alternatives"]), left=("id",))
            ranked = f"Each in place of the last pick, ranked by {advice['ranked_by']}."
            ui.label(ranked).classes("opacity-70 text-sm")


def _rows(picks: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [
        {"rank": rank, "id": str(p["id"]), "value": number_text(p["value"]), "gain": number_text(p["gain"])}
        for rank, p in enumerate(picks, 1)
    ]


def _draw_subgoals(search: dict[str, Any]) -> None:
    rows = [
        {
            "subgoal": f"{one['subgoal']}{' (chosen)' if one['subgoal'] == search['subgoal'] else ''}",
            "share": f"{one['share'] or 0:.0%}",
            "value": number_text(one["value"]),
        }
        for one in search["subgoals"][:SHOWN_SUBGOALS]
    ]
    columns = {"subgoal": "subgoal", "share": "share", "value": "rough estimate from today on"}
    table(columns, rows, left=("subgoal",))
