"""The problems as Gymnasium knows them. To import this module makes their names known to `gymnasium.make`."""

import gymnasium

from lmta.problems.registry import specs

ABBREVIATIONS = {"aim": "AIM", "sop": "SOP"}


def environment_ids() -> dict[str, str]:
    """The id of every problem, this package's own and those of other packages."""
    return {name: f"lmta/{ABBREVIATIONS.get(name, name.capitalize())}-v0" for name in specs()}


for problem, environment in environment_ids().items():
    gymnasium.register(environment, "lmta.problems.gym:ProblemEnv", kwargs={"problem": problem})
