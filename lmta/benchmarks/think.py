"""`lmta bench think`: how long rollouts take, how that grows with the instance, and what a decision takes in all."""

import resource
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from rich.table import Table

from lmta.arena.record import check_json, provenance, write_json
from lmta.planning.effort import make_effort
from lmta.planning.planner import thinking_adviser
from lmta.planning.rules_simulator import simulator_of
from lmta.policies.registry import adviser
from lmta.problems.registry import DEFAULT, spec_of
from lmta.problems.session import check_seed, whole_number
from lmta.problems.simulator import Candidate
from lmta.types import InputError

FEWEST = 8
"""Rollouts that are timed at least, on the largest instances."""


@dataclass(frozen=True)
class ThinkSettings:
    """How fast rollouts are."""

    problem: str = DEFAULT
    """One of those that `lmta problems` lists."""
    sizes: tuple[int, ...] = (500, 5_000, 50_000)
    """Numbers of nodes, from small to large."""
    days: int = 10
    budget: int = 50
    """Of the smallest instance; larger ones have more in proportion."""
    rollouts: int = 1_000
    """From the first day of the smallest instance; fewer of larger ones."""
    repeats: int = 3
    """How often each is timed; the least is printed."""
    seed: int = 0
    json: Path | None = None
    """Write the results to this file too."""


def bench_think(settings: ThinkSettings) -> dict[str, Any]:
    """Time rollouts of the adviser's first day, and a decision with as many, size by size."""
    _check(settings)
    settings = replace(settings, problem=spec_of(settings.problem).name)
    rows = [_time_size(settings, nodes) for nodes in settings.sizes]
    described = asdict(settings)
    del described["json"]
    result = {
        "settings": described,
        "provenance": provenance(),
        "sizes": [row | {"growth": _growth(row, rows[0])} for row in rows],
    }
    if settings.json is not None:
        write_json(settings.json, result)
    return result


def think_table(result: dict[str, Any]) -> Table:
    """The measurement for people."""
    settings = result["settings"]
    table = Table(
        title=f"{settings['problem']}: rollouts from the first of {settings['days']} days",
        caption=f"least of {settings['repeats']} on {result['provenance']['cores']} cores; growth: of a rollout beside "
        "nodes and edges, from the first row; memory: the most that the process had by then",
    )
    for column in ("nodes", "edges", "budget", "rollouts", "s", "ms each", "growth", "decision s", "memory MB"):
        table.add_column(column, justify="right")
    for row in result["sizes"]:
        table.add_row(
            *(f"{row[name]:,}" for name in ("nodes", "edges", "budget", "rollouts")),
            f"{row['seconds']:.2f}",
            f"{1000 * row['seconds'] / row['rollouts']:.2f}",
            f"{row['growth']:.2f}×",
            f"{row['decision_seconds']:.2f}",
            f"{row['megabytes']:,.0f}",
        )
    return table


def _time_size(settings: ThinkSettings, nodes: int) -> dict[str, Any]:
    spec = spec_of(settings.problem)
    larger = nodes / settings.sizes[0]
    budget, rollouts = round(settings.budget * larger), max(FEWEST, round(settings.rollouts / larger))
    given = spec.settings(nodes=nodes, days=settings.days, budget=budget)
    instance = spec.instances(given, settings.seed, 1)[0]
    state = spec.problem.reset(instance)
    own = adviser(spec.name)
    day = own.choose(instance, state, own.prepare(instance, 0), 0)
    simulator = simulator_of(spec)(instance)
    candidate = Candidate("own", np.asarray(day.picks), np.asarray(day.values))
    player = thinking_adviser(spec.name, make_effort(None, rollouts))
    prepared = player.prepare(instance, 0)
    return {
        "nodes": nodes,
        "edges": int(np.sum(instance.graph.edge_mask)),
        "budget": budget,
        "rollouts": rollouts,
        "seconds": _least(lambda: simulator.try_out(state, [candidate], range(rollouts), 0), settings.repeats),
        "decision_seconds": _least(lambda: player.choose(instance, state, prepared, 0), 1),
        "megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


def _growth(row: dict[str, Any], first: dict[str, Any]) -> float:
    each = [r["seconds"] / r["rollouts"] / (r["nodes"] + r["edges"]) for r in (row, first)]
    return each[0] / each[1]


def _least(run: Callable[[], Any], repeats: int) -> float:
    run()
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return min(times)


def _check(settings: ThinkSettings) -> None:
    check_seed(settings.seed)
    whole_number(settings.repeats, "repeats", 1)
    make_effort(None, settings.rollouts)
    if list(settings.sizes) != sorted(set(settings.sizes)) or not settings.sizes:
        raise InputError(f"sizes: {settings.sizes} given, at least one is needed, from small to large.")
    check_json(settings.json)
