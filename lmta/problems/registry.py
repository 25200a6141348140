"""Benchmarks by name: a problem with the instances it is played on."""

from collections.abc import Callable
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal

import numpy as np

from lmta.problems.base import GuidedProblem, Problem
from lmta.problems.influence import generators as networks
from lmta.problems.influence import rules as influence
from lmta.problems.influence.guided import GuidedInfluence
from lmta.problems.influence.importer import Network
from lmta.problems.orienteering import generators as maps
from lmta.problems.orienteering import rules as orienteering
from lmta.problems.orienteering.guided import GuidedOrienteering
from lmta.problems.orienteering.importer import Cities
from lmta.problems.orienteering.tour import check_rules
from lmta.problems.session import check_horizon
from lmta.types import InputError

MEAN_DEGREE, MOST_DEGREE = 5.0, 10.0


@dataclass(frozen=True)
class InstanceSettings:
    """What an instance is drawn from; None means the benchmark's own default."""

    nodes: int | None = None
    """Nodes or cities of a generated instance: 500, or 2500 for power2500."""
    days: int | None = None
    """Days to play: 10."""
    budget: int | None = None
    """Picks in all: 50, or 60 for power2500."""
    generator: str | None = None
    """aim: erdos-renyi, power-law, block, small-world; sop: uniform, clustered. The first is the default."""
    degree: float | None = None
    """Mean degree of generated networks: 5 (power-law and small-world: the nearest even number, 4)."""
    probabilities: Literal["indegree", "random"] | None = None
    """How likely edges of generated networks fire: 1/indegree of the receiver by default, or random, U(0, 2/degree)."""
    rules: orienteering.OrienteeringRules = field(default_factory=orienteering.OrienteeringRules)
    """The numbers of orienteering."""


@dataclass(frozen=True)
class Size:
    """How large an instance is and how long it lasts."""

    nodes: int
    days: int
    budget: int


@dataclass(frozen=True)
class Benchmark:
    """A problem, and how its instances are drawn."""

    name: str
    problem: Problem
    guided: GuidedProblem
    """The same with a rule of thumb for a day's picks."""
    default: Size
    generators: tuple[str, ...]
    draw: Callable[[InstanceSettings, Size, Any, np.random.Generator], Any]
    """(settings, size, generator or the user's own data, random numbers) → instance."""
    vary: Callable[[Size, np.random.Generator], InstanceSettings]
    """(largest size, random numbers) → what an instance of a mixture is drawn from."""

    def size(self, settings: InstanceSettings) -> Size:
        """The size asked for, with the defaults filled in."""
        given = {f.name: getattr(settings, f.name) for f in fields(Size)}
        return replace(self.default, **{name: value for name, value in given.items() if value is not None})

    def instances(
        self, settings: InstanceSettings, seed: int, count: int, own: Network | Cities | None = None
    ) -> list[Any]:
        """The first `count` instances of the series that belongs to `seed`; `own` data replace the generator.

        Own data that leave nothing to draw give one and the same instance, `count` times.
        """
        name = settings.generator or self.generators[0]
        if name not in self.generators:
            raise InputError(f"generator: {name!r} is not known to {self.name}; use {', '.join(self.generators)}.")
        if count < 1:
            raise InputError(f"instances: {count} given, at least 1 is needed.")
        size, source = self.size(settings), own or name
        if isinstance(own, Network) or (isinstance(own, Cities) and own.profit is not None):
            return [self.draw(settings, size, own, np.random.default_rng(seed))] * count
        return [self.draw(settings, size, source, np.random.default_rng([seed, i])) for i in range(count)]

    def mixture(self, settings: InstanceSettings, seed: int, count: int) -> list[Any]:
        """Instances of all kinds, none larger or longer than the settings say."""
        rngs = [np.random.default_rng([seed, i]) for i in range(count)]
        kinds = [(self.vary(self.size(settings), rng), str(rng.choice(self.generators)), rng) for rng in rngs]
        return [self.draw(kind, self.size(kind), generator, rng) for kind, generator, rng in kinds]


