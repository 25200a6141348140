"""Planners tuned to one's own network: what is found, the file, and what is refused."""

import json
from dataclasses import replace

import numpy as np
import pytest

import lmta
from lmta import cli
from lmta.agents.players import may_think, player, tuned_in, with_effort, without_thinking
from lmta.planning import tune as module
from lmta.planning.effort import Effort
from lmta.planning.planner import Planner
from lmta.planning.tune import is_sure, tune
from lmta.planning.tuned import Gain, TunedPlanner, read_planner, strategy_of, write_planner
from lmta.policies.registry import policy
from lmta.problems.influence.family import TUNING, Fitted, draw
from lmta.problems.registry import spec_of
from lmta.problems.task import Task


@pytest.fixture
def network(tmp_path):
    """Eight hubs with five leaves each: who seeds at random wastes seeds on leaves."""
    return hubs_in(tmp_path / "friends.csv", 8)


def hubs_in(path, count):
    rows = [f"h{hub},l{5 * hub + leaf}" for hub in range(count) for leaf in range(5)]
    path.write_text("\n".join(["source,target", *rows]) + "\n")
    return path


@pytest.fixture
def quick(monkeypatch):
    for name, few in (("FEWEST", 25), ("DRAWN", 4), ("NEARBY", 4)):
        monkeypatch.setattr(module, name, few)


def instance_of(network, days=3, budget=4):
    return Task.of("aim", own=network, days=days, budget=budget, probability=0.9).instances(0, 1)[0]


def planner_of(network, path, strategy=None, **changes):
    gain = Gain(mean=1.0, error=0.1, adviser=20.0, futures=100)
    found = TunedPlanner(
        problem="aim",
        fingerprint=TUNING.fingerprint(instance_of(network)),
        days=3,
        budget=4,
        strategy=strategy,
        gain=gain,
    )
    write_planner(path, found.model_copy(update=changes))
    return path


def plain(fitted):
    return {**fitted._asdict(), "seed_or_wait": fitted.seed_or_wait._asdict()}


def test_what_beats_a_bad_adviser_is_found_and_measured(network, quick, monkeypatch):
    monkeypatch.setattr(module, "adviser", lambda name: policy("average-random", name))
    monkeypatch.setattr(module, "tuning_of", lambda spec: replace(TUNING, own=lambda instance: None))
    found = tune(spec_of("aim"), instance_of(network), 2.0, 0)
    assert is_sure(found.gain) and found.gain.mean > 3
    assert found.gain.futures >= 25 and found.strategy is not None
    assert isinstance(strategy_of(found), Fitted)


def test_what_is_no_better_than_the_adviser_is_not_kept(network, quick, monkeypatch):
    """A family of one, which the adviser is."""
    one = {"known": (Fitted(),), "draw": lambda rng, near: Fitted(), "own": lambda instance: Fitted()}
    alone = replace(TUNING, variants=lambda *given: [], **one)
    monkeypatch.setattr(module, "tuning_of", lambda spec: alone)
    found = tune(spec_of("aim"), instance_of(network), 0.5, 0)
    assert found.strategy is None
    assert (found.gain.mean, found.gain.error) == (0, 0)


def test_rollouts_judge_as_whole_campaigns_do(network, tmp_path):
    """Beyond 300 nodes, where mean field serves, the adviser is a member of the family, played in compiled loops."""
    assert TUNING.own(instance_of(network)) is None
    instance, spec = instance_of(hubs_in(tmp_path / "many.csv", 60)), spec_of("aim")
    assert TUNING.own(instance) == Fitted()
    patient = Fitted(tilt=-9.0)
    fast = module._judge_by_rollouts(TUNING.make_play(instance), Fitted(), patient, 0.0, 1)
    rivals = [lmta.adviser("aim"), module.policy_of(spec, patient, "patient")]
    slow = module._gain(*module._play(rivals, spec, instance, 0.0, 1))
    assert fast.futures == 250 and slow.futures == 100
    assert abs(fast.mean - slow.mean) < 4 * np.hypot(fast.error, slow.error) + 1e-9
    assert fast.adviser == pytest.approx(slow.adviser, abs=1.0)


def test_strategies_near_one_are_nearer_than_any():
    rng = np.random.default_rng(0)
    usual = Fitted(estimate="live edges")
    near = [draw(rng, usual) for _ in range(200)]
    anywhere = [draw(rng, None) for _ in range(200)]
    assert {fitted.estimate for fitted in near} == {"live edges"}
    assert np.std([fitted.tilt for fitted in near]) < 0.5 < np.std([fitted.tilt for fitted in anywhere])
    assert all(min(fitted.seed_or_wait) > 0 and fitted.days_to_spare > 0 for fitted in [*near, *anywhere])


def test_the_fingerprint_is_of_edges_and_probabilities_alone(network, tmp_path):
    lines = network.read_text().splitlines()
    first = TUNING.fingerprint(instance_of(network))
    assert first == TUNING.fingerprint(instance_of(network, days=9, budget=1))
    network.write_text("\n".join(lines[:-1]) + "\n")
    assert first != TUNING.fingerprint(instance_of(network))
    assert first != TUNING.fingerprint(Task.of("aim", own=network, days=3, budget=4).instances(0, 1)[0])


