"""The JSON API: begin, advise, report, take back, look ahead, take away."""

import csv
import io
import sqlite3
import time

import networkx as nx
import pytest

import lmta
from lmta import cli
from lmta.problems.influence.rules import ACTIVE
from lmta.service import forecast, store
from lmta.service.data import sample_content, samples
from lmta.service.desk import Desk

SAMPLES = {sample.name: sample_content(sample).data for _, sample in samples()}


def report(client, plan, **day):
    return client.post(f"{plan}/day", json=day)


def test_ten_days_agree_with_the_shell_and_with_python(client, begin, tmp_path):
    """Les Misérables by all three, to the last node; the state that is taken away is the one the shell has."""
    plan = begin(sample="les-miserables", days=10, budget=12, policy="average-ris", seed=3)
    data = tmp_path / "les-miserables.csv"
    data.write_bytes(SAMPLES["les-miserables"])
    state, observed = tmp_path / "state.json", tmp_path / "observed.txt"
    campaign, adviser = lmta.Campaign(data, days=10, budget=12, directed=False), lmta.policy("average-ris")
    shell, met = ["plan", "--state", str(state)], nx.les_miserables_graph()
    begun = ["--graph", str(data), "--undirected", "--days", "10", "--budget", "12"]
    assert cli.run([*shell, *begun, "--policy", "average-ris", "--seed", "3"]) == 0
    for day in range(1, 11):
        advice = client.get(f"{plan}/advice").json()
        decision = adviser.decide(campaign, seed=3)
        assert [pick["id"] for pick in advice["picks"]] == list(decision.nodes)
        assert (advice["budget"], advice["why"]) == (decision.budget, decision.why)
        taken = client.get(f"{plan}/state").content
        assert taken == state.read_bytes()
        sources = {*campaign.with_status(ACTIVE), *decision.nodes}
        hit = [n for n in campaign.legal() if n not in decision.nodes and set(met[n]) & sources][: day % 4]
        campaign.advance(seeded=decision.nodes, activated=hit)
        answer = report(client, plan, day=day, activated=hit)
        assert answer.status_code == 200
        assert answer.json()["plan"]["result"] == campaign.influenced
        observed.write_text("".join(f"{name}\n" for name in hit))
        assert cli.run([*shell, "--day", str(day), "--observed", str(observed)]) == 0
    assert client.get(plan).json()["finished"]
    assert client.get(f"{plan}/state").content == state.read_bytes()


def test_five_days_through_fifty_cities_agree_too(client, begin, tmp_path):
    """With a city that was closed, and profits that came out otherwise; to the last city and the last digit."""
    plan = begin("tours", sample="fifty-cities", days=5, budget=15, policy="even-insertion", seed=3)
    data = tmp_path / "fifty-cities.csv"
    data.write_bytes(SAMPLES["fifty-cities"])
    state, observed, closed_file = (tmp_path / name for name in ("state.json", "profits.csv", "closed.txt"))
    tour, adviser = lmta.Tour(data, days=5, budget=15), lmta.policy("even-insertion")
    shell = ["plan", "--state", str(state)]
    begun = ["--cities", str(data), "--days", "5", "--budget", "15"]
    assert cli.run([*shell, *begun, "--policy", "even-insertion", "--seed", "3"]) == 0
    for day in range(1, 6):
        advice = client.get(f"{plan}/advice").json()
        decision = adviser.decide(tour, seed=3)
        assert len(decision.nodes) == 3
        assert [pick["id"] for pick in advice["picks"]] == list(decision.nodes)
        assert client.get(f"{plan}/state").content == state.read_bytes()
        closed = list(decision.nodes[1:2]) if day == 2 else []
        profits = {city: 0.5 + day / 10 for city in tour.legal() if city not in decision.nodes}
        profits = dict(list(profits.items())[: 2 * day])
        tour.advance(visited=decision.nodes, closed=closed, profits=profits)
        told = [{"id": city, "profit": profit} for city, profit in profits.items()]
        answer = report(client, plan, day=day, closed=closed, profits=told).json()
        assert answer["plan"]["result"] == tour.collected
        closed_file.write_text("".join(f"{city}\n" for city in closed))
        observed.write_text("".join(f"{city},{profit}\n" for city, profit in profits.items()))
        assert cli.run([*shell, "--day", str(day), "--failed", str(closed_file), "--observed", str(observed)]) == 0
    assert client.get(plan).json()["finished"]
    assert client.get(f"{plan}/state").content == state.read_bytes()


