"""The names under which Gymnasium knows the problems; the view itself is loaded when one is made."""

import gymnasium

IDS = {"aim": "lmta/AIM-v0", "sop": "lmta/SOP-v0", "power2500": "lmta/Power2500-v0"}


def register() -> None:
    """Make the environments known to `gymnasium.make`."""
    for benchmark, name in IDS.items():
        if name not in gymnasium.registry:
            gymnasium.register(name, "lmta.problems.gym:ProblemEnv", kwargs={"benchmark": benchmark})
