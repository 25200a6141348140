"""`lmta bench sizes`: the first advice on networks of new sizes, over HTTP, and the memory that they leave taken."""

import time
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from rich.table import Table

from lmta.arena.record import check_json, provenance, write_json
from lmta.benchmarks.service import Client, edge_list, memory_mb, served
from lmta.policies.registry import adviser_name
from lmta.problems.registry import DEFAULT, spec_of
from lmta.problems.session import check_seed, whole_number
from lmta.types import InputError


@dataclass(frozen=True)
class SizesBenchSettings:
    """What a network of a new size costs the service."""

    sizes: int = 50
    """So many sizes, evenly spaced …"""
    smallest: int = 50
    """… from so many nodes …"""
    largest: int = 5_000
    """… to so many."""
    days: int = 10
    nodes_for_a_seed: int = 10
    """The budget is a seed for so many nodes."""
    seed: int = 0
    json: Path | None = None
    """Write the results to this file too."""


def bench_sizes(settings: SizesBenchSettings) -> dict[str, Any]:
    """Begin a campaign of each size, ask for its first advice, and look at the memory of the service."""
    _check(settings)
    sizes = np.linspace(settings.smallest, settings.largest, settings.sizes).astype(int).tolist()
    described = {name: value for name, value in asdict(settings).items() if name != "json"}
    result: dict[str, Any] = {"settings": described, "provenance": provenance(), "sizes": []}
    with served() as (port, process), closing(Client(port)) as client:
        result["memory_mb_at_start"] = memory_mb(process.pid)
        for nodes in sizes:
            milliseconds = _first_advice(client, settings, nodes)
            result["sizes"].append({"nodes": nodes, "ms": milliseconds, "memory_mb": memory_mb(process.pid)})
    if settings.json is not None:
        write_json(settings.json, result)
    return result


def sizes_table(result: dict[str, Any]) -> Table:
    """The measurement for people: every tenth of the sizes."""
    rows = result["sizes"]
    slowest = max(rows, key=lambda row: row["ms"])
    table = Table(
        title=f"first advice on {len(rows)} new sizes of networks",
        caption=f"{result['memory_mb_at_start']:.0f} MB before the first; "
        f"the slowest advice took {slowest['ms']:.0f} ms, at {slowest['nodes']:,} nodes",
    )
    for name in ("nodes", "first advice, ms", "memory of the service, MB"):
        table.add_column(name, justify="right")
    for row in [*rows[: -1 : max(1, len(rows) // 10)], rows[-1]]:
        table.add_row(f"{row['nodes']:,}", f"{row['ms']:.0f}", f"{row['memory_mb']:.0f}")
    return table


def _first_advice(client: Client, settings: SizesBenchSettings, nodes: int) -> float:
    """Milliseconds that a client waits for the first advice on a network of this size; uploading is not counted."""
    spec = spec_of(DEFAULT)
    budget = max(1, nodes // settings.nodes_for_a_seed)
    drawn = spec.instances(spec.settings(nodes=nodes, days=settings.days, budget=budget), settings.seed, 1)
    fields = {"days": settings.days, "budget": budget, "policy": adviser_name(spec), "seed": settings.seed}
    address = client.begin(f"/{spec.session.word}s", fields, edge_list(drawn[0].graph))
    start = time.perf_counter()
    client.send("GET", f"{address}/advice")
    return 1000 * (time.perf_counter() - start)


def _check(settings: SizesBenchSettings) -> None:
    check_seed(settings.seed)
    whole_number(settings.sizes, "sizes", 2)
    whole_number(settings.nodes_for_a_seed, "nodes-for-a-seed", 1)
    whole_number(settings.days, "days", 1)
    if whole_number(settings.largest, "largest", 2) <= whole_number(settings.smallest, "smallest", 2):
        raise InputError(f"largest: {settings.largest} given, it must be above the smallest, {settings.smallest}.")
    check_json(settings.json)