def test_all_three_agree_where_more_was_spent_than_was_left(client, begin, tmp_path, capsys):
    """The service, the shell that goes on with its state, and Python; then there is nothing left to advise."""
    plan, data, state = begin(budget=1), tmp_path / "friends.csv", tmp_path / "state.json"
    answer = report(client, plan, day=1, seeded=["ann", "eve"], activated=["bob"]).json()
    warning = "seeded: 2 picks exceed the 1 left of 1; taken as true, and nothing is left."
    assert answer["day"]["warnings"] == [warning]
    assert (answer["plan"]["budget_left"], answer["plan"]["result"]) == (0, 3)
    assert client.get(f"{plan}/advice").json()["picks"] == []
    data.write_bytes(client.get(f"{plan}/data").content)
    state.write_bytes(client.get(f"{plan}/state").content)
    assert cli.run(["plan", "--state", str(state)]) == 0
    assert "Day 2 of 3, 0 of 1 left, 3 of 7 nodes reached." in capsys.readouterr().out
    campaign = lmta.Campaign(data, days=3, budget=1)
    with pytest.warns(lmta.ModelWarning, match="2 picks exceed the 1 left of 1"):
        campaign.advance(seeded=["ann", "eve"], activated=["bob"])
    assert (campaign.budget_left, campaign.influenced) == (0, 3)
    files = {"state": ("s.json", state.read_bytes()), "data": ("d.csv", data.read_bytes())}
    assert client.post("/api/v1/imports", files=files).json()["plan"]["budget_left"] == 0


RANKED = [
    ("campaigns", "les-miserables", "lmta:aim", "measured"),
    ("campaigns", "les-miserables", "adaptive-lookahead", "lookahead"),
    ("campaigns", "les-miserables", "adaptive-live-edge", "live-edge"),
    ("campaigns", "les-miserables", "average-degree", "degree"),
    ("tours", "fifty-cities", "even-greedy", "greedy"),
    ("campaigns", "les-miserables", "average-ris", None),
    ("tours", "fifty-cities", "lmta:sop", None),
]


def test_advice_has_reasons(client, begin):
    """Ann has two out-neighbours, each hit with 1/2 or 1; the seed itself counts too."""
    advice = client.get(f"{begin()}/advice").json()
    assert advice["picks"] == [{"id": "ann", "value": 2.0, "gain": pytest.approx(1 + 1 + 0.5)}]
    assert [pick["id"] for pick in advice["alternatives"]] == ["bob", "cyd", "eve", "<script>", "=1+1"]
    assert advice["alternatives"][0]["gain"] == pytest.approx(2)
    assert (advice["day"], advice["budget"], advice["budget_left"]) == (1, 1, 3)
    assert "average" in advice["why"]
    assert advice["milliseconds"] > 0


@pytest.mark.parametrize(("kind", "sample", "policy", "measure"), RANKED)
def test_alternatives_stand_in_the_measure_of_the_picks(client, begin, kind, sample, policy, measure):
    """None is worth more than the pick that it would replace; there are none where a rule does not score nodes."""
    options = {"undirected": True} if kind == "campaigns" else {}
    plan = begin(kind, sample=sample, days=4, budget=4, policy=policy, **options)
    advice = client.get(f"{plan}/advice").json()
    values = [pick["value"] for pick in advice["alternatives"]]
    assert advice["ranked_by"] == measure
    assert len(values) == (0 if measure is None else 5)
    assert values == sorted(values, reverse=True)
    assert all(value <= advice["picks"][-1]["value"] for value in values)


