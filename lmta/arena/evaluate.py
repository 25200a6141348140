"""What `lmta evaluate` does: settings in, rows and a JSON file out."""

from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Literal

import tyro

from lmta.agents.planner import PREFIX
from lmta.agents.players import player
from lmta.arena.arena import Row, run_arena
from lmta.arena.record import provenance, write_json
from lmta.files import check_writable
from lmta.policies.player import AbstractPlayer
from lmta.problems.batch import Batch, make_batch
from lmta.problems.influence.importer import Network, load_network
from lmta.problems.orienteering.importer import Cities, load_cities
from lmta.problems.orienteering.rules import OrienteeringRules
from lmta.problems.registry import BENCHMARKS, InstanceSettings
from lmta.problems.session import check_seed, whole_number
from lmta.types import InputError


@dataclass(frozen=True)
class EvaluateSettings:
    """Play policies on the same instances with the same noise and compare them."""

    policies: str
    """Names separated by commas, lmta:FOLDER for a trained agent; the others are compared with the first."""
    problem: Literal["aim", "sop", "power2500"] | None = None
    """What is played: aim by default, or sop where --cities is given."""
    instances: int = 60
    """How many instances; own data count as one, of which so many futures are played."""
    futures: int = 1
    """How often each generated instance is played, with noise of its own each time."""
    simulations: int | None = None
    """Simulations of a trained agent's search for each decision, instead of as many as in training; 0 for no search."""
    seed: int = 0
    """Instances and noise follow from it."""
    instance: tyro.conf.OmitArgPrefixes[InstanceSettings] = field(default_factory=InstanceSettings)
    graph: Path | None = None
    """An own network: edge list (CSV, TSV, white space) or GraphML."""
    undirected: bool = False
    """Count every edge of the own edge list both ways."""
    cities: Path | None = None
    """Own cities: CSV (name, x, y, profit) or TSPLIB."""
    first_days: int | None = None
    """Count the rewards of the first days only."""
    json: Path | None = None
    """Write the results to this file too."""


@dataclass(frozen=True)
class Prepared:
    """An evaluation that is ready to run."""

    title: str
    benchmark: str
    players: list[AbstractPlayer]
    batch: Batch
    settings: EvaluateSettings


def prepare(settings: EvaluateSettings) -> Prepared:
    """Check everything that can be checked, and draw the instances."""
    own = _own_data(settings)
    name = settings.problem or ("sop" if isinstance(own, Cities) else "aim")
    benchmark = BENCHMARKS[name]
    _check(settings, name, own)
    names = [part.strip() for part in settings.policies.split(",") if part.strip()]
    if not names:
        raise InputError("policies: none given; name at least one, such as average-lookahead.")
    players = [player(part, benchmark.problem.name, settings.simulations) for part in names]
    instances = benchmark.instances(settings.instance, settings.seed, settings.instances, own)
    episodes = [instance for instance in instances for _ in range(settings.futures)]
    first = instances[0]
    kinds = f"{len(episodes)} futures" if own else f"{settings.instances} instances"
    kinds += f" with {settings.futures} futures each" if settings.futures > 1 and not own else ""
    title = (
        f"{name}: {int(first.graph.node_mask.sum())} nodes, {int(first.days)} days, budget {int(first.budget)}, "
        f"{kinds}, seed {settings.seed}"
    )
    return Prepared(title, name, players, make_batch(benchmark.problem, episodes, settings.seed), settings)


def _check(settings: EvaluateSettings, name: str, own: Network | Cities | None) -> None:
    """Refuse what makes no sense, and options that would have no effect."""
    instance, days = settings.instance, BENCHMARKS[name].size(settings.instance).days
    check_seed(settings.seed)
    whole_number(settings.futures, "futures", 1)
    if settings.first_days is not None and whole_number(settings.first_days, "first-days", 1) > days:
        raise InputError(f"first-days: {settings.first_days} given, but there are only {days} days.")
    plays_cities = BENCHMARKS[name].problem.name == "sop"
    if own is not None and isinstance(own, Cities) != plays_cities:
        raise InputError(f"problem: {name} does not go with {'--cities' if isinstance(own, Cities) else '--graph'}.")
    without_effect = {
        "nodes": own is not None and instance.nodes is not None,
        "generator": own is not None and instance.generator is not None,
        "degree": (own is not None or plays_cities) and instance.degree is not None,
        "probabilities": (own is not None or plays_cities) and instance.probabilities is not None,
        "simulations": PREFIX not in settings.policies and settings.simulations is not None,
        "undirected": settings.graph is None and settings.undirected,
        "limit, penalty, crowding, drift, floor": not plays_cities and instance.rules != OrienteeringRules(),
    }
    for option, is_so in without_effect.items():
        if is_so:
            raise InputError(f"{option}: has no effect here; leave it out.")
    if settings.json is not None:
        check_writable(settings.json)


def evaluate(prepared: Prepared, on_day: Callable[[AbstractPlayer], None] = lambda player: None) -> list[Row]:
    """Play, and write the JSON file where one is asked for."""
    settings = prepared.settings
    rows = run_arena(prepared.players, prepared.batch, first_days=settings.first_days, on_day=on_day)
    if settings.json is not None:
        size = asdict(BENCHMARKS[prepared.benchmark].size(settings.instance))
        given = asdict(settings) | {"problem": prepared.benchmark, "instance": asdict(settings.instance) | size}
        del given["json"]
        described = {key: str(value) if isinstance(value, Path) else value for key, value in given.items()}
        write_json(
            settings.json,
            {
                "settings": described | {"title": prepared.title},
                "provenance": provenance(),
                "rows": [row.as_json(rows[0]) for row in rows],
            },
        )
    return rows


def _own_data(settings: EvaluateSettings) -> Network | Cities | None:
    if settings.graph is not None and settings.cities is not None:
        raise InputError("graph, cities: give one of them, not both.")
    if settings.graph is not None:
        return load_network(settings.graph, directed=not settings.undirected)
    return None if settings.cities is None else load_cities(settings.cities)
