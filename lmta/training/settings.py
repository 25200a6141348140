"""The settings of a run: where their defaults come from, what is refused, and what a run that goes on may change."""

import math
from dataclasses import asdict, fields
from typing import Any, Literal

from lmta.agents.settings import RunSettings
from lmta.config import PRESETS, Config, Preset
from lmta.problems.orienteering.rules import OrienteeringRules
from lmta.problems.registry import BENCHMARKS, InstanceSettings, Size
from lmta.problems.session import check_seed, whole_number
from lmta.types import InputError

LARGEST = {"aim": Size(500, 20, 100), "sop": Size(500, 20, 100)}
"""The largest instances of the mixtures that preset `best` learns on."""
MAY_BE_ZERO = {"train.warm_up", "train.low_updates", "train.value_steps", "model.encoder_layers", "model.q_layers"}
POSITIVE = {"model.budget_spread", "model.last_spread", "model.reward_range"}
SHARES = {
    "model.round_from",
    "search.dirichlet_mix",
    "search.discount",
    "train.low_discount",
    "train.epsilon_first",
    "train.epsilon_last",
    "train.epsilon_decay",
    "train.averaging",
    "train.stray",
}


def preset_settings(problem: Literal["aim", "sop", "power2500"], preset: Preset) -> RunSettings:
    """A preset on the benchmark's own instances."""
    benchmark = BENCHMARKS[problem]
    size = LARGEST.get(problem, benchmark.default) if preset == "best" else benchmark.default
    instance = InstanceSettings(**asdict(size), generator=benchmark.generators[0])
    return RunSettings(problem, preset, instance, PRESETS[preset](benchmark.problem.name))


def check_settings(settings: RunSettings) -> None:
    """Refuse what makes no sense, and options that would have no effect."""
    check_seed(settings.seed)
    whole_number(settings.evaluate_every, "evaluate-every", 1)
    whole_number(settings.held_out, "held-out", 2)
    _check_config(settings.config)
    benchmark, instance = BENCHMARKS[settings.problem], settings.instance
    plays_cities = benchmark.problem.name == "sop"
    mixed = settings.config.train.mixture
    without_effect = {
        "generator": mixed and instance.generator not in (None, benchmark.generators[0]),
        "degree": (mixed or plays_cities) and instance.degree is not None,
        "probabilities": (mixed or plays_cities) and instance.probabilities is not None,
        "limit, penalty, crowding, drift, floor": (mixed or not plays_cities) and instance.rules != OrienteeringRules(),
    }
    if settings.config.model.pace == "guide" and not benchmark.guided.has_a_pace:
        raise InputError(f"model.pace: guide given, but that of {settings.problem} has no pace of its own; use budget.")
    for option, is_so in without_effect.items():
        if is_so:
            raise InputError(f"{option}: has no effect here; leave it out.")
    benchmark.instances(instance, settings.seed, 1)


def _check_config(config: Config) -> None:
    for part in fields(config):
        for name, value in asdict(getattr(config, part.name)).items():
            _check_value(f"{part.name}.{name}", value)
    if config.train.episodes % config.train.futures:
        raise InputError(
            f"train.futures: {config.train.futures} given, it must divide the {config.train.episodes} episodes."
        )
    if config.train.futures > max(1, config.train.episodes // 2):
        raise InputError(
            f"train.futures: {config.train.futures} given, at most half of the {config.train.episodes} episodes may "
            "share their noise; or none, with 1."
        )
    if (config.train.low_updates == 0) != (config.model.low_level == "guided"):
        raise InputError(
            f"train.low-updates: {config.train.low_updates} given; a Q-network needs at least 1, "
            "a guide, which does not learn, 0."
        )
    if config.train.haste > 0 and config.model.free_budgets:
        raise InputError(
            f"train.haste: {config.train.haste:g} given, but logits of single budgets do not learn from it; "
            "leave it out, or add --model.no-free-budgets."
        )
    if config.model.pace == "guide" and (config.model.low_level != "guided" or config.train.haste == 0):
        raise InputError(
            "model.pace: guide given, which needs --model.low-level guided and a --train.haste above 0 to learn from."
        )
    if config.train.games < config.train.episodes:
        raise InputError(f"train.games: {config.train.games} given, at least the episodes of an epoch are needed.")


def _check_value(name: str, value: Any) -> None:
    option = option_of(name)
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
    had = _flat(saved.as_json())
    for name, value in _flat(given.as_json()).items():
        option = option_of(name.removeprefix("config.").removeprefix("instance.").removeprefix("rules."))
        if option != "epochs" and value != had[name]:
            raise InputError(f"{option}: {value} given, but the run has {had[name]}; leave it out, or begin a new run.")


def option_of(name: str) -> str:
    """A setting as the command line calls it."""
    return "epochs" if name == "train.epochs" else name.replace("_", "-")


def _flat(values: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    """Nested values with their paths as names."""
    flat = {}
    for name, value in values.items():
        flat |= _flat(value, f"{prefix}{name}.") if isinstance(value, dict) else {prefix + name: value}
    return flat
