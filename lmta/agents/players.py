"""Whoever decides, by name: a policy, or the agent of a training run."""

from lmta.agents.planner import PREFIX, load
from lmta.policies.player import AbstractPlayer
from lmta.policies.registry import policy


def player(name: str, problem: str, simulations: int | None = None) -> AbstractPlayer:
    """The policy or the trained agent (lmta:FOLDER) of that name, for a problem (`aim` or `sop`)."""
    if not name.startswith(PREFIX):
        return policy(name, problem)
    planner = load(name.removeprefix(PREFIX), simulations=simulations)
    planner.check_problem(problem)
    return planner
