"""All that is measured of LMTA alone: order, smoothness, theory, subgoals and the values of states."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from lmta.agents.lmta.agent import Lmta
from lmta.agents.lmta.high import fixed_margin
from lmta.diagnostics.common import as_plain, returns_to_go
from lmta.diagnostics.lmta.latents import Executions, Traces, exploring, force_subgoals, picks_under_all, trace
from lmta.diagnostics.lmta.order import Order, measure_order
from lmta.diagnostics.lmta.subgoals import Dictionary, FirstDay, measure_subgoals
from lmta.diagnostics.lmta.theory import Theory, measure_theory
from lmta.diagnostics.lmta.values import Smoothness, Values, measure_smoothness, measure_values
from lmta.diagnostics.parts import Effort, OnStep
from lmta.diagnostics.rollouts import Rollouts, Subject, at, roll_out
from lmta.problems.spec import Size, View

FIRST_DAYS = 10
"""Instances on whose first day the picks of all subgoals are compared."""


@dataclass(frozen=True)
class Findings:
    """What was measured, and what the pictures are drawn from."""

    view: View
    order: Order
    smoothness: tuple[Smoothness, ...]
    theory: Theory
    dictionary: Dictionary
    values: Values
    rollouts: Rollouts
    traces: Traces
    executions: Executions
    margins: np.ndarray
    returns: np.ndarray
    exemplar: FirstDay


def measure(subject: Subject, rollouts: Rollouts, effort: Effort, on_step: OnStep) -> Findings:
    """Measure the episodes, or others played as in training, and force every subgoal at some of their states."""
    agent, model, instances = subject.agent, subject.model, subject.batch.stacked
    assert isinstance(agent, Lmta)
    settings, spec, seed = agent.settings, subject.run.spec, subject.batch.seed
    rollouts = roll_out(subject, exploring) if effort.explore else rollouts
    traces = trace(agent, model, instances, rollouts)
    rng = np.random.default_rng(seed)
    places = _draw_places(rollouts.num_picks.shape, effort.states, rng)
    executions = _force(subject, agent, rollouts, places, effort.runs, on_step)
    all_left = _all_left(subject, agent, rollouts, places[: effort.all_left_states])
    instances, rollouts, traces = jax.tree.map(np.asarray, (instances, rollouts, traces))
    first_days = _first_days(subject, agent, instances, rollouts)
    margins = np.asarray(model.high.margins(fixed_margin(settings, instances)))
    returns = returns_to_go(traces.macro_reward, settings.search.discount)
    executed, goes_on = np.asarray(rollouts.num_picks), places[:, 1] + 1 < subject.batch.days
    return Findings(
        view=spec.view,
        order=measure_order(executions, all_left, traces, executed, margins, effort.bootstrap, rng),
        smoothness=measure_smoothness(traces, returns, effort.bootstrap, rng),
        theory=measure_theory(settings, traces, executed, executions, goes_on, margins),
        dictionary=measure_subgoals(spec.view, instances, rollouts, traces, executions, margins, first_days),
        values=measure_values(traces, returns),
        rollouts=rollouts,
        traces=traces,
        executions=executions,
        margins=margins,
        returns=returns,
        exemplar=first_days[0],
    )


def as_json(findings: Findings) -> dict[str, Any]:
    """Every measure, and what it was made on, decision by decision."""
    rollouts, traces = findings.rollouts, findings.traces
    decisions = {
        "subgoal": traces.subgoal,
        "budget": rollouts.budget,
        "duration": rollouts.num_picks,
        "displacement": traces.model_distance,
        "value": traces.value,
        "model_value": traces.model_value,
        "search_value": traces.search_value,
        "return": findings.returns,
    }
    measured = ("order", "smoothness", "theory", "dictionary", "values")
    return {
        **{name: as_plain(getattr(findings, name)) for name in measured},
        "nodes": {"worth": findings.view.worth_name, "distance": findings.view.distance_name},
        "decisions": {name: np.asarray(values).tolist() for name, values in decisions.items()},
    }


def _draw_places(shape: tuple[int, ...], count: int, rng: np.random.Generator) -> np.ndarray:
    """Episode and day of `count` different decisions, or of all where there are fewer."""
    total = int(np.prod(shape))
    return np.stack(np.unravel_index(rng.choice(total, min(count, total), replace=False), shape), axis=1)


def _force(
    subject: Subject, agent: Lmta, rollouts: Rollouts, places: np.ndarray, runs: int, on_step: OnStep
) -> Executions:
    """Every subgoal at each of the places, state by state."""
    found, keys = [], jax.random.split(jax.random.key(subject.batch.seed), len(places))
    for number, ((episode, day), key) in enumerate(zip(places.tolist(), keys, strict=True)):
        instance, state = at(subject.batch.stacked, episode), at(rollouts.states, episode, day)
        found.append(force_subgoals(agent, subject.model, instance, state, key, runs))
        on_step(number + 1, len(places))
    return jax.tree.map(lambda *leaves: np.stack(leaves), *found)


def _all_left(subject: Subject, agent: Lmta, rollouts: Rollouts, places: np.ndarray) -> np.ndarray:
    """Durations of every subgoal with all that is left granted."""
    rows = []
    for episode, day in places.tolist():
        state = at(rollouts.states, episode, day)
        budgets = jnp.full(subject.model.high.subgoals.shape[0], state.budget_left)
        instance = at(subject.batch.stacked, episode)
        rows.append(picks_under_all(agent, subject.model, instance, state, budgets)[1])
    return np.stack(rows)


def _first_days(subject: Subject, agent: Lmta, instances: Any, rollouts: Rollouts) -> Sequence[FirstDay]:
    """What every subgoal picks first on the first day of some instances: a day's share of the budget, or five."""
    size: Size = subject.run.spec.size(subject.run.instance)
    num_picks = min(size.budget, max(5, -(-size.budget // size.days)))
    budgets = jnp.full(subject.model.high.subgoals.shape[0], num_picks)
    days = []
    for episode in range(min(FIRST_DAYS, len(rollouts.num_picks))):
        instance, state = at(instances, episode), at(rollouts.states, episode, 0)
        picks, _ = picks_under_all(agent, subject.model, instance, state, budgets)
        days.append(FirstDay(instance, state, np.asarray(picks[:, :num_picks])))
    return days
