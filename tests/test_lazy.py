"""JAX is imported when it is first used, and knows all records by then."""

import subprocess
import sys
from dataclasses import FrozenInstanceError

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from lmta.lazy import jit
from lmta.records import Record

EDGES = "source,target\n" + "\n".join(f"{i},{(i * 7 + j) % 12}" for i in range(12) for j in (1, 3)) + "\n"
RUN = "import sys; from lmta.cli import run; code = run(sys.argv[1:]); sys.exit(code or 10 * ('jax' in sys.modules))"
KNOWN_LATER = """
from lmta.records import Record
class Before(Record):
    number: int
import sys
assert "jax" not in sys.modules
import jax
class After(Record):
    number: int
assert jax.tree.leaves([Before(1), After(2)]) == [1, 2]
"""


ADVISE = """
import sys
from pathlib import Path
from fastapi.testclient import TestClient
from lmta.service.app import make_app
from lmta.service.data import Limits
from lmta.service.desk import Desk
from lmta.service.store import Store
folder = Path(sys.argv[1])
desk = Desk(Store(folder / "data"), Limits())
with TestClient(make_app(desk, with_page=False), base_url="http://127.0.0.1") as client:
    files = {"file": ("network.csv", (folder / "network.csv").read_bytes())}
    begun = client.post("/api/v1/campaigns", data={"days": 4, "budget": 3}, files=files).json()
    assert client.get(f"/api/v1/plans/{begun['plan']['id']}/advice").json()["picks"]
assert "jax" not in sys.modules
"""


def python(*arguments):
    return subprocess.run([sys.executable, "-c", *map(str, arguments)], capture_output=True, text=True, check=False)


def test_a_campaign_is_planned_without_jax(tmp_path):
    """On the first day, with a report of it, by another policy, and with rollouts."""
    graph, state, nobody = tmp_path / "network.csv", tmp_path / "state.json", tmp_path / "nobody.txt"
    graph.write_text(EDGES)
    nobody.write_text("")
    plan = "plan", "--state", state
    for more in (
        ("--graph", graph, "--days", 4, "--budget", 3),
        ("--observed", nobody, "--policy", "average-score"),
        ("--policy", "lmta:aim", "--rollouts", 20),
    ):
        ran = python(RUN, *plan, *more)
        assert (ran.returncode, ran.stderr) == (0, ""), ran.stdout + ran.stderr


def test_the_service_advises_on_a_campaign_without_jax(tmp_path):
    (tmp_path / "network.csv").write_text(EDGES)
    ran = python(ADVISE, tmp_path)
    assert ran.returncode == 0, ran.stderr


def test_records_are_known_to_jax_whichever_comes_first():
    ran = python(KNOWN_LATER)
    assert ran.returncode == 0, ran.stderr


class Point(Record):
    x: np.ndarray
    y: np.ndarray | None = None


def test_a_record_is_a_frozen_tree():
    point = Point(np.arange(3), np.ones(2))
    doubled = jax.jit(lambda p: jax.tree.map(lambda leaf: 2 * leaf, p))(point)
    assert isinstance(doubled, Point)
    assert (doubled.x.tolist(), doubled.y.tolist()) == ([0, 2, 4], [2, 2])
    assert jax.tree.leaves(Point(np.zeros(1)))[0].tolist() == [0]
    assert jax.tree_util.keystr(jax.tree_util.tree_leaves_with_path(point)[0][0]) == ".x"
    with pytest.raises(FrozenInstanceError):
        point.x = np.zeros(3)


def test_a_function_is_compiled_once():
    traced = []

    def double(x, times):
        traced.append(times)
        return times * x

    compiled = jit(double, static_argnums=1)
    assert [float(compiled(jnp.float32(x), 2)) for x in (1, 3)] == [2, 6]
    assert traced == [2]
