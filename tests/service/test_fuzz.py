"""Whatever is sent: no server error, every refusal a sentence, and nothing half-written.

`LMTA_EXAMPLES=10` tries ten times as much; `make soak` does.
"""

import json
import os
import sqlite3

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from lmta.problems.delimited import Content
from lmta.service.app import make_app
from lmta.service.data import Limits
from lmta.service.desk import Begin, Desk
from lmta.service.store import Store

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]
STEADY = {
    "deadline": None,
    "suppress_health_check": list(HealthCheck),
    "derandomize": True,
}
TIMES = int(os.environ.get("LMTA_EXAMPLES", "1"))
EDGES = "source,target\nann,bob\nbob,cyd\ncyd,dan\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("fuzzed")


@pytest.fixture(scope="module")
def api_schema(folder):
    app = make_app(Desk(Store(folder), Limits(bytes=20_000, rows=500)), only_loopback=False, with_page=False)
    return schemathesis.openapi.from_asgi("/openapi.json", app)


@pytest.fixture
def living_plan(folder):
    """The id of a plan that is there; a new one where the last was removed."""
    store = Store(folder)
    desk = Desk(store)

    def find():
        plans = store.plans()
        if plans:
            return plans[0].id
        wanted = Begin("fuzzed", "campaign", Content("a.csv", EDGES.encode()), 3, 2, policy="average-degree")
        return desk.begin(wanted)[0].id

    return find


# Threads of the service may draw random numbers while Hypothesis looks whether a strategy does.
@pytest.mark.filterwarnings("ignore:Do not use the `random` module:hypothesis.errors.HypothesisDeprecationWarning")
def test_the_schema_holds(api_schema, living_plan):
    """Every operation, with what the schema allows and what it does not."""
    operations = [found.ok() for found in api_schema.get_all_operations()]
    assert len(operations) >= 20
    sent = 0

    for operation in operations:

        @settings(max_examples=12 * TIMES, **STEADY)
        @given(case=st.one_of(operation.as_strategy(), operation.as_strategy(generation_mode=GenerationMode.NEGATIVE)))
        def answers(case):
            nonlocal sent
            sent += 1
            if "plan_id" in (case.path_parameters or {}):
                case.path_parameters["plan_id"] = living_plan()
            case.call_and_validate(checks=CHECKS, timeout=300)

        answers()
    print(f"{sent} requests for {len(operations)} operations")


words = st.sampled_from(
    ["ann", "bob", "0", "1", "0.5", "-1", "nan", "inf", "1e400", "", '"', "<b>", "source", "target", "x", "y", "name"]
)
lines = st.lists(st.lists(words | st.text(max_size=5), min_size=1, max_size=4).map(",".join), max_size=8)
texts = lines.map("\n".join).map(lambda text: text.encode("utf-8", "surrogatepass"))
graphml = st.builds(
    lambda inner: (
        b'<graphml xmlns="http://graphml.graphdrawing.org/xmlns"><graph edgedefault="directed">'
        + inner
        + b"</graph></graphml>"
    ),
    st.lists(
        st.sampled_from(
            [
                b'<node id="a"/>',
                b'<node id="b"/>',
                b'<edge source="a" target="b"/>',
                b"<node/>",
                b"<edge/>",
                b"&",
                b"<x>",
            ]
        ),
        max_size=6,
    ).map(b"".join),
)
contents = st.one_of(st.binary(max_size=200), texts, graphml)
names = st.one_of(
    st.text(max_size=20),
    st.sampled_from(["a.csv", "b.tsv", "c.txt", "d.graphml", "e.tsp", "../f.csv", "g.CSV", ".csv", "/etc/passwd"]),
)


@settings(max_examples=120 * TIMES, **STEADY)
@given(
    content=contents,
    name=names,
    kind=st.sampled_from(["campaigns", "tours", "preview"]),
    days=st.integers(-1, 4),
    budget=st.integers(-1, 4),
)
def test_uploads_are_taken_whole_or_refused_in_a_sentence(client, content, name, kind, days, budget):
    before = len(client.get("/api/v1/plans").json())
    data = {"days": days, "budget": budget, "kind": "campaign"}
    answer = client.post(f"/api/v1/{kind}", data=data, files={"file": (name.replace("\r", ""), content)})
    made = len(client.get("/api/v1/plans").json()) - before
    assert answer.status_code in ((200, 422) if kind == "preview" else (201, 413, 422))
    assert made == (answer.status_code == 201)
    if answer.status_code >= 400:
        assert set(answer.json()) == {"detail"}
        assert "\n" not in answer.json()["detail"]
    elif kind != "preview":
        plan = f"/api/v1/plans/{answer.json()['plan']['id']}"
        assert client.get(f"{plan}/data").content == content
        assert client.delete(plan).status_code == 204


@settings(max_examples=60 * TIMES, **STEADY)
@given(state=contents | st.sampled_from([b"{}", b"[]", b"null", b'{"kind": "lmta campaign 1"}']), data=contents)
def test_states_are_taken_whole_or_refused_in_a_sentence(client, state, data):
    answer = client.post("/api/v1/imports", files={"state": ("s.json", state), "data": ("d.csv", data)})
    assert answer.status_code == 422
    assert client.get("/api/v1/plans").json() == []


def test_nothing_is_half_written(folder):
    """After all that the schema's test has sent; every plan can still be read."""
    with sqlite3.connect(folder / "lmta.sqlite3") as db:
        assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert db.execute("PRAGMA foreign_key_check").fetchall() == []
        for (report,) in db.execute("SELECT report FROM days"):
            json.loads(report)
    store = Store(folder)
    desk = Desk(store)
    for plan in store.plans():
        assert desk.session(plan).day == plan.day
