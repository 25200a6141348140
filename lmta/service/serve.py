"""What `lmta serve` does: open the data folder, listen, and serve until it is told to stop."""

import fcntl
import os
import signal
import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import uvicorn

from lmta.files import shown
from lmta.problems.session import whole_number
from lmta.service.app import make_app
from lmta.service.data import Limits
from lmta.service.desk import Desk
from lmta.service.security import check_exposure, is_loopback
from lmta.service.settings import ServeSettings
from lmta.service.store import Store, make_folder
from lmta.types import InputError

TOKEN_VARIABLE = "LMTA_TOKEN"
MOST_CONNECTIONS = 500
SWITCH_INTERVAL = 0.0005
"""Seconds after which Python lets another thread go on: an answer should not wait for a whole decision."""


def serve(settings: ServeSettings, say: Callable[[str], None]) -> None:
    """Serve until SIGINT or SIGTERM."""
    token = settings.token or os.environ.get(TOKEN_VARIABLE) or None
    check_exposure(settings.host, token)
    limits = Limits(
        1_000_000 * whole_number(settings.max_upload_mb, "max-upload-mb", 1),
        whole_number(settings.max_rows, "max-rows", 1),
    )
    with _alone(settings.data), _listening(settings.host, settings.port) as listener:
        desk = Desk(Store(settings.data), limits)
        app = make_app(desk, only_loopback=is_loopback(settings.host), token=token)
        config = uvicorn.Config(
            app,
            log_level="warning",
            access_log=False,
            limit_concurrency=MOST_CONNECTIONS,
            timeout_graceful_shutdown=5,
            server_header=False,
        )
        port = listener.getsockname()[1]
        host = f"[{settings.host}]" if ":" in settings.host else settings.host
        say(f"Serving {shown(settings.data)} on http://{host}:{port} (API: /docs). Ctrl-C ends it.")
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda *_: None)  # uvicorn ends by its own handlers and then repeats the signal
        sys.setswitchinterval(SWITCH_INTERVAL)
        uvicorn.Server(config).run(sockets=[listener])


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """One process at a time has the folder; the lock ends with the process."""
    try:
        make_folder(folder)
        descriptor = os.open(folder / "lock", os.O_CREAT | os.O_RDWR, 0o600)
    except OSError as error:
        raise InputError(f"data: {shown(folder)} cannot be used ({error.strerror}); name another folder.") from None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        raise InputError(f"data: {shown(folder)} is being served already; stop that or name another folder.") from None
    try:
        yield
    finally:
        os.close(descriptor)


@contextmanager
def _listening(host: str, port: int) -> Iterator[socket.socket]:
    """A socket on which nobody else listens."""
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        listener = socket.create_server((host, port), family=family, backlog=MOST_CONNECTIONS)
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(f"port: cannot listen on {host} port {port} ({reason}); choose another.") from None
    with listener:
        yield listener
