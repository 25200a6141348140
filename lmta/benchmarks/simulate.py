"""`lmta bench simulate`: episodes a second beside a plain NetworkX simulator, and how time grows with size."""

import random
import resource
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import networkx as nx
import numpy as np
from jax.sharding import NamedSharding
from rich.table import Table

from lmta.arena.record import check_json, provenance, write_json
from lmta.benchmarks.networkx_simulator import random_episode
from lmta.devices import core_mesh, specs_of_members, use_all_cores
from lmta.problems.base import DayRecord, Problem, play_episode
from lmta.problems.influence.spec import INFLUENCE
from lmta.problems.session import check_horizon, check_seed, whole_number
from lmta.types import Graph, InputError

SPEC = INFLUENCE
"""What the NetworkX simulator plays too."""


@dataclass(frozen=True)
class SimulateSettings:
    """How fast episodes are simulated under a random policy."""

    nodes: int = 500
    days: int = 10
    budget: int = 50
    batch: int = 64
    """Episodes played at a time."""
    repeats: int = 20
    """Timed runs; medians are printed."""
    sizes: tuple[int, ...] = (500, 5_000, 50_000)
    """Numbers of nodes to see how time grows."""
    seed: int = 0
    json: Path | None = None
    """Write the results to this file too."""


def bench_simulate(settings: SimulateSettings) -> dict[str, Any]:
    """Measure, in one run."""
    _check(settings)
    use_all_cores()
    instances = _instances(settings, settings.nodes, settings.batch)
    per_episode = {
        "networkx": _time_networkx(settings, instances),
        "lmta_one_graph": _time_batch(settings, instances[:1]) / settings.batch,
        "lmta_many_graphs": _time_batch(settings, instances) / settings.batch,
    }
    result = {
        "settings": {name: getattr(settings, name) for name in ("nodes", "days", "budget", "batch", "repeats", "seed")},
        "provenance": provenance(),
        "episodes_per_second": {name: 1 / seconds for name, seconds in per_episode.items()},
        "speedup": {
            name: per_episode["networkx"] / seconds for name, seconds in per_episode.items() if name != "networkx"
        },
        "scaling": _scaling(settings),
        "peak_memory_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }
    if settings.json is not None:
        write_json(settings.json, result)
    return result


def random_score(problem: Problem, instance: Any, days: int, picks_a_day: int, key: jax.Array) -> jax.Array:
    """The score of one episode in which the legal nodes are picked in a random order, evenly over the days."""
    noise_key, order_key = jax.random.split(key)
    noise = problem.draw_noise(instance, days, noise_key)
    priority = jax.random.uniform(order_key, instance.graph.node_mask.shape)

    def decide(state, _):
        values, picks = jax.lax.top_k(jnp.where(problem.legal(instance, state), priority, -1.0), picks_a_day)
        return DayRecord(picks, values, num_picks=(values >= 0).sum(), reward=jnp.zeros(())), None

    return play_episode(problem, instance, noise, decide, jnp.arange(days)).record.reward.sum()


def _instances(settings: SimulateSettings, nodes: int, count: int) -> list[Any]:
    kind = SPEC.settings(nodes=nodes, days=settings.days, budget=settings.budget)
    return SPEC.instances(kind, settings.seed, count)


def _check(settings: SimulateSettings) -> None:
    check_seed(settings.seed)
    for name in ("batch", "repeats"):
        whole_number(getattr(settings, name), name, 1)
    for nodes in (settings.nodes, *settings.sizes):
        check_horizon(settings.days, settings.budget, nodes, "nodes")
    if settings.budget < settings.days:
        raise InputError(f"budget: {settings.budget} given, one pick for each of the {settings.days} days is needed.")
    check_json(settings.json)


def simulate_table(result: dict[str, Any]) -> Table:
    """The measurement for people."""
    settings = result["settings"]
    table = Table(
        title="{name}: {nodes} nodes, {days} days, budget {budget}, batch of {batch}".format(
            name=SPEC.name, **settings
        ),
        caption=f"medians; lmta on {result['provenance']['cores']} cores, NetworkX on one; peak memory "
        f"{result['peak_memory_mb']:.0f} MB",
    )
    for column in ("random episodes", "a second", "beside NetworkX"):
        table.add_column(column, justify="left" if column == "random episodes" else "right")
    for name, rate in result["episodes_per_second"].items():
        table.add_row(name.replace("_", " "), f"{rate:,.0f}", f"{result['speedup'].get(name, 1):.0f}×")
    for row in result["scaling"]:
        table.add_row(
            f"one at a time, {row['nodes']:,} nodes",
            f"{1 / row['seconds']:,.0f}",
            f"time grows {row['growth_over_linear']:.2f}× linear",
        )
    return table


def _time_networkx(settings: SimulateSettings, instances: list[Any]) -> float:
    """Seconds an episode."""
    graphs = [_as_networkx(instance.graph) for instance in instances]
    rng = random.Random(settings.seed)

    def play():
        return [random_episode(graph, settings.days, settings.budget, rng) for graph in graphs]

    return _median_seconds(play, max(3, settings.repeats // 4)) / len(graphs)


def _time_batch(settings: SimulateSettings, instances: list[Any]) -> float:
    """Seconds a batch, spread over the CPU devices; one instance is shared by all episodes of the batch."""
    shared = len(instances) == 1
    stacked = instances[0] if shared else SPEC.problem.stack(instances)
    mesh = core_mesh(settings.batch)
    everywhere, split = specs_of_members()
    instance_spec = everywhere if shared else split

    batch = jax.vmap(_random_score_of(settings), (None if shared else 0, 0))
    mapped = jax.shard_map(batch, mesh=mesh, in_specs=(instance_spec, split), out_specs=split, check_vma=False)
    run = jax.jit(mapped)
    stacked = jax.device_put(stacked, NamedSharding(mesh, instance_spec))
    keys = jax.device_put(jax.random.split(jax.random.key(settings.seed), settings.batch), NamedSharding(mesh, split))
    return _median_seconds(lambda: jax.block_until_ready(run(stacked, keys)), settings.repeats)


def _scaling(settings: SimulateSettings) -> list[dict[str, float]]:
    """Seconds an episode for growing networks, and how it grows from one size to the next beside the nodes."""
    rows = []
    for nodes in settings.sizes:
        instance = _instances(settings, nodes, 1)[0]
        run = partial(jax.jit(_random_score_of(settings)), instance, jax.random.key(settings.seed))
        seconds = _median_seconds(lambda run=run: jax.block_until_ready(run()), settings.repeats)
        growth = seconds / rows[-1]["seconds"] / (nodes / rows[-1]["nodes"]) if rows else 1.0
        rows.append({"nodes": nodes, "seconds": seconds, "growth_over_linear": growth})
    return rows


def _random_score_of(settings: SimulateSettings) -> Callable[[Any, jax.Array], jax.Array]:
    picks_a_day = settings.budget // settings.days
    return lambda instance, key: random_score(SPEC.problem, instance, settings.days, picks_a_day, key)


def _as_networkx(graph: Graph) -> nx.DiGraph:
    network = nx.DiGraph()
    network.add_nodes_from(range(graph.num_nodes))
    real = np.flatnonzero(graph.edge_mask)
    columns = (np.asarray(column)[real].tolist() for column in (graph.senders, graph.receivers, graph.weight))
    network.add_weighted_edges_from(zip(*columns, strict=True), weight="probability")
    return network


def _median_seconds(run: Callable[[], Any], repeats: int) -> float:
    run()
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return float(np.median(times))