def test_advice_stays_until_the_day_is_over(client, begin):
    plan = begin(policy="average-random")
    first = client.get(f"{plan}/advice").json()
    assert client.get(f"{plan}/advice").json() == first
    assert report(client, plan, day=1, activated=[]).status_code == 200
    assert client.get(f"{plan}/advice").json()["day"] == 2


def test_a_tour_with_a_closed_city(client, begin):
    plan = begin("tours", limit=3)
    answer = report(
        client, plan, day=1, visited=["port", "inn"], closed=["port"], profits=[{"id": "mill", "profit": 2}]
    )
    assert answer.json()["day"]["warnings"] == []
    assert answer.json()["plan"]["result"] == pytest.approx(0.8)
    assert answer.json()["plan"]["budget_left"] == 1
    assert [pick["id"] for pick in client.get(f"{plan}/advice").json()["picks"]] == ["mill"]


CONTRADICTIONS = {
    "activated before": ({"seeded": [], "activated": ["bob"]}, "activated: 'bob' is active already"),
    "removed before": ({"seeded": [], "activated": ["ann"]}, "activated: 'ann' was reached already"),
    "twice": ({"seeded": [], "activated": ["cyd", "cyd"]}, "activated: 'cyd' is named 2 times"),
    "seeded and activated": ({"seeded": ["eve"], "activated": ["eve"]}, "'eve' was seeded today"),
    "out of reach": ({"seeded": [], "activated": ["eve"]}, "no active neighbour could reach 'eve'"),
    "seeded before": ({"seeded": ["ann"], "activated": []}, "seeded: 'ann' was reached already"),
    "too many": ({"seeded": ["cyd", "dan", "eve"], "activated": []}, "seeded: 3 picks exceed the 2 left of 3"),
}


@pytest.mark.parametrize(("day", "warning"), CONTRADICTIONS.values(), ids=CONTRADICTIONS)
def test_contradictions_are_taken_with_a_warning(client, begin, day, warning):
    plan = begin()
    assert report(client, plan, day=1, seeded=["ann"], activated=["bob"]).json()["day"]["warnings"] == []
    answer = report(client, plan, day=2, **day)
    assert answer.status_code == 200
    assert len(answer.json()["day"]["warnings"]) == 1
    assert warning in answer.json()["day"]["warnings"][0]
    assert client.get(f"{plan}/history").json()[1]["warnings"] == answer.json()["day"]["warnings"]


def test_contradictions_of_a_tour(client, begin):
    plan = begin("tours", limit=3)
    report(client, plan, day=1, visited=["inn"], profits=[])
    answer = report(client, plan, day=2, visited=["inn"], profits=[{"id": "inn", "profit": 1}]).json()
    assert [w.split(";")[0] for w in answer["day"]["warnings"]] == [
        "visited: 'inn' was visited before or is the start",
        "profits: 'inn' has been visited or is the start",
    ]
    assert answer["plan"]["result"] == pytest.approx(0.9)


REFUSED = {
    "unknown": ({"day": 1, "seeded": ["zoe"], "activated": []}, 422, "seeded: 'zoe' is not one of the 7 known ids"),
    "failed alone": ({"day": 1, "seeded": [], "failed": ["ann"], "activated": []}, 422, "not among those seeded"),
    "another day": ({"day": 2, "seeded": [], "activated": []}, 409, "the next is day 1"),
    "no day": ({"seeded": [], "activated": []}, 422, "day: Field required"),
    "as advised, unasked": ({"day": 1, "activated": []}, 422, "nothing was advised for day 1 yet"),
    "of a tour": (
        {"day": 1, "visited": []},
        422,
        "'visited' is no part of the report of a campaign; there are day, seeded",
    ),
    "no object": ([1], 422, "body: Input should be a valid dictionary"),
    "not all": ({"day": 1, "seeded": []}, 422, "activated: Field required"),
    "a float": ({"day": 1, "seeded": [1.5], "activated": []}, 422, "seeded.0"),
}


