"""Plan day by day under a budget that has to last, when chance acts between the days."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from lmta.agents.players import load
    from lmta.planning.planner import planner
    from lmta.policies.registry import adviser, policy
    from lmta.problems.influence.campaign import Campaign
    from lmta.problems.orienteering.rules import OrienteeringRules
    from lmta.problems.orienteering.tour import Tour
    from lmta.routing import Route, route
    from lmta.types import DataWarning, Decision, InputError, ModelWarning, Pick, SearchReport

_HOMES = {
    "Campaign": "lmta.problems.influence.campaign",
    "DataWarning": "lmta.types",
    "Decision": "lmta.types",
    "InputError": "lmta.types",
    "ModelWarning": "lmta.types",
    "OrienteeringRules": "lmta.problems.orienteering.rules",
    "Pick": "lmta.types",
    "Route": "lmta.routing",
    "SearchReport": "lmta.types",
    "Tour": "lmta.problems.orienteering.tour",
    "adviser": "lmta.policies.registry",
    "load": "lmta.agents.players",
    "planner": "lmta.planning.planner",
    "policy": "lmta.policies.registry",
    "route": "lmta.routing",
}
"""Where each public name lives; it is imported when it is first used, so that `import lmta` is quick."""

__all__ = [
    "Campaign",
    "DataWarning",
    "Decision",
    "InputError",
    "ModelWarning",
    "OrienteeringRules",
    "Pick",
    "Route",
    "SearchReport",
    "Tour",
    "__version__",
    "adviser",
    "load",
    "planner",
    "policy",
    "route",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'lmta' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return __all__
