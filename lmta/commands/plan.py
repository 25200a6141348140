"""`lmta plan`."""

import tyro

from lmta.advisor import plan as advisor
from lmta.advisor.plan import PlanSettings
from lmta.advisor.tables import advice_tables, next_step
from lmta.commands.console import OUT, say


def plan(settings: tyro.conf.OmitArgPrefixes[PlanSettings]) -> None:
    """Decide, and print what to do and how to go on."""
    advice = advisor.plan(settings)
    for part in advice_tables(advice):
        OUT.print(part, highlight=False)
    say(next_step(settings, advice))
