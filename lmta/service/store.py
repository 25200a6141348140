"""What must not be lost, in one SQLite file: data, journals, their days, today's advice, forecasts.

Every change is one transaction, on the disk before it is answered (WAL, synchronous=FULL).
"""

import json
import logging
import secrets
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from lmta.advisor.journal import Journal, journal_text, read_journal
from lmta.files import shown
from lmta.problems.delimited import Content
from lmta.problems.spec import Spec
from lmta.types import InputError, quoted

LOG = logging.getLogger(__name__)
FORMAT = 1
_TABLES = """
CREATE TABLE data (
    fingerprint TEXT NOT NULL, name TEXT NOT NULL, content BLOB NOT NULL, PRIMARY KEY (fingerprint, name));
CREATE TABLE plans (
    id TEXT PRIMARY KEY, title TEXT NOT NULL, created TEXT NOT NULL, fingerprint TEXT NOT NULL, data TEXT NOT NULL,
    journal TEXT NOT NULL, FOREIGN KEY (fingerprint, data) REFERENCES data (fingerprint, name));
CREATE TABLE days (
    plan TEXT NOT NULL REFERENCES plans (id) ON DELETE CASCADE, day INTEGER NOT NULL, report TEXT NOT NULL,
    warnings TEXT NOT NULL, result REAL NOT NULL, reported TEXT NOT NULL, PRIMARY KEY (plan, day));
CREATE TABLE advice (
    plan TEXT NOT NULL REFERENCES plans (id) ON DELETE CASCADE, day INTEGER NOT NULL, advice TEXT NOT NULL,
    PRIMARY KEY (plan, day));
CREATE TABLE forecasts (
    id TEXT PRIMARY KEY, plan TEXT NOT NULL REFERENCES plans (id) ON DELETE CASCADE, created TEXT NOT NULL,
    request TEXT NOT NULL, status TEXT NOT NULL, outcome TEXT);
CREATE INDEX forecasts_of_plan ON forecasts (plan, created);
"""
_FORECASTS = "SELECT id, plan, created, request, status, outcome FROM forecasts"


class NotFoundError(InputError):
    """What was asked for is not there."""


class ConflictError(InputError):
    """Someone else was faster, or the day is another one by now."""


@dataclass(frozen=True)
class Day:
    """A reported day: what was noted in the journal, what was pointed out, and the result up to its end."""

    number: int
    report: dict[str, Any]
    warnings: tuple[str, ...]
    result: float
    reported: str


@dataclass(frozen=True)
class Advised:
    """What was advised for a day, and by whom."""

    policy: str
    budget: int
    ids: tuple[int | str, ...]


@dataclass(frozen=True)
class Plan:
    """A plan as it is kept: its journal without days, and the days."""

    id: str
    title: str
    created: str
    beginning: Journal
    days: tuple[Day, ...]

    @property
    def spec(self) -> Spec:
        """The problem that it is of."""
        return self.beginning.spec

    @property
    def kind(self) -> str:
        """What users call it, such as 'campaign'."""
        return self.spec.session.word

    @property
    def done(self) -> str:
        """The field of a day's report that says what was done."""
        return self.spec.session.fields("done")[0].name

    @property
    def day(self) -> int:
        """The day that comes next, counted from 1."""
        return len(self.days) + 1


@dataclass(frozen=True)
class Forecast:
    """A job that looks ahead: what was asked for, how it stands, and what came out."""

    id: str
    plan: str
    created: str
    request: dict[str, Any]
    status: str
    outcome: Any


