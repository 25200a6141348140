"""`lmta policies`."""

from typing import Literal

import tyro

from lmta.commands.console import say
from lmta.policies.registry import policy_names


def policies(problem: tyro.conf.Positional[Literal["aim", "sop"]] = "aim") -> None:
    """Print the names."""
    for name in policy_names(problem):
        say(name)
    say("capN-… for any N, such as cap5")
    say(f"lmta:{problem}, the learned planner that comes with lmta")
    say("lmta:FOLDER for the agent of a training run")
