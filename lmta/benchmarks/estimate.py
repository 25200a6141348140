"""`lmta bench estimate`: what estimates of a seed's worth and rollouts take by size, and what the adviser earns."""

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from functools import partial
from itertools import chain
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Group
from rich.table import Table

from lmta.arena.record import check_json, provenance, write_json
from lmta.benchmarks.small_networks import INVERSE_INDEGREE, NETWORKS, Setting, compare_with_rivals
from lmta.kernels.estimates import measure
from lmta.kernels.network import Adjacency, make_adjacency
from lmta.kernels.rollouts import rollout_rewards
from lmta.problems.influence.estimates import ADAPTIVE, ESTIMATES
from lmta.problems.influence.generators import erdos_renyi
from lmta.problems.influence.situation import Situation
from lmta.problems.session import check_seed, whole_number
from lmta.types import InputError

SLOW_ESTIMATES_UP_TO = 10_000
RIVALS = tuple(
    f"{budget}-{nodes}"
    for budget in ("average", "front", "normal", "static")
    for nodes in ("degree", "score", "lookahead", "ris")
)


@dataclass(frozen=True)
class EstimateSettings:
    """How fast estimates of influence are, and how good."""

    sizes: tuple[int, ...] = (500, 5_000, 50_000)
    """Nodes of the networks (Erdős–Rényi, mean degree 5) on which estimates and rollouts are timed."""
    days: int = 10
    nodes_for_a_seed: int = 10
    """The budget is a seed for so many nodes."""
    rollouts: int = 1_000
    """Rollouts that are timed at 500 nodes; the larger the network, the fewer."""
    repeats: int = 5
    """How often each is timed; the least time counts, since other work only adds to it."""
    futures: int = 0
    """Futures of each small network that the adviser plays beside its rivals; with 0 estimates are only timed."""
    error: float = 0.005
    """More futures are played until the standard error of the ratio is no larger, up to sixteen times as many."""
    networks: tuple[str, ...] = tuple(NETWORKS)
    """The small networks."""
    probabilities: tuple[str, ...] = ("0.1", "0.2", "0.35", INVERSE_INDEGREE)
    """Of their edges."""
    horizons: tuple[tuple[int, int], ...] = ((5, 3), (10, 20), (20, 10))
    """Days and budgets there."""
    rivals: tuple[str, ...] = RIVALS
    """Whom the adviser is compared with."""
    processes: int = 1
    """How many networks are played at once."""
    seed: int = 0
    json: Path | None = None
    """Write the results to this file too."""


def bench_estimate(settings: EstimateSettings) -> dict[str, Any]:
    """Time estimates and rollouts size by size; then let estimates play on small networks."""
    _check(settings)
    described = asdict(settings)
    del described["json"]
    rows = [_time_size(settings, nodes) for nodes in settings.sizes]
    result = {
        "settings": described,
        "provenance": provenance(),
        "sizes": [row | {"growth": _growth(row, rows[0])} for row in rows],
        "networks": [],
    }
    for played in chain([[]], _compare(settings)):  # a row is kept as soon as it is there
        result["networks"] += played
        if settings.json is not None:
            write_json(settings.json, result)
    return result


def estimate_table(result: dict[str, Any]) -> Group:
    """The measurements for people."""
    return Group(_times_table(result), *([_networks_table(result)] if result["networks"] else []))


def _times_table(result: dict[str, Any]) -> Table:
    settings = result["settings"]
    table = Table(
        title=f"{settings['days']} days, a seed for {settings['nodes_for_a_seed']} nodes, milliseconds",
        caption=f"least of {settings['repeats']} on {result['provenance']['cores']} cores; a day's seeds by estimate; "
        "growth: of a rollout beside nodes and edges, from the first row",
    )
    for column in ("nodes", "edges", "measure", *ESTIMATES, "rollout", "on one core", "growth"):
        table.add_column(column, justify="right")
    for row in result["sizes"]:
        times = [f"{row['day_ms'][name]:,.1f}" if name in row["day_ms"] else "" for name in ESTIMATES]
        rollouts = (f"{row['rollout_ms']:.2f}", f"{row['rollout_ms_one_core']:.2f}", f"{row['growth']:.2f}×")
        table.add_row(f"{row['nodes']:,}", f"{row['edges']:,}", f"{row['measure_ms']:.1f}", *times, *rollouts)
    return table


