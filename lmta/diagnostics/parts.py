"""What an agent adds to the diagnosis of its runs: the contract, and which agents do."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from rich.table import Table

from lmta.diagnostics.rollouts import Rollouts, Subject

HOMES = {"lmta": "lmta.diagnostics.lmta.part:LMTA"}
"""Where the part of an agent lives, by the agent's name."""

Picture = tuple[int, Callable[[Figure, np.ndarray], None]]
"""How many panels stand side by side, and what draws them."""


@dataclass(frozen=True)
class Effort:
    """How much is measured beside whole episodes, by agents whose parts look at single states."""

    states: int = 100
    """Pre-decision states at which every subgoal is forced."""
    runs: int = 5
    """How often each is executed there."""
    all_left_states: int = 10
    """At how many of the states subgoals also run with all that is left, until nothing is legal."""
    bootstrap: int = 1_000
    """Draws for each interval."""
    explore: bool = False
    """Measure episodes played as in training, with noise at the root and budgets drawn, instead of the best."""


OnStep = Callable[[int, int], None]
"""Hears how much is done, and of how much."""


@dataclass(frozen=True)
class Part:
    """What an agent adds: its findings, and how they are shown."""

    measure: Callable[[Subject, Rollouts, Effort, OnStep], Any]
    """(run and instances, the episodes that were played, effort, progress) → findings."""
    as_json: Callable[[Any], dict[str, Any]]
    """Every number of the findings."""
    tables: Callable[[Any], Iterable[Table]]
    """One table a question."""
    pictures: Callable[[Any], Mapping[str, Picture]]
    """Pictures by name."""
    efforts: frozenset[str]
    """The fields of `Effort` that it heeds."""


def part_of(agent: str) -> Part | None:
    """The part of an agent, imported when it is called for; None where it adds nothing."""
    if agent not in HOMES:
        return None
    module, _, attribute = HOMES[agent].partition(":")
    return getattr(import_module(module), attribute)
