"""A small LMTA trained on small networks: its learning curve, what its subgoals do, and what it earns."""

import shutil
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import jax.numpy as jnp
import numpy as np

from lmta.agents.planner import TrainedAgent, load_agent
from lmta.agents.presets import with_values
from lmta.agents.registry import DEFAULT as AGENT
from lmta.agents.saved import CHECKPOINT
from lmta.agents.settings import RunSettings, default_settings
from lmta.demo.charts import draw_subgoals, save
from lmta.demo.settings import DemoSettings, Picture, Say
from lmta.diagnostics.lmta.latents import budgets_under_all, picks_under_all
from lmta.diagnostics.lmta.subgoals import overlaps
from lmta.experiments.curves import aligned, read_run
from lmta.experiments.figures import draw_curves
from lmta.files import kind_of
from lmta.problems.influence.spec import INFLUENCE
from lmta.problems.spec import Size
from lmta.problems.task import Task
from lmta.training.folder import EVENTS, METRICS, new_run
from lmta.training.loop import train
from lmta.training.metrics import Metrics
from lmta.training.run import begin
from lmta.training.settings import check_settings
from lmta.training.train import make_measure

FOLDER = "learner"
SIZE = Size(nodes=80, days=6, budget=12)
SMALL: Mapping[str, Any] = {
    "network.subgoals": 8,
    "network.latent": 64,
    "network.hidden": 64,
    "network.encoder_hidden": 32,
    "network.encoder_layers": 1,
    "network.q_hidden": 32,
    "network.q_layers": 2,
    "search.simulations": 32,
    "train.unroll": 2,
}
"""What differs from the preset, so that an epoch takes a second."""
EVALUATIONS = 10
FIRST_PICKS = 6


@dataclass(frozen=True)
class Subgoals:
    """What each subgoal would do on the first day of one network."""

    budgets: np.ndarray
    """Mean of the budget policy."""
    granted: np.ndarray
    """Its likeliest budget."""
    picks: np.ndarray
    """A row for each subgoal: the nodes it would pick first."""
    chosen: int
    """The subgoal that the search takes."""

    @property
    def overlap(self) -> float:
        """How much two subgoals have in common in their picks, on average."""
        shared = overlaps(self.picks)
        return float(shared[np.triu_indices(len(shared), 1)].mean())


def task() -> Task:
    """Influence on small networks."""
    return Task.of(INFLUENCE.name, nodes=SIZE.nodes, days=SIZE.days, budget=SIZE.budget)


def run_settings(settings: DemoSettings) -> RunSettings:
    """A small LMTA, measured ten times."""
    usual = default_settings(AGENT, INFLUENCE.name)
    return replace(
        usual,
        instance=replace(task().settings, generator=usual.instance.generator),
        config=with_values(usual.config, SMALL),
        epochs=settings.epochs,
        evaluate_every=max(1, settings.epochs // EVALUATIONS),
        held_out=settings.instances,
        seed=settings.seed,
    )


def train_learner(settings: DemoSettings, say: Say) -> Path:
    """Train in a folder of its own, in place of the run that an earlier demo left there; the folder."""
    folder, run = settings.out / FOLDER, run_settings(settings)
    check_settings(run)
    _forget(folder)

    def on_epoch(metrics: Metrics) -> None:
        measured = metrics.get("evaluation")
        if measured:
            score = f"reaches {measured['greedy']:.1f}, {measured['baseline_policy']} {measured['baseline']:.1f}"
            say(f"LMTA, epoch {metrics['epoch']} of {run.epochs}: {score}.")

    say(f"LMTA learns on networks of {SIZE.nodes} nodes; its programs are compiled first.")
    with new_run(folder):
        train(folder, run, begin(run), make_measure(run), on_epoch, lambda: say("Training stops after this epoch."))
    return folder


def draw_curve(settings: DemoSettings, folder: Path) -> Picture:
    """Greedy play over epochs, beside the baseline on the same instances."""
    run = read_run(folder)
    epochs, scores = aligned([run.curve])
    last = run.measured[-1]["evaluation"]
    lines = {
        "LMTA, greedily": (epochs, scores),
        last["baseline_policy"]: (epochs, np.full_like(scores, last["baseline"])),
    }
    title = f"{SIZE.nodes} nodes, {SIZE.days} days, {SIZE.budget} seeds"
    caption = f"LMTA as it learns: nodes reached on {settings.instances} networks it is never trained on"
    return save(settings.out, "learning.png", caption, lambda figure: draw_curves(figure, {title: lines}))


def look_at_subgoals(folder: Path, instance: Any) -> Subgoals:
    """Every subgoal on the first day of an instance, and the one that the search takes."""
    trained: TrainedAgent = load_agent(folder)
    agent: Any = trained.agent.fitted(int(instance.days), int(instance.budget))
    state = agent.problem.reset(instance)
    budgets, granted = budgets_under_all(agent, trained.model, instance, state)
    count = jnp.full(len(budgets), min(FIRST_PICKS, int(instance.budget)))
    picks, _ = picks_under_all(agent, trained.model, instance, state, count)
    search = trained.choose(instance, state, None, 0).search
    assert search is not None
    picks = np.asarray(picks)[:, : int(count[0])]
    return Subgoals(np.asarray(budgets), np.asarray(granted), picks, search.subgoal)


def draw_looked_at(settings: DemoSettings, found: Subgoals, instance: Any) -> Picture:
    """Budgets and first picks by subgoal."""
    degree = INFLUENCE.view.worth(instance, None)
    labels = [f"{degree[node]}" for node in range(len(degree))]
    caption = (
        "What each subgoal would do on the first day of one network. Red: the one the search takes. "
        "Filled: picked today; hollow: next, if it had more"
    )
    draw = partial(
        draw_subgoals,
        budgets=found.budgets,
        picks=found.picks,
        granted=found.granted,
        chosen=found.chosen,
        labels=labels,
    )
    return save(settings.out, "subgoals.png", caption, draw)


def _forget(folder: Path) -> None:
    """Remove the run of an earlier demo, and nothing else."""
    if kind_of(folder / CHECKPOINT):
        for name in (CHECKPOINT, METRICS):
            (folder / name).unlink(missing_ok=True)
        shutil.rmtree(folder / EVENTS, ignore_errors=True)
