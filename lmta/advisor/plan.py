"""What `lmta plan` does: report what happened, if it is said, then decide for today, and keep both in the journal."""

from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
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
from lmta.agents.planner import PREFIX
from lmta.agents.players import player
from lmta.agents.saved import SHIPPED
from lmta.files import FilePath, check_writable, kind_of, shown
from lmta.policies.player import AbstractPlayer
from lmta.problems.delimited import first_repeat, numbers, read_lines, read_table
from lmta.problems.orienteering.importer import NAME, PROFIT
from lmta.problems.orienteering.rules import OrienteeringRules
from lmta.problems.session import Session, check_seed
from lmta.types import Decision, InputError, quoted

DEFAULT_POLICY = {"aim": "lmta:aim", "sop": "lmta:sop"}
"""Who decides where nobody is named, by problem."""


@dataclass(frozen=True)
class GivenRules:
    """The numbers of a new tour that are not to be those of `lmta evaluate --help`."""

    limit: float | None = None
    penalty: float | None = None
    crowding: float | None = None
    drift: float | None = None
    floor: float | None = None

    @property
    def given(self) -> dict[str, float]:
        """Those that were given."""
        return {name: value for name, value in asdict(self).items() if value is not None}


@dataclass(frozen=True)
class PlanSettings:
    """What to do today in one's own campaign or tour."""

    state: Path
    """The journal: what was done and observed so far. It is made on the first day."""
    graph: Path | None = None
    """The network of a new campaign: edge list (CSV, TSV, white space) or GraphML."""
    undirected: tyro.conf.FlagCreatePairsOff[bool] = False
    """Count every edge of the edge list both ways."""
    probability: float | None = None
    """That of every edge of a new campaign's network where the data have none, instead of 1/indegree."""
    cities: Path | None = None
    """The cities of a new tour: CSV (name, x, y, profit) or TSPLIB."""
    rules: tyro.conf.OmitArgPrefixes[GivenRules] = field(default_factory=GivenRules)
    days: int | None = None
    """How long a new campaign or tour lasts."""
    budget: int | None = None
    """How many seeds or visits there are in all."""
    policy: str | None = None
    """Who decides: lmta:aim or lmta:sop at first, then whoever was named last; lmta:FOLDER is an agent of your own
    training."""
    seed: int | None = None
    """Matters only where the policy draws samples; 0 at first."""
    day: int | None = None
    """The day that this is about, as a safeguard: any other than the present one is refused."""
    done: Path | None = None
    """What was really done today, if not what was advised: ids, one a line, cities in order."""
    failed: Path | None = None
    """Those of them that failed, one a line: seeds that did not take, cities that were closed."""
    observed: Path | None = None
    """What happened then, and the day is over. Campaign: the ids that were activated, one a line. Tour: tomorrow's
    profits where they are known, as lines of name and profit. The file may be empty."""


@dataclass(frozen=True)
class Advice:
    """Where the session stands, and what to do today; None where all days are over."""

    session: Session
    decision: Decision | None


def plan(settings: PlanSettings) -> Advice:
    """Report, decide, and write the journal."""
    check_writable(settings.state)
    journal = _current(settings)
    session = open_session(settings.state, journal)
    if settings.day not in (None, session.day):
        raise InputError(f"day: {settings.day} given, but {shown(settings.state)} stands at day {session.day}.")
    if settings.observed is not None:
        journal = _live_a_day(settings, journal, session)
    for name, given in (("done", settings.done), ("failed", settings.failed)):
        if given is not None and settings.observed is None:
            raise InputError(f"{name}: goes with --observed, which says what happened then.")
    decision = None
    if not session.finished:
        decision = _player(settings.state, journal, session).decide(session, seed=journal.seed)
        journal = replace(journal, advised=decision.nodes)
    write_journal(settings.state, journal)
    return Advice(session, decision)


def _current(settings: PlanSettings) -> Journal:
    """The journal as it is, or a new one, with what may change as it is asked for now."""
    state = settings.state
    journal = read_journal(state) if kind_of(state) else _new(settings)
    _check_same(settings, journal)
    changes: dict[str, Any] = {}
    data = settings.graph or settings.cities
    if data is not None:
        changes["data"] = seen_from(data, state)
    if settings.policy is not None:
        changes["policy"] = _with_folder(settings.policy, lambda folder: seen_from(folder, state))
    if settings.seed is not None:
        changes["seed"] = check_seed(settings.seed)
    return replace(journal, **changes)


