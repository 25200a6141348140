"""`lmta serve`."""

import tyro

from lmta.commands.console import say
from lmta.service import serve as service
from lmta.service.settings import ServeSettings


def serve(settings: tyro.conf.OmitArgPrefixes[ServeSettings]) -> None:
    """Serve until a signal ends it."""
    service.serve(settings, say)
