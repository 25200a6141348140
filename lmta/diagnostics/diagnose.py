"""What `lmta diagnose` does: a run in; tables, pictures and one JSON file out."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import tyro

from lmta.agents.lmta import Agent
from lmta.agents.saved import CHECKPOINT
from lmta.agents.settings import RunSettings
from lmta.arena.record import provenance, write_json
from lmta.diagnostics.facts import FACTS, Facts
from lmta.diagnostics.order import Order, measure_order
from lmta.diagnostics.rollouts import Executions, Rollouts, force_subgoals, picks_under_all, roll_out
from lmta.diagnostics.subgoals import Behaviour, Dictionary, FirstMorning, behaviour, measure_subgoals
from lmta.diagnostics.theory import Theory, measure_theory
from lmta.diagnostics.values import (
    DayBudget,
    Smoothness,
    Values,
    measure_budgets,
    measure_smoothness,
    measure_values,
    returns_to_go,
)
from lmta.model.networks import Lmta
from lmta.problems.batch import make_batch
from lmta.problems.registry import BENCHMARKS, Size
from lmta.problems.session import check_seed, whole_number
from lmta.training.checkpoint import load
from lmta.training.run import make_agent
from lmta.training.update import fixed_margin
from lmta.types import InputError

RESULTS = "diagnostics.json"
MORNINGS = 10
"""First mornings on which the picks of all subgoals are compared."""


@dataclass(frozen=True)
class DiagnoseSettings:
    """What is measured, and on how much."""

    run: tyro.conf.Positional[Path]
    """Folder of a training run."""
    instances: int = 50
    """Held-out instances that are played."""
    states: int = 100
    """Mornings of these at which every subgoal is forced."""
    runs: int = 5
    """How often each is executed there."""
    all_left_states: int = 10
    """At how many of the states subgoals also run with all that is left, until nothing is legal."""
    bootstrap: int = 1_000
    """Draws for each interval."""
    explore: bool = False
    """Play as in training, with noise at the root and budgets drawn, instead of the best subgoal and budget."""
    seed: int = 7
    """Instances, noise and draws follow from it."""
    out: Path | None = None
    """Folder for what is written; RUN/diagnostics by default."""

    @property
    def folder(self) -> Path:
        """Where results go."""
        return self.run / "diagnostics" if self.out is None else self.out


@dataclass(frozen=True)
class Diagnosis:
    """Everything that was measured, and what the pictures are drawn from."""

    title: str
    facts: Facts
    order: Order
    smoothness: tuple[Smoothness, ...]
    theory: Theory
    dictionary: Dictionary
    budgets: tuple[DayBudget, ...]
    values: Values
    rollouts: Rollouts
    executions: Executions
    margins: np.ndarray
    returns: np.ndarray
    low_discount: float
    exemplar: FirstMorning


@dataclass(frozen=True)
class Prepared:
    """A diagnosis that is ready to be made."""

    settings: DiagnoseSettings
    run: RunSettings
    model: Lmta
    epochs: int


def prepare(settings: DiagnoseSettings) -> Prepared:
    """Check everything that can be checked, read the run and make the folder."""
    check_seed(settings.seed)
    for name, least in {"instances": 2, "states": 1, "runs": 1, "all_left_states": 1, "bootstrap": 1}.items():
        whole_number(getattr(settings, name), name.replace("_", "-"), least)
    run, progress = load(settings.run / CHECKPOINT)
    _make_folder(settings.folder)
    return Prepared(settings, run, progress.learner.average, int(progress.epoch))


def diagnose(prepared: Prepared, on_step: Callable[[int, int], None] = lambda done, total: None) -> Diagnosis:
    """Measure everything and write the JSON file; `on_step` hears how many forced states are done, and of how many."""
    settings, run, model, epochs = prepared.settings, prepared.run, prepared.model, prepared.epochs
    agent, benchmark = make_agent(run), BENCHMARKS[run.problem]
    size = benchmark.size(run.instance)
    problem, facts = benchmark.problem, FACTS[benchmark.problem.name]
    batch = make_batch(problem, benchmark.instances(run.instance, settings.seed, settings.instances), settings.seed)
    instances = batch.stacked
    play_key, force_key = jax.random.split(jax.random.key(settings.seed))
    rollouts = roll_out(agent, model, instances, batch.noise, play_key, settings.explore)
    rng = np.random.default_rng(settings.seed)
    places = _draw_states(rollouts, settings.states, rng)
    executions = _force(agent, model, instances, rollouts, places, settings.runs, force_key, on_step)
    all_left = _all_left(agent, model, instances, rollouts, places[: settings.all_left_states])
    instances, rollouts = jax.tree.map(np.asarray, (instances, rollouts))
    mornings = _first_mornings(agent, model, instances, rollouts, _first_picks(size))
    margins = np.asarray(model.high.margins(fixed_margin(run.config, instances)))
    returns = returns_to_go(np.asarray(rollouts.macro_reward), run.config.search.discount)
    diagnosis = Diagnosis(
        title=(
            f"{settings.run}: {run.problem}, {size.nodes} nodes, {size.days} days, budget {size.budget}, "
            f"{epochs} epochs; {settings.instances} held-out instances, seed {settings.seed}"
        ),
        facts=facts,
        order=measure_order(executions, all_left, rollouts, margins, settings.bootstrap, rng),
        smoothness=measure_smoothness(rollouts, returns, settings.bootstrap, rng),
        theory=measure_theory(run.config, rollouts, executions, places[:, 1] + 1 < size.days, margins),
        dictionary=measure_subgoals(
            facts, _played(facts, instances, rollouts), rollouts, executions, margins, mornings
        ),
        budgets=measure_budgets(rollouts),
        values=measure_values(rollouts, returns, run.config.train.low_discount),
        rollouts=rollouts,
        executions=executions,
        margins=margins,
        returns=returns,
        low_discount=run.config.train.low_discount,
        exemplar=mornings[0],
    )
    write_json(settings.folder / RESULTS, _as_json(settings, run, epochs, diagnosis))
    return diagnosis


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"out: the folder {folder} cannot be made ({error.strerror}).") from error


def _draw_states(rollouts: Rollouts, count: int, rng: np.random.Generator) -> np.ndarray:
    """Episode and day of `count` different decisions, or of all where there are fewer."""
    shape = rollouts.subgoal.shape
    total = int(np.prod(shape))
    return np.stack(np.unravel_index(rng.choice(total, min(count, total), replace=False), shape), axis=1)


def _force(
    agent: Agent,
    model: Lmta,
    instances: Any,
    rollouts: Rollouts,
    places: np.ndarray,
    runs: int,
    key: jax.Array,
    on_step: Callable[[int, int], None],
) -> Executions:
    """Every subgoal at each of the places, state by state."""
    found, keys = [], jax.random.split(key, len(places))
    for number, ((episode, day), one_key) in enumerate(zip(places.tolist(), keys, strict=True)):
        instance, state = at(instances, episode), at(rollouts.mornings, episode, day)
        found.append(force_subgoals(agent, model, instance, state, one_key, runs))
        on_step(number + 1, len(places))
    return jax.tree.map(lambda *leaves: np.stack(leaves), *found)


def _all_left(agent: Agent, model: Lmta, instances: Any, rollouts: Rollouts, places: np.ndarray) -> np.ndarray:
    """Durations of every subgoal with all that is left granted."""
    rows = []
    for episode, day in places.tolist():
        state = at(rollouts.mornings, episode, day)
        budgets = jnp.full(model.high.subgoals.shape[0], state.budget_left)
        rows.append(picks_under_all(agent, model, at(instances, episode), state, budgets)[1])
    return np.stack(rows)


def _first_picks(size: Size) -> int:
    """Picks on the first morning that subgoals are compared by: a day's share of the budget, or five."""
    return min(size.budget, max(5, -(-size.budget // size.days)))


def _first_mornings(
    agent: Agent, model: Lmta, instances: Any, rollouts: Rollouts, num_picks: int
) -> Sequence[FirstMorning]:
    """What every subgoal picks first on the first mornings of some instances."""
    budgets = jnp.full(model.high.subgoals.shape[0], num_picks)
    mornings = []
    for episode in range(min(MORNINGS, len(rollouts.subgoal))):
        instance, state = at(instances, episode), at(rollouts.mornings, episode, 0)
        picks, _ = picks_under_all(agent, model, instance, state, budgets)
        mornings.append(FirstMorning(instance, state, np.asarray(picks[:, :num_picks])))
    return mornings


def _played(facts: Facts, instances: Any, rollouts: Rollouts) -> list[list[Behaviour]]:
    """The behaviour of every episode and day."""
    episodes, days = rollouts.subgoal.shape
    return [
        [
            behaviour(facts, at(instances, n), at(rollouts.mornings, n, day), np.asarray(rollouts.picks[n, day]))
            for day in range(days)
        ]
        for n in range(episodes)
    ]


def at(batch: Any, *index: int) -> Any:
    """One member of a batch."""
    return jax.tree.map(lambda leaf: leaf[index], batch)


def _as_json(settings: DiagnoseSettings, run: RunSettings, epochs: int, diagnosis: Diagnosis) -> dict[str, Any]:
    given = asdict(settings) | {"run": str(settings.run)}
    del given["out"]
    rollouts = diagnosis.rollouts
    decisions = {
        "subgoal": rollouts.subgoal,
        "budget": rollouts.budget,
        "duration": rollouts.num_picks,
        "reward": rollouts.reward,
        "displacement": rollouts.model_distance,
        "value": rollouts.value,
        "model_value": rollouts.model_value,
        "search_value": rollouts.search_value,
        "return": diagnosis.returns,
    }
    measured = ("order", "smoothness", "theory", "dictionary", "budgets", "values")
    return {
        "settings": given | {"title": diagnosis.title},
        "run": run.as_json() | {"epochs": epochs},
        "provenance": provenance(),
        **{name: as_plain(getattr(diagnosis, name)) for name in measured},
        "nodes": {"worth": diagnosis.facts.worth_name, "distance": diagnosis.facts.distance_name},
        "decisions": {name: np.asarray(values).tolist() for name, values in decisions.items()},
    }


def as_plain(value: Any) -> Any:
    """Measurements as dictionaries and lists; means and intervals keep the names of their parts."""
    if hasattr(value, "__dataclass_fields__"):
        return {name: as_plain(getattr(value, name)) for name in value.__dataclass_fields__}
    if hasattr(value, "_asdict"):
        return {name: as_plain(part) for name, part in value._asdict().items()}
    return [as_plain(part) for part in value] if isinstance(value, tuple) else value
