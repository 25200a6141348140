"""What is measured of a trained LMTA besides its scores."""

import json

import numpy as np
import pytest
from rich.console import Console
from tiny import TASK
from tiny_runs import VALUES

from lmta.experiments import measures
from lmta.experiments.cells import Cell, Learner
from lmta.experiments.measures import POINTS, most_different
from lmta.experiments.run import Folders, StoppedError, run_cell

QUIET = Console(quiet=True)
SEARCHING = Learner("lmta", "paper", overrides=tuple(VALUES["lmta"].items()), epochs=2)


def test_the_two_that_differ_most():
    """The first two share a node, so it is two of the others; 3 and 4 are worth more than 1 and 2 by most."""
    worth = np.array([9.0, 1.0, 2.0, 8.0, 9.0])
    assert most_different([[0, 1], [1, 2], [0, 2], [3, 4]], worth) == [[1, 2], [3, 4]]


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    folder = tmp_path_factory.mktemp("measures")
    return Folders(folder / "results", folder / "runs")


def read(cell, folders):
    return json.loads(run_cell(cell, folders, QUIET).read_text())


def test_order_and_pictures_share_a_training(folders):
    order = read(Cell(SEARCHING, TASK, instances=3, measure="order"), folders)["order"]
    assert set(order) == {"tau_b", "tau_b_expected_budget", "reliability"}
    assert all(value is None or -1 <= value <= 1 for value in order.values())
    picture = read(Cell(SEARCHING, TASK, instances=3, measure="subgoals"), folders)["picture"]
    assert np.shape(picture["places"]) == (12, 2) and len(picture["worth"]) == 12
    assert len(picture["picks"]) == 2 and all(0 <= node < 12 for picks in picture["picks"] for node in picks)
    assert [path.name for path in (folders.runs / TASK.name).iterdir()] == [SEARCHING.name]


def test_calibration_goes_on_where_it_was(folders, monkeypatch):
    """Stopped between two epochs, it has the point of the first, and goes on with the second."""
    cell = Cell(SEARCHING, TASK, instances=3, measure="calibration")
    kept = folders.runs / (cell.run_name or "") / POINTS
    go_on = measures.train

    def stop_at_two(cell, folders, console, epochs):
        if epochs == 2:
            raise StoppedError
        return go_on(cell, folders, console, epochs)

    with monkeypatch.context() as patch, pytest.raises(StoppedError):
        patch.setattr(measures, "train", stop_at_two)
        run_cell(cell, folders, QUIET)
    first = json.loads(kept.read_text())["points"]
    assert [point["epoch"] for point in first] == [1]
    points = read(cell, folders)["points"]
    assert points[:1] == first and [point["epoch"] for point in points] == [1, 2]
    assert all(point["distance"] > 0 and point["value_difference"] >= 0 for point in points)
