"""Problems by name: those of this package, and those of other installed packages (entry points `lmta.problems`).

This package's own are imported when they are first asked for: who plans a campaign needs nothing of tours.
"""

import difflib
from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import Any, NamedTuple

from lmta.problems.session import AbstractSession
from lmta.problems.spec import Spec
from lmta.types import InputError, quoted

GROUP = "lmta.problems"
DEFAULT = "aim"


class Known(NamedTuple):
    """What has to be known of a problem to find it, and how it is had."""

    aliases: tuple[str, ...]
    option: str
    """By which its own data come in."""
    word: str
    """What users call its sessions."""
    load: Callable[[], Spec]


class Specs(Mapping[str, Spec]):
    """Problems by their names or by something else; each is imported when it is first asked for."""

    def __init__(self, known: Mapping[str, Known]):
        self.known = known

    def __getitem__(self, key: str) -> Spec:
        return self.known[key].load()

    def __iter__(self) -> Iterator[str]:
        return iter(self.known)

    def __len__(self) -> int:
        return len(self.known)

    def __contains__(self, key: object) -> bool:
        return key in self.known


@cache
def _import(module: str, name: str) -> Spec:
    return getattr(import_module(f"lmta.problems.{module}.spec"), name)


OWN = Specs(
    {
        "aim": Known(("influence",), "graph", "campaign", partial(_import, "influence", "INFLUENCE")),
        "sop": Known(("orienteering",), "cities", "tour", partial(_import, "orienteering", "ORIENTEERING")),
        "power2500": Known((), "graph", "campaign", partial(_import, "influence", "POWER_2500")),
    }
)
"""The problems of this package."""


@cache
def specs() -> Specs:
    """Every problem by its name, this package's own first."""
    found = dict(OWN.known)
    for entry in entry_points(group=GROUP):
        spec = _loaded(entry)
        if spec.name in found:
            raise InputError(f"{entry.value}: brings a problem named {spec.name!r}, which there is already.")
        found[spec.name] = known_of(spec)
    return Specs(found)


def known_of(spec: Spec) -> Known:
    """What has to be known of a problem that is there."""
    return Known(spec.aliases, spec.own_data.option, spec.session.word, lambda: spec)


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
    known = {alias: found for key, found in specs().known.items() for alias in (key, *found.aliases)}
    if name in known:
        return known[name].load()
    close = difflib.get_close_matches(str(name), known, n=1)
    hint = f"did you mean {close[0]!r}?" if close else f"there are {', '.join(specs())}."
    raise InputError(f"problem: {name!r} is not known; {hint}")


def spec_of_session(session: AbstractSession) -> Spec:
    """The problem that a user's session is of."""
    alike = (known.load() for known in specs().known.values() if known.word == session.word)
    return next(spec for spec in alike if spec.session is type(session))


def session_words() -> Specs:
    """What users call their sessions, with the first problem of each."""
    return _first_by(lambda known: known.word)


def spec_of_word(word: str) -> Spec:
    """The problem whose sessions users call so."""
    words = session_words()
    if word not in words:
        raise InputError(f"kind: {quoted(word)} is not known; there are {', '.join(words)}.")
    return words[word]


def data_options() -> Specs:
    """The options by which own data come in, with the first problem of each."""
    return _first_by(lambda known: known.option)


def _first_by(key: Callable[[Known], str]) -> Specs:
    found: dict[str, Known] = {}
    for known in specs().known.values():
        found.setdefault(key(known), known)
    return Specs(found)