@pytest.mark.parametrize(("day", "code", "sentence"), REFUSED.values(), ids=REFUSED)
def test_a_refused_day_changes_nothing(client, begin, day, code, sentence):
    plan = begin()
    answer = client.post(f"{plan}/day", json=day)
    assert answer.status_code == code
    assert sentence in answer.json()["detail"]
    assert client.get(f"{plan}/history").json() == []
    assert client.get(plan).json()["day"] == 1


def test_the_same_day_from_two_tabs(client, begin):
    plan = begin()
    first = report(client, plan, day=1, seeded=["ann"], activated=[])
    second = report(client, plan, day=1, seeded=["bob"], activated=[])
    assert (first.status_code, second.status_code) == (200, 409)
    assert "day 1 was reported already" in second.json()["detail"]
    assert [day["report"]["seeded"] for day in client.get(f"{plan}/history").json()] == [["ann"]]


def test_undo_brings_back_the_day_and_its_advice(client, begin):
    plan = begin()
    advice = client.get(f"{plan}/advice").json()
    report(client, plan, day=1, activated=["bob"])
    second = client.get(f"{plan}/advice").json()
    assert client.delete(f"{plan}/days/2").status_code == 409
    assert client.delete(f"{plan}/days/1").json()["day"] == 1
    assert client.get(f"{plan}/advice").json() == advice
    report(client, plan, day=1, seeded=["eve"], activated=["ann", "cyd"])
    assert client.get(f"{plan}/advice").json()["picks"] != second["picks"]
    assert client.delete(f"{plan}/days/0").status_code == 409


def test_undo_forgets_forecasts_of_later_days(client, begin, finished):
    plan = begin()
    for day in (1, 2):
        job = client.post(f"{plan}/forecast", json={"futures": 2}).json()
        finished(client, f"{plan}/forecasts/{job['id']}")
        report(client, plan, day=day, seeded=[], activated=[])
    client.delete(f"{plan}/days/2")
    assert [job["day"] for job in client.get(f"{plan}/forecasts").json()] == [2, 1]
    client.delete(f"{plan}/days/1")
    assert [job["day"] for job in client.get(f"{plan}/forecasts").json()] == [1]


def test_another_policy_from_today_on(client, begin):
    plan = begin()
    client.get(f"{plan}/advice")
    assert client.patch(plan, json={"policy": "normal-score", "title": "Spring"}).json()["policy"] == "normal-score"
    assert client.get(f"{plan}/advice").json()["policy"] == "normal-score"
    assert client.get("/api/v1/plans").json()[0]["title"] == "Spring"


def test_an_empty_title_is_refused(client, begin):
    plan = begin(title="Spring")
    assert client.patch(plan, json={"title": "  "}).status_code == 422
    assert client.get(plan).json()["title"] == "Spring"


def test_what_is_no_json_is_told_so(client, begin):
    answer = client.patch(begin(), content=b'{"title":', headers={"Content-Type": "application/json"})
    assert (answer.status_code, answer.json()["detail"]) == (422, "body: JSON decode error.")


def test_endless_ids_are_shortened_in_messages(client, begin):
    detail = report(client, begin(), day=1, seeded=["x" * 10_000], activated=[]).json()["detail"]
    assert len(detail) < 200


@pytest.mark.parametrize("policy", ["lmta:/etc", "lmta:runs/aim", "no-such", "even-insertion", ""])
def test_a_policy_that_may_not_be_chosen(client, begin, policy):
    plan = begin()
    answer = client.patch(plan, json={"policy": policy})
    assert answer.status_code == 422
    assert answer.json()["detail"].startswith("policy")
    assert client.get(plan).json()["policy"] == "average-degree"


def test_the_adviser_is_chosen_by_its_name(client, begin):
    """That of the other problem is refused."""
    assert client.get("/api/v1/policies", params={"kind": "campaign"}).json()[0] == "lmta:aim"
    assert client.get("/api/v1/policies", params={"kind": "voyage"}).json() == {
        "detail": "kind: 'voyage' is not known; there are campaign, tour."
    }
    plan = begin(policy="lmta:aim")
    assert client.get(f"{plan}/advice").json()["policy"] == "lmta:aim"
    assert client.patch(plan, json={"policy": "lmta:sop"}).status_code == 422


