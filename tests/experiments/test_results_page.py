"""The page of results is made from files alone, whatever is missing, and the one in docs is the one that they make."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure

import lmta
from lmta.experiments.cells import Cell, Learner, Task
from lmta.experiments.declare import Entry, Scale, Table
from lmta.experiments.markdown import write_figure
from lmta.experiments.paper_tables import AIM_MAIN, CALIBRATION, EXACT, FRONTIER, KENDALL, SUBGOAL_PICTURES
from lmta.experiments.report import HEAD, MOST_HEAD_LINES, PAGE, RENDERERS, fill, make_page, write_report
from lmta.experiments.results import Results
from lmta.experiments.tables import TABLES
from lmta.types import InputError

ROOT = Path(lmta.__file__).parent.parent
TASK = Task("aim", 30, 2, 3)
LEARNER, OTHER = Learner("lmta", "lmta"), Learner("someone-else")
SMALL = Table(
    "small",
    "A small one",
    {
        ("learner", "x"): Entry(Cell(LEARNER, TASK, instances=4), (12.0, 0.5)),
        ("other", "x"): Entry(Cell(OTHER, TASK, instances=4)),
        ("policy", "x"): Entry(Cell("average-degree", TASK, instances=4), (10.0, None)),
    },
    baseline="policy",
    reference="learner",
)


def write(folder, cell, scores, **more):
    """A file as `run_cell` writes it."""
    path = cell.file(folder)
    path.parent.mkdir(parents=True, exist_ok=True)
    times = {"decision_ms": {"median": 2.0, "p95": 3.0, "mean": 2.5}, "cores": 2, "load": 1.0}
    times["training"] = {"epoch_seconds": 6.0}
    content = {"cell": cell.as_json(), "scores": scores, "picks_by_day": [1.0, 2.0], "times": times, **more}
    content["provenance"] = {"cpu": "a processor", "cores": 2, "commit": "abc"}
    path.write_text(json.dumps(content))


def with_seed(cell, seed):
    return replace(cell, method=replace(cell.method, seed=seed))


def rows_of(section):
    return [line.strip("| ").split(" | ") for line in section.lines if line.startswith("|")]


def test_scores_with_seeds_ratios_and_what_is_published(tmp_path):
    """Seeds earn 11 and 13 in the mean, so 12 ± 1; the policy earns 8; the ratio is 1.5, and the paper's 1.2."""
    cells = {row: entry.cell for (row, _), entry in SMALL.entries.items()}
    write(tmp_path, with_seed(cells["learner"], 1_000), [10, 12, 11, 11])
    write(tmp_path, with_seed(cells["learner"], 1_001), [12, 14, 13, 13])
    write(tmp_path, cells["policy"], [6, 10, 8, 8])
    section = RENDERERS["scores"](SMALL, Results(tmp_path))
    rows = rows_of(section)
    assert rows[0] == ["method", "x", "ratio"]
    assert rows[2] == ["learner", "12.00 ± 1.00 (2)", "1.500"]
    assert rows[3] == ["*published*", "*12.00 ± 0.50*", "*1.200*"]
    assert rows[4][:2] == ["other", "pending"]
    assert rows[5] == ["policy", "8.00 ± 0.82", "1.000"]
    assert rows[6] == ["*published*", "*10.00*", "*1.000*"]
    assert ["policy", "-4.00 ± 0.41"] in rows  # by instance: -5, -3, -4, -4
    assert section.facts["learner / x / ratio"] == "1.500" and section.facts["other / x"] == "pending"


def test_learners_are_tested_over_seeds(tmp_path):
    """One test, so Holm changes nothing; 1 and 2 against 11 and 12 differ by ten times their spread of √2/2."""
    entries = {row: SMALL.entries[row, "x"].cell for row in ("learner", "other")}
    for row, scores in {"learner": (11, 12), "other": (1, 2)}.items():
        for n, score in enumerate(scores):
            write(tmp_path, with_seed(entries[row], 1_000 + n), [score] * 4)
    (row,) = [row for row in rows_of(RENDERERS["scores"](SMALL, Results(tmp_path))) if "p =" in row[-1]]
    assert row == ["other", "-10.00 ± 0.00, p = 0.005*"]


