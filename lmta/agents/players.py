"""Whoever decides, by name: a policy, the adviser of a problem, or the agent of a training run."""

import os
from typing import Any

from lmta.planning.effort import read_effort
from lmta.planning.planner import thinking_adviser
from lmta.policies.player import AbstractPlayer
from lmta.policies.registry import ADVISER, adviser, policy
from lmta.problems.registry import spec_of, specs
from lmta.types import InputError

PREFIX = ADVISER
"""What the name of the adviser of a problem, or of a trained agent, begins with."""


def player(name: str, problem: str, simulations: int | None = None) -> AbstractPlayer:
    """The policy, the adviser (lmta:PROBLEM) or the trained agent (lmta:FOLDER) of that name, for a problem."""
    if not name.startswith(PREFIX):
        return policy(name, problem)
    given, at, effort = name.removeprefix(PREFIX).rpartition("@")
    if at and is_adviser(given) and (asked := read_effort(effort)):
        found = thinking_adviser(given, asked)
        found.check_problem(spec_of(problem).problem.name)
        return found
    found = load(name.removeprefix(PREFIX), simulations=simulations)
    found.check_problem(spec_of(problem).problem.name)
    return found


def load(path: Any, *, simulations: Any = None) -> AbstractPlayer:
    """The agent that a training run has made, from the run's folder or from a file with its model.

    The name of a problem is the adviser that comes with the package for it; a folder of such a name is "./NAME" or
    Path("NAME"). `simulations` is how many a search makes for each decision, instead of as many as in training; with 0
    the policy prior decides without search.
    """
    if not isinstance(path, str | os.PathLike):
        raise InputError(f"path: {path!r} given, the folder of a training run is needed, or {' or '.join(specs())}.")
    if is_adviser(path):
        return adviser(path)
    from lmta.agents.planner import load_agent  # noqa: PLC0415 (a policy needs none of what agents do)

    return load_agent(path, simulations=simulations)


def is_adviser(name: Any) -> bool:
    """Whether a name without its prefix stands for the adviser of a problem."""
    return isinstance(name, str) and name in specs()