def test_a_restart_finds_everything(open_service, begin):
    plan = begin()
    first = open_service()
    advice = first.get(f"{plan}/advice").json()
    report(first, plan, day=1, activated=["bob"])
    again = open_service()
    assert again.get(plan).json()["result"] == 2
    again.delete(f"{plan}/days/1")
    assert again.get(f"{plan}/advice").json() == advice


def test_a_forecast_is_the_mean_of_what_can_happen(client, begin, finished):
    """One day is left and all is seeded: ann reaches dan or not with 1/2, bob for sure."""
    plan = begin(days=1, budget=1)
    job = client.post(f"{plan}/forecast", json={"policies": ["average-degree", "average-score"], "futures": 200})
    assert job.status_code == 202
    seen = finished(client, f"{plan}/forecasts/{job.json()['id']}")
    assert (seen["status"], seen["progress"], seen["error"]) == ("done", 1.0, None)
    first, second = seen["result"]["policies"]
    assert (first["policy"], len(first["by_day"])) == ("average-degree", 1)
    assert first["mean"] == pytest.approx(2.5, abs=0.15)  # four standard errors
    assert (first["low"], first["high"]) == (2, 3)
    assert second["mean"] == first["mean"]  # the same seed under the same noise


def test_a_forecast_begins_where_things_stand(client, begin, finished):
    plan = begin(days=3, budget=3)
    report(client, plan, day=1, seeded=["ann", "eve", "dan"], activated=["bob"])
    job = client.post(f"{plan}/forecast", json={"futures": 30}).json()
    result = finished(client, f"{plan}/forecasts/{job['id']}")["result"]
    assert (result["day"], result["now"]) == (2, 4)
    assert result["policies"][0]["low"] == 5  # cyd is reached for sure
    assert len(result["policies"][0]["by_day"]) == 2


def test_a_forecast_can_be_cancelled(client, begin, finished):
    plan = begin(sample="les-miserables", days=10, budget=10, policy="average-lookahead")
    job = client.post(f"{plan}/forecast", json={"futures": 2000}).json()
    address = f"{plan}/forecasts/{job['id']}"
    assert client.delete(address).json()["status"] == "cancelled"
    assert finished(client, address)["result"] is None


def test_a_restart_leaves_no_half_job(open_service, begin):
    plan = begin(sample="les-miserables", days=10, budget=10, policy="average-lookahead")
    first = open_service()
    job = first.post(f"{plan}/forecast", json={"futures": 2000}).json()
    address = f"{plan}/forecasts/{job['id']}"
    while first.get(address).json()["progress"] == 0:
        time.sleep(0.1)
    again = open_service()
    assert again.get(address).json()["status"] == "interrupted"
    assert first.delete(address).json()["status"] == "interrupted"


def test_a_forecast_of_a_removed_plan_makes_room_for_the_next(client, begin, finished):
    plan, other = begin(sample="les-miserables", days=10, budget=10, policy="average-lookahead"), begin()
    client.post(f"{plan}/forecast", json={"futures": 2000})
    assert client.delete(plan).status_code == 204
    job = client.post(f"{other}/forecast", json={"futures": 2}).json()
    assert finished(client, f"{other}/forecasts/{job['id']}")["status"] == "done"


def test_a_forecast_that_breaks_off_leaves_room_for_the_next(client, begin, monkeypatch, caplog, finished):
    plan = begin()
    with monkeypatch.context() as broken:
        broken.setattr(forecast, "summary", lambda *_: 1 / 0)
        job = client.post(f"{plan}/forecast", json={"futures": 2}).json()
        seen = finished(client, f"{plan}/forecasts/{job['id']}")
    assert (seen["status"], seen["error"]) == ("failed", "The forecast broke off; see the log.")
    assert "ZeroDivisionError" in caplog.text
    job = client.post(f"{plan}/forecast", json={"futures": 2}).json()
    assert finished(client, f"{plan}/forecasts/{job['id']}")["status"] == "done"


