"""What `lmta serve` follows from; apart from the service itself, so that other commands need not import it."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class ServeSettings:
    """The advisor as a service with a page."""

    host: str = "127.0.0.1"
    """Where to listen. Any host that others can reach needs a token."""
    port: int = 8000
    data: Path = Path("lmta-data")
    """The folder of the database; it is made if it is not there."""
    token: str | None = None
    """What others must show. It may also stand in the environment as LMTA_TOKEN, which other users cannot see."""
    max_upload_mb: int = 50
    """The largest file that is taken, in megabytes."""
    max_rows: int = 1_000_000
    """The largest number of rows that is taken."""
