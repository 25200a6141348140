"""What `lmta plan` does: report what happened, if it is said, then decide for today, and keep both in the journal."""

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from lmta.advisor.journal import (
    Journal,
    fingerprint,
    journal_type,
    live,
    make_day,
    open_session,
    read_journal,
    seen_from,
    write_journal,
)
from lmta.agents.players import PREFIX, default_name, is_adviser, may_think, player, says_effort, with_effort
from lmta.files import FilePath, check_writable, kind_of, shown
from lmta.planning.effort import make_effort
from lmta.planning.planner import OnProgress, Planner
from lmta.policies.player import AbstractPlayer
from lmta.problems.delimited import Column, error_at, first_repeat, first_true, numbers, read_lines, read_table
from lmta.problems.session import AbstractSession, ReportField, check_seed
from lmta.problems.spec import Spec
from lmta.types import Decision, InputError, quoted

NAME = Column("name", ("id", "node", "city"))


@dataclass(frozen=True)
class PlanSettings:
    """What to do today, whatever the problem is."""

    state: Path
    """The journal: what was done and observed so far. It is made on the first day."""
    days: int | None = None
    """How long a new plan lasts."""
    budget: int | None = None
    """How many picks there are in all."""
    policy: str | None = None
    """Who decides: the problem's adviser (lmta:PROBLEM) at first, then whoever was named last. `lmta policies` has the
    names; lmta:FILE.planner is what `lmta tune` has written, lmta:FOLDER an agent of your own training."""
    think: float | None = None
    """Seconds to think about each decision at most, and less where it is clear what is best: 10 at first where the
    problem has an engine for rollouts, and none elsewhere; 0 for none. Ctrl-C takes the best so far."""
    rollouts: int | None = None
    """Rollouts to make instead: the same ones give the same decision every time."""
    seed: int | None = None
    """Matters only where the policy draws samples; 0 at first."""
    day: int | None = None
    """The day that this is about, as a safeguard: any other than the present one is refused."""
    problem: str | None = None
    """What is planned, where the data's option does not tell. With either of them --help shows the problem's own
    options too."""


@dataclass(frozen=True)
class Subject:
    """What a plan is about: a problem, the user's data, how they are read, and the rules."""

    spec: Spec
    data: Path | None
    read: Any
    rules: Any


@dataclass(frozen=True)
class DayFiles:
    """Files that say how a day was."""

    done: Path | None = None
    failed: Path | None = None
    observed: tuple[str, ...] | None = None
    """A FILE for the first thing that is observed; NAME=FILE for each where there are several."""


@dataclass(frozen=True)
class Advice:
    """Where the session stands, and what to do today; None where all days are over."""

    session: AbstractSession
    decision: Decision | None


def plan(
    settings: PlanSettings, subject: Subject, files: DayFiles, on_progress: OnProgress = lambda *standing: None
) -> Advice:
    """Report, decide, and write the journal; `on_progress` is told how the thinking goes."""
    check_writable(settings.state)
    journal = _current(settings, subject)
    session = open_session(settings.state, journal)
    if settings.day not in (None, session.day):
        raise InputError(f"day: {settings.day} given, but {shown(settings.state)} stands at day {session.day}.")
    if files.observed is not None:
        journal = _live_a_day(files, journal, session)
    for name, given in (("done", files.done), ("failed", files.failed)):
        if given is not None and files.observed is None:
            raise InputError(f"{name}: goes with --observed, which says what happened then.")
    decision = None
    if not session.finished:
        decider = _player(settings.state, journal)
        if isinstance(decider, Planner):
            decider = replace(decider, stoppable=True, on_progress=on_progress)
        decision = decider.decide(session, seed=journal.seed)
        journal = journal.model_copy(update={"advised": decision.nodes})
    write_journal(settings.state, journal)
    return Advice(session, decision)


