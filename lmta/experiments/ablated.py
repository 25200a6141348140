"""What search, learned budgets and subgoals add to the planners that come with the package: each switched off."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import equinox as eqx
import jax.numpy as jnp
import numpy as np

from lmta.agents.planner import PREFIX, Planner, load
from lmta.arena.play import play
from lmta.arena.record import provenance, write_json
from lmta.arena.statistics import compare, mean_of
from lmta.arena.tables import with_error
from lmta.experiments.shipped import SETTINGS
from lmta.files import check_writable
from lmta.model.networks import Lmta
from lmta.problems.batch import make_batch
from lmta.problems.registry import BENCHMARKS

RESULTS = "shipped-ablations.json"
CHOSEN: dict[Literal["aim", "sop"], tuple[str, ...]] = {
    "aim": ("T=10, K=50", "T=20, K=10", "T=5, K=50", "small-world", "power-law"),
    "sop": ("T=10, K=50", "T=20, K=10", "tight, uniform", "tight, clustered"),
}
"""Settings in which a pace could matter, or should not."""


@dataclass(frozen=True)
class AblatedSettings:
    """Play the planners that come with the package whole, and with one part of them switched off."""

    out: Path = Path("results")
    """Folder for the JSON file; it must exist."""
    instances: int = 100
    seed: int = 11


def run_ablated(settings: AblatedSettings, on_table: Callable[[str], None]) -> None:
    """Play every setting, and hand over a table for each problem as Markdown."""
    check_writable(settings.out / RESULTS)
    found = {
        problem: {title: _scores(problem, title, settings.instances, settings.seed) for title in titles}
        for problem, titles in CHOSEN.items()
    }
    described = {"instances": settings.instances, "seed": settings.seed}
    episodes = {
        problem: {title: {name: values.tolist() for name, values in scores.items()} for title, scores in rows.items()}
        for problem, rows in found.items()
    }
    write_json(settings.out / RESULTS, {"settings": described, "provenance": provenance(), "episodes": episodes})
    for problem, rows in found.items():
        on_table(_table(problem, rows))


def variants(planner: Planner) -> dict[str, Planner]:
    """The planner as it is, and with its parts switched off one at a time."""
    search = replace(planner.agent.config.search, simulations=0)
    config = replace(planner.agent.config, search=search)
    return {
        "whole": planner,
        "without search": replace(planner, agent=replace(planner.agent, config=config)),
        "without learned paces": replace(planner, model=_without_learned_paces(planner.model)),
        "without subgoals": replace(planner, model=_with_one_subgoal(planner.model)),
    }


def _without_learned_paces(model: Lmta) -> Lmta:
    """No urgency, whatever the state and the subgoal: an even pace, or the guide's own where it sets the pace."""
    parts = lambda m: (m.high.budget.policy.layers[-1].weight, m.high.budget.policy.layers[-1].bias)  # noqa: E731
    even = eqx.tree_at(parts, model, replace_fn=jnp.zeros_like)
    return eqx.tree_at(lambda m: m.high.budget.ambition, even, replace_fn=jnp.zeros_like)


def _with_one_subgoal(model: Lmta) -> Lmta:
    """All subgoals are their mean, so that it does not matter which one is taken."""
    mean = lambda subgoals: jnp.broadcast_to(subgoals.mean(axis=0), subgoals.shape)  # noqa: E731
    return eqx.tree_at(lambda m: m.high.subgoals, model, replace_fn=mean)


def _scores(problem: Literal["aim", "sop"], title: str, instances: int, seed: int) -> dict[str, np.ndarray]:
    """Rewards of every instance, by what is left of the planner."""
    benchmark = BENCHMARKS[problem]
    batch = make_batch(benchmark.problem, benchmark.instances(SETTINGS[problem][title], seed, instances), seed)
    players = variants(load(problem))
    return {name: play(player, batch).rewards.sum(axis=1, dtype=np.float64) for name, player in players.items()}


def _table(problem: str, rows: dict[str, dict[str, np.ndarray]]) -> str:
    """The whole planner's score, and how much it loses by each part."""
    names = [name for name in next(iter(rows.values())) if name != "whole"]
    lines = [
        f"| {title} | {with_error(mean_of(scores['whole']))} | "
        + " | ".join(with_error(compare(scores[name], scores["whole"]).difference, "+") for name in names)
        + " |"
        for title, scores in rows.items()
    ]
    head = ["| setting | whole | " + " | ".join(names) + " |", "|---|---:|" + "---:|" * len(names)]
    return "\n".join([f"### {PREFIX}{problem} with parts switched off", "", *head, *lines, ""])
