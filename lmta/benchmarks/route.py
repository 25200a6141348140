"""`lmta bench route`: scores of the route engine on OPLib beside other solvers, and its speed by size and cores."""

import os
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Group
from rich.table import Table

from lmta.arena.record import check_json, provenance, write_json
from lmta.benchmarks.oplib import Instance, oplib_folder, read_instances
from lmta.benchmarks.route_rivals import RIVALS, installed_rivals
from lmta.kernels.route_engine import BEST, Search, begin, improve
from lmta.kernels.route_task import make_task, survey, worth
from lmta.problems.session import check_seed, whole_number
from lmta.problems.spec import changed
from lmta.routing import route
from lmta.types import InputError

SHORT = 100
"""Iterations of a search such as a planner makes by the thousand."""


@dataclass(frozen=True)
class RouteBenchSettings:
    """How good routes are after some seconds, and how fast the engine is."""

    oplib: Path | None = None
    """The folder of the OPLib instances with their best.csv; by default what LMTA_OPLIB names. Without any, only the
    speed by size is measured."""
    seconds: tuple[float, ...] = (2.0, 20.0)
    """How long each solver may think about each instance, on one core."""
    rivals: bool = True
    """Whether PyVRP and OR-Tools (extra `lmta[bench]`) solve the same instances, where they are installed."""
    sizes: tuple[int, ...] = (50, 100, 200, 500, 1_000, 2_000, 5_000)
    """Numbers of cities to see how time grows."""
    iterations: int = 1_000
    """Iterations that are timed at each size."""
    seed: int = 1_000
    json: Path | None = None
    """Write the results to this file too."""


def bench_route(settings: RouteBenchSettings) -> dict[str, Any]:
    """Measure, in one run."""
    folder = oplib_folder(settings.oplib)
    _check(settings, folder)
    instances = [] if folder is None else read_instances(folder)
    versions = installed_rivals() if settings.rivals and instances else {}
    described = asdict(settings)
    del described["json"], described["oplib"]
    result = {
        "settings": described,
        "provenance": provenance() | {"rivals": versions},
        "sizes": _sizes(settings),
        "oplib": [_solve(settings, instance, list(versions)) for instance in instances],
    }
    if settings.json is not None:
        write_json(settings.json, result)
    return result


def route_table(result: dict[str, Any]) -> Group:
    """The measurement for people."""
    return Group(*([_oplib_table(result)] if result["oplib"] else []), _sizes_table(result))


def _check(settings: RouteBenchSettings, folder: Path | None) -> None:
    check_seed(settings.seed)
    whole_number(settings.iterations, "iterations", 1)
    if not settings.seconds or min(settings.seconds) <= 0:
        raise InputError(f"seconds: {settings.seconds} given, at least one time of more than 0 is needed.")
    if list(settings.sizes) != sorted(set(settings.sizes)) or not settings.sizes:
        raise InputError(f"sizes: {settings.sizes} given, at least one is needed, from small to large.")
    for size in settings.sizes:
        whole_number(size, "sizes", 2)
    for option in ("seconds", "rivals"):
        if folder is None and option in changed(settings):
            raise InputError(f"{option}: has no effect without OPLib; name its folder by --oplib, or leave it out.")
    check_json(settings.json)


def _solve(settings: RouteBenchSettings, instance: Instance, rivals: list[str]) -> dict[str, Any]:
    """The share of the best score that each solver collects in each time, and the engine's iterations."""
    places = np.column_stack([np.arange(len(instance.score)), np.zeros(len(instance.score))])
    ratios: dict[str, list[float]] = {name: [] for name in ("lmta", *rivals)}
    iterations = []
    for seconds in settings.seconds:
        found = route(
            places,
            matrix=instance.matrix,
            profit=instance.score,
            limit=instance.limit,
            seconds=seconds,
            seed=settings.seed,
        )
        stops = [int(str(name)) for name in found.names[1:-1]]
        ratios["lmta"].append(instance.ratio(stops))
        iterations.append(found.iterations)
        for name in rivals:
            ratios[name].append(instance.ratio(RIVALS[name](instance, seconds, settings.seed)))
    return {"instance": instance.name, "best": instance.best, "ratios": ratios, "iterations": iterations}


