"""Planners that were tuned to one's own data: the file that keeps one, and the policy that it makes."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError
from pydantic_core import from_json

import lmta
from lmta.files import FileKind, FilePath, json_object, shown, write_whole
from lmta.planning.effort import Effort
from lmta.planning.planner import thinking
from lmta.policies.base import Policy
from lmta.policies.player import AbstractPlayer
from lmta.policies.registry import ADVISER, adviser
from lmta.problems.delimited import read_bytes
from lmta.problems.heuristics import DayPlan, PlanRule
from lmta.problems.registry import spec_of, specs
from lmta.problems.simulator import AbstractSimulator, Tuning
from lmta.problems.spec import Spec
from lmta.types import InputError, quoted

SUFFIX = ".planner"
KIND = "lmta planner 1"
PLANNER = FileKind("tuned planner", lambda file: (json_object(file) or {}).get("kind") == KIND)
"""What `lmta tune` has written."""
_STRICT = ConfigDict(frozen=True, extra="forbid", strict=True)


class Gain(BaseModel):
    """What the best strategy that was found earns more than the adviser, in futures that tuning had not seen."""

    model_config = _STRICT
    mean: float
    error: float
    """Standard error of the paired difference."""
    adviser: float
    """What the adviser earned."""
    futures: int


class TunedPlanner(BaseModel):
    """What the file says."""

    model_config = _STRICT
    kind: Literal["lmta planner 1"] = KIND
    """What it is, and the version of this layout."""
    lmta: str = lmta.__version__
    problem: str
    fingerprint: str
    """Of the data, as the problem takes it."""
    days: int
    budget: int
    strategy: dict[str, Any] | None
    """A member of the problem's family; None is the adviser's own, which nothing was better than."""
    gain: Gain

    def check(self, instance: Any, label: str) -> None:
        """Refuse another horizon, another budget and other data than it was tuned to."""
        for name, there in (("days", int(instance.days)), ("budget", int(instance.budget))):
            if there != getattr(self, name):
                raise InputError(f"{label}: was tuned to {name} {getattr(self, name)}, not {there}; tune it again.")
        if tuning_of(spec_of(self.problem)).fingerprint(instance) != self.fingerprint:
            raise InputError(f"{label}: was tuned to other data, or they have changed since; tune it again.")


def tuning_of(spec: Spec) -> Tuning:
    """The problem's family of strategies, or a sentence where there is none."""
    if spec.policies.tuning is None:
        able = " and ".join(other.name for other in specs().values() if other.policies.tuning is not None)
        raise InputError(f"problem: {spec.name} has no strategies to tune; {able} can be tuned.")
    return spec.policies.tuning


def write_planner(path: Path, planner: TunedPlanner) -> None:
    """Write the file, whole or not at all."""
    text = planner.model_dump_json(indent=2) + "\n"
    write_whole(path, lambda file: file.write_text(text, encoding="utf-8"))


def read_planner(path: FilePath) -> TunedPlanner:
    """The planner in a file."""
    try:
        written = from_json(read_bytes(path), allow_inf_nan=False)
    except ValueError as error:
        if isinstance(error, InputError):
            raise
        raise _no_planner(path, f"the file is no JSON ({error})") from None
    kind = written.get("kind") if isinstance(written, dict) else None
    if kind != KIND:
        raise _no_planner(path, f"kind: {quoted(kind)} is not {KIND!r}")
    try:
        planner = TunedPlanner.model_validate(written)
        strategy_of(planner)
    except ValidationError as error:
        first = error.errors()[0]
        raise _no_planner(path, f"{'.'.join(map(str, first['loc']))}: {first['msg']}") from None
    return planner


def strategy_of(planner: TunedPlanner) -> Any:
    """The strategy as its problem has it; None for the adviser's own."""
    if planner.strategy is None:
        return None
    return TypeAdapter(tuning_of(spec_of(planner.problem)).strategy).validate_python(planner.strategy)


def _no_planner(path: FilePath, reason: str) -> InputError:
    return InputError(f"{shown(path)}: is no tuned planner of this version; {reason}.")


@dataclass(frozen=True)
class TunedRule(PlanRule):
    """A rule for the data that it was tuned to, and no others."""

    name: str
    why: str
    rule: PlanRule
    planner: TunedPlanner
    label: str
    """What messages call its file."""

    def prepare(self, instance: Any) -> Any:
        """What the rule prepares, if the data are right."""
        self.planner.check(instance, self.label)
        return self.rule.prepare(instance)

    def plan(self, prepared: Any, state: Any, budget: int, seed: int) -> DayPlan | tuple[np.ndarray, np.ndarray]:
        """Today's picks."""
        return self.rule.plan(prepared, state, budget, seed)

    def scorer(self, prepared: Any, state: Any, budget: int, seed: int) -> Callable[[Any], np.ndarray] | None:
        """As the rule does."""
        return self.rule.scorer(prepared, state, budget, seed)


def load_tuned(path: FilePath, effort: Effort | None) -> AbstractPlayer:
    """The policy of a tuned planner, which thinks if there is an effort."""
    planner, label = read_planner(path), shown(path)
    spec = spec_of(planner.problem)
    strategy = strategy_of(planner)
    policy = policy_of(spec, strategy, f"{ADVISER}{label}")
    rule = policy.node_rule
    assert isinstance(rule, PlanRule)
    checked = replace(policy, node_rule=TunedRule(rule.name, rule.why, rule, planner, label))
    return thinking(spec, checked, effort, _simulator(spec, strategy))


def policy_of(spec: Spec, strategy: Any, name: str) -> Policy:
    """The policy that follows a strategy; the adviser where there is none."""
    if strategy is None:
        return replace(adviser(spec.name), name=name)
    return Policy(name, spec.problem, *tuning_of(spec).rules(strategy))


def _simulator(spec: Spec, strategy: Any) -> Callable[[Any], AbstractSimulator] | None:
    return None if strategy is None else lambda instance: tuning_of(spec).simulator(instance, strategy)
