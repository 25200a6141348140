"""`lmta policies`."""

import tyro

from lmta.commands.console import say
from lmta.policies.registry import ADVISER, adviser, policy_names
from lmta.problems.registry import DEFAULT, spec_of


def policies(problem: tyro.conf.Positional[str] = DEFAULT) -> None:
    """Print the names.

    Args:
        problem: One of those that `lmta problems` lists.
    """
    spec = spec_of(problem)
    for name in policy_names(spec.name):
        say(name)
    say("capN-… for any N, such as cap5")
    say(f"{adviser(spec.name).name}, the adviser that comes with lmta: {spec.policies.adviser}")
    say(f"{ADVISER}FOLDER for the agent of a training run")
