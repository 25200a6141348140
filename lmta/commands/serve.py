"""`lmta serve`."""

import tyro

from lmta.commands.console import say
from lmta.extras import require_extra
from lmta.service.settings import ServeSettings


def serve(settings: tyro.conf.OmitArgPrefixes[ServeSettings]) -> None:
    """Serve until a signal ends it."""
    require_extra("serve", "lmta serve")
    from lmta.service import serve as service  # noqa: PLC0415  (what the extra brings)

    service.serve(settings, say)