def test_the_end_of_a_forecast_is_noted_once_the_disk_has_room(client, begin, monkeypatch, caplog, finished):
    monkeypatch.setattr(forecast, "NEXT_TRY", 0.05)
    plan, note = begin(), store.Store.mark_forecast

    def full(self, name, status, outcome=None):
        if status == "done":
            raise sqlite3.OperationalError("database or disk is full")
        note(self, name, status, outcome)

    with monkeypatch.context() as broken:
        broken.setattr(store.Store, "mark_forecast", full)
        jobs = [client.post(f"{plan}/forecast", json={"futures": 2}).json() for _ in range(2)]
        for _ in range(600):
            if caplog.text.count("cannot be noted yet: database or disk is full") > 1:
                break
            time.sleep(0.05)
        assert client.get(f"{plan}/forecasts/{jobs[0]['id']}").json()["status"] == "running"
    ends = [finished(client, f"{plan}/forecasts/{job['id']}") for job in jobs]
    assert [end["status"] for end in ends] == ["done", "done"]
    assert len(ends[0]["result"]["policies"]) == 1


def test_a_stop_does_not_wait_for_a_full_disk(client, begin, tmp_path, monkeypatch, caplog):
    plan = begin()

    def full(self, name, status, outcome=None):
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr(store.Store, "mark_forecast", full)
    jobs = forecast.Forecasts(Desk(store.Store(tmp_path / "data")))
    jobs.ask(plan.rsplit("/", 1)[1], [], 2, 0)
    for _ in range(600):
        if "cannot be noted yet" in caplog.text:
            break
        time.sleep(0.05)
    jobs.close()
    assert not jobs._worker.is_alive()


def test_a_cancelled_forecast_makes_room_while_another_runs(client, begin, monkeypatch):
    monkeypatch.setattr(forecast, "MOST_WAITING", 2)
    plan = begin(sample="les-miserables", days=10, budget=10, policy="average-lookahead")
    ask = lambda: client.post(f"{plan}/forecast", json={"futures": 2000})  # noqa: E731
    jobs = [ask().json()["id"], ask().json()["id"]]
    refused = ask()
    assert (refused.status_code, "2 forecasts are waiting already" in refused.text) == (409, True)
    client.delete(f"{plan}/forecasts/{jobs[1]}")
    assert ask().status_code == 202


def test_a_full_disk_is_told_and_nothing_is_lost(client, begin, monkeypatch):
    plan = begin()

    def full(*_):
        raise sqlite3.OperationalError("database or disk is full")

    with monkeypatch.context() as broken:
        broken.setattr(store, "_insert_day", full)
        answer = report(client, plan, day=1, seeded=["ann"], activated=[])
    assert answer.status_code == 503
    assert "database or disk is full" in answer.json()["detail"]
    assert report(client, plan, day=1, seeded=["ann"], activated=[]).status_code == 200


def test_csv_is_safe_in_a_spreadsheet(client, begin):
    plan = begin()
    client.get(f"{plan}/advice")
    report(client, plan, day=1, seeded=["=1+1", "<script>"], failed=["<script>"], activated=["ann"])
    answer = client.get(f"{plan}/export.csv")
    assert answer.headers["content-type"].startswith("text/csv")
    rows = list(csv.reader(io.StringIO(answer.text)))
    assert rows == [
        ["day", "what", "id", "result", "policy", "budget"],
        ["1", "advice", "", "", "average-degree", "1"],
        ["1", "advised", "ann", "", "", ""],
        ["1", "seeded", "'=1+1", "", "", ""],
        ["1", "seeded", "<script>", "", "", ""],
        ["1", "failed", "<script>", "", "", ""],
        ["1", "activated", "ann", "", "", ""],
        ["1", "end of day", "", "2.0", "", ""],
    ]


