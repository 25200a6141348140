"""State files: one type for each problem, and those of earlier versions still open."""

import hashlib
import json

import pytest

from lmta import InputError, OrienteeringRules
from lmta.advisor.journal import journal_text, journal_type, open_session, read_journal, write_journal
from lmta.problems.delimited import Content
from lmta.problems.influence.spec import NetworkFile
from lmta.problems.registry import spec_of

EDGES = b"source,target\nann,bob\nbob,cyd\ncyd,dan\n"
CITIES = b"name,x,y,profit\nhome,0,0,0\ninn,1,0,0.9\nmill,0,1,0.5\n"
OLD_CAMPAIGN = """{
  "data": "friends.csv",
  "fingerprint": "FINGERPRINT",
  "days": 3,
  "budget": 2,
  "policy": "average-degree",
  "seed": 0,
  "advised": ["cyd"],
  "kind": "lmta campaign 1",
  "directed": false,
  "probability": 0.5,
  "history": [{"seeded": ["ann"], "activated": ["bob"], "failed": []}, {"seeded": [], "activated": []}]
}
"""
OLD_TOUR = """{
  "data": "cities.csv",
  "fingerprint": "FINGERPRINT",
  "days": 3,
  "budget": 2,
  "policy": "lmta:sop",
  "seed": 7,
  "advised": null,
  "kind": "lmta tour 1",
  "rules": {"limit": 3.0, "penalty": 5.0, "crowding": 0.1, "drift": 0.2, "floor": 0.3},
  "history": [{"visited": ["inn"], "profits": [["mill", 0.75]], "closed": []}]
}
"""


def written(folder, name, data, text):
    """An old state file beside its data."""
    (folder / name).write_bytes(data)
    state = folder / "state.json"
    state.write_text(text.replace("FINGERPRINT", hashlib.sha256(data).hexdigest()))
    return state


def test_a_campaign_of_an_earlier_version(tmp_path):
    state = written(tmp_path, "friends.csv", EDGES, OLD_CAMPAIGN)
    journal = read_journal(state)
    assert journal.read == NetworkFile(undirected=True, probability=0.5)
    session = open_session(state, journal)
    assert (session.day, session.budget_left, session.result, session.days) == (3, 1, 2.0, 3)
    graph = session.instance.graph
    assert graph.weight[graph.edge_mask].tolist() == [0.5] * 6  # every edge both ways
    write_journal(state, journal)
    assert read_journal(state) == journal
    assert json.loads(state.read_text())["read"] == {"undirected": True, "probability": 0.5}


def test_a_tour_of_an_earlier_version(tmp_path):
    state = written(tmp_path, "cities.csv", CITIES, OLD_TOUR)
    journal = read_journal(state)
    assert journal.rules == OrienteeringRules(limit=3.0, drift=0.2)
    session = open_session(state, journal)
    assert (session.day, session.budget_left, session.result) == (2, 1, pytest.approx(0.9))
    assert session.state.profit.tolist() == pytest.approx([0, 0, 0.75])
    write_journal(state, journal)
    assert read_journal(state) == journal


def begun(name, **more):
    common = {"data": "a.csv", "fingerprint": "f", "days": 2, "budget": 1, "policy": "p", "seed": 0}
    return journal_type(spec_of(name))(**common | more)


@pytest.mark.parametrize("name", ["aim", "sop"])
def test_what_is_written_is_read(name):
    journal = begun(name, advised=(1, "two"))
    assert read_journal(Content("state", journal_text(journal))) == journal


def test_problems_that_share_their_sessions_share_their_journals():
    """Power-2500 is the same campaign on another network."""
    text = journal_text(begun("power2500"))
    assert read_journal(Content("state", text)).spec is spec_of("aim")


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("{", "the file is no JSON"),
        ("[" * 10_000, "the file is no JSON"),
        ("[]", "kind: None is not 'lmta campaign 1' or 'lmta tour 1'"),
        ('{"kind": ["lmta campaign 1"]}', "kind: "),
        ('{"kind": "lmta voyage 1"}', "kind: 'lmta voyage 1' is not"),
        (OLD_CAMPAIGN.replace("0.5", "NaN"), "the file is no JSON"),
        (OLD_CAMPAIGN.replace("0.5", '"half"'), "read.probability: "),
        (OLD_CAMPAIGN.replace("false", '"no"'), "read.undirected: "),
        (OLD_TOUR.replace("drift", "shift"), "rules.shift: "),
        (OLD_TOUR.replace("0.75", '"much"'), "history.0.profits.0.1: "),
    ],
)
def test_what_is_no_journal_is_refused_in_a_sentence(text, fault):
    with pytest.raises(InputError, match="state: is no journal of lmta") as refused:
        read_journal(Content("state", text.encode()))
    assert fault in str(refused.value)
    assert "\n" not in str(refused.value)