def test_the_page_is_made_of_nothing_too(tmp_path):
    page, figures = make_page(Results(tmp_path), "# Results\n")
    assert page.startswith("# Results\n") and not figures
    for table in TABLES.values():
        assert f"### {table.name}: " in page
    assert "Pending: 3 of 3 cells, about " in page  # of LMTA's costs


def test_facts_fill_the_head(tmp_path):
    section = RENDERERS["scores"](SMALL, Results(tmp_path))
    assert fill("It earns {{small: learner / x}}.", {"small": section}) == "It earns pending."
    for wrong in ("{{small: learner / y}}", "{{large: learner / x}}"):
        with pytest.raises(InputError, match="names no fact"):
            fill(wrong, {"small": section})


def test_the_adviser_beside_the_best_of_each_setting(tmp_path):
    methods = {"adviser": "lmta:aim", "weak": "average-degree", "strong": "average-score"}
    table = Table(
        "advisers",
        "Advisers",
        {("here", name): Entry(Cell(who, TASK, instances=2)) for name, who in methods.items()},
        render="adviser",
    )
    for name, scores in {"adviser": [4.0, 6.0], "weak": [1.0, 2.0], "strong": [4.0, 4.0]}.items():
        write(tmp_path, table.entries["here", name].cell, scores)
    section = RENDERERS["adviser"](table, Results(tmp_path))
    assert rows_of(section)[2] == [
        "here",
        "strong",
        "5.00 ± 1.00",
        "4.00 ± 0.00",
        "1.250",
        "+1.00 ± 1.00",
        "2.0",
        "2.0",
    ]
    assert section.facts["at least the best"] == "1" and section.facts["least ratio"] == "1.250"


def test_who_played_fewer_instances_is_compared_on_these(tmp_path):
    """On the first two, the rival has 4 and 4; its third would make it the better one."""
    cells = {"planner": Cell("lmta:aim@9", TASK, instances=2), "rival": Cell("average-score", TASK, instances=3)}
    table = Table("planner", "Planner", {("here", n): Entry(cell) for n, cell in cells.items()}, render="adviser")
    for name, scores in {"planner": [4.0, 6.0], "rival": [4.0, 4.0, 70.0]}.items():
        write(tmp_path, cells[name], scores)
    assert rows_of(RENDERERS["adviser"](table, Results(tmp_path)))[2][3:6] == ["4.00 ± 0.00", "1.250", "+1.00 ± 1.00"]


def test_what_thinking_adds_to_the_rule(tmp_path):
    cells = {"0": Cell("lmta:aim", TASK, instances=3), "50": Cell("lmta:aim@50", TASK, instances=2)}
    cells["200"] = Cell("lmta:aim@200", TASK, instances=2)
    table = Table("thinking", "Thinking", {("here", n): Entry(cell) for n, cell in cells.items()}, render="thinking")
    for name, scores in {"0": [4.0, 6.0, 5.0], "50": [5.0, 9.0]}.items():
        write(tmp_path, cells[name], scores)
    section = RENDERERS["thinking"](table, Results(tmp_path))
    assert rows_of(section)[2] == ["here", "5.00 ± 0.58", "+2.00 ± 1.00", "pending"]
    (figure,) = section.figures.values()
    write_figure(tmp_path / "thinking.png", figure)
    assert (tmp_path / "thinking.png").stat().st_size > 1_000


def test_gap_and_ratio_to_the_optimum(tmp_path):
    for row, scores in {"exact": [8.0, 10.0], "average-degree": [7.0, 8.0]}.items():
        write(tmp_path, EXACT.entries[row, "T=4, K=4"].cell, scores, optimum=10.0)
    rows = {row[0]: row[1:] for row in rows_of(RENDERERS["exact"](EXACT, Results(tmp_path)))}
    assert rows["optimum in expectation"][:3] == ["10.00", "0.00", "1.000"]
    assert rows["average-degree"][:3] == ["7.50 ± 0.50", "2.50", "0.750"]
    assert rows["LMTA"] == ["pending", "pending", "pending", "*8.73*", "*0.98*"]


