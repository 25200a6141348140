"""The demo with tiny sizes: the page has what was decided, compared and learned, and needs nothing from elsewhere."""

import re
from html import escape
from types import SimpleNamespace

import numpy as np
import pytest
from tiny_runs import BUDGET, DAYS, NODES, VALUES

from lmta import cli
from lmta.arena.evaluate import EvaluateSettings, evaluate, prepare
from lmta.arena.statistics import Mean
from lmta.arena.tables import with_error
from lmta.demo import demo, learner, stories
from lmta.demo.page import write_page
from lmta.demo.settings import Day, DemoSettings, Part
from lmta.planning.planner import planner
from lmta.policies.registry import adviser
from lmta.problems.influence.campaign import Campaign
from lmta.problems.spec import Size
from lmta.training.metrics import read_metrics

INSTANCES, ROLLOUTS, EPOCHS = 2, 60, 2
RIVALS = {stories.INFLUENCE.name: ("average-score",), stories.ORIENTEERING.name: ("even-greedy",)}


@pytest.fixture(scope="module")
def shown(tmp_path_factory):
    """What the command wrote, and what it said."""
    out = tmp_path_factory.mktemp("demo")
    said = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(learner, "SMALL", VALUES["lmta"])
        patch.setattr(learner, "SIZE", Size(NODES, DAYS, BUDGET))
        patch.setattr(stories, "FUTURES", 5)
        patch.setattr(demo, "RIVALS", RIVALS)
        patch.setattr(demo, "LEARNERS_RIVALS", ("average-score",))
        settings = DemoSettings(out, INSTANCES, ROLLOUTS, EPOCHS)
        found = demo.show(settings, said.append)
    return SimpleNamespace(out=out, said=said, found=found, page=found.page.read_text(encoding="utf-8"))


def test_pictures_are_beside_the_page_and_nothing_is_fetched(shown):
    sources = re.findall(r'src="([^"]+)"', shown.page)
    assert len(sources) == len(set(sources)) == stories.SEEDING_DAYS + 1 + 2 + 2 + 3
    for source in sources:
        assert (shown.out / source).read_bytes().startswith(b"\x89PNG")
    assert "http" not in shown.page and "<script" not in shown.page


def test_each_day_has_its_decision_and_its_reason(shown):
    days = re.findall(r"<article.*?</article>", shown.page)
    assert len(days) == stories.SEEDING_DAYS + stories.TOUR_DAYS
    campaign = Campaign(stories.network(), days=stories.SEEDING_DAYS, budget=stories.SEEDS)
    decision = planner(campaign_problem(), rollouts=ROLLOUTS).decide(campaign)
    reason = stories.reason(decision, campaign, adviser(campaign_problem()))
    assert escape(", ".join(map(str, decision.nodes))) in days[0]
    assert escape(reason) in days[0]
    assert f"{len(stories.network())} nodes reached" in days[0]


def test_tables_are_those_of_the_arena(shown):
    tables = re.findall(r"<table>.*?</table>", shown.page)
    assert [table.count("<tr>") for table in tables] == [1 + 3, 1 + 2, 1 + 3]
    size = {"days": stories.SEEDING_DAYS, "budget": stories.SEEDS}
    task = demo.Task.of(campaign_problem(), own=stories.network(), **size)
    (row,) = evaluate(prepare(EvaluateSettings("average-score", instances=INSTANCES), task))
    assert f"<td>{row.policy}<td>{with_error(row.score)}" in tables[0]
    assert demo.LEARNER in tables[2]


def test_the_learner_is_a_run_and_its_progress_was_told(shown):
    lines = read_metrics(shown.out / learner.FOLDER)
    assert [line["epoch"] for line in lines] == [1, 2]
    last = lines[-1]["evaluation"]
    assert f"LMTA, epoch 2 of 2: reaches {last['greedy']:.1f}, average-score {last['baseline']:.1f}." in shown.said


def test_three_numbers_are_worth_remembering(shown):
    assert len(shown.found.headlines) == 3
    for headline in shown.found.headlines:
        assert escape(headline.number) in shown.page and escape(headline.meaning) in shown.page


def test_the_command_refuses_what_makes_no_sense_before_any_work(capsys, tmp_path):
    (tmp_path / "file").write_text("")
    (tmp_path / "taken" / "index.html").mkdir(parents=True)
    for arguments, message in (
        (["--out", str(tmp_path / "file")], "cannot be made"),
        (["--out", str(tmp_path / "taken")], "is a directory"),
        (["--out", str(tmp_path / "new"), "--instances", "1"], "instances"),
        (["--out", str(tmp_path / "new"), "--epochs", "0"], "epochs"),
    ):
        assert cli.run(["demo", *arguments]) == 2
        printed = capsys.readouterr()
        assert printed.out == "" and message in printed.err
    assert not (tmp_path / "new").exists()


def test_an_earlier_run_goes_and_nothing_else(tmp_path):
    for name in ("checkpoint", "metrics.jsonl", "notes.txt"):
        (tmp_path / name).write_text("")
    learner._forget(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]


@pytest.mark.parametrize(
    ("mean", "sem", "told", "verdict"),
    [
        (-2.0, 0.5, "less than x (-2.00 ± 0.50)", "more than chance explains"),
        (2.0, 0.5, "more than x (+2.00 ± 0.50)", "more than chance explains"),
        (-0.9, 0.5, "about as much as x (-0.90 ± 0.50)", "within what chance explains"),
        (0.0, 0.0, "about as much as x (+0.00 ± 0.00)", "within what chance explains"),
    ],
)
def test_a_difference_is_told_as_it_is(mean, sem, told, verdict):
    assert demo.told("x", Mean(mean, sem)) == told
    assert demo.verdict(Mean(mean, sem)) == verdict


def test_compiling_is_told_apart_from_learning():
    times = [(20.0, 30.0, 0.0), (1.0, 1.0, 4.0), (1.0, 1.0, 0.0)]
    lines = [{"seconds": dict(zip(("play", "learn", "evaluate"), row, strict=True))} for row in times]
    assert demo.seconds_of(lines) == (48.0, 10.0)


def test_picks_in_common_are_counted_for_every_two_subgoals():
    found = learner.Subgoals(np.ones(3), np.ones(3, int), np.array([[1, 2], [1, 2], [3, 4]]), 0)
    assert found.overlap == pytest.approx(1 / 3)


def test_names_are_text_and_never_markup(tmp_path):
    part = Part("<i>", "a & b", [Day("Seed <script>", "1 < 2", "x > y")], ["Found: <b>"])
    page = write_page(tmp_path, [part], 1.0).read_text(encoding="utf-8")
    assert "<script>" not in page and "Seed &lt;script&gt;" in page and "<b>Found:</b> &lt;b&gt;" in page


def campaign_problem():
    return stories.INFLUENCE.name
