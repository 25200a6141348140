"""Advice for people: where things stand, what to do today and why."""

import shlex
from collections.abc import Iterator
from itertools import zip_longest

import numpy as np
from rich.table import Table
from rich.text import Text

from lmta.advisor.plan import Advice, PlanSettings
from lmta.planning.reasons import names_of, with_error
from lmta.problems.session import AbstractSession
from lmta.types import Decision, SearchReport, Thinking

SHOWN_SUBGOALS, SHOWN_STRATEGIES, SHOWN_NODES = 5, 5, 10


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
    if decision.thinking is not None and decision.thinking.tried:
        yield _strategies(decision.thinking)
    if decision.search is not None:
        yield _subgoals(decision.search)


def standing(session: AbstractSession) -> str:
    """The day, what is left, and what was reached so far."""
    when = f"All {session.days} days are over" if session.finished else f"Day {session.day} of {session.days}"
    return f"{when}, {session.budget_left} of {session.budget} left, {session.progress()}."


def next_step(settings: PlanSettings, advice: Advice) -> str:
    """What to do with the journal tomorrow."""
    if advice.decision is None:
        return f"{settings.state} has the whole story."
    observed = advice.session.fields("observed")
    files = ["FILE"] if len(observed) == 1 else [f"{field.name}=FILE" for field in observed]
    what = " and ".join(field.describe for field in observed)
    with_files = f", with {what} in {'a FILE each' if len(observed) > 1 else 'FILE'}" if observed else ""
    state = shlex.quote(str(settings.state))
    command = " ".join(["lmta plan --state", state, f"--day {advice.session.day} --observed", *files])
    return f"Noted in {settings.state}. When the day is over{with_files}: {command}"


def _picks(session: AbstractSession, decision: Decision) -> Table:
    stays = session.budget_left - len(decision.picks)
    caption = f"{stays} of the budget {'stays' if stays == 1 else 'stay'} for later."
    table = Table(title=Text(f"today, by {decision.policy}"), caption=caption)
    table.add_column("", justify="right")
    table.add_column(session.verb, overflow="fold")
    table.add_column("value", justify="right")
    adds = decision.thinking.adds if decision.thinking else ()
    if adds:
        table.add_column("adds over waiting", justify="right")
    for number, (pick, added) in enumerate(zip_longest(decision.picks, adds), 1):
        more = [with_error(added.mean, added.error)] if added else []
        table.add_row(str(number), Text(str(pick.node)), f"{pick.value:.4g}", *more)
    return table


def _strategies(thinking: Thinking) -> Table:
    """What was tried for today, the best first."""
    table = Table(title="strategies for today, by rollouts")
    table.add_column("strategy")
    table.add_column("would pick", overflow="fold")
    table.add_column("promises", justify="right")
    table.add_column("less than the first", justify="right")
    for tried in thinking.tried[:SHOWN_STRATEGIES]:
        less = with_error(tried.less, tried.less_error) if tried is not thinking.tried[0] else ""
        names = Text(names_of(tried.nodes, SHOWN_NODES) or "–")
        table.add_row(tried.name, names, with_error(tried.value, tried.value_error), less)
    return table


def _subgoals(search: SearchReport) -> Table:
    """The share of each subgoal. What the search expects of it is left out: it can be off by a quarter."""
    table = Table(title="subgoals that the search compared")
    table.add_column("subgoal", justify="right")
    table.add_column("share", justify="right")
    for subgoal in np.argsort(-search.policy, kind="stable")[:SHOWN_SUBGOALS]:
        chosen = " (chosen)" if subgoal == search.subgoal else ""
        table.add_row(f"{subgoal}{chosen}", f"{search.policy[subgoal]:.0%}")
    return table
