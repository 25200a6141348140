"""`lmta serve`."""

import tyro

from lmta.commands.console import say
from lmta.service.settings import ServeSettings


def serve(settings: tyro.conf.OmitArgPrefixes[ServeSettings]) -> None:
    """Serve until a signal ends it."""
    from lmta.service import serve as service  # noqa: PLC0415 (an extra, and slow to import)

    service.serve(settings, say)
