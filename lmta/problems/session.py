"""A problem lived through day by day with the user's own ids, and what the report of a day consists of."""

import math
import operator
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from lmta.hints import warn
from lmta.problems.base import HostRules, Problem
from lmta.types import InputError, ModelWarning, NodeId, quoted

MAX_DAYS, MAX_NODES = 10_000, 10_000_000


@dataclass(frozen=True)
class ReportField:
    """One thing that the report of a day says."""

    name: str
    """As `advance` calls it."""
    role: Literal["done", "failed", "observed"]
    """What was done, which is what was advised where nothing is said; what of it failed; or what happened then."""
    kind: Literal["ids", "numbers"]
    """A list of ids, or a number for each of some ids."""
    label: str
    """As the page calls it."""
    describe: str
    """What it is, as in 'the ids that were activated'."""
    number: str = "value"
    """What each of the numbers is, such as 'profit'."""
    aliases: tuple[str, ...] = ()
    """What else the header of a file may call it."""
    least: float = -math.inf
    """None of the numbers is less."""

    @property
    def has_numbers(self) -> bool:
        """Whether it has numbers beside the ids."""
        return self.kind == "numbers"


class AbstractSession(ABC):
    """An instance, where it stands, and the names of its nodes. What the user reports is the truth."""

    problem: ClassVar[Problem]
    on_host: ClassVar[HostRules | None] = None
    """The problem's rules on the host, where it has them; sessions of any size then need no compilation."""
    word: ClassVar[str]
    """What users call one, such as 'campaign'."""
    title: ClassVar[str]
    """The same in a few words, such as 'Campaign on a network'."""
    icon: ClassVar[str]
    """Its Material icon in the page."""
    verb: ClassVar[str]
    """What is done with a pick, as in 'seed' or 'visit, in this order'."""
    report_fields: ClassVar[tuple[ReportField, ...]]
    """What the report of a day consists of: exactly one field with the role 'done', at most one 'failed'."""
    result_name: ClassVar[str]
    """What the result counts, such as 'nodes reached'."""
    budget_name: ClassVar[str] = "picks"
    """What the budget counts, such as 'seeds'."""

    def __init__(self, instance: Any, ids: Sequence[NodeId]):
        self.instance = instance
        self.state = (self.on_host or self.problem).reset(instance)
        self.ids = tuple(ids)
        self.prepared: dict[Any, Any] = {}
        """What policies have worked out for this instance, by policy and seed."""
        self._index = {name: i for i, name in enumerate(self.ids)}
        self._index_of_text = {str(name): i for i, name in enumerate(self.ids)}

    @property
    @abstractmethod
    def result(self) -> float:
        """What was earned so far."""

    @abstractmethod
    def progress(self) -> str:
        """The result so far, in a few words."""

    @classmethod
    def result_text(cls, result: float) -> str:
        """A result with what it counts; whole from 1,000 on."""
        number = f"{result:,.0f}" if abs(result) >= 1_000 else f"{result:.4g}"
        return f"{number} {cls.result_name}"

    @abstractmethod
    def advance(self, *args: Any, **report: Any) -> Any:
        """Report the day by the names of `report_fields`. Nothing changes if it is refused."""

    def tidy(self, report: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
        """The report made fit for `advance`: contradictions are taken as well as can be, and pointed out."""
        said: list[str] = []
        tidied: dict[str, Any] = {}
        for field in self.report_fields:
            given = report.get(field.name, ())
            if field.has_numbers:
                pairs = list(given.items() if isinstance(given, Mapping) else given)
                self._once([name for name, _ in pairs], field.name, said, "the last number counts")
                tidied[field.name] = {self.name(name, field.name): number for name, number in pairs}
            else:
                tidied[field.name] = tuple(self._once(given, field.name, said))
        return tidied, said

    @classmethod
    def fields(cls, role: Literal["done", "failed", "observed"]) -> tuple[ReportField, ...]:
        """The fields with that role."""
        return tuple(field for field in cls.report_fields if field.role == role)

    @property
    def day(self) -> int:
        """The day to decide for, counted from 1."""
        return int(self.state.day) + 1

    @property
    def days(self) -> int:
        """How many days there are in all."""
        return int(self.instance.days)

    @property
    def budget(self) -> int:
        """How many picks there are in all."""
        return int(self.instance.budget)

    @property
    def budget_left(self) -> int:
        """How many picks are left."""
        return int(self.state.budget_left)

    @property
    def finished(self) -> bool:
        """Whether all days are over."""
        return self.day > self.days

    def legal(self) -> tuple[NodeId, ...]:
        """What may be picked now."""
        mask = np.asarray((self.on_host or self.problem).legal(self.instance, self.state))
        return tuple(self.ids[i] for i in np.flatnonzero(mask))

    def index(self, name: Any, field: str) -> int:
        """Where `name` stands; a number may also be given as text, or text as a number."""
        try:
            found = self._index.get(name)
        except TypeError:
            raise InputError(f"{field}: {quoted(name)} cannot be a node's id; give a name or a number.") from None
        found = self._index_of_text.get(str(name)) if found is None else found
        if found is None:
            raise InputError(f"{field}: {quoted(name)} is not one of the {len(self.ids)} known ids.")
        return found

    def name(self, given: Any, field: str) -> NodeId:
        """The id as the data have it, of one that may be written as text or as a number."""
        return self.ids[self.index(given, field)]

    def _indices(self, names: Any, field: str) -> list[int]:
        if isinstance(names, str) or not isinstance(names, Iterable):
            raise InputError(f"{field}: give a list of ids, not {quoted(names)} alone.")
        indices = [self.index(name, field) for name in names]
        seen: set[int] = set()
        for i in indices:
            if i in seen:
                raise InputError(f"{field}: {quoted(self.ids[i])} is named twice.")
            seen.add(i)
        return indices

    def _once(self, names: Any, field: str, said: list[str], which: str = "it counts once") -> dict[Any, None]:
        """The ids as the data have them, in order and each once; repeats are pointed out."""
        times = Counter(self.name(name, field) for name in names)
        said.extend(
            f"{field}: {quoted(name)} is named {count} times; {which}." for name, count in times.items() if count > 1
        )
        return dict.fromkeys(times)

    def _some_of(self, names: Any, field: str, whole: list[int], whole_field: str) -> set[int]:
        """Where the names stand, all of which must be among the whole."""
        indices, allowed = self._indices(names, field), set(whole)
        for i in indices:
            if i not in allowed:
                raise InputError(f"{field}: {quoted(self.ids[i])} is not among those {whole_field}; name it there too.")
        return set(indices)

    def _check_day(self) -> None:
        if self.finished:
            raise InputError(f"All {self.days} days are over; there is nothing to advance.")

    def _left_after(self, num_picks: int, field: str) -> np.ndarray:
        """The budget left after so many picks; more than there were are taken as true, with a warning."""
        if num_picks > self.budget_left:
            message = f"{field}: {num_picks} picks exceed the {self.budget_left} left of {self.budget}"
            warn(f"{message}; taken as true, and nothing is left.", ModelWarning, 3)
        return np.array(max(self.budget_left - num_picks, 0), np.int32)


def check_horizon(days: Any, budget: Any, num_pickable: int, what: str) -> None:
    """Refuse a horizon or a budget that makes no sense."""
    if whole_number(days, "days", 1) > MAX_DAYS:
        raise InputError(f"days: {days} given, at most {MAX_DAYS:,} are possible.")
    if whole_number(budget, "budget", 1) > num_pickable:
        raise InputError(f"budget: {budget} given, but there are only {num_pickable} {what} to pick.")


def check_nodes(nodes: Any) -> None:
    """Refuse a generated instance that is too small or too large."""
    if whole_number(nodes, "nodes", 2) > MAX_NODES:
        raise InputError(f"nodes: {nodes} given, at most {MAX_NODES:,} are possible.")


def check_seed(seed: Any) -> int:
    """A seed that random keys can tell from any other."""
    if whole_number(seed, "seed", 0) >= 2**32:
        raise InputError(f"seed: {seed} given, it must be less than 2^32.")
    return int(seed)


def whole_number(value: Any, field: str, least: int) -> int:
    """The value if it is a whole number of at least `least`."""
    try:
        number = operator.index(value)
    except TypeError:
        raise InputError(f"{field}: {value!r} given, a whole number is needed.") from None
    if isinstance(value, bool) or number < least:
        raise InputError(f"{field}: {value} given, at least {least} is needed.")
    return number
