"""`lmta curves`: bands over seeds from the folders of runs, and what is refused."""

import json
from dataclasses import replace

import jax
import numpy as np
import pytest
from tiny_runs import tiny

from lmta import cli
from lmta.agents.saved import CHECKPOINT, write_model
from lmta.agents.settings import make_model
from lmta.experiments.curves import aligned, learner_of, panels_of, read_run, task_of

SCORES = {"flat-dqn": {2: 5.0, 4: 6.0}, "ws-option": {2: 7.0, 4: 8.0, 6: 9.0}}


def write_run(folder, settings, scores):
    """The folder of a run that was measured after some epochs, with a line for each epoch."""
    folder.mkdir()
    write_model(folder / CHECKPOINT, settings, make_model(settings, key=jax.random.key(0)))
    lines = [{"epoch": epoch} for epoch in range(1, max(scores, default=1) + 1)]
    for line in lines:
        if line["epoch"] in scores:
            greedy = scores[line["epoch"]]
            line["evaluation"] = {"greedy": greedy, "baseline": 6.5, "baseline_policy": "average-score"}
    (folder / "metrics.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return folder


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    root = tmp_path_factory.mktemp("runs")
    flat, ws = tiny("flat-dqn"), tiny("ws-option")
    other = replace(flat, instance=replace(flat.instance, budget=6), seed=9)
    return {
        "one": write_run(root / "one", flat, SCORES["flat-dqn"]),
        "two": write_run(root / "two", replace(flat, seed=8), {2: 7.0, 4: 9.0, 6: 1.0}),
        "ws": write_run(root / "ws", ws, SCORES["ws-option"]),
        "larger": write_run(root / "larger", other, {2: 1.0}),
        "unmeasured": write_run(root / "unmeasured", replace(flat, seed=7), {}),
        "apart": write_run(root / "apart", replace(flat, seed=6), {3: 1.0}),
        "tour": write_run(root / "tour", tiny("flat-dqn", "sop"), {2: 1.0}),
    }


def panels(runs, *names):
    return panels_of([read_run(runs[name]) for name in names])


def test_curves_are_compared_at_the_epochs_that_all_have():
    epochs, scores = aligned([{1: 1.0, 2: 2.0, 4: 4.0}, {4: 5.0, 2: 3.0}])
    np.testing.assert_array_equal(epochs, [2, 4])
    np.testing.assert_array_equal(scores, [[2, 4], [3, 5]])


def test_runs_that_differ_in_the_seed_alone_form_a_band(runs):
    (panel,) = panels(runs, "one", "ws", "two").values()
    flat, ws, baseline = panel
    assert flat.startswith("flat-dqn (tuned, network.hidden 6") and flat.endswith(", 2 seeds")
    assert ws.startswith("ws-option (tuned") and not ws.endswith("seeds")
    np.testing.assert_array_equal(panel[flat][1], [[5, 6], [7, 9]])
    np.testing.assert_array_equal(panel[ws][0], [2, 4, 6])
    assert baseline == "average-score"
    np.testing.assert_array_equal(panel[baseline][0], [2, 6])
    np.testing.assert_array_equal(panel[baseline][1], [[6.5, 6.5]])


def test_tasks_have_panels_of_their_own(runs):
    assert list(panels(runs, "one", "larger")) == ["aim: N=12, T=3, K=4", "aim: N=12, T=3, K=6"]


def test_names_say_what_differs_from_the_defaults():
    run = tiny("flat-dqn")
    dense = replace(
        run, features="lookahead", instance=replace(run.instance, drawn=replace(run.instance.drawn, degree=3.0))
    )
    assert task_of(dense) == "aim: N=12, T=3, K=4, degree 3.0"
    assert learner_of(dense).endswith(", features lookahead)")


@pytest.mark.parametrize("ending", ["png", "svg"])
def test_a_figure_is_written(runs, tmp_path, capsys, ending):
    out = tmp_path / f"curves.{ending}"
    assert cli.run(["curves", str(runs["one"]), str(runs["two"]), str(runs["ws"]), "--out", str(out)]) == 0
    assert f"wrote {out}" in "".join(capsys.readouterr().out.split("\n"))
    assert out.read_bytes().startswith(b"\x89PNG" if ending == "png" else b"<?xml")


WRONG = {
    "nothing": ((), "curves.png", "RUN: give the folder of at least one training run."),
    "no run": (("one", ""), "curves.png", ": holds no training run; give the folder of one."),
    "not measured": (("unmeasured",), "curves.png", "unmeasured: no epoch of this run has been measured yet"),
    "other problem": (("one", "tour"), "curves.png", "tour: is a run on sop, but"),
    "twice": (("one", "ws", "one"), "curves.png", "one: has the settings and the seed of"),
    "different epochs": (("one", "apart"), "curves.png", "were measured at different epochs"),
    "kind of file": (("one",), "curves.gif", "a file that ends in .png or .svg is needed."),
    "no folder": (("one",), "none/curves.png", "none does not exist; make it first."),
}


@pytest.mark.parametrize(("names", "out", "message"), WRONG.values(), ids=WRONG)
def test_bad_input_is_one_sentence(runs, tmp_path, capsys, names, out, message):
    folders = [str(runs[name]) if name else str(tmp_path) for name in names]
    assert cli.run(["curves", *folders, "--out", str(tmp_path / out)]) == 2
    said = " ".join(capsys.readouterr().err.split())
    assert message in said and "Traceback" not in said
    assert not (tmp_path / out).exists()