def _log_uniform(rng: np.random.Generator, low: float | int, high: float | int) -> float:
    return float(np.exp(rng.uniform(np.log(low), np.log(max(low, high)))))


def _between(rng: np.random.Generator, low: int, high: int) -> int:
    return min(high, round(_log_uniform(rng, min(low, high), high)))


def _vary_influence(most: Size, rng: np.random.Generator) -> InstanceSettings:
    """Networks of 200 nodes and more, sparse and dense, with a seed for every 200 to 5 nodes in 3 days and more."""
    nodes = _between(rng, 200, most.nodes)
    return InstanceSettings(
        nodes=nodes,
        days=int(rng.integers(min(3, most.days), most.days + 1)),
        budget=min(most.budget, max(1, round(nodes * _log_uniform(rng, 0.005, 0.2)))),
        degree=min(_log_uniform(rng, 2.5, MOST_DEGREE), nodes / 2),
        probabilities="random" if rng.random() < 0.3 else "indegree",
    )


def _vary_orienteering(most: Size, rng: np.random.Generator) -> InstanceSettings:
    """Fifty cities and more, a visit in three days to six a day, and days of all lengths."""
    nodes, days = _between(rng, 50, most.nodes), _between(rng, 3, most.days)
    return InstanceSettings(
        nodes=nodes,
        days=days,
        budget=max(1, min(most.budget, nodes // 2, round(days * _log_uniform(rng, 0.3, 6.0)))),
        rules=orienteering.OrienteeringRules(
            limit=_log_uniform(rng, 0.4, 1.5),
            crowding=float(rng.uniform(0.05, 0.2)),
            drift=_log_uniform(rng, 0.02, 0.2),
        ),
    )


def _draw_influence(settings: InstanceSettings, size: Size, source: Network | str, rng: np.random.Generator):
    if isinstance(source, str):
        _check_nodes(size)
        degree = MEAN_DEGREE if settings.degree is None else settings.degree
        if not 0 < degree < size.nodes:
            raise InputError(f"degree: {degree:g} given, it must lie between 0 and the number of nodes.")
        source = networks.GENERATORS[source](size.nodes, degree, rng)
        if settings.probabilities == "random":
            probability = np.minimum(rng.uniform(0, 2 / degree, len(source.senders)), 1.0)
            source = replace(source, probability=probability)
    check_horizon(size.days, size.budget, source.num_nodes, "nodes")
    return influence.make_instance(source, size.days, size.budget)


def _draw_orienteering(settings: InstanceSettings, size: Size, source: Cities | str, rng: np.random.Generator):
    check_rules(settings.rules)
    if isinstance(source, str):
        _check_nodes(size)
        source = maps.GENERATORS[source](size.nodes, rng)
    count = len(source.names)
    check_horizon(size.days, size.budget, count - 1, "cities besides the start")
    profit = maps.draw_profits(count, rng) if source.profit is None else source.profit
    return orienteering.make_instance(source, profit, size.days, size.budget, settings.rules)


def _check_nodes(size: Size) -> None:
    if size.nodes < 2:
        raise InputError(f"nodes: {size.nodes} given, at least 2 are needed.")


_INFLUENCE = influence.Influence(), GuidedInfluence()
_ORIENTEERING = orienteering.Orienteering(), GuidedOrienteering()
_NETWORKS, _MAPS = tuple(networks.GENERATORS), tuple(maps.GENERATORS)
BENCHMARKS = {
    benchmark.name: benchmark
    for benchmark in (
        Benchmark("aim", *_INFLUENCE, Size(500, 10, 50), _NETWORKS, _draw_influence, _vary_influence),
        Benchmark("power2500", *_INFLUENCE, Size(2500, 10, 60), ("power-law",), _draw_influence, _vary_influence),
        Benchmark("sop", *_ORIENTEERING, Size(500, 10, 50), _MAPS, _draw_orienteering, _vary_orienteering),
    )
}
