"""Problems by name: those of this package, and those of other installed packages (entry points `lmta.problems`)."""

import difflib
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from lmta.problems.influence.spec import INFLUENCE, POWER_2500
from lmta.problems.orienteering.spec import ORIENTEERING
from lmta.problems.session import AbstractSession
from lmta.problems.spec import Spec
from lmta.types import InputError, quoted

GROUP = "lmta.problems"
DEFAULT = INFLUENCE.name
OWN = {spec.name: spec for spec in (INFLUENCE, ORIENTEERING, POWER_2500)}
"""The problems of this package."""


@cache
def specs() -> dict[str, Spec]:
    """Every problem by its name, this package's own first."""
    found = dict(OWN)
    for entry in entry_points(group=GROUP):
        spec = _loaded(entry)
        if spec.name in found:
            raise InputError(f"{entry.value}: brings a problem named {spec.name!r}, which there is already.")
        found[spec.name] = spec
    return found


def _loaded(entry: EntryPoint) -> Spec:
    try:
        spec = entry.load()
    except Exception as error:
        raise InputError(f"{entry.value}: the problem {entry.name!r} cannot be loaded ({error}).") from error
    if not isinstance(spec, Spec):
        raise InputError(f"{entry.value}: the entry point {entry.name!r} is not a lmta.problems.spec.Spec.")
    return spec


def spec_of(name: Any) -> Spec:
    """The problem of that name or alias."""
    known = {alias: spec for spec in specs().values() for alias in (spec.name, *spec.aliases)}
    if name in known:
        return known[name]
    close = difflib.get_close_matches(str(name), known, n=1)
    hint = f"did you mean {close[0]!r}?" if close else f"there are {', '.join(specs())}."
    raise InputError(f"problem: {name!r} is not known; {hint}")


def spec_of_session(session: AbstractSession) -> Spec:
    """The problem that a user's session is of."""
    return next(spec for spec in specs().values() if spec.session is type(session))


def session_words() -> dict[str, Spec]:
    """What users call their sessions, with the first problem of each."""
    words: dict[str, Spec] = {}
    for spec in specs().values():
        words.setdefault(spec.session.word, spec)
    return words


def spec_of_word(word: str) -> Spec:
    """The problem whose sessions users call so."""
    words = session_words()
    if word not in words:
        raise InputError(f"kind: {quoted(word)} is not known; there are {', '.join(words)}.")
    return words[word]


def spec_of_data(option: str) -> Spec:
    """The problem whose own data come in by that option."""
    return next(spec for spec in specs().values() if spec.own_data.option == option)


def data_options() -> dict[str, Spec]:
    """The options by which own data come in, with the first problem of each."""
    options: dict[str, Spec] = {}
    for spec in specs().values():
        options.setdefault(spec.own_data.option, spec)
    return options
