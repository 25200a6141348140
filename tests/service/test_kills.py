"""The service is killed again and again while a client writes: every acknowledged day is there after the restart.

`LMTA_KILLS=100` kills a hundred times; `make soak` does.
"""

import os
import random
import signal
import subprocess
import sys
import threading
from pathlib import Path

import httpx2
import pytest

KILLS = int(os.environ.get("LMTA_KILLS", "5"))
NODES = 400
NETWORK = "".join(f"n{i},n{i + 1}\n" for i in range(NODES - 1))
DAYS_EACH = 60


@pytest.fixture
def start(tmp_path):
    """Start the service anew; its process id and address."""
    command = [sys.executable, str(Path(__file__).with_name("forked.py")), str(tmp_path)]
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    assert process.stdin is not None
    assert process.stdout is not None
    reader, writer = process.stdout, process.stdin

    def start_() -> tuple[int, str]:
        writer.write("\n")
        writer.flush()
        child = int(reader.readline())
        return child, reader.readline().split("on ")[1].split(" ")[0]

    yield start_
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    reader.close()
    writer.close()


def begin(client):
    data = {"days": 10_000, "budget": 1}
    answer = client.post("/api/v1/campaigns", data=data, files={"file": ("path.csv", NETWORK)})
    return answer.json()["plan"]["id"]


def write(client, plan, acknowledged):
    """Report the next day; whether it was answered, and then it is noted."""
    day = len(acknowledged) + 1
    report = {"day": day, "seeded": [], "activated": [f"n{day}"]}
    try:
        answer = client.post(f"/api/v1/plans/{plan}/day", json=report)
    except httpx2.HTTPError:
        return False
    assert answer.status_code == 200
    acknowledged.append(f"n{day}")
    return True


def history(client, plan):
    days = client.get(f"/api/v1/plans/{plan}/history").json()
    assert [day["number"] for day in days] == list(range(1, len(days) + 1))
    return [day["report"]["activated"][0] for day in days]


def test_every_acknowledged_day_survives(start):
    rng = random.Random(0)
    plans: dict[str, list[str]] = {}
    total, plan = 0, ""
    child, address = start()
    for _ in range(KILLS):
        with httpx2.Client(base_url=address, timeout=60) as client:
            if not plans or len(plans[plan]) > DAYS_EACH:
                plan = begin(client)
                plans[plan] = []
            assert write(client, plan, plans[plan])  # the session is in memory from here on
            killer = threading.Timer(rng.uniform(0.0, 0.5), os.kill, (child, signal.SIGKILL))
            killer.start()
            while write(client, plan, plans[plan]):
                pass
            killer.join()
        child, address = start()
        with httpx2.Client(base_url=address, timeout=60) as client:
            for name, acknowledged in plans.items():
                found = history(client, name)
                assert found[: len(acknowledged)] == acknowledged
                assert len(found) <= len(acknowledged) + 1  # what was under way may be there whole
                total += len(found) - len(acknowledged)
                plans[name] = found
    written = sum(map(len, plans.values()))
    print(f"{KILLS} kills, {written} days, {total} of them written but not answered")
    assert written > KILLS
