"""What the pictures of the page show."""

import networkx as nx
import numpy as np
import pytest

from lmta import Campaign, Tour
from lmta.service.data import Bin
from lmta.service.page import charts

FRIENDS = nx.DiGraph([("ann", "bob"), ("bob", "cyd"), ("cyd", "dan"), ("eve", "ann")])


def points(options):
    return {point["name"]: point for point in options["series"][0]["data"]}


def test_the_network_by_status_with_a_stable_layout():
    campaign = Campaign(FRIENDS, days=3, budget=3)
    places = charts.places(campaign)
    before = points(charts.network(campaign, places, [0]))
    campaign.advance(seeded=["ann"], activated=["bob"])
    options = charts.network(campaign, charts.places(campaign), [campaign.index("eve", "")])
    after = points(options)
    kinds = [kind["name"] for kind in options["series"][0]["categories"]]
    assert {name: kinds[point["category"]] for name, point in after.items()} == {
        "ann": "reached before",
        "bob": "active",
        "cyd": "inactive",
        "dan": "inactive",
        "eve": "advised today",
    }
    assert before["ann"]["category"] == kinds.index("advised today")
    assert {n: (p["x"], p["y"]) for n, p in before.items()} == {n: (p["x"], p["y"]) for n, p in after.items()}
    assert len(options["series"][0]["links"]) == 4


def test_a_large_network_shows_the_neighbourhood_of_the_advised():
    """A ring of 6,000: the advised node and its two neighbours."""
    ring = np.arange(6_000)
    campaign = Campaign((ring, (ring + 1) % 6_000), days=3, budget=3)
    assert charts.places(campaign) is None
    options = charts.network(campaign, None, [10])
    assert set(points(options)) == {"9", "10", "11"}
    assert charts.network(campaign, None, [])["series"][0]["data"] == []


def test_of_many_edges_those_of_advised_and_active_nodes_are_drawn_and_the_advised_above_all(monkeypatch):
    """A ring of ten with room for four edges: node 3 is active and node 7 advised."""
    monkeypatch.setattr(charts, "MOST_EDGES", 4)
    ring = np.arange(10)
    campaign = Campaign((ring, (ring + 1) % 10), days=3, budget=3)
    campaign.advance(seeded=[2], activated=[3])
    options = charts.network(campaign, charts.places(campaign), [7])
    series = options["series"][0]
    assert {(link["source"], link["target"]) for link in series["links"]} == {
        ("2", "3"),
        ("3", "4"),
        ("6", "7"),
        ("7", "8"),
    }
    assert [point["id"] for point in series["data"]][-3:] == ["2", "3", "7"]
    assert options["title"]["text"] == "4 of 10 edges drawn"


def test_the_network_fills_its_picture():
    places = charts.places(Campaign(nx.path_graph(30, create_using=nx.DiGraph), days=1, budget=1))
    assert places.min(axis=0).tolist() == [0, 0]
    assert places.max(axis=0).tolist() == [1, 1]


def test_nodes_without_edges_have_a_place():
    graph = nx.DiGraph()
    graph.add_nodes_from(range(400))
    places = charts.places(Campaign(graph, days=1, budget=1))
    assert places is not None
    assert np.isfinite(places).all()
    assert len(np.unique(places.round(6), axis=0)) == 400


def test_the_map_shows_the_way_so_far_and_todays_route():
    tour = Tour({"home": (0, 0), "inn": (1, 0), "mill": (0, 1), "port": (3, 4)}, days=3, budget=3)
    tour.advance(visited=["inn"])
    options = charts.tour_map(tour, [2, 3], [[1]])
    links = [(link["source"], link["target"]) for link in options["series"][0]["links"]]
    assert links == [("0", "1"), ("1", "2"), ("2", "3")]
    assert set(points(options)) == {"home", "inn", "1. mill", "2. port"}
    assert points(options)["2. port"]["label"]["formatter"] == "2"


def test_the_band_lies_between_low_and_high():
    step = {"mean": 6.0, "low": 4.0, "high": 9.0}
    forecast = {"day": 2, "now": 3.0, "policies": [{"policy": "a", **step, "by_day": [step]}]}
    options = charts.progress(2, [3.0], "nodes", forecast)
    lines = {line["name"]: line["data"] for line in options["series"]}
    assert lines == {
        "so far": [[0, 0.0], [1, 3.0]],
        " low": [[1, 3.0], [2, 4.0]],
        "9 of 10 futures": [[1, 0.0], [2, 5.0]],
        "a": [[1, 3.0], [2, 6.0]],
    }


def test_a_histogram_names_its_bars():
    options = charts.histogram([Bin(1, 1, 5), Bin(2, 3, 7)], "degree")
    assert options["xAxis"]["data"] == ["1", "2 to 3"]
    assert options["series"][0]["data"] == [5, 7]


@pytest.mark.parametrize("options", [charts.progress(3, [], "nodes", None), charts.histogram([], "degree")])
def test_tooltips_are_drawn_and_never_html(options):
    assert options["tooltip"]["renderMode"] == "richText"
