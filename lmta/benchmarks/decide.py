"""`lmta bench decide`: how long a learner's decision takes, what its parts take, and what bare networks need."""

from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import jax
import numpy as np
from rich.table import Table

from lmta.agents.planner import TrainedAgent, load_agent
from lmta.agents.registry import DEFAULT as DEFAULT_AGENT
from lmta.agents.settings import RunSettings, default_settings, make_agent, make_model
from lmta.arena.record import check_json, provenance, write_json
from lmta.benchmarks.parts.base import AbstractParts, parts_of, timed
from lmta.problems.batch import Batch, make_batch, unstack
from lmta.problems.registry import DEFAULT as DEFAULT_PROBLEM
from lmta.problems.registry import spec_of
from lmta.problems.session import check_seed, whole_number
from lmta.types import InputError

BATCHES = (16, 64)


@dataclass(frozen=True)
class DecideSettings:
    """How fast a learner decides."""

    agent: str | None = None
    """One of those that `lmta agents` lists; that of the run, or lmta, by default."""
    problem: str = DEFAULT_PROBLEM
    """One of those that `lmta problems` lists."""
    preset: str | None = None
    """Where the agent's settings come from; its first preset by default."""
    nodes: int = 500
    days: int = 10
    budget: int = 70
    run: Path | None = None
    """The folder of a training run; without it new weights decide."""
    episodes: int = 10
    """Episodes whose decisions are timed one by one."""
    repeats: int = 5
    """How often each batch is timed."""
    seed: int = 0
    json: Path | None = None
    """Write the results to this file too."""


def bench_decide(settings: DecideSettings) -> dict[str, Any]:
    """Time whole decisions and, right beside each, its parts; then batches."""
    _check(settings)
    player = _player(settings)
    parts = parts_of(player.agent.fitted(settings.days, settings.budget), player.model)
    whole, bare, by_part, picks = _time_decisions(settings, player, parts)
    described = asdict(settings) | {"agent": player.agent.name, "problem": spec_of(settings.problem).name}
    described |= {"run": player.name}
    del described["json"]
    result = {
        "settings": described,
        "provenance": provenance(),
        "decisions": len(whole),
        "picks_mean": float(np.mean(picks)),
        "decision_ms_median": float(np.median(whole)),
        "decision_ms_p95": float(np.percentile(whole, 95)),
        **{f"batch{size}_ms_per_decision": _time_batch(settings, player, size) for size in BATCHES},
        "parts": {name: float(np.median(times)) for name, times in by_part.items()},
    }
    if parts is not None:
        result["bare"] = parts.bare
        result["bare_parts_ms"] = float(np.median(bare))
        result["decision_over_bare_parts"] = float(np.median(np.array(whole) / np.array(bare)))
    if settings.json is not None:
        write_json(settings.json, result)
    return result


def decide_table(result: dict[str, Any]) -> Table:
    """The measurement for people."""
    beside = f"; bare parts: {result['bare']}" if "bare" in result else ""
    table = Table(
        title="{agent} on {problem}: one decision, {nodes} nodes, {days} days, budget {budget}".format(
            **result["settings"]
        ),
        caption=f"medians of {result['decisions']} decisions with {result['picks_mean']:.1f} picks on average{beside}",
    )
    table.add_column("what")
    table.add_column("ms", justify="right")
    table.add_row("whole decision", f"{result['decision_ms_median']:.1f} (p95 {result['decision_ms_p95']:.1f})")
    if "bare" in result:
        table.add_row("bare parts", f"{result['bare_parts_ms']:.1f}")
        table.add_row("whole over bare parts", f"{result['decision_over_bare_parts']:.2f}×")
    for name, milliseconds in result["parts"].items():
        table.add_row(name, f"{milliseconds:.2f}")
    for size in BATCHES:
        table.add_row(f"a decision in a batch of {size}", f"{result[f'batch{size}_ms_per_decision']:.1f}")
    return table


def new_run(agent: str, problem: str, preset: str | None, nodes: int, days: int, budget: int, seed: int) -> RunSettings:
    """A run of an agent before its first epoch, on instances of that size."""
    usual = default_settings(agent, problem, preset)
    return replace(usual, instance=replace(usual.instance, nodes=nodes, days=days, budget=budget), seed=seed)


def _check(settings: DecideSettings) -> None:
    check_seed(settings.seed)
    whole_number(settings.episodes, "episodes", 1)
    whole_number(settings.repeats, "repeats", 1)
    if settings.run is not None and settings.preset is not None:
        raise InputError("preset: has no effect on a run; leave it out.")
    check_json(settings.json)


def _player(settings: DecideSettings) -> TrainedAgent:
    """The agent of the run, or one with new weights."""
    spec = spec_of(settings.problem)
    if settings.run is None:
        size = settings.nodes, settings.days, settings.budget
        run = new_run(settings.agent or DEFAULT_AGENT, spec.name, settings.preset, *size, settings.seed)
        model = make_model(run, key=jax.random.key(settings.seed))
        return TrainedAgent("new", spec.problem, make_agent(run), model)
    player = load_agent(settings.run)
    player.check_problem(spec.problem.name)
    if settings.agent not in (None, player.agent.name):
        raise InputError(f"agent: {settings.agent} given, but the run is one of {player.agent.name}; leave it out.")
    return player


def _batch(settings: DecideSettings, size: int) -> Batch:
    spec = spec_of(settings.problem)
    given = spec.settings(nodes=settings.nodes, days=settings.days, budget=settings.budget)
    return make_batch(spec.problem, spec.instances(given, settings.seed, size), settings.seed)


def _time_decisions(
    settings: DecideSettings, player: TrainedAgent, parts: AbstractParts | None
) -> tuple[list[float], list[float], dict[str, list[float]], list[int]]:
    """Along whole episodes, for each decision that has something left to spend: milliseconds as a whole and of its bare
    parts, those of each part, and the picks."""
    batch = _batch(settings, settings.episodes)
    states = jax.vmap(batch.problem.reset)(batch.stacked)
    whole, bare, by_part, picks = [], [], {}, []
    _measure(player, parts, batch.instances[0], unstack(states, 1)[0], 0)
    for day in range(settings.days):
        for instance, state in zip(batch.instances, unstack(states), strict=True):
            if state.budget_left > 0:
                measured = _measure(player, parts, jax.device_put(instance), jax.device_put(state), day)
                for collected, number in zip((whole, bare, picks), measured[:3], strict=True):
                    collected.append(number)
                for name, milliseconds in measured[3].items():
                    by_part.setdefault(name, []).append(milliseconds)
        states, _ = player.play_day(batch, states, [None] * batch.size, [day] * batch.size)
    return whole, bare, by_part, picks


def _measure(
    player: TrainedAgent, parts: AbstractParts | None, instance: Any, state: Any, seed: int
) -> tuple[float, float, int, dict[str, float]]:
    """One decision: milliseconds as a whole and of its bare parts, the picks, and milliseconds part by part."""
    choice, whole = timed(player.choose, instance, state, None, seed)
    by_part, bare = ({}, 0.0) if parts is None else parts.time(instance, state, choice)
    return whole, bare, len(choice.picks), by_part


def _time_batch(settings: DecideSettings, player: TrainedAgent, size: int) -> float:
    """Milliseconds a decision when a batch of first days is decided at once, spread over the cores."""
    batch = _batch(settings, size)
    states = jax.vmap(batch.problem.reset)(batch.stacked)
    day = (player.play_day, batch, states, [None] * size, [0] * size)
    timed(*day)
    return float(np.median([timed(*day)[1] for _ in range(settings.repeats)])) / size
