"""What a trained agent follows from: its name, problem, instances, every setting, and the seed."""

from dataclasses import asdict, dataclass, field, replace
from typing import Any

import equinox as eqx
import jax
from jaxtyping import Array, Key
from pydantic import TypeAdapter, ValidationError

from lmta.agents.base import AbstractAgent, Model
from lmta.agents.registry import DEFAULT as DEFAULT_AGENT
from lmta.agents.registry import agent_type
from lmta.problems.registry import DEFAULT as DEFAULT_PROBLEM
from lmta.problems.registry import spec_of
from lmta.problems.spec import InstanceSettings, Spec
from lmta.types import InputError


@dataclass(frozen=True)
class RunSettings:
    """Everything that a run follows from."""

    agent: str = DEFAULT_AGENT
    """Who learns; `lmta agents` lists them."""
    problem: str = DEFAULT_PROBLEM
    """What is learned; `lmta problems` lists them."""
    preset: str = ""
    """Where the agent's settings come from, unless they are given; the agent's first preset by default."""
    features: str = "plain"
    """What the agent observes: plain features, or lookahead for those of the base heuristic beside them."""
    epochs: int = 50
    """Epochs in all."""
    instance: InstanceSettings = field(default_factory=InstanceSettings)
    mixture: bool = False
    """Every instance of self-play draws its own size, horizon, budget and kind, up to those of the run."""
    config: Any = None
    """The settings of the agent."""
    seed: int = 0
    """Weights, instances, noise and exploration follow from it."""
    evaluate_every: int = 5
    """Greedy play is measured after every so many epochs, and after the last."""
    held_out: int = 8
    """Instances that greedy play is measured on; they are the same for every seed, and never trained on."""

    @property
    def spec(self) -> Spec:
        """The problem."""
        return spec_of(self.problem)

    def as_json(self) -> dict[str, Any]:
        """Plain values, from which `settings_from_json` makes the same settings again."""
        return asdict(self)


def default_settings(agent: str, problem: str, preset: str | None = None) -> RunSettings:
    """A preset of an agent on the problem's own instances."""
    spec, kind = spec_of(problem), agent_type(agent)
    presets = kind.presets(spec)
    name = preset or next(iter(presets))
    if name not in presets:
        raise InputError(f"preset: {name!r} is not known to {agent}; there are {', '.join(presets)}.")
    size = asdict(spec.default)
    instance = replace(spec.settings(**size), generator=spec.generators[0])
    features = next(iter(spec.features))
    return RunSettings(agent, spec.name, name, features, instance=instance, config=presets[name])


def settings_from_json(values: dict[str, Any]) -> RunSettings:
    """The settings that `as_json` wrote."""
    spec, kind = spec_of(values["problem"]), agent_type(values["agent"])
    try:
        config = TypeAdapter(kind.settings_type).validate_python(values["config"])
        instances: Any = InstanceSettings[spec.drawn, spec.rules]  # pyright: ignore
        instance = TypeAdapter(instances).validate_python(values["instance"])
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(map(str, first["loc"]))
        raise InputError(f"{field}: {first['msg']} in the settings of the run.") from None
    return RunSettings(**values | {"config": config, "instance": instance})


def make_agent(settings: RunSettings) -> AbstractAgent:
    """The agent that plays and learns."""
    spec = settings.spec
    if settings.features not in spec.features:
        raise InputError(
            f"features: {settings.features!r} is not known to {spec.name}; use {', '.join(spec.features)}."
        )
    return agent_type(settings.agent).make(spec, settings.features, settings.config, spec.size(settings.instance))


def make_model(settings: RunSettings, *, key: Key[Array, ""]) -> Model:
    """The weights before any learning, sized for what the problem shows and for budgets up to that of the run."""
    spec, agent = settings.spec, make_agent(settings)

    def first_observation():
        instance = spec.instances(settings.instance, settings.seed, 1)[0]
        return agent.problem.observe(instance, agent.problem.reset(instance))

    return agent.init(eqx.filter_eval_shape(first_observation), key=key)


def model_shape(settings: RunSettings) -> Model:
    """The weights as shapes, to be read from a file."""
    return eqx.filter_eval_shape(make_model, settings, key=jax.random.key(0))