def test_csv_has_the_numbers_of_a_report(client, begin):
    plan = begin("tours", limit=3)
    report(client, plan, day=1, visited=["inn"], profits=[{"id": "mill", "profit": 2}])
    rows = list(csv.reader(io.StringIO(client.get(f"{plan}/export.csv").text)))
    assert rows == [
        ["day", "what", "id", "profit", "result", "policy", "budget"],
        ["1", "visited", "inn", "", "", "", ""],
        ["1", "profits", "mill", "2.0", "", "", ""],
        ["1", "end of day", "", "", rows[3][4], "", ""],
    ]
    assert float(rows[3][4]) == pytest.approx(0.9)


def test_everything_as_json(client, begin):
    """What was done beside what was advised, where it was asked for."""
    plan = begin()
    client.get(f"{plan}/advice")
    report(client, plan, day=1, seeded=["eve"], activated=[])
    report(client, plan, day=2, seeded=["ann"], activated=["bob"])
    client.get(f"{plan}/advice")
    everything = client.get(f"{plan}/export.json").json()
    assert everything["history"][0]["advised"] == {"policy": "average-degree", "budget": 1, "ids": ["ann"]}
    assert everything["history"][1]["advised"] is None
    assert everything["history"][1]["report"] == {"seeded": ["ann"], "activated": ["bob"], "failed": []}
    assert everything["settings"]["policy"] == "average-degree"
    assert everything["advice"]["day"] == 3


def test_what_is_taken_away_can_be_brought_back(client, begin):
    for kind in ("campaigns", "tours"):
        plan = begin(kind)
        day = {"visited": ["inn"], "profits": []} if kind == "tours" else {"seeded": ["ann"], "activated": ["bob"]}
        report(client, plan, day=1, **day)
        state, data = client.get(f"{plan}/state").content, client.get(f"{plan}/data").content
        answer = client.post("/api/v1/imports", files={"state": ("s.json", state), "data": ("d.csv", data)})
        assert answer.status_code == 201
        brought = f"/api/v1/plans/{answer.json()['plan']['id']}"
        assert client.get(f"{brought}/state").content == state
        assert client.get(brought).json()["result"] == client.get(plan).json()["result"]
        wrong = client.post("/api/v1/imports", files={"state": ("s.json", state), "data": ("d.csv", data + b"\n")})
        assert wrong.json()["detail"] == "data: is not what the state was begun with; bring the file that it names."


def test_a_state_that_names_a_folder_is_refused(client, begin):
    plan = begin()
    state, data = client.get(f"{plan}/state").text, client.get(f"{plan}/data").content
    for old, new in (("average-degree", "lmta:../runs"), ("lmta campaign 1", "other")):
        files = {"state": ("s.json", state.replace(old, new)), "data": ("d.csv", data)}
        assert client.post("/api/v1/imports", files=files).status_code == 422
    assert len(client.get("/api/v1/plans").json()) == 1


def test_a_preview_counts(client):
    """The options that suit a sample count unless others are given."""
    edges = nx.les_miserables_graph().number_of_edges()
    for options, count in (({}, 2 * edges), ({"undirected": False}, edges)):
        form = {"kind": "campaign", "sample": "les-miserables", **options}
        seen = client.post("/api/v1/preview", data=form).json()
        assert (seen["nodes"], seen["nodes_name"], seen["edges"], seen["errors"]) == (77, "nodes", count, [])
        assert seen["histogram_of"] == "out-degree"
        assert sum(bar["count"] for bar in seen["histogram"]) == 77


BAD_OPTIONS = {
    "of another problem": ("campaigns", {"drift": 0.1}, "drift: Extra inputs are not permitted."),
    "retired": ("campaigns", {"directed": False}, "directed: Extra inputs are not permitted."),
    "no number": ("campaigns", {"probability": "x"}, "probability: Input should be a valid number"),
    "out of range": ("campaigns", {"probability": 2}, "probability: 2.0 given, a number from 0 to 1 is needed."),
    "of the rules": ("tours", {"limit": 0}, "limit: 0 given; a number of more than 0"),
    "infinite": ("tours", {"drift": "inf"}, "drift: inf given; a number of at least 0"),
}


