"""A campaign or a tour in a file: what it is about, and what happened day by day. Opening it replays the days."""

import hashlib
import os
from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, StrictInt, StrictStr, TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass

from lmta.files import FilePath, shown, write_whole
from lmta.hints import hearing
from lmta.problems.delimited import read_bytes
from lmta.problems.influence.campaign import Campaign
from lmta.problems.orienteering.rules import OrienteeringRules
from lmta.problems.orienteering.tour import Tour
from lmta.problems.session import Session
from lmta.types import InputError

Name = StrictInt | StrictStr
"""An id as it is written; data from files have no others."""
_strict: Any = dataclass(frozen=True, kw_only=True, config={"extra": "forbid", "strict": True})


@_strict
class CampaignDay:
    """What a day of a campaign brought."""

    seeded: tuple[Name, ...]
    activated: tuple[Name, ...]
    failed: tuple[Name, ...] = ()
    """Those of the seeded that failed."""


@_strict
class TourDay:
    """What a day of a tour brought: the cities visited in order, and profits of the next morning."""

    visited: tuple[Name, ...]
    profits: tuple[tuple[Name, float], ...]
    closed: tuple[Name, ...] = ()
    """Those of the visited that were closed."""


@_strict
class _AbstractJournal(ABC):
    data: str
    """The file with the network or the cities, as seen from the journal's folder."""
    fingerprint: str
    """SHA-256 of that file."""
    days: int
    budget: int
    policy: str
    seed: int
    advised: tuple[Name, ...] | None = None
    """What was advised for the day that comes next, once it was asked for."""

    @abstractmethod
    def begin(self, data: FilePath) -> Session:
        """The session before its first day."""

    @abstractmethod
    def report(self, session: Any, day: Any) -> None:
        """Advance the session by a day."""


@_strict
class CampaignJournal(_AbstractJournal):
    """A campaign on a network."""

    kind: Literal["lmta campaign 1"] = "lmta campaign 1"
    directed: bool = True
    probability: float | None = None
    """That of every edge where the data have none; 1/indegree otherwise."""
    history: tuple[CampaignDay, ...] = ()

    def begin(self, data: FilePath) -> Campaign:
        """The campaign before its first day."""
        probability = self.probability
        return Campaign(data, days=self.days, budget=self.budget, directed=self.directed, probability=probability)

    def report(self, session: Campaign, day: CampaignDay) -> None:
        """Who was seeded, who of them failed, and who was activated."""
        session.advance(seeded=day.seeded, activated=day.activated, failed=day.failed)


@_strict
class TourJournal(_AbstractJournal):
    """A tour through cities."""

    kind: Literal["lmta tour 1"] = "lmta tour 1"
    rules: OrienteeringRules = OrienteeringRules()
    history: tuple[TourDay, ...] = ()

    def begin(self, data: FilePath) -> Tour:
        """The tour before its first day."""
        return Tour(data, days=self.days, budget=self.budget, rules=self.rules)

    def report(self, session: Tour, day: TourDay) -> None:
        """Which cities were visited, and what profits are now."""
        session.advance(visited=day.visited, profits=dict(day.profits), closed=day.closed)


Journal = CampaignJournal | TourJournal
_FORMAT: TypeAdapter[Journal] = TypeAdapter(Annotated[Journal, Field(discriminator="kind")])


def read_journal(path: FilePath) -> Journal:
    """The journal in a file."""
    try:
        return _FORMAT.validate_json(read_bytes(path))
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"][1:]) or "the file"
        raise InputError(f"{shown(path)}: is no journal of lmta; {field}: {first['msg']}.") from None


def write_journal(path: Path, journal: Journal) -> None:
    """Write the journal, whole or not at all."""
    text = journal_text(journal)
    write_whole(path, lambda file: file.write_bytes(text))


def journal_text(journal: Journal) -> bytes:
    """The journal as its file has it."""
    return _FORMAT.dump_json(journal, indent=2) + b"\n"


def fingerprint(data: FilePath) -> str:
    """SHA-256 of a file."""
    return hashlib.sha256(read_bytes(data)).hexdigest()


def seen_from(path: Path, journal: Path) -> str:
    """A path as a journal notes it: it stays right when both move together."""
    real = os.path.realpath(path)  # a loop of links stays as it is, and is refused when it is read
    relative = Path(os.path.relpath(real, journal.parent.resolve())).as_posix()
    if not relative.isprintable():
        raise InputError(f"{shown(path)}: has a name that cannot be noted; rename it.")
    return relative


def open_session(path: Path, journal: Journal) -> Session:
    """The campaign or tour where it stands now."""
    data = path.parent.resolve() / journal.data
    if fingerprint(data) != journal.fingerprint:
        raise InputError(f"{shown(data)}: has changed since {shown(path)} was begun; bring it back or begin anew.")
    return replay(journal, data, shown(path))


def replay(
    journal: Journal, data: FilePath, label: str, on_day: Callable[[Session], None] = lambda session: None
) -> Session:
    """The campaign or tour with all its days lived through; `label` names the journal in messages."""
    session = journal.begin(data)
    for number, day in enumerate(journal.history, 1):
        try:
            with hearing():  # it was said when the day was reported
                journal.report(session, day)
        except InputError as error:
            raise InputError(f"{label}, day {number}: {error}") from None
        on_day(session)
    return session
