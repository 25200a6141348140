"""`lmta plan`. Its options depend on the problem, which the arguments tell."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import make_dataclass
from pathlib import Path
from typing import Annotated, Any

import tyro

from lmta.advisor import plan as advisor
from lmta.advisor.journal import read_journal
from lmta.advisor.plan import DayFiles, PlanSettings, Subject, not_the_same
from lmta.advisor.tables import advice_tables, next_step
from lmta.commands.console import OUT, progress_bar, say, thinking_bar
from lmta.commands.options import given_options
from lmta.files import kind_of, shown
from lmta.problems.registry import data_options, spec_of, spec_of_word
from lmta.problems.session import AbstractSession
from lmta.problems.spec import Spec
from lmta.types import InputError


def make_plan(arguments: Sequence[str]) -> Callable[..., None]:
    """The command for the problem of the journal that is there, or of the data that are named."""
    options, given = data_options(), given_options(arguments)
    named = [option for option in options if option in given]
    problem = spec_of(given["problem"]) if given.get("problem") else None
    state = given.get("state")
    if state and kind_of(state):
        journal = read_journal(Path(state))
        if problem is not None and problem.session is not journal.spec.session:
            raise not_the_same("problem", Path(state))
        for option in named:
            if option != journal.spec.own_data.option:
                raise not_the_same(option, Path(state))
        return _make_command(journal.spec, journal.read, journal.rules)
    if problem is not None or len(named) == 1:
        spec = options[named[0]] if problem is None else spec_of_word(problem.session.word)
        return _make_command(spec, spec.own_data.options(), spec.rules())
    if state and not {"-h", "--help"} & {*arguments}:
        ways = " or ".join(f"--{option}" for option in options)
        raise InputError(f"{shown(state)}: is not there yet; begin it with {ways}, and one only.")
    return _make_overview(options)


def _make_command(spec: Spec, read_as: Any, with_rules: Any) -> Callable[..., None]:
    """The command for one problem; how its data are read and its rules are those of the journal, where there is one."""

    def plan(settings, data=None, read=read_as, rules=with_rules, done=None, failed=None, observed=None) -> None:
        """Decide, and print what to do and how to go on."""
        with progress_bar() as progress:
            tell = thinking_bar(progress)
            advice = advisor.plan(settings, Subject(spec, data, read, rules), DayFiles(done, failed, observed), tell)
        for part in advice_tables(advice):
            OUT.print(part, highlight=False)
        say(next_step(settings, advice))

    plan.__annotations__ = {
        "settings": _flat(PlanSettings),
        "data": _data_option(spec),
        "read": _flat(spec.own_data.options),
        "rules": _flat(spec.rules),
        **_day_options(spec.session),
    }
    return plan


def _make_overview(options: Mapping[str, Spec]) -> Callable[..., None]:
    """What is common to all problems, for the help."""
    fields = [(option.replace("-", "_"), _data_option(spec), None) for option, spec in options.items()]
    data_type = make_dataclass("Data", fields)
    data_type.__doc__ = (
        "Begin with one of these. lmta plan --OPTION FILE --help shows the other options of its problem."
    )

    def plan(settings, data) -> None:
        """Say what is missing."""
        raise InputError(f"{shown(settings.state)}: is not there yet; name the data to begin with.")

    plan.__annotations__ = {"settings": _flat(PlanSettings), "data": _flat(data_type)}
    return plan


def _flat(options: type) -> Any:
    """Options without a prefix before their names."""
    return Annotated[options, tyro.conf.arg(name="")]


def _data_option(spec: Spec) -> Any:
    """The option for the user's own data, under the problem's own name for it."""
    return Annotated[Path | None, tyro.conf.arg(name=spec.own_data.option, help=spec.own_data.describe)]


def _day_options(session: type[AbstractSession]) -> dict[str, Any]:
    """The options that say how a day was."""
    done, failed, observed = session.fields("done"), session.fields("failed"), session.fields("observed")
    lines = [f"as lines of name and {field.number}" if field.has_numbers else "one a line" for field in observed]
    seen = "; ".join(f"{f.describe}, {how}" for f, how in zip(observed, lines, strict=True)) or "nothing"
    each = " Name each: " + " ".join(f"{field.name}=FILE" for field in observed) + "." if len(observed) > 1 else ""
    of_failed = f"Those of them that failed: {failed[0].describe}, one a line." if failed else "Nothing fails here."
    helps = {
        "done": f"What was done today, if not what was advised: {done[0].describe}, one a line, in order.",
        "failed": of_failed,
        "observed": f"What happened then, and the day is over: {seen}. A file may be empty.{each}",
    }
    types = {"done": Path | None, "failed": Path | None, "observed": tuple[str, ...] | None}
    return {role: Annotated[types[role], tyro.conf.arg(help=helps[role])] for role in types}
