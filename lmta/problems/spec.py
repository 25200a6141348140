"""What a problem says of itself: all that commands, arena, training, adviser and service need to know of it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, is_dataclass, replace
from typing import Any, Generic, TypeVar, cast

import numpy as np
import tyro

from lmta.lazy import jax
from lmta.problems.base import Problem
from lmta.problems.heuristics import NodeRule, Pairing
from lmta.problems.session import AbstractSession
from lmta.problems.simulator import AbstractSimulator, Tuning
from lmta.types import InputError


@dataclass(frozen=True)
class Size:
    """How large an instance is and how long it lasts."""

    nodes: int
    days: int
    budget: int


@dataclass(frozen=True)
class Nothing:
    """No options."""


DrawnT = TypeVar("DrawnT")
RulesT = TypeVar("RulesT")


@dataclass(frozen=True)
class InstanceSettings(Generic[DrawnT, RulesT]):
    """What an instance is drawn from; None means the problem's own default."""

    nodes: int | None = None
    """Nodes or cities of a generated instance."""
    days: int | None = None
    """Days to play."""
    budget: int | None = None
    """Picks in all."""
    generator: str | None = None
    """How instances are generated: one of those that `lmta problems` lists; the first is the default."""
    drawn: tyro.conf.OmitArgPrefixes[DrawnT] = field(default_factory=lambda: cast("DrawnT", Nothing()))
    """Of generated instances alone."""
    rules: tyro.conf.OmitArgPrefixes[RulesT] = field(default_factory=lambda: cast("RulesT", Nothing()))
    """The numbers of the problem."""


Source = Any
"""What an instance is made from: the name of a generator, or the user's own data as `OwnData.load` gives them."""


@dataclass(frozen=True)
class Seen:
    """What one's own data hold, to be shown before they are used."""

    nodes: int
    edges: int
    histogram: np.ndarray
    """The numbers that a histogram shows, one a node …"""
    histogram_of: str
    """… and what they are, such as 'out-degree'."""
    ids: Sequence[Any]
    nodes_name: str = "nodes"
    """What users call the nodes, such as 'cities'."""


@dataclass(frozen=True)
class Sample:
    """Data to begin with, and settings that suit them."""

    name: str
    title: str
    description: str
    file: Callable[[], tuple[str, bytes]]
    """(file name, content)."""
    days: int
    budget: int
    options: Mapping[str, Any] = field(default_factory=dict)
    """Options of import and rules that differ from their defaults."""


@dataclass(frozen=True)
class OwnData:
    """How a user's own data come in."""

    option: str
    """The command line's option that names the file: `graph` is --graph FILE."""
    describe: str
    """What the file holds and which formats are read, for the help."""
    suffixes: tuple[str, ...]
    """Endings of files that are taken."""
    options: type
    """A frozen dataclass: how the file is read. Its fields are options of the command line."""
    load: Callable[[Any, Any], Any]
    """(path or content, options) → the data."""
    look: Callable[[Any], Seen]
    """What the data hold."""
    leaves_to_chance: Callable[[Any], bool]
    """Whether instances made of the same data differ."""
    samples: tuple[Sample, ...] = ()


@dataclass(frozen=True)
class Policies:
    """The classical policies of a problem: node rules, budget rules of its own, and which of them serve for what."""

    node_rules: Mapping[str, NodeRule]
    adviser: str
    """The policy that `lmta:NAME` stands for: who decides where nobody is named."""
    baseline: str
    """What greedy play of a learner is measured against while it trains."""
    pairings: Mapping[str, Pairing] = field(default_factory=dict)
    """Budget rules of its own, by name, and what they go with."""
    short_names: Mapping[str, str] = field(default_factory=dict)
    complete: frozenset[str] = frozenset()
    """Node rules that choose the budget too: they go with `normal` alone."""
    simulator: Callable[[Any], AbstractSimulator] | None = None
    """Instance → what tries strategies on it, where the problem has an engine of its own."""
    tuning: Tuning | None = None
    """How strategies are fitted to one instance, where the problem has a family of them."""


@dataclass(frozen=True)
class View:
    """How the nodes of a problem are drawn and described."""

    layout: Callable[[Any], np.ndarray]
    """Instance → a place for each node."""
    draw: Callable[[Any, Any, Any, np.ndarray], None]
    """(Matplotlib axes, instance, state, places): a picture of the state."""
    chart: Callable[[AbstractSession, np.ndarray | None, Sequence[int], Sequence[Sequence[int]]], dict[str, Any]]
    """(session, places, advised nodes, picks of past days) → an ECharts option for the page."""
    title: str
    """What the picture shows, such as 'The network'."""
    worth_name: str
    worth: Callable[[Any, Any], np.ndarray]
    """(instance, state) → the intrinsic value of each node (paper, App. K) …"""
    distance_name: str
    distances: Callable[[Any, np.ndarray], np.ndarray]
    """… and (instance, nodes) → how far each of the nodes is from each other; infinite where there is no way."""
    shows_edges: bool
    """Whether edges mean something in a picture."""
    fits_in_page: Callable[[Any], bool] = lambda instance: True
    """Whether a layout is worth its time in the page."""


UPPER_BOUND = "upper-bound"


@dataclass(frozen=True)
class Ceiling:
    """What policies do not exceed on average, for certain or in practice."""

    measure: Callable[[Any, Any], float]
    """(instance, noise of an episode) → a number."""
    says: str
    """What its mean tells: a sentence with {} in place of the number."""


