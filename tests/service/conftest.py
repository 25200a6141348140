"""The service without its page in a folder of its own, and the whole of it in a process of its own."""

import os
import subprocess
import sys
import time

import pytest
from fastapi.testclient import TestClient

from lmta.service.app import make_app
from lmta.service.data import Limits
from lmta.service.desk import Desk
from lmta.service.store import Store

EDGES = "source,target\nann,bob\nbob,cyd\ncyd,dan\nann,dan\neve,ann\n<script>,eve\n=1+1,ann\n"
CITIES = "name,x,y,profit\nhome,0,0,0\ninn,1,0,0.9\nmill,0,1,0.5\nport,3,4,0.7\n"


def start_service(folder, *options, packages=()):
    """`lmta serve` in a process of its own, with these folders of installed packages besides."""
    program = "from lmta.cli import main; main()"
    command = [sys.executable, "-c", program, "serve", "--port", "0", "--data", str(folder), *options]
    path = os.pathsep.join([*map(str, packages), os.environ.get("PYTHONPATH", "")])
    environment = os.environ | {"PYTHONPATH": path}
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)


def address_of(process):
    """Where it listens, once it does."""
    return process.stdout.readline().split("on ")[1].split(" ")[0]


@pytest.fixture(scope="session")
def address(tmp_path_factory):
    """`lmta serve`, the same for all tests; it ends well and has said nothing amiss."""
    with start_service(tmp_path_factory.mktemp("served")) as process:
        yield address_of(process)
        process.terminate()
        assert process.wait(60) == 0
        assert process.stderr.read() == ""


@pytest.fixture(scope="session")
def token():
    return "correct horse battery"


@pytest.fixture(scope="session")
def guarded(tmp_path_factory, token, other_package):
    """`lmta serve` behind a token, for small files, with a problem of another package; it never says the token."""
    options = "--token", token, "--max-upload-mb", "1"
    with start_service(tmp_path_factory.mktemp("guarded"), *options, packages=[other_package]) as process:
        yield address_of(process)
        process.terminate()
        assert process.wait(60) == 0
        assert process.stderr.read() == ""
        assert token not in process.stdout.read()


@pytest.fixture
def open_service(tmp_path):
    """Open the service in the folder, again and again if asked."""
    opened = []

    def open_(**settings):
        desk = Desk(Store(tmp_path / "data"), settings.pop("limits", Limits(bytes=200_000, rows=2_000)))
        client = TestClient(make_app(desk, with_page=False, **settings), base_url="http://127.0.0.1")
        opened.append(client.__enter__())
        return client

    yield open_
    for client in opened:
        client.__exit__(None, None, None)


@pytest.fixture
def client(open_service):
    return open_service()


@pytest.fixture
def begin(client):
    """Begin a campaign or a tour; its address."""

    def begin_(kind="campaigns", file=None, **settings):
        data = {"days": 3, "budget": 3, "policy": "average-degree" if kind == "campaigns" else "even-greedy"} | settings
        name, text = file or (("friends.csv", EDGES) if kind == "campaigns" else ("cities.csv", CITIES))
        files = None if "sample" in data else {"file": (name, text)}
        answer = client.post(f"/api/v1/{kind}", data=data, files=files)
        assert answer.status_code == 201, answer.text
        return f"/api/v1/plans/{answer.json()['plan']['id']}"

    return begin_


@pytest.fixture
def finished():
    """A forecast once it has ended."""

    def finished_(client, job):
        for _ in range(600):
            seen = client.get(job).json()
            if seen["status"] not in ("queued", "running"):
                return seen
            time.sleep(0.1)
        raise AssertionError("the forecast never ended")

    return finished_