def _sizes(settings: RouteBenchSettings) -> list[dict[str, float]]:
    """How long searches take on maps of each size, and how much more the time has grown than the cities."""
    rows: list[dict[str, float]] = []
    for cities in settings.sizes:
        row = _time_size(settings, cities)
        growth = row["seconds"] / rows[-1]["seconds"] / (cities / rows[-1]["cities"]) if rows else float("nan")
        rows.append(row | {"growth_beside_linear": growth})
    return rows


def _time_size(settings: RouteBenchSettings, cities: int) -> dict[str, float]:
    """How long an iteration and a short search take on a map of this size, and how much all cores speed them up."""
    rng = np.random.default_rng([settings.seed, cities])
    ground, task = survey(rng.random((cities, 2))), make_task(rng.uniform(0.5, 1.0, cities), 0.4 * cities**0.5, end=0)
    cores = os.cpu_count() or 1

    def search(seed: int, iterations: int) -> Search:
        under_way = begin(task, seed)
        improve(ground, under_way, iterations)
        return under_way

    found = search(settings.seed, settings.iterations)
    short = _seconds(lambda: search(settings.seed, SHORT))
    alone = _seconds(lambda: search(settings.seed, settings.iterations))
    with ThreadPoolExecutor(cores) as pool:
        seeds = range(settings.seed, settings.seed + cores)
        together = _seconds(lambda: list(pool.map(search, seeds, [settings.iterations] * cores)))
    return {
        "cities": cities,
        "visits": int(found.counts[BEST]),
        "worth": float(worth(ground, task, found.best, found.counts[BEST])),
        "seconds": alone,
        "iterations_per_second": settings.iterations / alone,
        "short_search_ms": 1000 * short,
        "speedup_of_all_cores": cores * alone / together,
    }


def _seconds(run: Callable[[], Any]) -> float:
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def _oplib_table(result: dict[str, Any]) -> Table:
    rows, seconds = result["oplib"], result["settings"]["seconds"]
    versions = result["provenance"]["rivals"]
    solvers = list(rows[0]["ratios"])
    table = Table(
        title="OPLib: score of the route found, as a share of the best published",
        caption="one core each; " + ", ".join(f"{name} {number}" for name, number in versions.items()),
    )
    table.add_column("instance")
    table.add_column("best", justify="right")
    for name in solvers:
        for time_ in seconds:
            table.add_column(f"{name} {time_:g} s", justify="right")
    table.add_column(f"iterations in {seconds[0]:g} s", justify="right")
    for row in rows:
        shares = [f"{ratio:.4f}" for name in solvers for ratio in row["ratios"][name]]
        table.add_row(row["instance"], f"{row['best']:g}", *shares, f"{row['iterations'][0]:,}")
    for label, of in (("mean", np.mean), ("least", np.min)):
        shares = [
            f"{of([row['ratios'][name][i] for row in rows]):.4f}" for name in solvers for i in range(len(seconds))
        ]
        table.add_row(label, "", *shares, "")
    return table


def _sizes_table(result: dict[str, Any]) -> Table:
    settings = result["settings"]
    table = Table(
        title="Routes over random maps, back to the start, limit 0.4·√cities on the unit square",
        caption=f"{settings['iterations']:,} iterations; a short search has {SHORT} and its set-up; all cores: "
        f"searches at a time on {result['provenance']['cores']} cores beside one after another",
    )
    for column in ("cities", "visits", "iterations/s", "growth beside linear", "short search", "all cores"):
        table.add_column(column, justify="right")
    for row in result["sizes"]:
        growth = row["growth_beside_linear"]
        table.add_row(
            f"{row['cities']:,}",
            f"{row['visits']:,}",
            f"{row['iterations_per_second']:,.0f}",
            "" if np.isnan(growth) else f"{growth:.2f}×",
            f"{row['short_search_ms']:.1f} ms",
            f"{row['speedup_of_all_cores']:.2f}×",
        )
    return table