def test_a_file_makes_a_policy_that_may_think(network, tmp_path):
    path = planner_of(network, tmp_path / "a.planner", plain(Fitted(hops=2, tilt=0.5)))
    assert strategy_of(read_planner(path)) == Fitted(hops=2, tilt=0.5)
    name = f"lmta:{path}"
    assert tuned_in("a.planner@20") == ("a.planner", Effort(rollouts=20))
    assert tuned_in("runs/aim@20") is None
    assert may_think(name) and with_effort(name, Effort(rollouts=50)) == f"{name}@50"
    assert without_thinking(f"{name}@50") == name
    campaign = lmta.Campaign(network, days=3, budget=4, probability=0.9)
    rule, thinks = player(name, "aim"), player(f"{name}@100", "aim")
    assert isinstance(thinks, Planner)
    assert all(str(node).startswith("h") for node in rule.decide(campaign).nodes)
    assert thinks.prepare(campaign.instance, 0)[1].base == Fitted(hops=2, tilt=0.5).strategy
    assert "by mean field over 2 hops" in rule.decide(campaign).why
    assert lmta.load(path).name == name


def test_without_a_strategy_it_decides_as_the_adviser(network, tmp_path):
    path = planner_of(network, tmp_path / "a.planner")
    campaign = lmta.Campaign(network, days=3, budget=4, probability=0.9)
    assert player(f"lmta:{path}", "aim").decide(campaign).nodes == lmta.adviser("aim").decide(campaign).nodes


def test_from_the_shell(network, tmp_path, quick, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    own = ["--graph", "friends.csv", "--probability", "0.9", "--days", "3", "--budget", "4"]
    assert cli.run(["tune", *own, "--minutes", "0.01", "--out", "friends.planner"]) == 0
    told = capsys.readouterr().out
    assert "95 %" in told and "futures that tuning has not seen" in told
    (tmp_path / "days").mkdir()
    assert cli.run(["plan", "--state", "days/c.json", *own, "--policy", "lmta:friends.planner"]) == 0
    assert json.loads((tmp_path / "days" / "c.json").read_text())["policy"] == "lmta:../friends.planner"
    assert cli.run(["plan", "--state", "days/c.json", "--rollouts", "40"]) == 0
    assert json.loads((tmp_path / "days" / "c.json").read_text())["policy"] == "lmta:../friends.planner@40"
    policies = ["--policies", "lmta:aim,lmta:friends.planner", "--instances", "2"]
    assert cli.run(["evaluate", *own, *policies]) == 0
    assert "friends.planner" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"kind": "lmta planner 2"}, "a.planner: is no tuned planner of this version; kind: 'lmta planner 2' is not"),
        ({"problem": "nothing"}, "nothing"),
        ({"problem": "sop"}, "problem: sop has no strategies to tune"),
        ({"fingerprint": "0"}, "a.planner: was tuned to other data, or they have changed since; tune it again."),
        ({"days": 5}, "a.planner: was tuned to days 5, not 3; tune it again."),
        ({"budget": 2}, "a.planner: was tuned to budget 2, not 4; tune it again."),
        ({"strategy": {"hops": "many"}}, "hops"),
        ({"more": 1}, "more"),
    ],
)
def test_what_a_planner_was_not_tuned_to_is_refused(network, tmp_path, capsys, monkeypatch, changes, fault):
    monkeypatch.chdir(tmp_path)
    written = json.loads(planner_of(network, tmp_path / "a.planner", plain(Fitted())).read_text())
    (tmp_path / "a.planner").write_text(json.dumps(written | changes))
    own = ["--graph", "friends.csv", "--probability", "0.9", "--days", "3", "--budget", "4"]
    assert cli.run(["plan", "--state", "c.json", *own, "--policy", "lmta:a.planner"]) == 2
    printed = capsys.readouterr().err.strip()
    assert fault in printed and len(printed.splitlines()) == 1
    assert not (tmp_path / "c.json").exists()


@pytest.mark.parametrize(
    ("arguments", "fault"),
    [
        (["--minutes", "0"], "minutes: 0.0 given, it must be above 0"),
        (["--minutes", "inf"], "minutes: inf given"),
        (["--minutes", "nan"], "minutes: nan given"),
        (["--minutes", "1441"], "at most 1,440"),
        (["--out", "nowhere/a.planner"], "the folder nowhere does not exist"),
        (["--out", "a.json"], "a name that ends with .planner is needed"),
        (["--seed", "-1"], "seed: -1 given"),
        (["--budget", "99"], "only 48 nodes to pick"),
    ],
)
def test_what_makes_no_sense_is_refused_at_once(network, tmp_path, capsys, monkeypatch, arguments, fault):
    monkeypatch.chdir(tmp_path)
    usual = {"--graph": "friends.csv", "--days": "3", "--budget": "4", "--out": "a.planner"}
    given = usual | dict([arguments])
    assert cli.run(["tune", *(word for option in given.items() for word in option)]) == 2
    printed = capsys.readouterr().err.strip()
    assert fault in printed and len(printed.splitlines()) == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["friends.csv"]


def test_own_data_and_a_family_are_needed(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert cli.run(["tune", "--out", "a.planner"]) == 2
    assert "graph: is needed, since a planner is tuned to one's own data." in capsys.readouterr().err
    assert cli.run(["tune", "--problem", "sop", "--out", "a.planner"]) == 2
    assert "problem: sop has no strategies to tune; aim and power2500 can be tuned." in capsys.readouterr().err
