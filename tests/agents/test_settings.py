"""Who learns and with what settings: names, presets, overrides of a problem, and settings that survive JSON."""

import json
from dataclasses import dataclass, field, replace

import pytest
from tiny_runs import tiny

from lmta.agents.lmta.settings import Departures, LmtaSettings
from lmta.agents.presets import with_overrides, with_values
from lmta.agents.registry import HOMES, agent_type
from lmta.agents.settings import default_settings, make_agent, settings_from_json
from lmta.problems.registry import spec_of, specs
from lmta.types import InputError


@dataclass(frozen=True)
class Inner:
    rate: float = 0.1
    steps: int = 3


@dataclass(frozen=True)
class Outer:
    inner: Inner = field(default_factory=Inner)
    name: str = "plain"


def test_values_are_changed_by_their_dotted_names():
    changed = with_values(Outer(), {"inner.rate": 0.5, "name": "wide"})
    assert changed == Outer(Inner(0.5, 3), "wide")
    assert with_values(Outer(), {}) == Outer()


@pytest.mark.parametrize("path", ["rate", "inner.size", "inner.rate.more"])
def test_a_value_that_is_no_setting_is_refused(path):
    with pytest.raises(InputError, match=f"^{path}: is no setting of "):
        with_values(Outer(), {path: 1})


def test_a_problem_overrides_settings_of_an_agent_and_then_of_its_preset():
    spec = replace(
        spec_of("aim"),
        learners={
            "mine": {"inner.rate": 0.2, "inner.steps": 5},
            "mine.paper": {"inner.steps": 7},
            "other": {"name": "never"},
        },
    )
    assert with_overrides(Outer(), spec, "mine", "best") == Outer(Inner(0.2, 5))
    assert with_overrides(Outer(), spec, "mine", "paper") == Outer(Inner(0.2, 7))
    assert with_overrides(Outer(), spec, "nobody", "paper") == Outer()


def test_the_paper_has_no_departure_and_the_papers_own_numbers_for_each_problem():
    for problem, simulations, temperature in (("aim", 150, 1.0), ("sop", 250, 1.5)):
        config = default_settings("lmta", problem, "paper").config
        assert config.departures == Departures()
        assert (config.search.simulations, config.search.temperature) == (simulations, temperature)
    assert default_settings("lmta", "aim", "paper").config == LmtaSettings()
    assert default_settings("lmta", "sop").config.departures.budget_prior == "alone"


KINDS = [
    (agent, problem, preset)
    for agent in HOMES
    for problem in specs()
    for preset in agent_type(agent).presets(spec_of(problem))
]


@pytest.mark.parametrize(("agent", "problem", "preset"), KINDS, ids="-".join)
def test_settings_survive_json(agent, problem, preset):
    """Also where every instance setting is given; and they are such that the agent accepts them."""
    settings = default_settings(agent, problem, preset)
    agent_type(agent).check(settings.config, settings.spec)
    changed = replace(settings, seed=9, epochs=3, instance=replace(settings.instance, nodes=30, generator=None))
    for given in (settings, changed):
        same = settings_from_json(json.loads(json.dumps(given.as_json())))
        assert same == given
        assert type(same.config) is type(given.config)
        assert type(same.instance.rules) is settings.spec.rules
        assert hash(same.config) == hash(given.config)


def test_ablations_survive_json():
    settings = tiny(values={"ablation.variant": "D", "ablation.without": ("push", "order")})
    assert settings_from_json(json.loads(json.dumps(settings.as_json()))) == settings


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: agent_type("lmat"), "agent: 'lmat' is not known; did you mean 'lmta'?"),
        (lambda: agent_type("zebra"), "agent: 'zebra' is not known; there are lmta"),
        (lambda: agent_type(3), "agent: 3 is not known"),
        (lambda: default_settings("lmta", "aim", "best"), "preset: 'best' is not known to lmta; there are lmta, paper"),
        (lambda: default_settings("lmta", "ami"), "problem: 'ami' is not known; did you mean 'aim'?"),
        (lambda: make_agent(replace(tiny(), features="smell")), "features: 'smell' is not known to aim; use plain"),
    ],
)
def test_what_is_not_known_is_refused_in_a_sentence_with_the_nearest_name(call, message):
    with pytest.raises(InputError) as refused:
        call()
    assert str(refused.value).startswith(message)


CONTRADICTIONS = {
    "one group": ({"departures.group_size": 8}, "departures.group-size: 8 given, it must divide the 8 episodes"),
    "odd groups": ({"departures.group_size": 3}, "departures.group-size: 3 given"),
    "few games": ({"train.games": 7}, "train.games: 7 given, at least the 8 episodes are needed"),
    "bias": ({"departures.budget_prior": "none"}, "departures.subgoal-bias: needs a --departures.budget-prior"),
}


@pytest.mark.parametrize(("values", "message"), CONTRADICTIONS.values(), ids=CONTRADICTIONS)
def test_settings_that_contradict_each_other_are_refused(values, message):
    settings = tiny(values=values)
    with pytest.raises(InputError, match=message):
        agent_type("lmta").check(settings.config, settings.spec)
