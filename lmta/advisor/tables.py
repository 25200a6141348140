"""Advice for people: where things stand, what to do today and why."""

import shlex
from collections.abc import Iterator

import numpy as np
from rich.table import Table
from rich.text import Text

from lmta.advisor.plan import Advice, PlanSettings
from lmta.problems.influence.campaign import Campaign
from lmta.problems.orienteering.tour import Tour
from lmta.problems.session import Session
from lmta.types import Decision, SearchReport

SHOWN_SUBGOALS = 5


def advice_tables(advice: Advice) -> Iterator[Table | Text]:
    """Where the session stands; today's picks with their values; what a search compared. Ids are never markup."""
    session, decision = advice.session, advice.decision
    yield Text(standing(session))
    if decision is None:
        return
    if decision.picks:
        yield _picks(session, decision)
    else:
        yield Text("Nothing is to be done today.")
    yield Text(f"Why: {decision.why}")
    if decision.search is not None:
        yield _subgoals(decision.search)


def standing(session: Session) -> str:
    """The day, what is left, and what was reached so far."""
    when = f"All {session.days} days are over" if session.finished else f"Day {session.day} of {session.days}"
    left = f"{session.budget_left} of {session.budget} left"
    if isinstance(session, Campaign):
        return f"{when}, {left}, {session.influenced} of {len(session.ids)} nodes reached."
    assert isinstance(session, Tour)
    return f"{when}, {left}, {session.collected:.4g} earned."


def next_step(settings: PlanSettings, advice: Advice) -> str:
    """What to do with the journal tomorrow."""
    if advice.decision is None:
        return f"{settings.state} has the whole story."
    what = "the ids that were activated" if isinstance(advice.session, Campaign) else "tomorrow's profits"
    command = f"lmta plan --state {shlex.quote(str(settings.state))} --day {advice.session.day} --observed FILE"
    return f"Noted in {settings.state}. When the day is over, with {what} in FILE: {command}"


def _picks(session: Session, decision: Decision) -> Table:
    stays = session.budget_left - len(decision.picks)
    what = "seed" if isinstance(session, Campaign) else "visit, in this order"
    table = Table(title=Text(f"today, by {decision.policy}"), caption=f"{stays} of the budget stay for later.")
    table.add_column("", justify="right")
    table.add_column(what, overflow="fold")
    table.add_column("value", justify="right")
    for number, pick in enumerate(decision.picks, 1):
        table.add_row(str(number), Text(str(pick.node)), f"{pick.value:.4g}")
    return table


def _subgoals(search: SearchReport) -> Table:
    table = Table(title="subgoals that the search compared")
    table.add_column("subgoal", justify="right")
    table.add_column("share", justify="right")
    table.add_column("rough estimate from today on", justify="right")
    for subgoal in np.argsort(-search.policy, kind="stable")[:SHOWN_SUBGOALS]:
        chosen = " (chosen)" if subgoal == search.subgoal else ""
        share, value = search.policy[subgoal], search.subgoal_values[subgoal]
        table.add_row(f"{subgoal}{chosen}", f"{share:.0%}", f"{value:.4g}")
    return table
