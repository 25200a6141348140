"""What `lmta plan` does: report what happened, if it is said, then decide for today, and keep both in the journal."""

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import tyro

from lmta.advisor.journal import (
    CampaignDay,
    CampaignJournal,
    Journal,
    TourDay,
    TourJournal,
    fingerprint,
    open_session,
    read_journal,
    seen_from,
    write_journal,
)
from lmta.agents.players import player
from lmta.files import check_writable
from lmta.problems.delimited import Column, first_repeat, numbers, read_lines, read_table, shown
from lmta.problems.orienteering.rules import OrienteeringRules
from lmta.problems.session import Session, check_seed
from lmta.types import Decision, InputError

DEFAULT_POLICY = {"aim": "average-lookahead", "sop": "even-insertion"}
"""Who decides where nobody is named, by problem."""
_PROFITS = (Column("name", ("city", "id")), Column("profit", ("prize", "reward", "value"), numeric=True))


@dataclass(frozen=True)
class PlanSettings:
    """What to do today in one's own campaign or tour."""

    state: Path
    """The journal: what was done and observed so far. It is made on the first day."""
    graph: Path | None = None
    """The network of a new campaign: edge list (CSV, TSV, white space) or GraphML."""
    undirected: bool = False
    """Count every edge of the edge list both ways."""
    cities: Path | None = None
    """The cities of a new tour: CSV (name, x, y, profit) or TSPLIB."""
    rules: tyro.conf.OmitArgPrefixes[OrienteeringRules] = field(default_factory=OrienteeringRules)
    days: int | None = None
    """How long a new campaign or tour lasts."""
    budget: int | None = None
    """How many seeds or visits there are in all."""
    policy: str | None = None
    """Who decides: average-lookahead or even-insertion at first, then whoever was named last; lmta:FOLDER is a trained
    agent."""
    seed: int | None = None
    """Matters only where the policy draws samples; 0 at first."""
    done: Path | None = None
    """What was really done today, if not what was advised: ids, one a line, cities in order."""
    observed: Path | None = None
    """What happened then, and the day is over. Campaign: the ids that were activated, one a line. Tour: tomorrow's
    profits where they are known, as lines of name and profit. The file may be empty."""


@dataclass(frozen=True)
class Advice:
    """Where the session stands, and what to do today; None where all days are over."""

    session: Session
    journal: Journal
    decision: Decision | None


def plan(settings: PlanSettings) -> Advice:
    """Report, decide, and write the journal."""
    check_writable(settings.state)
    journal = _current(settings)
    session = open_session(settings.state, journal)
    if settings.observed is not None:
        journal = _live_a_day(settings, journal, session)
    elif settings.done is not None:
        raise InputError("done: goes with --observed, which says what happened then.")
    decision = None
    if not session.finished:
        decision = player(journal.policy, session.problem.name).decide(session, seed=journal.seed)
        journal = replace(journal, advised=decision.nodes)
    write_journal(settings.state, journal)
    return Advice(session, journal, decision)


def _current(settings: PlanSettings) -> Journal:
    """The journal as it is, or a new one, with the policy and the seed that are asked for now."""
    journal = read_journal(settings.state) if settings.state.exists() else _new(settings)
    _check_same(settings, journal)
    problem = "sop" if isinstance(journal, TourJournal) else "aim"
    if settings.policy is not None:
        player(settings.policy, problem)
        journal = replace(journal, policy=settings.policy, advised=None)
    if settings.seed is not None:
        journal = replace(journal, seed=check_seed(settings.seed), advised=None)
    return journal


def _new(settings: PlanSettings) -> Journal:
    data = settings.graph or settings.cities
    if data is None or (settings.graph and settings.cities):
        raise InputError(f"{shown(settings.state)}: is not there yet; begin it with --graph or --cities, and one only.")
    for name, value in (("days", settings.days), ("budget", settings.budget)):
        if value is None:
            raise InputError(f"{name}: is needed to begin {shown(settings.state)}.")
    common: Any = {
        "data": seen_from(data, settings.state),
        "fingerprint": fingerprint(data),
        "days": settings.days,
        "budget": settings.budget,
        "seed": 0,
    }
    if settings.graph is not None:
        return CampaignJournal(**common, policy=DEFAULT_POLICY["aim"], directed=not settings.undirected)
    return TourJournal(**common, policy=DEFAULT_POLICY["sop"], rules=settings.rules)


def _check_same(settings: PlanSettings, journal: Journal) -> None:
    """Refuse what contradicts the journal; what is given again may be left out."""
    data = settings.graph or settings.cities
    is_tour = isinstance(journal, TourJournal)
    wrong_kind = settings.graph if is_tour else settings.cities
    wrong = {
        "graph" if is_tour else "cities": wrong_kind is not None,
        "cities" if is_tour else "graph": data is not None and fingerprint(data) != journal.fingerprint,
        "days": settings.days not in (None, journal.days),
        "budget": settings.budget not in (None, journal.budget),
        "undirected": settings.undirected and (is_tour or journal.directed),
        "limit, penalty, crowding, drift, floor": settings.rules != OrienteeringRules()
        and (not is_tour or settings.rules != journal.rules),
    }
    for option, is_so in wrong.items():
        if is_so:
            raise InputError(f"{option}: is not what {shown(settings.state)} was begun with; leave it out.")


def _live_a_day(settings: PlanSettings, journal: Journal, session: Session) -> Journal:
    """Report what was done and observed to the session, and note it."""
    assert settings.observed is not None
    if settings.done is not None:
        done = _names(settings.done, session)
    elif journal.advised is not None or session.finished:
        done = journal.advised or ()
    else:
        raise InputError("observed: nothing was advised for today yet; ask first, or say with --done what was done.")
    if isinstance(journal, TourJournal):
        day = TourDay(visited=done, profits=_profits(settings.observed, session))
        journal.report(session, day)
        return replace(journal, history=(*journal.history, day), advised=None)
    day = CampaignDay(seeded=done, activated=_names(settings.observed, session))
    journal.report(session, day)
    return replace(journal, history=(*journal.history, day), advised=None)


def _names(path: Path, session: Session) -> tuple[Any, ...]:
    """Ids, one a line."""
    return tuple(session.name(line.strip(), shown(path)) for line in read_lines(path) if line.strip())


def _profits(path: Path, session: Session) -> tuple[tuple[Any, float], ...]:
    """Lines of name and profit; there may be none."""
    if not any(line.strip() for line in read_lines(path)):
        return ()
    table = read_table(path, _PROFITS)
    names, profits = table.columns["name"], table.columns.get("profit")
    if profits is None:
        raise table.origin.error(0, "expected 2 columns (name, profit), found 1.")
    repeat = first_repeat(names)
    if repeat is not None:
        raise table.origin.error(repeat[1], f"{names[repeat[1]]!r} has a profit already.")
    values = numbers(profits, "profit", table.origin).tolist()
    return tuple((session.name(name, shown(path)), value) for name, value in zip(names, values, strict=True))
