"""The names under which Gymnasium knows the problems. Gymnasium calls `register` itself, so this stays light."""

from importlib.metadata import entry_points

import gymnasium

OWN = {"aim": "lmta/AIM-v0", "sop": "lmta/SOP-v0", "power2500": "lmta/Power2500-v0"}


def environment_ids() -> dict[str, str]:
    """The id of every problem, this package's own and those of other packages, without loading any."""
    others = {entry.name: f"lmta/{entry.name.capitalize()}-v0" for entry in entry_points(group="lmta.problems")}
    return OWN | others


def register() -> None:
    """Make the environments known to `gymnasium.make`; the view itself is loaded when one is made."""
    for problem, name in environment_ids().items():
        if name not in gymnasium.registry:
            gymnasium.register(name, "lmta.problems.gym:ProblemEnv", kwargs={"problem": problem})