def _current(settings: PlanSettings, subject: Subject) -> Journal:
    """The journal as it is, or a new one, with what may change as it is asked for now."""
    state = settings.state
    if kind_of(state):
        journal = read_journal(state)
        _check_same(settings, subject, journal)
    else:
        journal = _new(settings, subject)
    changes: dict[str, Any] = {}
    if subject.data is not None:
        changes["data"] = seen_from(subject.data, state)
    if settings.policy is not None:
        changes["policy"] = _with_folder(settings.policy, lambda folder: seen_from(folder, state))
    if settings.think is not None or settings.rollouts is not None:
        changes["policy"] = _thinking(changes.get("policy", journal.policy), settings)
    if settings.seed is not None:
        changes["seed"] = check_seed(settings.seed)
    return journal.model_copy(update=changes)


def _thinking(policy: str, settings: PlanSettings) -> str:
    """The adviser's name with the effort that is asked for."""
    effort = make_effort(settings.think, settings.rollouts)
    option = "rollouts" if settings.think is None else "think"
    if settings.policy is not None and says_effort(settings.policy):
        raise InputError(f"{option}: {settings.policy} says already how much it thinks; leave one of the two out.")
    if not may_think(policy):
        raise InputError(f"{option}: has no effect on {policy}, which does not think; leave it out.")
    return with_effort(policy, effort)


def _player(state: Path, journal: Journal) -> AbstractPlayer:
    """Who decides; a trained agent's folder is noted as seen from the journal."""
    name = _with_folder(journal.policy, lambda folder: str(state.parent.resolve() / folder))
    return player(name, journal.spec.name)


def _with_folder(policy: str, place: Callable[[Path], str]) -> str:
    """The name with a trained agent's folder put otherwise; names of policies and of advisers stay."""
    folder = policy.removeprefix(PREFIX)
    if folder == policy or is_adviser(folder):
        return policy
    placed = place(Path(folder))
    return f"{PREFIX}./{placed}" if is_adviser(placed) else PREFIX + placed


def _new(settings: PlanSettings, subject: Subject) -> Journal:
    if subject.data is None:
        raise InputError(f"{subject.spec.own_data.option}: is needed to begin {shown(settings.state)}.")
    for name, value in (("days", settings.days), ("budget", settings.budget)):
        if value is None:
            raise InputError(f"{name}: is needed to begin {shown(settings.state)}.")
    assert settings.days is not None
    assert settings.budget is not None
    return journal_type(subject.spec)(
        data=seen_from(subject.data, settings.state),
        fingerprint=fingerprint(subject.data),
        read=subject.read,
        rules=subject.rules,
        days=settings.days,
        budget=settings.budget,
        policy=default_name(subject.spec),
        seed=0,
    )


def _check_same(settings: PlanSettings, subject: Subject, journal: Journal) -> None:
    """Refuse what contradicts the journal; what is the same may be given again, and the data may have moved."""
    wrong = {name: getattr(settings, name) not in (None, getattr(journal, name)) for name in ("days", "budget")}
    for given, noted in ((subject.read, journal.read), (subject.rules, journal.rules)):
        wrong |= {name: value != getattr(noted, name) for name, value in asdict(given).items()}
    if subject.data is not None and not any(wrong.values()):
        wrong[shown(subject.data)] = fingerprint(subject.data) != journal.fingerprint
    for option, is_so in wrong.items():
        if is_so:
            raise not_the_same(option, settings.state)


def not_the_same(option: str, state: Path) -> InputError:
    """The error for an option that contradicts the journal."""
    return InputError(f"{option}: is not what {shown(state)} was begun with; leave it out.")


