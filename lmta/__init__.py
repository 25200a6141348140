"""Plan day by day under a budget that has to last, when chance acts between the days."""

__version__ = "0.1.0"

from lmta.agents.planner import load
from lmta.policies.registry import policy
from lmta.problems import environments as _environments
from lmta.problems.influence.campaign import Campaign
from lmta.problems.orienteering.rules import OrienteeringRules
from lmta.problems.orienteering.tour import Tour
from lmta.types import DataWarning, Decision, InputError, ModelWarning, Pick, SearchReport

_environments.register()

__all__ = [
    "Campaign",
    "DataWarning",
    "Decision",
    "InputError",
    "ModelWarning",
    "OrienteeringRules",
    "Pick",
    "SearchReport",
    "Tour",
    "__version__",
    "load",
    "policy",
]
