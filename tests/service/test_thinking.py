"""Advisers that think, in the service: offered, limited, and never in simulated futures."""

import threading
from concurrent.futures import ThreadPoolExecutor

import networkx as nx
import pytest

import lmta
from lmta.agents.players import default_name, without_thinking
from lmta.problems.delimited import Content
from lmta.problems.registry import spec_of
from lmta.service import desk as module
from lmta.service.desk import Begin, Desk, named_player, policies_for, preferred
from lmta.service.schemas import AdviceOut
from lmta.service.store import ConflictError, Store


def test_thinking_is_offered_and_limited():
    assert policies_for("campaign")[:2] == ["lmta:aim", "lmta:aim@10s"]
    assert named_player("lmta:aim@2000", "campaign").name == "lmta:aim@2000"
    for name in ("lmta:aim@61s", "lmta:aim@100001"):
        with pytest.raises(lmta.InputError, match="thinks too long; 60 seconds or 100,000 rollouts"):
            named_player(name, "campaign")


def test_simulated_futures_are_played_without_thinking():
    assert without_thinking("lmta:aim@10s") == "lmta:aim"
    assert without_thinking("average-degree") == "average-degree"


EDGES = "\n".join(["source,target", *(f"{a},{b}" for a, b in nx.gnp_random_graph(40, 0.1, seed=1).edges)]).encode()
LONGEST = 60


@pytest.fixture
def desk(tmp_path):
    opened = Desk(Store(tmp_path))
    yield opened
    opened.close()


def begin(desk, policy):
    return desk.begin(Begin("t", "campaign", Content("a.csv", EDGES), days=4, budget=4, policy=policy))[0].id


def test_people_are_proposed_an_adviser_that_thinks_and_programs_the_rule(desk, orchard):
    assert preferred("campaign") == "lmta:aim@10s"
    assert desk.store.plan(begin(desk, None)).beginning.policy == "lmta:aim"
    assert spec_of("orchard").policies.simulator is None
    assert default_name(orchard) == "lmta:orchard"


def test_nobody_waits_for_who_thinks(desk, monkeypatch):
    """Neither advice by a rule, nor a report of the same plan; of two who ask for the same, one thinks."""
    thinking, go_on, advise, calls = threading.Event(), threading.Event(), module.advise, []

    def slow(player, session, seed):
        if "@" in player.name:
            calls.append(player.name)
            thinking.set()
            assert go_on.wait(LONGEST)
        return advise(player, session, seed)

    monkeypatch.setattr(module, "advise", slow)
    desk.cores = module.Cores(1)
    plan, other = begin(desk, "lmta:aim@60"), begin(desk, "lmta:aim")
    first, second = desk.advise(plan), desk.advise(plan)
    assert thinking.wait(LONGEST)
    assert desk.advise(other).result(LONGEST)["policy"] == "lmta:aim"
    assert desk.report(plan, 1, {"seeded": [], "activated": [], "failed": []}).number == 1
    go_on.set()
    assert first.result(LONGEST) == second.result(LONGEST)
    assert (first.result()["day"], calls) == (1, ["lmta:aim@60"])
    assert desk.store.advised(plan) == {}
    assert desk.advice(plan)["day"] == 2


def test_others_see_who_leads_and_the_end_of_the_service_ends_the_thinking(desk, monkeypatch):
    seen, told = threading.Event(), module.in_the_lead

    def noted(standing, candidates):
        seen.set()
        return told(standing, candidates)

    monkeypatch.setattr(module, "in_the_lead", noted)
    monkeypatch.setattr("lmta.planning.search._is_settled", lambda *given: False)
    plan = begin(desk, "lmta:aim@60s")
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(desk.advice, plan)
        assert seen.wait(LONGEST)
        while not desk.thinks_of(plan):
            assert not asked.done()
        assert any(word in desk.thinks_of(plan) for word in ("seed", "wait"))
        desk.close()
        with pytest.raises(ConflictError, match="The service is ending"):
            asked.result(10)
    assert desk.thinks_of(plan) == ""


def test_advice_has_what_rollouts_told(desk):
    plan = begin(desk, "lmta:aim@800")
    advice = AdviceOut(**desk.advice(plan))
    thinking = advice.thinking
    assert thinking is not None and len(thinking.strategies) > 1
    assert thinking.strategies[0].less == 0
    assert len(thinking.adds) == len(advice.picks)
    assert thinking.idle is not None and thinking.idle.mean == 0
    known = set(desk.session(desk.store.plan(plan)).ids)
    assert all(set(row.picks) <= known for row in thinking.strategies)
    assert advice.ranked_by == "measured" and all(other.value is not None for other in advice.alternatives)
    assert AdviceOut(**desk.advice(begin(desk, "lmta:aim"))).thinking is None
