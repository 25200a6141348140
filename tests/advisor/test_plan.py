"""`lmta plan` as a user meets it: a campaign and a tour lived through from the shell, and nothing lost on the way."""

import json
import subprocess
import sys
from contextlib import nullcontext

import networkx as nx
import numpy as np
import pytest

import lmta
from lmta import cli

NAMES = ["Ann", "Bo b", "Céline", "d,e", "[red]", "007"] + [f"n{i}" for i in range(34)]


@pytest.fixture
def network(tmp_path):
    """An edge list with awkward ids."""
    graph = nx.gnp_random_graph(len(NAMES), 0.12, seed=1, directed=True)
    path = tmp_path / "friends.csv"
    rows = [f'"{NAMES[a]}","{NAMES[b]}"' for a, b in graph.edges]
    path.write_text("\n".join(["source,target", *rows]) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def cities(tmp_path):
    path = tmp_path / "cities.csv"
    places = np.random.default_rng(0).random((15, 3))
    rows = [f"city {i},{x:.3f},{y:.3f},{profit:.2f}" for i, (x, y, profit) in enumerate(places)]
    path.write_text("\n".join(["name,x,y,profit", *rows]) + "\n", encoding="utf-8")
    return path


def plan(*arguments):
    return cli.run(["plan", *map(str, arguments)])


def journal(path):
    return json.loads(path.read_text(encoding="utf-8"))


def write_names(path, names):
    path.write_text("".join(f"{name}\n" for name in names), encoding="utf-8")
    return path


def some_night(campaign, rng):
    """A few inactive nodes that hear of it."""
    return list(rng.choice(np.array(campaign.legal(), object), 2, replace=False))


def test_ten_days_from_the_shell(network, tmp_path):
    """Every day in a process of its own; the same from Python agrees to the last node."""
    state, observed = tmp_path / "campaign.json", tmp_path / "activated.txt"
    campaign = lmta.Campaign(network, days=10, budget=12)
    adviser, rng = lmta.adviser("aim"), np.random.default_rng(0)
    arguments = ["--graph", network, "--days", "10", "--budget", "12", "--think", "0"]
    for day in range(1, 11):
        command = [sys.executable, "-c", "from lmta.cli import main; main()", "plan", "--state", state, *arguments]
        run = subprocess.run(command, capture_output=True, text=True, check=True)
        decision = adviser.decide(campaign)
        assert f"Day {day} of 10, {campaign.budget_left} of 12 left" in run.stdout
        assert journal(state)["advised"] == list(decision.nodes)
        for name in decision.nodes:
            assert f" {name} " in run.stdout
        activated = some_night(campaign, rng) if day in (2, 5) else []
        activated = [name for name in activated if name not in decision.nodes]
        with pytest.warns(lmta.ModelWarning) if activated else nullcontext():
            campaign.advance(seeded=decision.nodes, activated=activated)
        write_names(observed, activated)
        arguments = ["--observed", observed]
    run = subprocess.run(
        [sys.executable, "-c", "from lmta.cli import main; main()", "plan", "--state", state, *arguments],
        capture_output=True,
        text=True,
        check=True,
    )
    assert f"All 10 days are over, 0 of 12 left, {campaign.influenced} of 40 nodes reached." in run.stdout
    assert len(journal(state)["history"]) == 10


def test_a_tour_with_other_visits_than_advised(cities, tmp_path, capsys):
    state, done, profits = tmp_path / "tour.json", tmp_path / "done.txt", tmp_path / "profits.csv"
    assert plan("--state", state, "--cities", cities, "--days", 3, "--budget", 6, "--drift", 0.1, "--think", 0) == 0
    tour = lmta.Tour(cities, days=3, budget=6, rules=lmta.OrienteeringRules(drift=0.1))
    assert journal(state)["advised"] == list(lmta.adviser("sop").decide(tour).nodes)
    write_names(done, ["city 3", "city 5"])
    profits.write_text("name,profit\ncity 7,3.5\n")
    assert plan("--state", state, "--done", done, "--observed", profits) == 0
    earned = tour.advance(visited=["city 3", "city 5"], profits={"city 7": 3.5})
    decision = lmta.adviser("sop").decide(tour)
    assert "city 7" in decision.nodes
    assert journal(state)["advised"] == list(decision.nodes)
    assert journal(state)["history"] == [{"visited": ["city 3", "city 5"], "profits": [["city 7", 3.5]], "closed": []}]
    assert f"Day 2 of 3, 4 of 6 left, {earned:.4g} earned." in capsys.readouterr().out


@pytest.mark.filterwarnings("default::lmta.types.DataWarning")
def test_a_header_of_unknown_names_is_never_advised(tmp_path, capsys):
    network, state = tmp_path / "friends.csv", tmp_path / "campaign.json"
    network.write_text("person,friend\nann,bob\nbob,cyd\ncyd,dan\n")
    begin = ("--state", state, "--graph", network, "--days", 1, "--policy", "average-lookahead")
    assert plan(*begin, "--budget", 4) == 0
    printed = capsys.readouterr()
    assert sorted(journal(state)["advised"]) == ["ann", "bob", "cyd", "dan"]
    assert f"lmta: {network}, line 1: 'person', 'friend' was taken as a header for source,target; " in printed.err


@pytest.mark.filterwarnings("default::lmta.types.DataWarning")
def test_a_probability_beside_those_of_the_file_is_said_to_have_no_effect(tmp_path, capsys):
    network, state = tmp_path / "friends.csv", tmp_path / "campaign.json"
    network.write_text("source,target,probability\nann,bob,0.3\nbob,cyd,0.2\n")
    begin = ("--state", state, "--graph", network, "--days", 1, "--budget", 1, "--policy", "average-lookahead")
    assert plan(*begin, "--probability", 0.5) == 0
    said = f"lmta: {network}: has a probability for each edge, which counts; "
    assert f"{said}the probability 0.5 that was given has no effect." in capsys.readouterr().err


@pytest.mark.parametrize(
    ("data", "option", "said"),
    [
        ("cities", "limit", "limit: nan given; a number of more than 0"),
        ("cities", "drift", "drift: nan given; a number of at least 0"),
        ("network", "probability", "probability: nan given, a number from 0 to 1 is needed."),
    ],
)
def test_a_plan_that_is_begun_with_no_number_says_what_would_be_right(request, tmp_path, capsys, data, option, said):
    file = request.getfixturevalue(data)
    begin = ("--state", tmp_path / "new.json", "--cities" if data == "cities" else "--graph", file)
    assert plan(*begin, "--days", 2, "--budget", 3, f"--{option}", "nan") == 2
    assert capsys.readouterr().err.startswith(f"lmta: {said}")
    assert not (tmp_path / "new.json").exists()


@pytest.mark.parametrize(
    ("budget", "said"), [(2, "1 of the budget stays for later."), (3, "2 of the budget stay for ")]
)
def test_what_stays_for_later_is_counted_in_good_grammar(network, tmp_path, capsys, budget, said):
    begin = ("--state", tmp_path / "campaign.json", "--graph", network, "--days", 2, "--policy", "average-degree")
    assert plan(*begin, "--budget", budget) == 0
    assert said in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize("option", ["--think", "--rollouts"])
def test_a_name_that_says_how_much_it_thinks_goes_with_no_other_effort(network, tmp_path, capsys, option):
    begin = ("--state", tmp_path / "campaign.json", "--graph", network, "--days", 2, "--budget", 2)
    assert plan(*begin, "--policy", "lmta:aim@5", option, 3) == 2
    said = f"lmta: {option[2:]}: lmta:aim@5 says already how much it thinks; leave one of the two out.\n"
    assert capsys.readouterr().err == said


def test_a_report_of_profits_with_an_unknown_header_is_refused(cities, tmp_path, capsys):
    """A word for the profit of the first city is a slip; nothing of a report is left out."""
    state, profits = tmp_path / "tour.json", tmp_path / "profits.csv"
    assert plan("--state", state, "--cities", cities, "--days", 2, "--budget", 2, "--policy", "greedy") == 0
    profits.write_text("city 7,none\ncity 8,3.5\n")
    assert plan("--state", state, "--observed", profits) == 2
    assert "line 1: looks like a header, since profit 'none' is not a number" in capsys.readouterr().err


def test_asking_again_changes_nothing_and_another_policy_may_decide(network, tmp_path):
    state = tmp_path / "campaign.json"
    begin = ("--state", state, "--graph", network, "--days", 4, "--budget", 4, "--think", 0)
    assert plan(*begin) == 0
    first = state.read_bytes()
    assert plan("--state", state) == 0
    assert plan(*begin) == 0
    assert state.read_bytes() == first
    assert plan("--state", state, "--policy", "normal-degree") == 0
    assert journal(state)["policy"] == "normal-degree"
    assert len(journal(state)["advised"]) == 4


def test_a_day_under_one_policy_and_the_next_under_another(begun, tmp_path):
    """What was advised before is what was done."""
    advised = journal(begun)["advised"]
    nothing = write_names(tmp_path / "nothing.txt", [])
    assert plan("--state", begun, "--policy", "normal-degree", "--day", 1, "--observed", nothing) == 0
    assert journal(begun)["history"] == [{"seeded": advised, "activated": [], "failed": []}]
    assert len(journal(begun)["advised"]) == 4 - len(advised)


def test_a_day_is_not_reported_twice(begun, tmp_path, capsys):
    nothing = write_names(tmp_path / "nothing.txt", [])
    assert plan("--state", begun, "--day", 1, "--observed", nothing) == 0
    once = begun.read_bytes()
    assert plan("--state", begun, "--day", 1, "--observed", nothing) == 2
    assert "day: 1 given" in capsys.readouterr().err
    assert begun.read_bytes() == once


def test_data_that_moved_are_found_when_named(begun, network, tmp_path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    moved = network.rename(elsewhere / "renamed.csv")
    assert plan("--state", begun) == 2
    assert plan("--state", begun, "--graph", moved) == 0
    assert journal(begun)["data"] == "elsewhere/renamed.csv"


def test_a_journal_behind_a_link(network, tmp_path):
    real = tmp_path / "deep" / "real"
    real.mkdir(parents=True)
    (tmp_path / "link").symlink_to(real, target_is_directory=True)
    assert (
        plan("--state", tmp_path / "link" / "c.json", "--graph", network, "--days", 2, "--budget", 2, "--think", 0) == 0
    )
    assert plan("--state", real / "c.json") == 0


def test_long_names_are_shown_whole(tmp_path, capsys):
    name = "a-very-long-name-" * 12
    network = tmp_path / "long.csv"
    network.write_text(f"source,target\n{name},b\n")
    assert (
        plan(
            "--state", tmp_path / "c.json", "--graph", network, "--days", 1, "--budget", 1, "--policy", "average-score"
        )
        == 0
    )
    shown = capsys.readouterr().out
    rows = [line.split("│")[2].strip() for line in shown.splitlines() if line.startswith("│")]
    assert "".join(rows) == name


def test_files_may_move_together(network, tmp_path):
    folder, other = tmp_path / "a", tmp_path / "b"
    folder.mkdir()
    moved = network.rename(folder / network.name)
    assert plan("--state", folder / "c.json", "--graph", moved, "--days", 2, "--budget", 2, "--think", 0) == 0
    folder.rename(other)
    assert plan("--state", other / "c.json") == 0


@pytest.fixture
def begun(network, tmp_path):
    """A campaign on its first day."""
    state = tmp_path / "campaign.json"
    assert plan("--state", state, "--graph", network, "--days", 3, "--budget", 4, "--think", 0) == 0
    return state


@pytest.mark.parametrize(
    ("arguments", "fault"),
    [
        (["--days", "5"], "days: is not what"),
        (["--budget", "9"], "budget: is not what"),
        (["--undirected"], "undirected: is not what"),
        (["--problem", "sop"], "problem: is not what"),
        (["--observed"], "observed: activated is missing; give FILE, which may be an empty file"),
        (["--observed", "unknown.txt", "unknown.txt"], "unknown.txt are both given for activated; give one"),
        (["--graph", "cities.csv"], "cities.csv: is not what"),
        (["--day", "2"], "day: 2 given, but"),
        (["--cities", "cities.csv"], "cities: is not what"),
        (["--policy", "averge-lookahead"], "did you mean"),
        (["--seed", "-1"], "seed: -1 given"),
        (["--done", "done.txt"], "done: goes with --observed"),
        (["--observed", "missing.txt"], "missing.txt: there is no such file"),
        (["--observed", "unknown.txt"], "unknown.txt, line 1: 'nobody' is not one of the 40 known ids"),
        (["--observed", "nul.txt"], "nul.txt, line 1: has a NUL byte"),
        (["--observed", "empty.txt", "--done", "twice.txt"], "twice.txt, line 4: 'Ann' stands in line 1 already"),
        (["--observed", "empty.txt", "--failed", "failed.txt"], "failed.txt: failed: 'n33' is not among those seeded"),
        (["--policy", "lmta:aim@foo"], "lmta:aim@foo: 'foo' says no effort; give rollouts"),
    ],
)
def test_what_cannot_be_is_refused_and_nothing_is_lost(begun, cities, tmp_path, monkeypatch, capsys, arguments, fault):
    monkeypatch.chdir(tmp_path)
    write_names(tmp_path / "unknown.txt", ["nobody"])
    write_names(tmp_path / "done.txt", ["Ann"])
    write_names(tmp_path / "twice.txt", ["Ann", "n1", "", "Ann"])
    write_names(tmp_path / "failed.txt", ["n33"])
    write_names(tmp_path / "empty.txt", [])
    (tmp_path / "nul.txt").write_bytes(b"a\0b\n")
    before = begun.read_bytes()
    capsys.readouterr()
    assert plan("--state", begun, *arguments) == 2
    error = capsys.readouterr().err
    assert fault in error.replace("\n", " ")
    assert "Traceback" not in error
    assert begun.read_bytes() == before
    assert not list(tmp_path.glob(".*"))


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (lambda text: text[: len(text) // 2], "is no journal of lmta"),
        (lambda text: text.replace("lmta campaign 1", "lmta campaign 9"), "is no journal of lmta"),
        (lambda text: text.replace('"days": 3', '"days": "soon"'), "days: "),
        (lambda text: text.replace('"budget": 4', '"purse": 4'), "budget: "),
        (
            lambda text: text.replace('"history": []', '"history": [{"seeded": ["nobody"], "activated": []}]'),
            "day 1: seeded: 'nobody' is not one of",
        ),
        (lambda text: text.replace('"budget": 4', '"budget": -5'), "campaign.json: budget: -5 given, at least 1"),
        (lambda text: text.replace("friends.csv", "gone.csv"), "gone.csv: there is no such file"),
    ],
)
def test_a_damaged_journal_is_refused(begun, capsys, change, fault):
    spoiled = change(begun.read_text(encoding="utf-8"))
    assert spoiled != begun.read_text(encoding="utf-8")
    begun.write_text(spoiled, encoding="utf-8")
    capsys.readouterr()
    assert plan("--state", begun) == 2
    error = capsys.readouterr().err.replace("\n", " ")
    assert fault in error
    assert str(begun.parent) in error
    assert begun.read_text(encoding="utf-8") == spoiled


def test_a_negative_profit_is_refused_by_its_line(cities, tmp_path, capsys):
    state, profits = tmp_path / "tour.json", tmp_path / "profits.csv"
    assert plan("--state", state, "--cities", cities, "--days", 2, "--budget", 2, "--policy", "greedy") == 0
    name = cities.read_text().splitlines()[2].split(",")[0]
    profits.write_text(f"name,profit\n{name},-1\n")
    before = state.read_bytes()
    capsys.readouterr()
    assert plan("--state", state, "--observed", profits) == 2
    fault = f"{profits}, line 2: profit '-1' is too small; write a number of at least 0."
    assert capsys.readouterr().err == f"lmta: {fault}\n"
    assert state.read_bytes() == before


def test_data_that_changed_are_refused(begun, network, capsys):
    network.write_text(network.read_text() + "n1,n2\n", encoding="utf-8")
    assert plan("--state", begun) == 2
    assert "has changed since" in capsys.readouterr().err.replace("\n", " ")


@pytest.mark.parametrize(
    ("arguments", "fault"),
    [
        ([], "begin it with --graph or --cities"),
        (["--graph", "friends.csv"], "days: is needed"),
        (["--graph", "friends.csv", "--days", "3"], "budget: is needed"),
        (["--graph", "friends.csv", "--days", "3", "--budget", "41"], "lmta: budget: 41 given, but there are only 40"),
        (["--graph", "friends.csv", "--cities", "cities.csv"], "and one only"),
        (["--graph", "friends.csv", "--days", "3", "--budget", "4", "--observed", "empty.txt"], "nothing was advised"),
    ],
)
def test_a_beginning_that_lacks_something(network, cities, tmp_path, monkeypatch, capsys, arguments, fault):
    monkeypatch.chdir(tmp_path)
    write_names(tmp_path / "empty.txt", [])
    assert plan("--state", "new.json", *arguments) == 2
    assert fault in capsys.readouterr().err.replace("\n", " ")
    assert not (tmp_path / "new.json").exists()


def test_seeds_that_failed_and_a_probability_of_ones_own(network, tmp_path, capsys):
    state, failed = tmp_path / "campaign.json", tmp_path / "failed.txt"
    begin = ("--state", state, "--graph", network, "--days", 4, "--budget", 8, "--probability", 0.2)
    assert plan(*begin, "--policy", "average-lookahead") == 0
    advised = journal(state)["advised"]
    write_names(failed, advised[:1])
    nothing = write_names(tmp_path / "nothing.txt", [])
    assert plan("--state", state, "--failed", failed) == 2
    assert "failed: goes with --observed" in capsys.readouterr().err
    assert plan(*begin, "--failed", failed, "--observed", nothing) == 0
    campaign = lmta.Campaign(network, days=4, budget=8, probability=0.2)
    campaign.advance(seeded=advised, failed=advised[:1])
    assert journal(state)["history"] == [{"seeded": advised, "activated": [], "failed": advised[:1]}]
    assert journal(state)["advised"] == list(lmta.policy("average-lookahead").decide(campaign).nodes)
    assert plan("--state", state, "--probability", 0.3) == 2
    assert "probability: is not what" in capsys.readouterr().err


def test_options_of_another_problem_are_refused(begun, capsys):
    with pytest.raises(SystemExit, match="2"):
        plan("--state", begun, "--drift", 0.2)
    assert "Unrecognized options: --drift" in capsys.readouterr().err


def test_what_a_journal_was_begun_with_may_be_given_again(tmp_path):
    """The journal's own options are the defaults, so that only another value contradicts it."""
    state, network = tmp_path / "campaign.json", tmp_path / "path.csv"
    network.write_text("a,b\nb,c\n")
    assert plan("--state", state, "--graph", network, "--days", 2, "--budget", 2, "--undirected", "--think", 0) == 0
    once = state.read_bytes()
    assert plan("--state", state, "--undirected") == 0
    assert plan("--state", state, "--no-undirected") == 2
    assert state.read_bytes() == once


def test_help_has_the_options_of_the_problem(capsys, begun):
    for arguments, told in (
        ((), ("--graph", "--cities", "--state")),
        (("--graph", "x"), ("--graph", "--undirected", "the ids that were activated")),
        (("--problem", "orienteering"), ("--cities", "--drift", "as lines of name and profit")),
        (("--state", begun), ("--probability", "--failed")),
    ):
        with pytest.raises(SystemExit, match="0"):
            plan(*arguments, "--help")
        shown = " ".join(capsys.readouterr().out.split())
        assert all(part in shown for part in told)
