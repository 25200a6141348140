"""Whoever decides, by name: a policy, the adviser of a problem, a tuned planner, or the agent of a training run."""

import os
from typing import Any

from lmta.planning.effort import Effort, read_effort
from lmta.planning.planner import DEFAULT_SECONDS, thinking_adviser
from lmta.planning.tuned import SUFFIX, load_tuned
from lmta.policies.player import AbstractPlayer
from lmta.policies.registry import ADVISER, adviser_name, policy
from lmta.problems.registry import spec_of, specs
from lmta.problems.spec import Spec
from lmta.types import InputError, quoted

PREFIX = ADVISER
"""What the name of the adviser of a problem, or of a trained agent, begins with."""


def player(name: str, problem: str, simulations: int | None = None, effort: Effort | None = None) -> AbstractPlayer:
    """The policy, the adviser (lmta:PROBLEM), the tuned planner (lmta:FILE.planner) or the trained agent (lmta:FOLDER)
    of that name, for a problem.

    Advisers and tuned planners think as much as their names say (lmta:PROBLEM@1000, lmta:PROBLEM@10s), or else with
    `effort`.
    """
    if not name.startswith(PREFIX):
        return policy(name, problem)
    given = name.removeprefix(PREFIX)
    thinks = adviser_in(given) or tuned_in(given)
    if thinks is None:
        found = load(given, simulations=simulations)
    else:
        base, asked = thinks
        found = (load_tuned if tuned_in(given) else thinking_adviser)(base, asked or effort)
    found.check_problem(spec_of(problem).problem.name)
    return found


def adviser_in(name: Any) -> tuple[str, Effort | None] | None:
    """The problem and the effort that the name of an adviser says, without its prefix; None if it is no such name."""
    if not isinstance(name, str):
        return None
    problem, at, effort = name.partition("@")
    if problem not in specs():
        return None
    return problem, _effort_in(problem, effort) if at else None


def tuned_in(name: Any) -> tuple[str, Effort | None] | None:
    """The file and the effort that the name of a tuned planner says, without its prefix; None if it is no such name."""
    if not isinstance(name, str):
        return None
    if name.endswith(SUFFIX):
        return name, None
    path, _, effort = name.rpartition("@")
    return (path, _effort_in(path, effort)) if path.endswith(SUFFIX) else None


def _effort_in(name: str, text: str) -> Effort:
    """The effort that stands behind the @ in a name."""
    effort = read_effort(text)
    if effort is None:
        raise InputError(
            f"{PREFIX}{name}@{text}: {quoted(text)} says no effort; give rollouts, as in {PREFIX}{name}@1000, or "
            f"seconds, as in {PREFIX}{name}@10s."
        )
    return effort


def may_think(name: str) -> bool:
    """Whether whoever has this name can think: advisers and tuned planners do."""
    given = name.removeprefix(PREFIX)
    return given != name and (adviser_in(given) or tuned_in(given)) is not None


def says_effort(name: str) -> bool:
    """Whether the name itself says how much its bearer thinks."""
    given = name.removeprefix(PREFIX)
    _, effort = adviser_in(given) or tuned_in(given) or (given, None)
    return may_think(name) and effort is not None


def with_effort(name: str, effort: Effort | None) -> str:
    """The name of an adviser or a tuned planner that thinks so much."""
    given = name.removeprefix(PREFIX)
    base, _ = adviser_in(given) or tuned_in(given) or (given, None)
    return f"{PREFIX}{base}" if effort is None else f"{PREFIX}{base}@{effort}"


def default_name(spec: Spec) -> str:
    """Who decides for a user where nobody is named: the adviser, who thinks where the problem has an engine for it.

    Rollouts by the rules of a problem would have to be compiled first, which takes many seconds.
    """
    effort = Effort(seconds=DEFAULT_SECONDS) if spec.policies.simulator is not None else None
    return with_effort(adviser_name(spec), effort)


def without_thinking(name: str) -> str:
    """Who plays a policy's simulated days: an adviser that thinks does so about the real ones alone."""
    return with_effort(name, None) if may_think(name) else name


def load(path: Any, *, simulations: Any = None) -> AbstractPlayer:
    """The agent that a training run has made, from the run's folder or from a file with its model.

    The name of a problem is the adviser that comes with the package for it; a folder of such a name is "./NAME" or
    Path("NAME"). `simulations` is how many a search makes for each decision, instead of as many as in training; with 0
    the policy prior decides without search.
    """
    if not isinstance(path, str | os.PathLike):
        raise InputError(f"path: {path!r} given, the folder of a training run is needed, or {' or '.join(specs())}.")
    advises = adviser_in(path)
    if advises is not None:
        return thinking_adviser(*advises)
    tuned = tuned_in(os.fspath(path))
    if tuned is not None:
        return load_tuned(*tuned)
    from lmta.agents.planner import load_agent  # noqa: PLC0415 (a policy needs none of what agents do)

    return load_agent(path, simulations=simulations)


def is_adviser(name: Any) -> bool:
    """Whether a name without its prefix stands for the adviser of a problem, whatever it says of the effort."""
    return isinstance(name, str) and name.partition("@")[0] in specs()