@pytest.mark.parametrize(("kind", "options", "sentence"), BAD_OPTIONS.values(), ids=BAD_OPTIONS)
def test_an_option_that_cannot_be_is_named(client, kind, options, sentence):
    sample = {"campaigns": "les-miserables", "tours": "fifty-cities"}[kind]
    answer = client.post(f"/api/v1/{kind}", data={"sample": sample, "days": 2, "budget": 1, **options})
    assert answer.status_code == 422
    assert answer.json()["detail"].startswith(sentence)
    assert client.get("/api/v1/plans").json() == []


def test_an_option_of_a_preview_that_cannot_be_is_named(client):
    for options, sentence in (
        ({"directed": True}, "directed: is no option of a campaign; there are undirected, probability."),
        ({"undirected": "perhaps"}, "undirected: Input should be a valid boolean"),
    ):
        answer = client.post("/api/v1/preview", data={"kind": "campaign", "sample": "les-miserables", **options})
        assert answer.status_code == 422
        assert answer.json()["detail"].startswith(sentence)


def test_a_number_given_twice_is_pointed_out(client, begin):
    twice = [{"id": "mill", "profit": 2}, {"id": "mill", "profit": 1}]
    day = report(client, begin("tours"), day=1, visited=[], profits=twice).json()["day"]
    assert day["warnings"] == ["profits: 'mill' is named 2 times; the last number counts."]
    assert day["report"]["profits"] == [["mill", 1.0]]


def test_a_preview_says_what_was_taken_as_a_header(client):
    file = {"file": ("friends.csv", "person,friend\nann,bob\nbob,cyd\n")}
    seen = client.post("/api/v1/preview", data={"kind": "campaign"}, files=file).json()
    assert (seen["nodes"], seen["edges"], seen["errors"]) == (3, 2, [])
    assert [warning.split(";")[0] for warning in seen["warnings"]] == [
        "friends.csv, line 1: 'person', 'friend' was taken as a header for source,target"
    ]


def test_a_probability_beside_those_of_the_file_is_said_to_have_no_effect(client):
    file = {"file": ("friends.csv", "source,target,probability\nann,bob,0.2\nbob,cyd,0.3\n")}
    begun = client.post("/api/v1/campaigns", data={"days": 2, "budget": 1, "probability": 0.3}, files=file)
    said = (
        "friends.csv: has a probability for each edge, which counts; the probability 0.3 that was given has no effect."
    )
    assert begun.json()["warnings"] == [said]


def test_a_preview_counts_what_was_dropped_and_merged(client):
    file = {"file": ("friends.csv", "source,target\nann,bob\nbob,bob\nann,bob\n")}
    said = ["friends.csv: 1 self-loop dropped (first: line 3) and 1 repeated edge merged (first: line 4)."]
    seen = client.post("/api/v1/preview", data={"kind": "campaign"}, files=file).json()
    assert (seen["nodes"], seen["edges"], seen["errors"], seen["warnings"]) == (2, 1, [], said)
    begun = client.post("/api/v1/campaigns", data={"days": 2, "budget": 1}, files=file)
    assert (begun.status_code, begun.json()["warnings"]) == (201, said)


def test_a_preview_names_the_lines_at_fault(client):
    text = "source,target,probability\na,b,0.5\na,c,2\nb,b,0.1\nc,d,x\nd,a,1\n"
    seen = client.post("/api/v1/preview", data={"kind": "campaign"}, files={"file": ("my net.csv", text)}).json()
    assert [error.split(";")[0] for error in seen["errors"]] == [
        "my net.csv, line 3: probability 2.0 is not between 0 and 1",
        "my net.csv, line 5: probability 'x' is not a number",
    ]


def test_forgetting_a_plan(client, begin):
    plan = begin()
    assert client.delete(plan).status_code == 204
    assert client.get(plan).status_code == 404
    assert client.get(f"{plan}/advice").status_code == 404
    assert client.get("/api/v1/plans").json() == []