@pytest.fixture
def full(tmp_path):
    """Files for a column of the main table, and for every figure, at their own scale."""
    curve = [{"epoch": n, "self_play": n, "greedy": 10.0 * n} for n in (1, 2, 3)]
    trained = {"training": {"curve": curve, "episodes": 16}}
    rng = np.random.default_rng(0)
    for table in (AIM_MAIN, FRONTIER, TABLES["aim-curves"], TABLES["scaling"]):
        for entry in table.entries.values():
            for cell in entry.cells(Scale(seeds=2)):
                write(tmp_path, cell, rng.normal(100, 1, 5).tolist(), **trained)
    for entry in CALIBRATION.entries.values():
        points = [{"epoch": n, "distance": n / 10, "value_difference": n * n} for n in range(1, 6)]
        write(tmp_path, entry.cell, [], points=points)
    for entry in KENDALL.entries.values():
        order = {"tau_b": 0.5, "tau_b_expected_budget": None, "reliability": 0.9}
        write(tmp_path, entry.cell, [], order=order)
    for entry in SUBGOAL_PICTURES.entries.values():
        shown = {"places": [[0, 0], [1, 1], [0, 1]], "worth": [1, 2, 3], "worth_name": "degree", "picks": [[0], [2]]}
        write(tmp_path, entry.cell, [], picture=shown)
    return tmp_path


def test_every_figure_can_be_drawn(full):
    page, figures = make_page(Results(full), "# Results\n")
    assert {"aim-curves", "scaling", "frontier", "overview", "calibration", "subgoal-pictures"} <= set(figures)
    for name, draw in figures.items():
        figure = Figure(layout="constrained")
        draw(figure)
        assert figure.axes, name
        assert f"figures/{name}.png" in page
    assert "| E: LMTA | 0.50 (1) | – | 0.90 (1) | *0.74 ± 0.03* |" in page
    assert "| AIM | 1.000 (1.000 … 1.000) | 1.000 (1.000 … 1.000) | 5 (1) |" in page


def test_the_report_is_written(full, tmp_path):
    docs = tmp_path / "docs"
    docs.mkdir()
    with pytest.raises(InputError, match="holds the findings"):
        write_report(Results(full), docs)
    (docs / HEAD).write_text("# Results\n\nLMTA earns {{aim-main: LMTA / T=10, K=50 / ratio}} of average-score.\n")
    written = write_report(Results(full), docs)
    assert all(path.stat().st_size > 0 for path in written) and len(written) > 6
    assert "LMTA earns 1.0" in (docs / PAGE).read_text() or "LMTA earns 0.9" in (docs / PAGE).read_text()


def test_results_of_another_scale(tmp_path):
    small = Results(tmp_path, {"nodes": 40, "epochs": 2})
    cell = next(AIM_MAIN.cells(small.scale(AIM_MAIN)))
    assert (cell.task.nodes, cell.method.epochs) == (40, 2)
    write(tmp_path, cell, [1.0, 2.0])
    assert small.of(AIM_MAIN, AIM_MAIN.entries["LMTA", "T=10, K=50"]).seeds == 1
    assert Results(tmp_path).of(AIM_MAIN, AIM_MAIN.entries["LMTA", "T=10, K=50"]) is None


def test_a_damaged_file_is_named(tmp_path):
    cell = SMALL.entries["policy", "x"].cell
    write(tmp_path, cell, [1.0])
    cell.file(tmp_path).write_text("{")
    with pytest.raises(InputError, match="remove it, and its cell is run again"):
        RENDERERS["scores"](SMALL, Results(tmp_path))


def test_docs_agree_with_results():
    """Run `lmta report` where this fails."""
    head = (ROOT / "docs" / HEAD).read_text(encoding="utf-8")
    page, figures = make_page(Results(ROOT / "results"), head)
    assert (ROOT / "docs" / PAGE).read_text(encoding="utf-8") == page
    assert all((ROOT / "docs" / "figures" / f"{name}.png").exists() for name in figures)


def test_findings_come_first_and_are_few():
    lines = (ROOT / "docs" / HEAD).read_text(encoding="utf-8").splitlines()
    assert lines[0] == "# Results"
    assert len([line for line in lines[1:] if line.strip()]) <= MOST_HEAD_LINES
