"""`lmta bench decide`: how long one decision takes, what its parts take, and what the bare networks and search need."""

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal

import jax
import jax.numpy as jnp
import numpy as np
from rich.table import Table

from lmta.agents.lmta import Agent
from lmta.agents.planner import Planner, load
from lmta.agents.settings import RunSettings, make_model
from lmta.arena.record import provenance, write_json
from lmta.config import paper
from lmta.files import check_writable
from lmta.model.networks import Lmta
from lmta.problems.base import GuidedProblem
from lmta.problems.batch import make_batch, unstack
from lmta.problems.registry import BENCHMARKS, InstanceSettings
from lmta.problems.session import check_seed, whole_number
from lmta.search.planner import plan

BATCHES = (16, 64)


@dataclass(frozen=True)
class DecideSettings:
    """How fast the learned planner decides."""

    problem: Literal["aim", "sop"] = "aim"
    nodes: int = 500
    days: int = 10
    budget: int = 70
    run: Path | None = None
    """The folder of a training run; without it new weights decide, and spend at an even pace."""
    episodes: int = 10
    """Episodes whose decisions are timed one by one."""
    repeats: int = 5
    """How often each batch is timed."""
    seed: int = 0
    json: Path | None = None
    """Write the results to this file too."""


class _Parts:
    """The parts of a decision, each compiled on its own."""

    def __init__(self, agent: Agent, model: Lmta):
        problem, high = agent.problem, model.high

        def search(latent, days_left):
            key, depth = jax.random.key(0), agent.max_days
            return plan(high, agent.config.search, latent, days_left, key, max_depth=depth, explore=False)

        def budget(latent, subgoal, left, days_left):
            return jnp.argmax(high.budget(latent, high.subgoals[subgoal], left, days_left, agent.max_picks)[0])

        def low_level(instance, state, subgoal, budget):
            return agent.make_picks(model, instance, state, subgoal, budget)

        def raw_low_level(instance, state, subgoal, budget):
            if isinstance(problem, GuidedProblem):
                return problem.plan_day(instance, state, budget, agent.max_picks)
            assert model.low is not None
            return model.low(problem.observe(instance, state), high.subgoals[subgoal], budget)

        self.encode = jax.jit(lambda instance, state: high.encoder(problem.observe(instance, state)))
        self.search = jax.jit(search)
        self.budget = jax.jit(budget)
        self.low_level = jax.jit(low_level)
        self.raw_low_level = jax.jit(raw_low_level)
        """The Q-network once, or the guide's whole day."""


def bench_decide(settings: DecideSettings) -> dict[str, Any]:
    """Time whole decisions and, right beside each, its parts; then batches."""
    _check(settings)
    planner = _planner(settings)
    one_by_one = _time_decisions(settings, planner)
    whole, raw = one_by_one.pop("whole"), one_by_one.pop("raw")
    described = asdict(settings) | {"run": planner.name}
    del described["json"]
    result = {
        "settings": described,
        "provenance": provenance(),
        "simulations": planner.agent.config.search.simulations,
        "decisions": len(whole),
        "decision_ms_median": float(np.median(whole)),
        "decision_ms_p95": float(np.percentile(whole, 95)),
        "raw_parts_ms": float(np.median(raw)),
        "decision_over_raw_parts": float(np.median(np.array(whole) / np.array(raw))),
        **{f"batch{size}_ms_per_decision": _time_batch(settings, planner, size) for size in BATCHES},
        "parts": {name: float(np.median(times)) for name, times in one_by_one.items()},
    }
    if settings.json is not None:
        write_json(settings.json, result)
    return result


def decide_table(result: dict[str, Any]) -> Table:
    """The measurement for people."""
    settings = result["settings"]
    table = Table(
        title="{problem}: one decision, {nodes} nodes, {days} days, budget {budget}".format(**settings)
        + f", {result['simulations']} simulations",
        caption=f"medians of {result['decisions']} decisions; "
        "raw parts: encoder, search, the Q-network once a pick or the guide",
    )
    table.add_column("what")
    table.add_column("ms", justify="right")
    rows = {
        "whole decision": f"{result['decision_ms_median']:.1f} (p95 {result['decision_ms_p95']:.1f})",
        "raw parts": f"{result['raw_parts_ms']:.1f}",
        "whole over raw parts": f"{result['decision_over_raw_parts']:.2f}×",
        **{name.replace("_", " "): f"{ms:.2f}" for name, ms in result["parts"].items()},
        **{f"a decision in a batch of {size}": f"{result[f'batch{size}_ms_per_decision']:.1f}" for size in BATCHES},
    }
    for name, text in rows.items():
        table.add_row(name, text)
    return table


