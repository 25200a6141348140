"""Cells on a Ray cluster: two nodes of this machine, one of which is killed in the middle."""

import threading
import time
from collections import Counter
from dataclasses import replace

import pytest
from tiny import POLICY_CELLS, TASK, TRAINED_CELLS

from lmta.experiments.cells import Cell
from lmta.experiments.run import Folders
from lmta.training.metrics import read_metrics

pytestmark = [pytest.mark.filterwarnings("ignore")]


@pytest.fixture
def cluster():
    ray = pytest.importorskip("ray")
    utilities = pytest.importorskip("ray.cluster_utils")
    started = utilities.Cluster(initialize_head=True, head_node_args={"num_cpus": 0})
    nodes = [started.add_node(num_cpus=1) for _ in range(2)]
    yield started, nodes
    ray.shutdown()
    started.shutdown()


def test_a_lost_node_loses_nothing(cluster, tmp_path):
    """Every cell is done once and is there; what fails is told; the training goes on from its checkpoint."""
    from lmta.experiments.on_ray import Ray  # noqa: PLC0415

    started, nodes = cluster
    folders = Folders(tmp_path / "results", tmp_path / "runs")
    wrong = Cell("exact", replace(TASK, nodes=30), instances=2)
    cells = [*TRAINED_CELLS, *POLICY_CELLS, wrong]
    run = folders.runs / (TRAINED_CELLS[0].run_name or "")
    events = []

    def kill_a_node() -> None:
        while len(read_metrics(run)) < 2:
            time.sleep(0.05)
        started.remove_node(nodes[0], allow_graceful=False)

    threading.Thread(target=kill_a_node, daemon=True).start()
    engine = Ray(started.address)
    assert engine.cores == 2
    engine.run(cells, folders, events.append)
    came = Counter((event.came, event.cell) for event in events)
    assert all(came["done", cell] == 1 and cell.file(folders.results).exists() for cell in cells[:-1])
    assert came["failed", wrong] == 1 and not wrong.file(folders.results).exists()
    assert "at most 12 can be solved exactly" in next(event.why for event in events if event.came == "failed")
    assert [line["epoch"] for line in read_metrics(run)] == list(range(1, len(read_metrics(run)) + 1))
    assert engine.cores == 1
