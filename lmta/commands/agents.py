"""`lmta agents`."""

from lmta.agents.registry import HOMES, agent_type
from lmta.commands.console import say


def agents() -> None:
    """Print each learner with a line on what it is."""
    width = max(map(len, HOMES))
    for name in HOMES:
        say(f"{name:<{width}}  {agent_type(name).summary}")
