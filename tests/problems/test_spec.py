"""What a problem says of itself: settings, instances, what has no effect; and problems that other packages bring."""

import importlib.metadata
from dataclasses import replace

import numpy as np
import pytest

from lmta.problems import registry
from lmta.problems.influence.spec import NetworkFile, NetworkOptions
from lmta.problems.orienteering.rules import OrienteeringRules
from lmta.problems.registry import data_options, spec_of, spec_of_session, spec_of_word, specs
from lmta.problems.spec import Nothing, Size
from lmta.problems.task import Task
from lmta.types import InputError

AIM, SOP = spec_of("aim"), spec_of("sop")
FAKE = replace(AIM, name="rumour", aliases=("gossip",), title="a rumour")
"""A problem of another package."""


def test_settings_are_named_nested_or_not():
    flat = SOP.settings(days=3, limit=0.8)
    assert (flat.days, flat.nodes) == (3, None)
    assert flat.rules == OrienteeringRules(limit=0.8)
    assert flat.drawn == Nothing()
    assert SOP.settings(days=3, rules=OrienteeringRules(limit=0.8)) == flat
    assert SOP.settings(days=3, rules={"limit": 0.8}) == flat
    assert SOP.settings(days=3, rules={"limit": 9.0}, limit=0.8) == flat
    assert AIM.settings(degree=3.0).drawn == NetworkOptions(degree=3.0)


@pytest.mark.parametrize(("spec", "name"), [(AIM, "limit"), (SOP, "degree"), (SOP, "dayz")])
def test_settings_of_another_problem_are_refused(spec, name):
    known = ", ".join(spec.setting_names())
    with pytest.raises(InputError, match=f"{name}: is no setting of {spec.name}; there are {known}"):
        spec.settings(**{name: 1.0})


def test_what_is_not_said_is_the_problem_s_own_default():
    assert AIM.size(AIM.settings(days=4)) == Size(500, 4, 50)
    assert spec_of("power2500").size(AIM.settings()) == Size(2500, 10, 60)


def test_settings_survive_the_way_through_json():
    settings = SOP.settings(nodes=30, generator="clustered", drift=0.2)
    written = SOP.as_json(settings)
    assert (written["nodes"], written["days"], written["budget"]) == (30, 10, 50)
    assert written["rules"]["drift"] == 0.2
    assert SOP.settings(**written) == replace(settings, days=10, budget=50)


def test_options_without_effect_are_told():
    settings = AIM.settings(nodes=9, generator="block", degree=3.0, days=2)
    assert AIM.without_effect(settings, read=NetworkFile()) == []
    assert AIM.without_effect(settings, own="file.csv") == ["nodes", "generator", "degree"]
    assert AIM.without_effect(AIM.settings(), own="file.csv", read=NetworkFile(undirected=True)) == []
    assert AIM.without_effect(AIM.settings(), read=NetworkFile(undirected=True, probability=0.1)) == [
        "undirected",
        "probability",
    ]
    assert SOP.without_effect(SOP.settings(limit=0.5), own="cities.csv") == []


def test_instances_follow_from_the_seed_and_their_number():
    settings = AIM.settings(nodes=12, days=2, budget=3)
    few, many, other = AIM.instances(settings, 0, 2), AIM.instances(settings, 0, 4), AIM.instances(settings, 1, 2)
    weights = lambda instance: np.asarray(instance.graph.weight).tolist()  # noqa: E731
    assert [weights(i) for i in few] == [weights(i) for i in many[:2]]
    assert weights(few[0]) != weights(few[1])
    assert weights(few[0]) != weights(other[0])
    assert (int(few[0].days), int(few[0].budget)) == (2, 3)


@pytest.mark.parametrize("spec", [AIM, SOP], ids=lambda spec: spec.name)
def test_a_mixture_has_all_kinds_within_the_largest_size(spec):
    drawn = spec.mixture(spec.settings(nodes=400, days=9, budget=12), 0, 12)
    assert all(int(i.graph.node_mask.sum()) <= 400 and int(i.days) <= 9 and int(i.budget) <= 12 for i in drawn)
    assert len({int(i.days) for i in drawn}) > 2
    assert len({int(i.graph.node_mask.sum()) for i in drawn}) > 2


