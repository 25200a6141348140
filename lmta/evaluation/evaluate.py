"""What `lmta evaluate` does: settings in, rows and a JSON file out."""

from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

import tyro

from lmta.evaluation.arena import Row, run_arena
from lmta.evaluation.play import make_batch
from lmta.evaluation.record import check_writable, provenance, write_json
from lmta.policies.base import Policy
from lmta.policies.registry import policy
from lmta.problems.influence.importer import Network, load_network
from lmta.problems.orienteering.importer import Cities, load_cities
from lmta.problems.registry import BENCHMARKS, InstanceSettings
from lmta.types import InputError


@dataclass(frozen=True)
class EvaluateSettings:
    """Play policies on the same instances with the same luck and compare them."""

    policies: str
    """Names separated by commas; the first is the one that others are compared with."""
    problem: Literal["aim", "sop", "power2500"] | None = None
    """What is played: aim by default, or sop where --cities is given."""
    instances: int = 60
    """How many instances (with own data: how many futures)."""
    seed: int = 0
    """Instances and luck follow from it."""
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
    policies: list[Policy]
    batch: Any
    settings: EvaluateSettings


def prepare(settings: EvaluateSettings) -> Prepared:
    """Check everything that can be checked, and draw the instances."""
    own = _own_data(settings)
    name = settings.problem or ("sop" if isinstance(own, Cities) else "aim")
    benchmark = BENCHMARKS[name]
    if own is not None and isinstance(own, Cities) != (benchmark.problem.name == "sop"):
        raise InputError(f"problem: {name} does not go with {'--cities' if isinstance(own, Cities) else '--graph'}.")
    if settings.seed < 0:
        raise InputError(f"seed: {settings.seed} given, at least 0 is needed.")
    if settings.first_days is not None and settings.first_days < 1:
        raise InputError(f"first-days: {settings.first_days} given, at least 1 is needed.")
    names = [part.strip() for part in settings.policies.split(",") if part.strip()]
    if not names:
        raise InputError("policies: none given; name at least one, such as average-lookahead.")
    policies = [policy(part, benchmark.problem.name) for part in names]
    if settings.json is not None:
        check_writable(settings.json)
    instances = benchmark.instances(settings.instance, settings.seed, settings.instances, own)
    first = instances[0]
    title = (
        f"{name}: {int(first.graph.node_mask.sum())} nodes, {int(first.days)} days, budget {int(first.budget)}, "
        f"{settings.instances} instances, seed {settings.seed}"
    )
    return Prepared(title, policies, make_batch(benchmark.problem, instances, settings.seed), settings)


def evaluate(prepared: Prepared, on_day: Callable[[Policy], None] = lambda policy: None) -> list[Row]:
    """Play, and write the JSON file where one is asked for."""
    settings = prepared.settings
    rows = run_arena(prepared.policies, prepared.batch, first_days=settings.first_days, on_day=on_day)
    if settings.json is not None:
        described = {key: str(value) if isinstance(value, Path) else value for key, value in asdict(settings).items()}
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