def _player(state: Path, journal: Journal, session: Session) -> AbstractPlayer:
    """Who decides; a trained agent's folder is noted as seen from the journal."""
    name = _with_folder(journal.policy, lambda folder: str(state.parent.resolve() / folder))
    return player(name, session.problem.name)


def _with_folder(policy: str, place: Callable[[Path], str]) -> str:
    """The name with a trained agent's folder put otherwise; other names stay, and those of the shipped planners."""
    folder = policy.removeprefix(PREFIX)
    if folder == policy or folder in SHIPPED:
        return policy
    placed = place(Path(folder))
    return f"{PREFIX}./{placed}" if placed in SHIPPED else PREFIX + placed


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
        edges = {"directed": not settings.undirected, "probability": settings.probability}
        return CampaignJournal(**common, policy=DEFAULT_POLICY["aim"], **edges)
    rules = OrienteeringRules(**settings.rules.given)
    return TourJournal(**common, policy=DEFAULT_POLICY["sop"], rules=rules)


def _check_same(settings: PlanSettings, journal: Journal) -> None:
    """Refuse what contradicts the journal; what is the same may be given again, and the data may have moved."""
    data = settings.graph or settings.cities
    is_tour = isinstance(journal, TourJournal)
    wrong = {
        "graph": is_tour and settings.graph is not None,
        "cities": not is_tour and settings.cities is not None,
        "days": settings.days not in (None, journal.days),
        "budget": settings.budget not in (None, journal.budget),
        "undirected": settings.undirected and (is_tour or journal.directed),
        "probability": settings.probability is not None and (is_tour or settings.probability != journal.probability),
    }
    for name, value in settings.rules.given.items():
        wrong[name] = not is_tour or value != getattr(journal.rules, name)
    if data is not None and not any(wrong.values()):
        wrong[shown(data)] = fingerprint(data) != journal.fingerprint
    for option, is_so in wrong.items():
        if is_so:
            raise InputError(f"{option}: is not what {shown(settings.state)} was begun with; leave it out.")


def _live_a_day(settings: PlanSettings, journal: Journal, session: Session) -> Journal:
    """Report what was done and observed to the session, and note it."""
    assert settings.observed is not None
    if settings.done is not None:
        done = read_names(settings.done, session)
    elif journal.advised is not None or session.finished:
        done = journal.advised or ()
    else:
        raise InputError("observed: nothing was advised for today yet; ask first, or say with --done what was done.")
    failed = () if settings.failed is None else read_names(settings.failed, session)
    day: Any
    if isinstance(journal, TourJournal):
        day = TourDay(visited=done, profits=read_profits(settings.observed, session), closed=failed)
    else:
        day = CampaignDay(seeded=done, activated=read_names(settings.observed, session), failed=failed)
    journal.report(session, day)
    return replace(journal, history=(*journal.history, day), advised=None)


def read_names(path: FilePath, session: Session) -> tuple[Any, ...]:
    """Ids, one a line."""
    lines = enumerate(map(str.strip, read_lines(path)), 1)
    return tuple(session.name(line, f"{shown(path)}, line {number}") for number, line in lines if line)


def read_profits(path: FilePath, session: Session) -> tuple[tuple[Any, float], ...]:
    """Lines of name and profit; there may be none."""
    if not any(line.strip() for line in read_lines(path)):
        return ()
    table = read_table(path, (NAME, PROFIT))
    names, profits = table.columns["name"], table.columns.get("profit")
    if profits is None:
        raise table.origin.error(0, "expected 2 columns (name, profit), found 1.")
    repeat = first_repeat(names)
    if repeat is not None:
        raise table.origin.error(repeat[1], f"{quoted(names[repeat[1]])} has a profit already.")
    values = numbers(profits, "profit", table.origin).tolist()
    places = [f"{shown(path)}, {table.origin.place(record)}" for record in range(len(names))]
    return tuple((session.name(name, place), value) for name, place, value in zip(names, places, values, strict=True))
