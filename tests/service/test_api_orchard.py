"""The API for a problem that another package brings: begun, advised, reported, taken back, forecast, taken away."""

import csv
import io

import pytest
from orchard import TREES

from lmta.problems.registry import specs
from lmta.service.store import Store


@pytest.fixture
def plan(orchard, client):
    """A harvest of the sample, whose trees are counted in crates of 20."""
    form = {"sample": "four-trees", "days": 3, "budget": 3, "spoil": 0.5}
    answer = client.post("/api/v1/harvests", data=form)
    assert answer.status_code == 201, answer.text
    assert answer.json()["plan"]["kind"] == "harvest"
    return f"/api/v1/plans/{answer.json()['plan']['id']}"


def test_it_is_offered(orchard, client):
    sample = client.get("/api/v1/samples").json()[-1]
    assert (sample["name"], sample["kind"], sample["options"]) == ("four-trees", "harvest", {"unit": "crate"})
    offered = client.get("/api/v1/policies", params={"kind": "harvest"}).json()
    assert offered[:3] == ["lmta:orchard", "lmta:orchard@10s", "average-apples"]
    schema = client.get("/openapi.json").json()["components"]["schemas"]
    assert schema["BeginHarvest"]["properties"]["unit"]["enum"] == ["apple", "crate"]
    assert {"day", "picked", "fallen", "counts"} == set(schema["HarvestReport"]["properties"])


def test_a_preview_has_its_own_options_and_words(orchard, client):
    form = {"kind": "harvest", "unit": "crate", "least": 50}
    seen = client.post("/api/v1/preview", data=form, files={"file": ("trees.csv", TREES)}).json()
    assert (seen["nodes"], seen["nodes_name"], seen["histogram_of"]) == (3, "trees", "apples")
    assert seen["first_ids"] == ["ash lane", "barn", "creek"]
    wrong = client.post("/api/v1/preview", data=form, files={"file": ("trees.tsp", TREES)}).json()
    assert wrong["errors"] == ["file: trees.tsp should end with one of .csv."]


def test_three_days(plan, client):
    """Nobody knows what a pick adds today where a problem has no forecast."""
    advice = client.get(f"{plan}/advice").json()
    assert advice["picks"] == [{"id": "ash lane", "value": 160.0, "gain": None}]
    assert [(pick["id"], pick["value"], pick["gain"]) for pick in advice["alternatives"]] == [
        ("barn", 100.0, None),
        ("creek", 60.0, None),
        ("dell", 20.0, None),
    ]
    day = {"day": 1, "fallen": ["barn"], "counts": [{"id": "dell", "apples": 25}]}
    told = client.post(f"{plan}/day", json=day).json()
    assert told["day"]["report"] == {"picked": ["ash lane"], "fallen": ["barn"], "counts": [["dell", 25.0]]}
    assert (told["plan"]["result"], told["plan"]["budget_left"]) == (160, 2)
    assert [pick["id"] for pick in client.get(f"{plan}/advice").json()["picks"]] == ["creek"]
    assert client.delete(f"{plan}/days/1").json()["result"] == 0
    assert client.get(f"{plan}/advice").json() == advice
    for number in (1, 2, 3):
        told = client.post(f"{plan}/day", json={"day": number, "picked": ["barn"], "fallen": [], "counts": []}).json()
    assert (told["plan"]["finished"], told["plan"]["result"]) == (True, 100)


@pytest.mark.parametrize(
    ("day", "sentence"),
    [
        ({"day": 1, "fallen": []}, "counts: Field required."),
        ({"day": 1, "fallen": [], "counts": [{"id": "dell"}]}, "counts.0.apples: Field required."),
        ({"day": 1, "fallen": [], "counts": [], "failed": []}, "'failed' is no part of the report of a harvest"),
        ({"day": 1, "picked": ["elm"], "fallen": [], "counts": []}, "picked: 'elm' is not one of the 4 known ids."),
    ],
)
def test_a_report_that_cannot_be_is_refused(plan, client, day, sentence):
    answer = client.post(f"{plan}/day", json=day)
    assert answer.status_code == 422
    assert answer.json()["detail"].startswith(sentence)


def test_a_forecast_plays_its_policies(plan, client, finished):
    """160 today for sure; what is left falls with one half at the end of each day."""
    job = client.post(f"{plan}/forecast", json={"policies": ["even-apples", "normal-apples"], "futures": 50}).json()
    rows = finished(client, f"{plan}/forecasts/{job['id']}")["result"]["policies"]
    assert [row["by_day"][0]["mean"] for row in rows] == [160, 320]
    assert 160 < rows[0]["mean"] < 320
    assert rows[1]["low"] == rows[1]["high"] == 320


def test_what_is_taken_away(plan, client):
    client.post(
        f"{plan}/day", json={"day": 1, "picked": ["barn"], "fallen": [], "counts": [{"id": "dell", "apples": 2}]}
    )
    rows = list(csv.reader(io.StringIO(client.get(f"{plan}/export.csv").text)))
    assert rows[0] == ["day", "what", "id", "apples", "result", "policy", "budget"]
    assert ["1", "counts", "dell", "2.0", "", "", ""] in rows
    assert client.get(f"{plan}/export.json").json()["settings"]["rules"] == {"spoil": 0.5}
    state, data = client.get(f"{plan}/state").content, client.get(f"{plan}/data").content
    files = {"state": ("s.json", state), "data": ("d.csv", data)}
    brought = client.post("/api/v1/imports", files=files).json()["plan"]
    assert (brought["kind"], brought["result"], brought["day"]) == ("harvest", 100, 2)


def test_plans_of_a_package_that_is_gone_are_left_out(plan, client, tmp_path, monkeypatch, caplog):
    """They are there again when it is."""
    campaign = {"sample": "les-miserables", "days": 2, "budget": 1}
    client.post("/api/v1/campaigns", data=campaign)
    with monkeypatch.context() as gone:
        gone.setattr("lmta.problems.registry.entry_points", lambda group: [])
        specs.cache_clear()
        assert [found["kind"] for found in client.get("/api/v1/plans").json()] == ["campaign"]
        assert "kind: 'lmta harvest 1' is not 'lmta campaign 1' or 'lmta tour 1'" in caplog.text
        assert client.get(plan).status_code == 422
    specs.cache_clear()
    assert len(client.get("/api/v1/plans").json()) == len(Store(tmp_path / "data").plans()) == 2
