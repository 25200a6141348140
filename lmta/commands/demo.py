"""`lmta demo`."""

import tyro

from lmta.commands.console import say
from lmta.demo.demo import show
from lmta.demo.settings import DemoSettings


def demo(settings: tyro.conf.OmitArgPrefixes[DemoSettings]) -> None:
    """Show everything, and say where the page is and what is worth remembering of it."""
    shown = show(settings, say)
    for headline in shown.headlines:
        say(f"  {headline.number} {headline.meaning}")
    say(f"wrote {shown.page}")
