"""What an agent follows from: its problem, the instances it learns on, every setting, and the seed."""

from dataclasses import asdict, dataclass, field
from typing import Annotated, Any, Literal

import jax
import tyro
from jaxtyping import PRNGKeyArray

from lmta.config import Config, LossConfig, ModelConfig, Preset, SearchConfig, TrainConfig
from lmta.model.networks import Lmta
from lmta.problems.base import Problem
from lmta.problems.orienteering.rules import OrienteeringRules
from lmta.problems.registry import BENCHMARKS, InstanceSettings


@dataclass(frozen=True)
class RunSettings:
    """Everything that a run follows from."""

    problem: Literal["aim", "sop", "power2500"] = "aim"
    """What is learned."""
    preset: Preset = "paper"
    """Where the settings of model, search, loss and train come from, unless they are given."""
    instance: tyro.conf.OmitArgPrefixes[InstanceSettings] = field(default_factory=InstanceSettings)
    config: Annotated[Config, tyro.conf.arg(name="")] = field(default_factory=Config)
    seed: int = 0
    """Weights, instances, noise and exploration follow from it."""
    evaluate_every: int = 5
    """Greedy play is measured after every so many epochs, and after the last."""
    held_out: int = 8
    """Instances that greedy play is measured on; they are the same for every seed, and never trained on."""

    def as_json(self) -> dict[str, Any]:
        """Plain values, from which `settings_from_json` makes the same settings again."""
        return asdict(self)


def settings_from_json(values: dict[str, Any]) -> RunSettings:
    """The settings that `as_json` wrote."""
    parts = {"model": ModelConfig, "search": SearchConfig, "loss": LossConfig, "train": TrainConfig}
    instance = values["instance"]
    nested = {
        "instance": InstanceSettings(**instance | {"rules": OrienteeringRules(**instance["rules"])}),
        "config": Config(**{name: part(**values["config"][name]) for name, part in parts.items()}),
    }
    return RunSettings(**values | nested)


def problem_of(settings: RunSettings) -> Problem:
    """The problem as the agent plays it, with its guide or without."""
    benchmark = BENCHMARKS[settings.problem]
    return benchmark.guided if settings.config.model.low_level == "guided" else benchmark.problem


def make_model(settings: RunSettings, *, key: PRNGKeyArray) -> Lmta:
    """The networks before any learning, sized for what the problem shows and for budgets up to that of the run."""
    benchmark, problem = BENCHMARKS[settings.problem], problem_of(settings)

    def first_morning():
        instance = benchmark.instances(settings.instance, settings.seed, 1)[0]
        return problem.observe(instance, problem.reset(instance))

    seen = jax.eval_shape(first_morning)
    budget = benchmark.size(settings.instance).budget
    return Lmta(seen.nodes.shape[1], seen.globals.shape[0], budget, settings.config.model, key=key)
