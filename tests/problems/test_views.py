"""What the pictures of a problem in the page show."""

import networkx as nx
import numpy as np
import pytest

from lmta import Campaign, Tour
from lmta.problems import charts
from lmta.problems.influence.view import VIEW as NETWORK
from lmta.problems.networks import fitted, layout
from lmta.problems.orienteering.view import VIEW as MAP

FRIENDS = nx.DiGraph([("ann", "bob"), ("bob", "cyd"), ("cyd", "dan"), ("eve", "ann")])


def points(options):
    return {point["name"]: point for point in options["series"][0]["data"]}


def network(campaign, advised):
    """The picture with every node in its place."""
    return NETWORK.chart(campaign, NETWORK.layout(campaign.instance), advised, [])


def ring(size):
    """A campaign on a ring."""
    nodes = np.arange(size)
    return Campaign((nodes, (nodes + 1) % size), days=3, budget=3)


def test_the_network_by_status_with_a_stable_layout():
    campaign = Campaign(FRIENDS, days=3, budget=3)
    before = points(network(campaign, [0]))
    campaign.advance(seeded=["ann"], activated=["bob"])
    options = network(campaign, [campaign.index("eve", "")])
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
    campaign = ring(6_000)
    assert not NETWORK.fits_in_page(campaign.instance)
    assert set(points(NETWORK.chart(campaign, None, [10], []))) == {"9", "10", "11"}
    assert NETWORK.chart(campaign, None, [], [])["series"][0]["data"] == []


def test_of_many_edges_those_of_advised_and_active_nodes_are_drawn_and_the_advised_above_all(monkeypatch):
    """A ring of ten with room for four edges: node 3 is active and node 7 advised."""
    monkeypatch.setattr(charts, "MOST_EDGES", 4)
    campaign = ring(10)
    campaign.advance(seeded=[2], activated=[3])
    options = network(campaign, [7])
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
    campaign = Campaign(nx.path_graph(30, create_using=nx.DiGraph), days=1, budget=1)
    places = fitted(layout(campaign.instance.graph))
    assert places.min(axis=0).tolist() == [0, 0]
    assert places.max(axis=0).tolist() == [1, 1]


def test_nodes_without_edges_have_a_place():
    graph = nx.DiGraph()
    graph.add_nodes_from(range(400))
    places = layout(Campaign(graph, days=1, budget=1).instance.graph)
    assert np.isfinite(places).all()
    assert len(np.unique(places.round(6), axis=0)) == 400


def test_the_map_shows_the_way_so_far_and_todays_route():
    tour = Tour({"home": (0, 0), "inn": (1, 0), "mill": (0, 1), "port": (3, 4)}, days=3, budget=3)
    tour.advance(visited=["inn"])
    options = MAP.chart(tour, None, [2, 3], [[1]])
    links = [(link["source"], link["target"]) for link in options["series"][0]["links"]]
    assert links == [("0", "1"), ("1", "2"), ("2", "3")]
    assert set(points(options)) == {"home", "inn", "1. mill", "2. port"}
    assert points(options)["2. port"]["label"]["formatter"] == "2"


@pytest.mark.parametrize(("result", "text"), [(3.0, "3 nodes reached"), (12_345.0, "12,345 nodes reached")])
def test_results_in_words(result, text):
    assert Campaign.result_text(result) == text