class Store:
    """The database in a folder; any thread may use it."""

    def __init__(self, folder: Path):
        self._path = folder / "lmta.sqlite3"
        self._local = threading.local()
        self._lock = threading.Lock()
        try:
            make_folder(folder)
            self._path.touch(0o600)  # whatever the folder's own mode; SQLite gives its other files the same
            self._prepare()
        except (OSError, sqlite3.Error) as error:
            raise InputError(f"data: {shown(folder)} cannot hold the database ({error}); name another.") from None

    def _prepare(self) -> None:
        """Make the tables of a new database; a job that a stop has cut short is marked so."""
        with self._changing() as db:
            version = db.execute("PRAGMA user_version").fetchone()[0]
            if version not in (0, FORMAT):
                raise InputError(f"data: {shown(self._path)} was made by another version of lmta; name another folder.")
            if version == 0:
                for statement in _TABLES.split(";\n"):
                    db.execute(statement)
                db.execute(f"PRAGMA user_version = {FORMAT}")
            db.execute("UPDATE forecasts SET status = 'interrupted' WHERE status IN ('queued', 'running')")

    @property
    def _db(self) -> sqlite3.Connection:
        """This thread's own connection."""
        db = getattr(self._local, "db", None)
        if db is None:
            db = sqlite3.connect(self._path, timeout=30, isolation_level=None)
            db.execute("PRAGMA journal_mode = WAL")
            db.execute("PRAGMA foreign_keys = ON")
            self._local.db = db
        return db

    @contextmanager
    def _changing(self, durable: bool = True) -> Iterator[sqlite3.Connection]:
        """A transaction that writes: all of it or nothing, one at a time.

        What can be worked out again need not be durable: a power cut may lose it, a kill of the process does not.
        """
        db = self._db
        with self._lock:
            db.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
            db.execute("BEGIN IMMEDIATE")
            try:
                yield db
                db.execute("COMMIT")
            except BaseException:
                db.rollback()
                raise

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        """A transaction that reads one moment of the database."""
        db = self._db
        db.execute("BEGIN")
        try:
            yield db
        finally:
            db.execute("COMMIT")

    def close(self) -> None:
        """Close this thread's connection."""
        with closing(self._db):
            self._local.db = None

    # --- plans -------------------------------------------------------------------------------------------------------

    def add_plan(self, title: str, beginning: Journal, content: Content, days: tuple[Day, ...] = ()) -> str:
        """Keep a new plan with its data; its id."""
        name = secrets.token_hex(8)
        with self._changing() as db:
            key = (beginning.fingerprint, content.name)
            db.execute("INSERT OR IGNORE INTO data VALUES (?, ?, ?)", (*key, content.data))
            row = (name, title, _now(), *key, journal_text(beginning).decode())
            db.execute("INSERT INTO plans VALUES (?, ?, ?, ?, ?, ?)", row)
            for day in days:
                _insert_day(db, name, day)
        return name

    def plan(self, name: str) -> Plan:
        """The plan of that id."""
        with self._reading() as db:
            return _plan(db, name)

    def plans(self) -> list[Plan]:
        """All plans, the newest first, but for those of problems that are not installed any more."""
        found = []
        with self._reading() as db:
            for (name,) in db.execute("SELECT id FROM plans ORDER BY created DESC, id").fetchall():
                try:
                    found.append(_plan(db, name))
                except InputError as error:
                    LOG.warning("plan %s is left out: %s", name, error)
        return found

    def content(self, plan: Plan) -> Content:
        """The data of a plan."""
        key = (plan.beginning.fingerprint, plan.beginning.data)
        row = self._db.execute("SELECT content FROM data WHERE fingerprint = ? AND name = ?", key).fetchone()
        if row is None:
            raise _gone(plan.id)
        return Content(plan.beginning.data, row[0])

    def change_plan(self, name: str, title: str, beginning: Journal) -> None:
        """Another title, policy or seed; what was advised for the day that comes next is forgotten."""
        with self._changing() as db:
            plan = _plan(db, name)
            row = (title, journal_text(beginning).decode(), name)
            db.execute("UPDATE plans SET title = ?, journal = ? WHERE id = ?", row)
            if (plan.beginning.policy, plan.beginning.seed) != (beginning.policy, beginning.seed):
                db.execute("DELETE FROM advice WHERE plan = ? AND day >= ?", (name, plan.day))

    def remove_plan(self, name: str) -> None:
        """Forget a plan, and its data where nobody else has the same."""
        with self._changing() as db:
            _plan(db, name)
            db.execute("DELETE FROM plans WHERE id = ?", (name,))
            db.execute("DELETE FROM data WHERE (fingerprint, name) NOT IN (SELECT fingerprint, data FROM plans)")

    # --- days and advice ---------------------------------------------------------------------------------------------

    def add_day(self, name: str, number: int, report: dict[str, Any], warnings: tuple[str, ...], result: float) -> Day:
        """Note a day, unless it is there already or is not the next."""
        day = Day(number, json.loads(json.dumps(report)), warnings, result, _now())
        with self._changing() as db:
            check_next(_plan(db, name), number)
            _insert_day(db, name, day)
        return day

    def remove_day(self, name: str, number: int) -> None:
        """Take back the last day, and what was advised and forecast after it."""
        with self._changing() as db:
            plan = _plan(db, name)
            if number != len(plan.days) or number < 1:
                last = f"the last one is day {len(plan.days)}" if plan.days else "none was reported yet"
                raise ConflictError(f"day: {number} given, but only the last reported day can be taken back; {last}.")
            db.execute("DELETE FROM days WHERE plan = ? AND day = ?", (name, number))
            db.execute("DELETE FROM advice WHERE plan = ? AND day > ?", (name, number))
            db.execute("DELETE FROM forecasts WHERE plan = ? AND json_extract(request, '$.day') > ?", (name, number))

    def advice(self, name: str, day: int) -> dict[str, Any] | None:
        """What was advised for a day, if it was asked for."""
        row = self._db.execute("SELECT advice FROM advice WHERE plan = ? AND day = ?", (name, day)).fetchone()
        return None if row is None else json.loads(row[0])

    def advised(self, name: str) -> dict[int, Advised]:
        """What was advised, by day, wherever it was asked for."""
        rows = self._db.execute("SELECT day, advice FROM advice WHERE plan = ?", (name,)).fetchall()
        return {day: _advised(**json.loads(advice)) for day, advice in rows}

    def keep_advice(self, seen: Plan, advice: dict[str, Any]) -> None:
        """Keep what was advised for the day that comes next, unless the plan has moved on since it was seen."""
        query = "SELECT journal, (SELECT count(*) FROM days WHERE plan = id) FROM plans WHERE id = ?"
        with self._changing(durable=False) as db:
            now = db.execute(query, (seen.id,)).fetchone()
            if now is not None and (_journal(now[0]), now[1]) == (seen.beginning, len(seen.days)):
                row = (seen.id, seen.day, json.dumps(advice))
                db.execute("INSERT OR IGNORE INTO advice VALUES (?, ?, ?)", row)

    # --- forecasts ---------------------------------------------------------------------------------------------------

    def add_forecast(self, plan: str, request: dict[str, Any]) -> Forecast:
        """Keep a new job."""
        forecast = Forecast(secrets.token_hex(8), plan, _now(), request, "queued", None)
        with self._changing() as db:
            _plan(db, plan)
            row = (forecast.id, plan, forecast.created, json.dumps(request), forecast.status)
            db.execute("INSERT INTO forecasts VALUES (?, ?, ?, ?, ?, NULL)", row)
        return forecast

    def mark_forecast(self, name: str, status: str, outcome: Any = None) -> None:
        """Note how a job stands or has ended; one that has ended stays as it is."""
        with self._changing() as db:
            row = (status, None if outcome is None else json.dumps(outcome), name)
            where = "WHERE id = ? AND status IN ('queued', 'running')"
            db.execute(f"UPDATE forecasts SET status = ?, outcome = ? {where}", row)

    def is_wanted(self, name: str) -> bool:
        """Whether a job is still to be done: neither ended nor removed with its plan."""
        row = self._db.execute("SELECT status FROM forecasts WHERE id = ?", (name,)).fetchone()
        return row is not None and row[0] in ("queued", "running")

    def forecast(self, plan: str, name: str) -> Forecast:
        """A job of a plan."""
        row = self._db.execute(f"{_FORECASTS} WHERE plan = ? AND id = ?", (plan, name)).fetchone()
        if row is None:
            raise NotFoundError(f"forecast: {quoted(name)} is not there.")
        return _forecast(*row)

    def forecasts(self, plan: str) -> list[Forecast]:
        """The jobs of a plan, the newest first."""
        with self._reading() as db:
            _plan(db, plan)
            rows = db.execute(f"{_FORECASTS} WHERE plan = ? ORDER BY created DESC, rowid DESC", (plan,)).fetchall()
        return [_forecast(*row) for row in rows]