def _check(settings: DecideSettings) -> None:
    check_seed(settings.seed)
    whole_number(settings.episodes, "episodes", 1)
    whole_number(settings.repeats, "repeats", 1)
    if settings.json is not None:
        check_writable(settings.json)


def _planner(settings: DecideSettings) -> Planner:
    """The trained planner, or one with new weights whose subgoals all spend at an even pace."""
    if settings.run is not None:
        planner = load(settings.run)
        planner.check_problem(settings.problem)
        return planner
    config = paper(settings.problem)
    config = replace(config, model=replace(config.model, ambition=0.0))
    run = RunSettings(
        problem=settings.problem, instance=_instance_settings(settings), config=config, seed=settings.seed
    )
    problem = BENCHMARKS[settings.problem].problem
    model = make_model(run, key=jax.random.key(settings.seed))
    return Planner("new", problem, Agent(problem, config, settings.days, settings.budget), model)


def _instance_settings(settings: DecideSettings) -> InstanceSettings:
    return InstanceSettings(nodes=settings.nodes, days=settings.days, budget=settings.budget)


def _batch(settings: DecideSettings, size: int) -> Any:
    benchmark = BENCHMARKS[settings.problem]
    instances = benchmark.instances(_instance_settings(settings), settings.seed, size)
    return make_batch(benchmark.problem, instances, settings.seed)


def _time_decisions(settings: DecideSettings, planner: Planner) -> dict[str, list[float]]:
    """Milliseconds of each decision that has a pick, and of its parts, along whole episodes."""
    batch = _batch(settings, settings.episodes)
    parts = _Parts(planner.fitted(settings.days, settings.budget), planner.model)
    states = jax.vmap(batch.problem.reset)(batch.stacked)
    _measure(planner, parts, batch.instances[0], unstack(states, 1)[0], 0)
    measured = []
    for day in range(settings.days):
        for instance, state in zip(batch.instances, unstack(states), strict=True):
            measured.append(_measure(planner, parts, jax.device_put(instance), jax.device_put(state), day))
        states, _ = planner.play_day(batch, states, [None] * batch.size, [day] * batch.size)
    with_picks = [times for times in measured if times.pop("picks") > 0]
    return {name: [times[name] for times in with_picks] for name in with_picks[0]}


def _measure(planner: Planner, parts: _Parts, instance: Any, state: Any, seed: int) -> dict[str, float]:
    """One decision as a whole, then part by part: milliseconds of each, and the number of picks."""
    days_left = instance.days - state.day
    choice, whole = _timed(planner.choose, instance, state, None, seed)
    latent, encode = _timed(parts.encode, instance, state)
    found, search = _timed(parts.search, latent, days_left)
    _, budget = _timed(parts.budget, latent, found.subgoal, state.budget_left, days_left)
    granted = jnp.int32(choice.budget)
    _, low_level = _timed(parts.low_level, instance, state, found.subgoal, granted)
    _, raw_low_level = _timed(parts.raw_low_level, instance, state, found.subgoal, granted)
    return {
        "picks": len(choice.picks),
        "whole": whole,
        "encode": encode,
        "search": search,
        "budget": budget,
        "low_level": low_level,
        "raw_low_level": raw_low_level,
        "raw": encode + search + raw_low_level * (1 if planner.model.low is None else len(choice.picks)),
    }


def _time_batch(settings: DecideSettings, planner: Planner, size: int) -> float:
    """Milliseconds a decision when a batch of first mornings is decided at once, spread over the cores."""
    batch = _batch(settings, size)
    states = jax.vmap(batch.problem.reset)(batch.stacked)
    day = (planner.play_day, batch, states, [None] * size, [0] * size)
    _timed(*day)
    return float(np.median([_timed(*day)[1] for _ in range(settings.repeats)])) / size


def _timed(run: Callable[..., Any], *arguments: Any) -> tuple[Any, float]:
    """What came out, and the milliseconds it took."""
    start = time.perf_counter()
    out = jax.block_until_ready(run(*arguments))
    return out, 1000 * (time.perf_counter() - start)