def _live_a_day(files: DayFiles, journal: Journal, session: AbstractSession) -> Journal:
    """Report what was done and observed to the session, and note it."""
    report = {"done": _done(files, journal, session), "failed": _failed(files, session)}
    observed = _observed_files(files.observed or (), session)
    by_field = {
        field.name: read_field(observed[field.name], session, field) if field.role == "observed" else report[field.role]
        for field in session.report_fields
    }
    day = make_day(journal.spec, by_field)
    given = {"done": files.done, "failed": files.failed}
    sources = {field.name: observed.get(field.name, given.get(field.role)) for field in session.report_fields}
    try:
        live(session, day)
    except InputError as error:
        source = sources.get(str(error).partition(":")[0])
        raise error if source is None else InputError(f"{shown(source)}: {error}") from None
    return journal.model_copy(update={"history": (*journal.history, day), "advised": None})


def _done(files: DayFiles, journal: Journal, session: AbstractSession) -> tuple[Any, ...]:
    if files.done is not None:
        return read_names(files.done, session)
    if journal.advised is None and not session.finished:
        raise InputError("observed: nothing was advised for today yet; ask first, or say with --done what was done.")
    return journal.advised or ()


def _failed(files: DayFiles, session: AbstractSession) -> tuple[Any, ...]:
    if files.failed is None:
        return ()
    if not session.fields("failed"):
        raise InputError(f"failed: has no effect here, since nothing fails in a {session.word}; leave it out.")
    return read_names(files.failed, session)


def _observed_files(given: tuple[str, ...], session: AbstractSession) -> dict[str, str]:
    """The file of each observed field: FILE stands for the first of them, NAME=FILE for the one of that name."""
    names = [field.name for field in session.fields("observed")]
    found: dict[str, str] = {}
    for text in given:
        if not names:
            raise InputError(f"observed: nothing is observed in a {session.word}; give --observed without a file.")
        name, file = _named(text, names)
        if name in found:
            raise InputError(f"observed: {shown(found[name])} and {shown(file)} are both given for {name}; give one.")
        found[name] = file
    for name in names:
        if name not in found:
            ask = "FILE" if len(names) == 1 else f"{name}=FILE"
            raise InputError(f"observed: {name} is missing; give {ask}, which may be an empty file.")
    return found


def _named(text: str, names: list[str]) -> tuple[str, str]:
    name, equals, file = text.partition("=")
    return (name, file) if equals and name in names else (names[0], text)


def read_field(path: FilePath, session: AbstractSession, field: ReportField) -> Any:
    """What a file says of a field of the day's report, as `advance` takes it."""
    return dict(read_numbers(path, session, field)) if field.has_numbers else read_names(path, session)


def read_names(path: FilePath, session: AbstractSession) -> tuple[Any, ...]:
    """Ids, one a line, each once."""
    lines = [(number, line) for number, line in enumerate(map(str.strip, read_lines(path)), 1) if line]
    names = tuple(session.name(line, f"{shown(path)}, line {number}") for number, line in lines)
    repeat = first_repeat(names)
    if repeat is not None:
        earlier, again = (lines[place][0] for place in repeat)
        raise error_at(path, again, f"{quoted(names[repeat[1]])} stands in line {earlier} already; name it once.")
    return names


def read_numbers(path: FilePath, session: AbstractSession, field: ReportField) -> Iterator[tuple[Any, float]]:
    """Lines of a name and its number; there may be none."""
    if not any(line.strip() for line in read_lines(path)):
        return
    what = field.number
    table = read_table(path, (NAME, Column(what, field.aliases, numeric=True)))
    names, column = table.columns["name"], table.columns.get(what)
    if column is None:
        raise table.origin.error(0, f"expected 2 columns (name, {what}), found 1.")
    repeat = first_repeat(names)
    if repeat is not None:
        raise table.origin.error(repeat[1], f"{quoted(names[repeat[1]])} has a {what} already.")
    values = numbers(column, what, table.origin)
    too_small = first_true(values < field.least)
    if too_small is not None:
        fault = f"{what} {quoted(column[too_small])} is too small; write a number of at least {field.least:g}."
        raise table.origin.error(too_small, fault)
    for record, (name, value) in enumerate(zip(names, values.tolist(), strict=True)):
        yield session.name(name, f"{shown(path)}, {table.origin.place(record)}"), value
