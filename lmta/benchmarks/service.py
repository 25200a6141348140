"""The service in a process of its own, and a client that talks to it over HTTP, for what measures it."""

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from threading import local
from typing import Any

import numpy as np

from lmta.problems.delimited import Content
from lmta.problems.networks import edges
from lmta.types import Graph, InputError

BOUNDARY = "----lmta"
LONGEST_PAUSE = 2.0
"""Seconds after which a client connects anew, before the service hangs up."""


def edge_list(graph: Graph) -> Content:
    """A network as a file."""
    senders, receivers = edges(graph)
    probability = np.asarray(graph.weight)[np.asarray(graph.edge_mask)]
    rows = zip(senders.tolist(), receivers.tolist(), probability.tolist(), strict=True)
    text = "source,target,probability\n" + "".join(f"{a},{b},{p}\n" for a, b, p in rows)
    return Content("network.csv", text.encode())


@contextmanager
def served() -> Iterator[tuple[int, subprocess.Popen[str]]]:
    """`lmta serve` in a process and a folder of its own: its port and the process."""
    with tempfile.TemporaryDirectory() as folder:
        program = "from lmta.cli import main; main()"
        command = [sys.executable, "-c", program, "serve", "--port", "0", "--data", folder]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            try:
                line = process.stdout.readline()
                if " on http://" not in line:
                    raise InputError("The service did not start; try `lmta serve` by itself.")
                yield int(line.split(" on http://")[1].split()[0].rsplit(":", 1)[1]), process
            finally:
                process.terminate()


class Client:
    """Keeps one connection in each thread."""

    def __init__(self, port: int):
        self._port = port
        self._local = local()
        self._opened: list[HTTPConnection] = []

    def close(self) -> None:
        """Close every connection."""
        for connection in self._opened:
            connection.close()

    def send(self, method: str, path: str, body: bytes | None = None, media: str = "application/json") -> Any:
        """The answer to a request."""
        if time.monotonic() - getattr(self._local, "used", float("-inf")) > LONGEST_PAUSE:
            self._local.connection = HTTPConnection("127.0.0.1", self._port, timeout=600)
            self._opened.append(self._local.connection)
        self._local.connection.request(method, f"/api/v1{path}", body, {"Content-Type": media})
        answer = self._local.connection.getresponse()
        content = answer.read()
        self._local.used = time.monotonic()
        if answer.status >= 400:
            raise InputError(f"{method} {path}: {content.decode(errors='replace')}")
        return json.loads(content)

    def begin(self, path: str, fields: dict[str, Any], file: Content) -> str:
        """Begin a plan by a form with a file; where it is from then on."""
        begun = self.send("POST", path, _form(fields, file), f"multipart/form-data; boundary={BOUNDARY}")
        return f"/plans/{begun['plan']['id']}"


def _form(fields: dict[str, Any], file: Content) -> bytes:
    """A form with a file, as a browser sends it."""
    parts = [f'Content-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n' for name, value in fields.items()]
    head = f'Content-Disposition: form-data; name="file"; filename="{file.name}"\r\n\r\n'
    parts.append(head + file.data.decode() + "\r\n")
    return ("".join(f"--{BOUNDARY}\r\n{part}" for part in parts) + f"--{BOUNDARY}--\r\n").encode()


def memory_mb(process: int, *, most: bool = False) -> float:
    """The memory that a process has, or the most it had so far."""
    status = Path(f"/proc/{process}/status")
    lines = status.read_text().splitlines() if status.exists() else []
    wanted = "VmHWM" if most else "VmRSS"
    return next((int(line.split()[1]) / 1000 for line in lines if line.startswith(wanted)), float("nan"))
