"""Today's advice as a table with its reasons."""

from collections.abc import Callable, Sequence
from itertools import zip_longest
from typing import Any

from nicegui import ui

from lmta.agents.players import without_thinking
from lmta.planning.reasons import with_error
from lmta.problems.session import AbstractSession
from lmta.service.page.parts import number_text, table


def draw_waiting(policy: str, leading: Callable[[], str]) -> None:
    """A sign that a decision is on its way, why it may take a while, and which strategy leads."""
    with ui.row().classes("items-center gap-3 no-wrap").props("role=status"):
        ui.spinner(size="md")
        with ui.column().classes("gap-0"):
            ui.label("Thinking about today …")
            slow = "The first decision for data of this size takes some seconds: it is compiled. The next are quick."
            tries = f"{policy} tries strategies in sampled worlds first, which may take some seconds."
            thinks = without_thinking(policy) != policy
            said = ui.label(tries if thinks else slow).classes("opacity-70 text-sm patience")

    def look() -> None:
        now = leading()
        if now:
            said.text = f"In the lead: {now}."

    if thinks:
        ui.timer(0.5, look)


def draw_advice(advice: dict[str, Any], session: type[AbstractSession]) -> None:
    """What to do, why, and what else there would have been."""
    if advice["picks"]:
        thinking = advice.get("thinking")
        _draw_picks(advice["picks"], session.verb, thinking["adds"] if thinking else []).classes("advice")
        stays = advice["budget_left"] - len(advice["picks"])
        ui.label(f"{session.budget_name.capitalize()} left for later: {stays:,}.").classes("opacity-70 text-sm")
    else:
        ui.label("Nothing is to be done today.")
    ui.label(f"Why: {advice['why']}").classes("ids")
    took = max(1, round(advice["milliseconds"]))
    compiled = " (the first decision of its size compiles, too)" if took >= 1_000 else ""
    ui.label(f"{advice['policy']} took {took:,} ms{compiled}.").classes("opacity-70 text-sm")
    if advice.get("thinking"):
        _draw_strategies(advice["thinking"])
    if advice["alternatives"]:
        with ui.expansion("Alternatives").classes("w-full"):
            _draw_picks(advice["alternatives"], "instead")
            ranked = f"Each in place of the last pick, ranked by {advice['ranked_by']}."
            ui.label(ranked).classes("opacity-70 text-sm")


def _draw_strategies(thinking: dict[str, Any]) -> None:
    """What was tried for today, the best first."""
    rows = [
        {
            "name": row["name"],
            "picks": ", ".join(map(str, row["picks"])) or "–",
            "promises": _with_error(row["promises"], row["promises_error"]),
            "less": _with_error(row["less"], row["less_error"]) if number else "",
        }
        for number, row in enumerate(thinking["strategies"])
    ]
    columns = {"name": "strategy", "picks": "would pick", "promises": "promises", "less": "less than the first"}
    with ui.expansion("Strategies that were tried").classes("w-full"):
        table(columns, rows, left=("name", "picks")).classes("strategies")
        ui.label("From today to the end, by rollouts; ± is a standard error.").classes("opacity-70 text-sm")


def _with_error(number: float | None, error: float | None) -> str:
    return "–" if number is None or error is None else with_error(number, error)


def _draw_picks(picks: list[dict[str, Any]], verb: str, adds: Sequence[dict[str, Any]] = ()) -> ui.table:
    """Picks with their values, with what they add today where the problem can say, and in all where rollouts can."""
    rows = [
        {"rank": rank, "id": str(p["id"]), "value": number_text(p["value"]), "gain": number_text(p["gain"])}
        | ({"adds": _with_error(added["mean"], added["error"])} if added else {})
        for rank, (p, added) in enumerate(zip_longest(picks, adds), 1)
    ]
    gain = {} if all(pick["gain"] is None for pick in picks) else {"gain": "adds today"}
    in_all = {"adds": "adds over waiting"} if adds else {}
    return table({"rank": "", "id": verb, "value": "value", **gain, **in_all}, rows, left=("id",))
