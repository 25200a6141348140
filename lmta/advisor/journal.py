"""A user's session in a file: what it is about, and what happened day by day. Opening it replays the days."""

import hashlib
import os
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, StrictInt, StrictStr, ValidationError, create_model
from pydantic_core import from_json, to_json

from lmta.files import FilePath, kind_of, shown, write_whole
from lmta.hints import hearing
from lmta.problems.delimited import read_bytes
from lmta.problems.registry import session_words, spec_of_word
from lmta.problems.session import AbstractSession
from lmta.problems.spec import Spec
from lmta.types import InputError, quoted

Name = StrictInt | StrictStr
"""An id as it is written; data from files have no others."""
_STRICT = ConfigDict(frozen=True, extra="forbid", strict=True)
_IDS, _NUMBERS = tuple[Name, ...], tuple[tuple[Name, float], ...]


class Journal(BaseModel):
    """What every journal has. Each problem has a type of its own, with its options and its days."""

    model_config = _STRICT
    spec: ClassVar[Spec]
    kind: str = ""
    """What the plan is, and the version of this layout."""
    data: str
    """The file with the data, as seen from the journal's folder."""
    fingerprint: str
    """SHA-256 of that file."""
    read: Any
    """How the data are read."""
    rules: Any
    """The numbers of the problem."""
    days: int
    budget: int
    policy: str
    seed: int
    history: tuple[Any, ...] = ()
    """What each day brought, by the names of the session's report fields."""
    advised: tuple[Name, ...] | None = None
    """What was advised for the day that comes next, once it was asked for."""

    def load(self, data: FilePath) -> Any:
        """The data in a file, for `begin`."""
        return self.spec.own_data.load(data, self.read)

    def begin(self, loaded: Any) -> AbstractSession:
        """The session before its first day."""
        return self.spec.begin(loaded, days=self.days, budget=self.budget, read=self.read, rules=self.rules)


@cache
def journal_type(spec: Spec) -> type[Journal]:
    """The type of the journals of a problem."""
    kind, read, rules, day = _kind(spec.session.word), spec.own_data.options, spec.rules, day_type(spec)
    own: dict[str, Any] = {
        "kind": (Literal[kind], kind),
        "read": (read, read()),
        "rules": (rules, rules()),
        "history": (tuple[day, ...], ()),
    }
    made = create_model(f"{spec.session.__name__}Journal", __base__=Journal, **own)
    made.spec = spec
    return made


@cache
def day_type(spec: Spec) -> type[BaseModel]:
    """The type of a day in the journals of a problem. Nothing has failed where nothing is said."""
    fields: dict[str, Any] = {
        field.name: (_NUMBERS if field.has_numbers else _IDS, () if field.role == "failed" else ...)
        for field in spec.session.report_fields
    }
    return create_model(f"{spec.session.__name__}Day", __config__=_STRICT, **fields)


def _kind(word: str) -> str:
    return f"lmta {word} 1"


def make_day(spec: Spec, report: Mapping[str, Any]) -> BaseModel:
    """A day as a journal notes it, of a report as `advance` takes it."""
    pairs = {name: given.items() if isinstance(given, Mapping) else given for name, given in report.items()}
    return day_type(spec)(**{name: tuple(given) for name, given in pairs.items()})


def live(session: AbstractSession, day: BaseModel) -> None:
    """Advance a session by a day as a journal has it."""
    values = {field: getattr(day, field.name) for field in session.report_fields}
    session.advance(**{f.name: dict(given) if f.has_numbers else given for f, given in values.items()})


def read_journal(path: FilePath) -> Journal:
    """The journal in a file, also where an earlier version wrote it."""
    try:
        written = from_json(read_bytes(path), allow_inf_nan=False)
    except ValueError as error:
        raise _no_journal(path, f"the file is no JSON ({error})") from None
    kind = written.get("kind") if isinstance(written, dict) else None
    word = next((word for word in session_words() if _kind(word) == kind), None)
    if word is None:
        known = " or ".join(repr(_kind(word)) for word in session_words())
        raise _no_journal(path, f"kind: {quoted(kind)} is not {known}")
    spec = spec_of_word(word)
    try:
        return journal_type(spec).model_validate_json(to_json(spec.upgrade_journal(written)))
    except ValidationError as error:
        first = error.errors()[0]
        raise _no_journal(path, f"{'.'.join(map(str, first['loc']))}: {first['msg']}") from None


def _no_journal(path: FilePath, reason: str) -> InputError:
    return InputError(f"{shown(path)}: is no journal of lmta; {reason}.")


def write_journal(path: Path, journal: Journal) -> None:
    """Write the journal, whole or not at all."""
    text = journal_text(journal)
    write_whole(path, lambda file: file.write_bytes(text))


def journal_text(journal: Journal) -> bytes:
    """The journal as its file has it."""
    return journal.model_dump_json(indent=2).encode() + b"\n"


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


def open_session(path: Path, journal: Journal) -> AbstractSession:
    """The session where it stands now."""
    data = path.parent.resolve() / journal.data
    if fingerprint(data) != journal.fingerprint:
        raise InputError(f"{shown(data)}: has changed since {shown(path)} was begun; bring it back or begin anew.")
    return replay(journal, data, shown(path) if kind_of(path) else None)


def replay(
    journal: Journal,
    data: FilePath,
    label: str | None,
    on_day: Callable[[AbstractSession], None] = lambda session: None,
) -> AbstractSession:
    """The session with all its days lived through; `label` names the journal in messages, unless it is a new one."""
    loaded = journal.load(data)
    try:
        session = journal.begin(loaded)
    except InputError as error:
        raise error if label is None else InputError(f"{label}: {error}") from None
    for number, day in enumerate(journal.history, 1):
        try:
            with hearing():  # it was said when the day was reported
                live(session, day)
        except InputError as error:
            raise InputError(f"{label}, day {number}: {error}") from None
        on_day(session)
    return session