def test_a_problem_without_a_mixture_says_so():
    with pytest.raises(InputError, match="mixture: aim has none; leave it out"):
        replace(AIM, vary=None).mixture(AIM.settings(), 0, 1)


def test_a_task_names_settings_of_instances_and_of_the_importer_alike(tmp_path):
    file = tmp_path / "friends.csv"
    file.write_text("ann,bob\nbob,cyd\n")
    task = Task.of("aim", file, days=2, budget=1, undirected=True, probability=0.25)
    assert task.read == NetworkFile(undirected=True, probability=0.25)
    one, same = task.instances(0, 2)
    assert one is same, "the data leave nothing to chance"
    real = np.asarray(one.graph.edge_mask)
    assert np.asarray(one.graph.weight)[real].tolist() == [0.25] * 4
    assert task.as_json()["graph"] == str(file)
    with pytest.raises(InputError, match="problem: 'aimm' is not known; did you mean 'aim'"):
        Task.of("aimm")


def test_own_data_that_leave_something_to_chance_give_different_instances(tmp_path):
    file = tmp_path / "cities.csv"
    file.write_text("home,0,0\ninn,1,0\nmill,0,1\n")
    one, other = Task.of("sop", file, days=1, budget=1).instances(0, 2)
    assert np.asarray(one.profit).tolist() != np.asarray(other.profit).tolist()


def test_problems_are_known_by_name_alias_word_and_data():
    assert list(specs())[:3] == ["aim", "sop", "power2500"]
    assert (spec_of("influence"), spec_of("orienteering")) == (AIM, SOP)
    assert (spec_of_word("campaign"), spec_of_word("tour")) == (AIM, SOP)
    assert (data_options()["graph"], data_options()["cities"]) == (AIM, SOP)


def test_what_the_index_says_of_own_problems_is_true():
    for name, known in registry.OWN.known.items():
        spec = known.load()
        assert spec.name == name
        assert known[:3] == registry.known_of(spec)[:3]


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("aimm", "did you mean 'aim'?"),
        ("orienteerin", "did you mean 'orienteering'?"),
        ("power", "did you mean 'power2500'?"),
        ("knapsack", "there are aim, sop, power2500"),
        (None, "there are aim, sop, power2500"),
    ],
)
def test_an_unknown_problem_gets_the_nearest_name(name, hint):
    with pytest.raises(InputError) as caught:
        spec_of(name)
    assert f"problem: {name!r} is not known; {hint}" in str(caught.value)


def test_an_unknown_word_names_those_that_are_known():
    with pytest.raises(InputError, match="kind: 'cruise' is not known; there are campaign, tour"):
        spec_of_word("cruise")


@pytest.fixture
def install(monkeypatch):
    """Let another package bring problems: entry points by name, with what each of them loads."""

    def install(**problems):
        entries = [importlib.metadata.EntryPoint(name, f"other:{name}", "lmta.problems") for name in problems]

        def load(entry):
            if isinstance(problems[entry.name], Exception):
                raise problems[entry.name]
            return problems[entry.name]

        monkeypatch.setattr(registry, "entry_points", lambda group: entries if group == "lmta.problems" else [])
        monkeypatch.setattr(importlib.metadata.EntryPoint, "load", load)
        specs.cache_clear()

    yield install
    specs.cache_clear()


def test_other_packages_bring_problems(install):
    install(rumour=FAKE)
    assert list(specs()) == ["aim", "sop", "power2500", "rumour"]
    assert spec_of("gossip") is FAKE
    with pytest.raises(InputError, match="did you mean 'rumour'"):
        spec_of("rumor")
    assert data_options()["graph"] is AIM, "the first problem with an option keeps it"
    assert spec_of_session(AIM.session(([0], [1]), days=1, budget=1)) is AIM
    assert Task.of("rumour", nodes=9, days=1, budget=1).instances(0, 1)[0].graph.num_nodes == 9


@pytest.mark.parametrize(
    ("brought", "message"),
    [
        (AIM, "other:rumour: brings a problem named 'aim', which there is already"),
        (ImportError("no module named epidemics"), "'rumour' cannot be loaded .no module named epidemics"),
        (42, "the entry point 'rumour' is not a lmta.problems.spec.Spec"),
    ],
)
def test_a_package_whose_problem_cannot_be_used_is_named(install, brought, message):
    install(rumour=brought)
    with pytest.raises(InputError, match=message):
        specs()
