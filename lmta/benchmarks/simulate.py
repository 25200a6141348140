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

from lmta.arena.record import provenance, write_json
from lmta.benchmarks.networkx_simulator import random_episode
from lmta.devices import EVERYWHERE, SPLIT, core_mesh, use_all_cores
from lmta.files import check_writable
from lmta.policies.base import choose_in_order
from lmta.problems.base import Problem, play_day
from lmta.problems.influence.generators import erdos_renyi
from lmta.problems.influence.importer import Network
from lmta.problems.influence.rules import Influence, make_instance
from lmta.problems.registry import BENCHMARKS, MEAN_DEGREE, InstanceSettings
from lmta.problems.session import check_horizon, check_seed, whole_number
from lmta.types import InputError


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
    networks = [
        erdos_renyi(settings.nodes, MEAN_DEGREE, np.random.default_rng([settings.seed, i]))
        for i in range(settings.batch)
    ]
    per_episode = {
        "networkx": _time_networkx(settings, networks),
        "lmta_one_graph": _time_batch(settings, networks[:1]) / settings.batch,
        "lmta_many_graphs": _time_batch(settings, networks) / settings.batch,
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

    def day(state, _):
        values, picks = jax.lax.top_k(jnp.where(problem.legal(instance, state), priority, -1.0), picks_a_day)
        chooser = choose_in_order(picks, values)
        state, record = play_day(problem, instance, state, noise, chooser, jnp.int32(picks_a_day), picks_a_day)
        return state, record.reward

    return jax.lax.scan(day, problem.reset(instance), None, length=days)[1].sum()


def _check(settings: SimulateSettings) -> None:
    check_seed(settings.seed)
    for name in ("batch", "repeats"):
        whole_number(getattr(settings, name), name, 1)
    for nodes in (settings.nodes, *settings.sizes):
        check_horizon(settings.days, settings.budget, nodes, "nodes")
    if settings.budget < settings.days:
        raise InputError(f"budget: {settings.budget} given, one pick for each of the {settings.days} days is needed.")
    if settings.json is not None:
        check_writable(settings.json)


def simulate_table(result: dict[str, Any]) -> Table:
    """The measurement for people."""
    settings = result["settings"]
    table = Table(
        title="AIM, {nodes} nodes, {days} days, budget {budget}, batch of {batch}".format(**settings),
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


def _time_networkx(settings: SimulateSettings, networks: list[Network]) -> float:
    """Seconds an episode."""
    graphs = [_as_networkx(network) for network in networks]
    rng = random.Random(settings.seed)

    def play():
        return [random_episode(graph, settings.days, settings.budget, rng) for graph in graphs]

    return _median_seconds(play, max(3, settings.repeats // 4)) / len(graphs)


def _time_batch(settings: SimulateSettings, networks: list[Network]) -> float:
    """Seconds a batch, spread over the CPU devices; one network is shared by all episodes of the batch."""
    problem = Influence()
    instances = [make_instance(network, settings.days, settings.budget) for network in networks]
    shared = len(instances) == 1
    stacked = instances[0] if shared else problem.stack(instances)
    mesh = core_mesh(settings.batch)
    instance_spec = EVERYWHERE if shared else SPLIT

    batch = jax.vmap(_random_score_of(settings), (None if shared else 0, 0))
    mapped = jax.shard_map(batch, mesh=mesh, in_specs=(instance_spec, SPLIT), out_specs=SPLIT, check_vma=False)
    run = jax.jit(mapped)
    stacked = jax.device_put(stacked, NamedSharding(mesh, instance_spec))
    keys = jax.device_put(jax.random.split(jax.random.key(settings.seed), settings.batch), NamedSharding(mesh, SPLIT))
    return _median_seconds(lambda: jax.block_until_ready(run(stacked, keys)), settings.repeats)


def _scaling(settings: SimulateSettings) -> list[dict[str, float]]:
    """Seconds an episode for growing networks, and how it grows from one size to the next beside the nodes."""
    rows = []
    for nodes in settings.sizes:
        instance = BENCHMARKS["aim"].instances(
            InstanceSettings(nodes=nodes, days=settings.days, budget=settings.budget), settings.seed, 1
        )[0]
        run = partial(jax.jit(_random_score_of(settings)), instance, jax.random.key(settings.seed))
        seconds = _median_seconds(lambda run=run: jax.block_until_ready(run()), settings.repeats)
        growth = seconds / rows[-1]["seconds"] / (nodes / rows[-1]["nodes"]) if rows else 1.0
        rows.append({"nodes": nodes, "seconds": seconds, "growth_over_linear": growth})
    return rows


def _random_score_of(settings: SimulateSettings) -> Callable[[Any, jax.Array], jax.Array]:
    picks_a_day = settings.budget // settings.days
    return lambda instance, key: random_score(Influence(), instance, settings.days, picks_a_day, key)


def _as_networkx(network: Network) -> nx.DiGraph:
    graph = nx.DiGraph()
    graph.add_nodes_from(network.ids)
    edges = zip(network.senders.tolist(), network.receivers.tolist(), network.probability.tolist(), strict=True)
    graph.add_weighted_edges_from(edges, weight="probability")
    return graph


def _median_seconds(run: Callable[[], Any], repeats: int) -> float:
    run()
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return float(np.median(times))
