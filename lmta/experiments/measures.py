"""What is measured of a trained LMTA besides its scores: order of durations, calibration, picks of subgoals."""

import itertools
import json
import tempfile
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from rich.console import Console

from lmta.agents.planner import load_agent
from lmta.arena.record import write_json
from lmta.diagnostics.diagnose import RESULTS, DiagnoseSettings, diagnose, prepare
from lmta.diagnostics.parts import Effort
from lmta.experiments.cells import Cell, Learner
from lmta.experiments.results import read_json
from lmta.experiments.run import Folders, train
from lmta.problems.registry import spec_of

POINTS = "calibration.json"
AT_A_GLANCE = Effort(states=1, runs=1, all_left_states=1, bootstrap=1)
"""For measures that need whole episodes alone."""


def measure_order(cell: Cell, folders: Folders, console: Console) -> dict[str, Any]:
    """Kendall's τ_b of score and duration (App. L), the same with expected budgets, and how reliable durations are."""
    order = _diagnosis(train(cell, folders, console), cell, Effort())["order"]
    by_the_book, *_, expected_budget = order["orderings"][:4]
    return {
        "order": {
            "tau_b": by_the_book["tau_b"]["mean"],
            "tau_b_expected_budget": expected_budget["tau_b"]["mean"],
            "reliability": order["reliability"],
        },
        "times": {},
    }


def measure_calibration(cell: Cell, folders: Folders, console: Console) -> dict[str, Any]:
    """After every epoch, the mean latent distance and value difference of decisions (App. M)."""
    assert isinstance(cell.method, Learner) and cell.run_name
    kept = folders.runs / cell.run_name / POINTS
    points = read_json(kept)["points"] if kept.exists() else []
    while len(points) < cell.method.epochs:
        run = train(cell, folders, console, epochs=len(points) + 1)
        decisions = _diagnosis(run, cell, AT_A_GLANCE)["decisions"]
        values, model_values = np.array(decisions["value"]), np.array(decisions["model_value"])
        points.append(
            {
                "epoch": len(points) + 1,
                "distance": float(np.mean(decisions["displacement"])),
                "value_difference": float(np.abs(values - model_values).mean()),
            }
        )
        write_json(kept, {"points": points})
    return {"points": points, "times": {}}


def _diagnosis(run: Path, cell: Cell, effort: Effort) -> dict[str, Any]:
    """What `lmta diagnose` finds of the agent's own."""
    assert isinstance(cell.method, Learner)
    with tempfile.TemporaryDirectory() as folder:
        diagnose(prepare(DiagnoseSettings(run, cell.instances, effort, cell.seed, Path(folder))))
        return json.loads((Path(folder) / RESULTS).read_text(encoding="utf-8"))[cell.method.agent]


def measure_subgoals(cell: Cell, folders: Folders, console: Console) -> dict[str, Any]:
    """The first instance as a picture, with the first picks of the two subgoals that differ most in what they pick."""
    player = load_agent(train(cell, folders, console))
    spec = spec_of(cell.task.problem)
    instance = spec.instances(cell.task.settings(), cell.seed, 1)[0]
    state, agent, model = player.problem.reset(instance), player.agent, player.model
    budget = jnp.int32(max(5, -(-cell.task.budget // cell.task.days)))

    def picks(subgoal):
        return agent.make_picks(model, instance, state, subgoal, budget).picks  # pyright: ignore (LMTA alone has them)

    by_subgoal = np.asarray(jax.lax.map(picks, jnp.arange(model.high.subgoals.shape[0])))
    chosen = [row[row >= 0].tolist() for row in by_subgoal]
    real = int(instance.graph.node_mask.sum())
    worth = np.asarray(spec.view.worth(instance, state))[:real]
    return {
        "picture": {
            "places": np.round(spec.view.layout(instance)[:real], 4).tolist(),
            "worth": np.round(worth, 4).tolist(),
            "worth_name": spec.view.worth_name,
            "picks": most_different(chosen, worth),
        },
        "times": {},
    }


def most_different(picks: list[list[int]], worth: np.ndarray) -> list[list[int]]:
    """The two lists that share least; among those, the two whose picks differ most in worth."""

    def likeness(pair: tuple[list[int], list[int]]) -> tuple[int, float]:
        first, second = pair
        apart = abs(float(worth[first].mean() - worth[second].mean())) if first and second else 0.0
        return len(set(first) & set(second)) - min(len(first), len(second)), -apart

    return list(min(itertools.combinations(picks, 2), key=likeness))
