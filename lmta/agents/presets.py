"""Settings of learners that differ by problem: a spec names them, a preset takes them in."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, TypeVar

from lmta.problems.spec import Spec
from lmta.types import InputError

SettingsT = TypeVar("SettingsT")


def with_overrides(settings: SettingsT, spec: Spec, agent: str, preset: str) -> SettingsT:
    """The settings with what the spec says for the agent, then for its preset."""
    given = {**spec.learners.get(agent, {}), **spec.learners.get(f"{agent}.{preset}", {})}
    return with_values(settings, given)


def with_values(settings: SettingsT, values: Mapping[str, Any]) -> SettingsT:
    """The settings with some changed, each named by its dotted path such as 'search.simulations'."""
    for path, value in values.items():
        settings = _with_value(settings, path, path.split("."), value)
    return settings


def _with_value(settings: Any, path: str, names: list[str], value: Any) -> Any:
    name, *rest = names
    if name not in getattr(settings, "__dataclass_fields__", {}):
        raise InputError(f"{path}: is no setting of {type(settings).__name__}.")
    inner = _with_value(getattr(settings, name), path, rest, value) if rest else value
    return replace(settings, **{name: inner})