def _networks_table(result: dict[str, Any]) -> Table:
    table = Table(
        title="Nodes reached on small networks",
        caption="ratio: the adviser over the best rival, ± one standard error of the paired difference; fair: over the "
        "rival that is best in the other half of the futures",
    )
    for column in ("network", "p", "days", "budget", "futures", "adviser", "best rival", "", "ratio", "fair"):
        table.add_column(column, justify="left" if column in ("network", "best rival") else "right")
    for row in result["networks"]:
        what = row["network"], row["probability"], *(str(row[name]) for name in ("days", "budget", "futures"))
        best = row["best"], f"{row['rivals'][row['best']]:.1f}"
        ratios = [f"{row[name]:.3f} ± {row[f'{name}_error']:.3f}" for name in ("ratio", "fair_ratio")]
        table.add_row(*what, f"{row['adviser']:.1f}", *best, *ratios)
    return table


def _check(settings: EstimateSettings) -> None:
    check_seed(settings.seed)
    whole_number(settings.repeats, "repeats", 1)
    whole_number(settings.futures, "futures", 0)
    whole_number(settings.rollouts, "rollouts", 1)
    whole_number(settings.processes, "processes", 1)
    if not settings.error > 0:
        raise InputError(f"error: {settings.error} given, a standard error above 0 is needed.")
    if list(settings.sizes) != sorted(set(settings.sizes)) or not settings.sizes:
        raise InputError(f"sizes: {settings.sizes} given, at least one is needed, from small to large.")
    check_json(settings.json)


def _time_size(settings: EstimateSettings, nodes: int) -> dict[str, Any]:
    """The least milliseconds of each on a first day."""
    drawn = erdos_renyi(nodes, 5.0, np.random.default_rng(settings.seed))
    network = make_adjacency(drawn.senders, drawn.receivers, drawn.probability, nodes)
    status = np.zeros(nodes, np.int8)
    days, budget = settings.days, max(1, nodes // settings.nodes_for_a_seed)
    names = ESTIMATES if nodes <= SLOW_ESTIMATES_UP_TO else ("mean field",)
    planners = {name: _make_planner(name, network, settings.seed) for name in names}
    picks = planners["mean field"](status, days, budget)
    worlds = range(max(4, settings.rollouts * 500 // nodes))

    def roll(threads: int | None) -> None:
        counts = np.array([len(picks)])
        rollout_rewards(
            network, status, days, budget, picks[None], counts, worlds=worlds, seed=settings.seed, threads=threads
        )

    return {
        "nodes": nodes,
        "edges": network.num_edges,
        "picks": len(picks),
        "measure_ms": _least_ms(lambda: measure(network, status, days), settings.repeats),
        "day_ms": {
            name: _least_ms(lambda plan=plan: plan(status, days, budget), settings.repeats)
            for name, plan in planners.items()
        },
        "rollout_ms": _least_ms(lambda: roll(None), settings.repeats) / len(worlds),
        "rollout_ms_one_core": _least_ms(lambda: roll(1), settings.repeats) / len(worlds),
    }


def _growth(row: dict[str, Any], first: dict[str, Any]) -> float:
    larger = (row["nodes"] + row["edges"]) / (first["nodes"] + first["edges"])
    return row["rollout_ms"] / first["rollout_ms"] / larger


def _least_ms(run: Callable[[], Any], repeats: int) -> float:
    run()
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return 1000 * min(times)


def _make_planner(estimate: str, network: Adjacency, seed: int) -> Callable[[np.ndarray, int, int], np.ndarray]:
    """(status, days left, budget left) → today's seeds by the seed-or-wait index with that estimate."""
    plan = ESTIMATES[estimate].plan
    return lambda status, days, budget: plan(Situation(network, status, days, budget), budget, ADAPTIVE, seed).picks


def _compare(settings: EstimateSettings) -> Iterator[list[dict[str, Any]]]:
    """Every small network, probability and horizon, several at once; a row each."""
    if settings.futures == 0:
        return
    given = [
        Setting(network, probability, days, budget, settings.futures, settings.error, settings.seed)
        for network in settings.networks
        for probability in settings.probabilities
        for days, budget in settings.horizons
    ]
    for setting in given:
        setting.campaign()  # bad input is found before anything is played
    play = partial(compare_with_rivals, rivals=settings.rivals)
    if settings.processes == 1:
        yield from ([play(setting)] for setting in given)
        return
    with ProcessPoolExecutor(settings.processes, get_context("spawn")) as pool:
        yield from ([row] for row in pool.map(play, given))
