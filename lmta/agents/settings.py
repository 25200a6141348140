"""What an agent follows from: its problem, the instances it learns on, every setting, and the seed."""

from dataclasses import asdict, dataclass, field
from typing import Any

import jax
from jaxtyping import PRNGKeyArray

from lmta.config import Config, LossConfig, ModelConfig, SearchConfig, TrainConfig
from lmta.model.networks import Lmta
from lmta.problems.orienteering.rules import OrienteeringRules
from lmta.problems.registry import BENCHMARKS, InstanceSettings


@dataclass(frozen=True)
class RunSettings:
    """Everything that a run follows from."""

    problem: str = "aim"
    instance: InstanceSettings = field(default_factory=InstanceSettings)
    config: Config = field(default_factory=Config)
    seed: int = 0

    def as_json(self) -> dict[str, Any]:
        """Plain values, from which `settings_from_json` makes the same settings again."""
        return asdict(self)


def settings_from_json(values: dict[str, Any]) -> RunSettings:
    """The settings that `as_json` wrote."""
    parts = {"model": ModelConfig, "search": SearchConfig, "loss": LossConfig, "train": TrainConfig}
    instance = values["instance"]
    return RunSettings(
        problem=values["problem"],
        instance=InstanceSettings(**instance | {"rules": OrienteeringRules(**instance["rules"])}),
        config=Config(**{name: part(**values["config"][name]) for name, part in parts.items()}),
        seed=values["seed"],
    )


def make_model(settings: RunSettings, *, key: PRNGKeyArray) -> Lmta:
    """The networks before any learning, sized for what the problem shows and for budgets up to that of the run."""
    benchmark = BENCHMARKS[settings.problem]

    def first_morning():
        instance = benchmark.instances(settings.instance, settings.seed, 1)[0]
        return benchmark.problem.observe(instance, benchmark.problem.reset(instance))

    seen = jax.eval_shape(first_morning)
    budget = benchmark.size(settings.instance).budget
    return Lmta(seen.nodes.shape[1], seen.globals.shape[0], budget, settings.config.model, key=key)