@dataclass(frozen=True, eq=False)
class Spec:
    """A problem and all that is particular to it. There is one of each, and it equals itself alone."""

    name: str
    title: str
    """What the problem is, in a few words."""
    problem: Problem
    features: Mapping[str, Problem]
    """What learners may observe, by name: the same rules with other observations. The first is the default."""
    default: Size
    rules: type
    """A frozen dataclass: the numbers of the problem. Its fields are options of the command line."""
    drawn: type
    """A frozen dataclass: what generated instances depend on besides. Its fields are options of the command line."""
    generators: tuple[str, ...]
    draw: Callable[[Source, Size, Any, Any, np.random.Generator], Any]
    """(source, size, drawn options, rules, random numbers) → instance."""
    own_data: OwnData
    session: type[AbstractSession]
    begin: Callable[..., AbstractSession]
    """(data as `own_data.load` gives them, days=, budget=, read=import options, rules=) → a user's session before its
    first day."""
    policies: Policies
    view: View
    aliases: tuple[str, ...] = ()
    vary: Callable[[Size, np.random.Generator], tuple[Size, Any, Any]] | None = None
    """(largest size, random numbers) → (size, drawn options, rules) of an instance of a mixture."""
    largest_reward: Callable[[Size], float] = lambda size: float(size.nodes)
    """No day of an instance of that size earns or costs more: learners choose their categorical support by it."""
    upgrade_journal: Callable[[dict[str, Any]], dict[str, Any]] = lambda journal: journal
    """A state file of `lmta plan` as an earlier version wrote it → the same as it is written now."""
    ceilings: Mapping[str, Ceiling] = field(default_factory=dict)
    """What policies do not exceed, by name."""
    learners: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Hyperparameters that differ by problem: 'agent' or 'agent.preset' → settings by their dotted names."""

    def ceiling(self, name: str) -> Ceiling:
        """The ceiling of that name, or a sentence where there is none."""
        if name not in self.ceilings:
            raise InputError(f"problem: no {name.replace('-', ' ')} is known of {self.name}.")
        return self.ceilings[name]

    def settings(self, **given: Any) -> InstanceSettings:
        """Settings of instances with the problem's own options; `given` names any of them, nested or not."""
        parts = {"drawn": self.drawn, "rules": self.rules}
        made: dict[str, Any] = {}
        for name, part in parts.items():
            value = given.pop(name, None)
            own = {f.name: given.pop(f.name) for f in fields(part) if f.name in given}
            if isinstance(value, Mapping):
                value = part(**value)
            made[name] = replace(value, **own) if is_dataclass(value) else part(**own)  # pyright: ignore
        known = {"nodes", "days", "budget", "generator"}
        for name in given.keys() - known:
            raise InputError(f"{name}: is no setting of {self.name}; there are {', '.join(self.setting_names())}.")
        return InstanceSettings(**given, **made)

    def setting_names(self) -> list[str]:
        """Every setting of its instances."""
        options = [f.name for part in (self.drawn, self.rules) for f in fields(part)]
        return ["nodes", "days", "budget", "generator", *options]

    def own_options(self) -> list[str]:
        """The options that only this problem has: those of its generators, its rules and its importer."""
        parts = (self.drawn, self.rules, self.own_data.options)
        return [f.name.replace("_", "-") for part in parts for f in fields(part)]

    def size(self, settings: InstanceSettings) -> Size:
        """The size asked for, with the defaults filled in."""
        given = {f.name: getattr(settings, f.name) for f in fields(Size)}
        return replace(self.default, **{name: value for name, value in given.items() if value is not None})

    def instances(self, settings: InstanceSettings, seed: int, count: int, own: Any = None) -> list[Any]:
        """The first `count` instances of the series that belongs to `seed`; `own` data replace the generator.

        Own data that leave nothing to draw give one and the same instance, `count` times.
        """
        name = settings.generator or self.generators[0]
        if name not in self.generators:
            raise InputError(f"generator: {name!r} is not known to {self.name}; use {', '.join(self.generators)}.")
        if count < 1:
            raise InputError(f"instances: {count} given, at least 1 is needed.")
        size, source = self.size(settings), name if own is None else own

        def draw(rng: np.random.Generator) -> Any:
            return jax.device_put(self.draw(source, size, settings.drawn, settings.rules, rng))

        if own is not None and not self.own_data.leaves_to_chance(own):
            return [draw(np.random.default_rng(seed))] * count
        return [draw(np.random.default_rng([seed, i])) for i in range(count)]

    def mixture(self, settings: InstanceSettings, seed: int, count: int) -> list[Any]:
        """Instances of all kinds, none larger or longer than the settings say."""
        if self.vary is None:
            raise InputError(f"mixture: {self.name} has none; leave it out.")
        drawn = []
        for i in range(count):
            rng = np.random.default_rng([seed, i])
            size, options, rules = self.vary(self.size(settings), rng)
            drawn.append(jax.device_put(self.draw(str(rng.choice(self.generators)), size, options, rules, rng)))
        return drawn

    def without_effect(self, settings: InstanceSettings, own: Any = None, read: Any = None) -> list[str]:
        """The options that were given but change nothing: those of generated instances with own data, and those of
        own data without."""
        useless = []
        if own is not None:
            useless += [name for name in ("nodes", "generator") if getattr(settings, name) is not None]
            useless += changed(settings.drawn)
        elif read is not None:
            useless += changed(read)
        return useless

    def as_json(self, settings: InstanceSettings) -> dict[str, Any]:
        """The settings as plain values, with the size filled in."""
        return asdict(settings) | asdict(self.size(settings))


def changed(options: Any) -> list[str]:
    """The names of the options that differ from their defaults."""
    usual = type(options)()
    return [f.name for f in fields(options) if getattr(options, f.name) != getattr(usual, f.name)]
