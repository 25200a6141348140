"""`lmta bench scale`: how the time of the adviser's decision grows with the instance, beside other policies."""

import time
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import jax
import numpy as np
from rich.table import Table

from lmta.arena.record import check_json, provenance, write_json
from lmta.policies.player import AbstractPlayer
from lmta.policies.registry import adviser, policy
from lmta.problems.registry import DEFAULT, spec_of
from lmta.problems.session import check_seed, whole_number
from lmta.types import InputError


@dataclass(frozen=True)
class ScaleSettings:
    """How the time of a decision grows with the number of nodes."""

    problem: str = DEFAULT
    """One of those that `lmta problems` lists."""
    sizes: tuple[int, ...] = (500, 2_500, 10_000, 50_000)
    """Numbers of nodes, from small to large."""
    rivals: tuple[str, ...] | None = None
    """Policies to time beside the adviser; the problem's baseline by default."""
    rivals_up_to: int = 2_500
    """They decide on instances up to this size."""
    days: int = 10
    budget: int = 50
    repeats: int = 5
    """Decisions that are timed; medians are printed."""
    seed: int = 0
    json: Path | None = None
    """Write the results to this file too."""


def bench_scale(settings: ScaleSettings) -> dict[str, Any]:
    """Time decisions of the first day, after the compilation, size by size."""
    check_seed(settings.seed)
    whole_number(settings.repeats, "repeats", 1)
    if list(settings.sizes) != sorted(set(settings.sizes)) or not settings.sizes:
        raise InputError(f"sizes: {settings.sizes} given, at least one is needed, from small to large.")
    check_json(settings.json)
    spec = spec_of(settings.problem)
    rivals = (spec.policies.baseline,) if settings.rivals is None else settings.rivals
    settings = replace(settings, problem=spec.name, rivals=rivals)
    rows = [_time_size(settings, nodes) for nodes in settings.sizes]
    described = asdict(settings)
    del described["json"]
    result = {
        "settings": described,
        "provenance": provenance(),
        "sizes": [_with_growth(*pair) for pair in _pairs(rows)],
    }
    if settings.json is not None:
        write_json(settings.json, result)
    return result


def scale_table(result: dict[str, Any]) -> Table:
    """The measurement for people."""
    settings = result["settings"]
    rivals = settings["rivals"]
    table = Table(
        title=f"{adviser(settings['problem']).name}: a decision on the first of {settings['days']} days, "
        f"budget {settings['budget']}",
        caption=f"medians of {settings['repeats']} on {result['provenance']['cores']} cores, milliseconds; "
        "growth beside linear: how much more the time has grown than nodes and edges, from the row above",
    )
    for column in ("nodes", "edges", "picks", "lmta", "growth beside linear", *rivals):
        table.add_column(column, justify="right")
    for row in result["sizes"]:
        growth = "" if row["growth_beside_linear"] is None else f"{row['growth_beside_linear']:.2f}×"
        times = [f"{row['rivals_ms'][name]:.1f}" if name in row["rivals_ms"] else "" for name in rivals]
        table.add_row(f"{row['nodes']:,}", f"{row['edges']:,}", str(row["picks"]), f"{row['ms']:.1f}", growth, *times)
    return table


def _pairs(rows: list[dict[str, Any]]) -> list[tuple[dict[str, Any], dict[str, Any] | None]]:
    """Each row with the one before it."""
    return list(zip(rows, [None, *rows[:-1]], strict=True))


def _with_growth(row: dict[str, Any], before: dict[str, Any] | None) -> dict[str, Any]:
    if before is None:
        return row | {"growth_beside_linear": None}
    larger = (row["nodes"] + row["edges"]) / (before["nodes"] + before["edges"])
    return row | {"growth_beside_linear": row["ms"] / before["ms"] / larger}


def _time_size(settings: ScaleSettings, nodes: int) -> dict[str, Any]:
    spec = spec_of(settings.problem)
    kind = spec.settings(nodes=nodes, days=settings.days, budget=settings.budget)
    instance = jax.device_put(spec.instances(kind, settings.seed, 1)[0])
    state = jax.device_put(spec.problem.reset(instance))
    picks, ms = _time_player(adviser(spec.name), instance, state, settings)
    rivals = settings.rivals or () if nodes <= settings.rivals_up_to else ()
    return {
        "nodes": nodes,
        "edges": int(instance.graph.edge_mask.sum()),
        "picks": picks,
        "ms": ms,
        "rivals_ms": {name: _time_player(policy(name, spec.name), instance, state, settings)[1] for name in rivals},
    }


def _time_player(who: AbstractPlayer, instance: Any, state: Any, settings: ScaleSettings) -> tuple[int, float]:
    """How many picks it makes, and the median of the milliseconds that it takes."""
    prepared = who.prepare(instance, settings.seed)
    choice, seconds = who.choose(instance, state, prepared, settings.seed), []
    for _ in range(settings.repeats):
        start = time.perf_counter()
        choice = who.choose(instance, state, prepared, settings.seed)
        seconds.append(time.perf_counter() - start)
    return len(choice.picks), 1000 * float(np.median(seconds))