def make_folder(folder: Path) -> None:
    """Make the folder, for its owner only, unless it is there."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)


def check_next(plan: Plan, number: int) -> None:
    """Refuse a day that is not the next."""
    if number != plan.day:
        so_far = f"day {number} was reported already; " if number < plan.day else ""
        raise ConflictError(f"day: {number} given, but {so_far}the next is day {plan.day}; load it anew.")


def _plan(db: sqlite3.Connection, name: str) -> Plan:
    row = db.execute("SELECT title, created, journal FROM plans WHERE id = ?", (name,)).fetchone()
    if row is None:
        raise _gone(name)
    columns = "day, report, warnings, result, reported"
    days = db.execute(f"SELECT {columns} FROM days WHERE plan = ? ORDER BY day", (name,)).fetchall()
    title, created, journal = row
    return Plan(name, title, created, _journal(journal), tuple(_day(*columns) for columns in days))


def _journal(text: str) -> Journal:
    return read_journal(Content("journal", text.encode()))


def _gone(name: str) -> NotFoundError:
    return NotFoundError(f"id: {quoted(name)} is not there; it may have been removed.")


def _forecast(name: str, plan: str, created: str, request: str, status: str, outcome: str | None) -> Forecast:
    return Forecast(name, plan, created, json.loads(request), status, json.loads(outcome or "null"))


def _day(number: int, report: str, warnings: str, result: float, reported: str) -> Day:
    return Day(number, json.loads(report), tuple(json.loads(warnings)), result, reported)


def _advised(*, policy: str, budget: int, picks: list[dict[str, Any]], **_: Any) -> Advised:
    return Advised(policy, budget, tuple(pick["id"] for pick in picks))


def _insert_day(db: sqlite3.Connection, plan: str, day: Day) -> None:
    row = (plan, day.number, json.dumps(day.report), json.dumps(day.warnings), day.result, day.reported)
    db.execute("INSERT INTO days VALUES (?, ?, ?, ?, ?, ?)", row)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
