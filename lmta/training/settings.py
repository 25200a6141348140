"""The settings of a run: what is refused, and what a run that goes on may change."""

import math
from dataclasses import fields, is_dataclass
from typing import Any

from lmta.agents.registry import agent_type
from lmta.agents.settings import RunSettings, make_agent
from lmta.problems.session import check_seed, whole_number
from lmta.problems.spec import changed
from lmta.types import InputError

MAY_BE_ZERO = {"stride", "warm_up", "encoder_layers", "q_layers", "simulations", "return_targets", "chance_budgets"}
POSITIVE = {"temperature", "proposal_temperature"}
SHARES = {
    "dirichlet_mix",
    "discount",
    "low_discount",
    "epsilon_first",
    "epsilon_last",
    "epsilon_decay",
    "averaging",
    "trace",
    "balance",
    "entropy_target",
    "exploratory",
}
"""Settings of learners by name, wherever they stand."""


def check_settings(settings: RunSettings) -> None:
    """Refuse what makes no sense, and options that would have no effect."""
    check_seed(settings.seed)
    whole_number(settings.epochs, "epochs", 1)
    whole_number(settings.evaluate_every, "evaluate-every", 1)
    whole_number(settings.held_out, "held-out", 2)
    _check_values(settings.config, "")
    spec, instance = settings.spec, settings.instance
    agent_type(settings.agent).check(settings.config, spec)
    make_agent(settings)
    if settings.mixture:
        useless = [*changed(instance.drawn), *changed(instance.rules)]
        useless += ["generator"] if instance.generator not in (None, spec.generators[0]) else []
        for option in useless:
            raise InputError(f"{option_of(option)}: has no effect on a mixture; leave it out.")
    spec.instances(instance, settings.seed, 1)


def _check_values(config: Any, prefix: str) -> None:
    for field in fields(config):
        value, name = getattr(config, field.name), f"{prefix}{field.name}"
        if is_dataclass(value):
            _check_values(value, f"{name}.")
        else:
            _check_value(field.name, option_of(name), value)


def _check_value(name: str, option: str, value: Any) -> None:
    if isinstance(value, float):
        most = 1.0 if name in SHARES else math.inf
        enough = value > 0 if name in POSITIVE else value >= 0
        if not (math.isfinite(value) and enough and value <= most):
            wanted = "0 to 1" if name in SHARES else "more than 0" if name in POSITIVE else "0 or more"
            raise InputError(f"{option}: {value} given, it must be {wanted}.")
    elif isinstance(value, int) and not isinstance(value, bool):
        whole_number(value, option, 0 if name in MAY_BE_ZERO else 1)


def check_same(given: RunSettings, saved: RunSettings) -> None:
    """Refuse settings that contradict those a run began with; only the number of epochs may change."""
    had = flat(saved.as_json())
    for name, value in flat(given.as_json()).items():
        option = option_of(name.removeprefix("config.").removeprefix("instance."))
        if name != "epochs" and value != had[name]:
            raise InputError(f"{option}: {value} given, but the run has {had[name]}; leave it out, or begin a new run.")


def option_of(name: str) -> str:
    """A setting as the command line calls it."""
    for prefix in ("drawn.", "rules.", "ablation."):
        name = name.removeprefix(prefix)
    return name.replace("_", "-")


def flat(values: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    """Nested values with their paths as names."""
    found = {}
    for name, value in values.items():
        found |= flat(value, f"{prefix}{name}.") if isinstance(value, dict) else {prefix + name: value}
    return found
