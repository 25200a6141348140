"""`lmta.routing.route`: a user's own cities in, a route within the limit out, and one sentence where that cannot be."""

import itertools
import math

import numpy as np
import pytest

from lmta.problems.delimited import Content
from lmta.routing import route
from lmta.types import InputError

SQUARE = {"a": (0, 0), "b": (0, 3), "c": (4, 3), "d": (4, 0)}


def legs(found, coordinates):
    points = [coordinates[name] for name in found.names]
    return sum(math.dist(p, q) for p, q in itertools.pairwise(points))


def find(cities=SQUARE, **settings):
    return route(cities, **({"iterations": 50} | settings))


def test_round_the_square_and_back():
    found = find(limit=14)
    assert found.names in (("a", "b", "c", "d", "a"), ("a", "d", "c", "b", "a"))
    assert (found.profit, found.length, found.iterations) == (3, 14, 50)


def test_a_limit_too_short_for_all_leaves_out_the_rest():
    found = find(limit=13.9)
    assert found.profit == 2
    assert found.length == 12
    assert found.names[0] == found.names[-1] == "a"


def test_to_another_city_and_to_anywhere():
    assert find(limit=7, end="c").names in (("a", "b", "c"), ("a", "d", "c"))
    assert find(limit=5.5, end="c").names == ("a", "c")
    free = find(limit=10, end=None)
    assert free.names == ("a", "b", "c", "d")
    assert free.length == 10


def test_an_end_elsewhere_is_a_visit():
    assert find(limit=100, end="c", visits=1).names == ("a", "c")
    found = find(limit=100, end="c", visits=2)
    assert len(found.names) == 3
    assert found.profit == 2


def test_start_anywhere():
    found = find(limit=6, start="c")
    assert found.names == ("c", "d", "c")
    assert find(limit=8, start="d", end=None).profit == 2


def test_numbers_may_be_named_as_text():
    assert find(np.array([[0, 0], [0, 1], [5, 5]]), limit=2, start="1").names == (1, 0, 1)


def test_profits_of_the_data_and_given_ones():
    table = "name,x,y,profit\na,0,0,9\nb,0,3,1\nd,4,0,5\n"
    content = Content("cities.csv", table.encode())
    assert find(content, limit=8).names == ("a", "d", "a")
    assert find(content, limit=8).profit == 5, "the start is worth nothing"
    assert find(content, limit=8, profit={"b": 7}).names == ("a", "b", "a")
    assert find(content, limit=8, profit=[2, 0, 1]).profit == 3, "what is given for the start counts"


def test_a_file(tmp_path):
    path = tmp_path / "cities.csv"
    path.write_text("name,x,y\nhome,0,0\nmill,1,0\n")
    assert find(path, limit=2).names == ("home", "mill", "home")


def test_a_matrix_replaces_the_coordinates():
    """One-way: a → b → c → a is 3, against it 30."""
    matrix = [[0, 1, 10], [10, 0, 1], [1, 10, 0]]
    cities = {"a": (0, 0), "b": (1, 0), "c": (0, 1)}
    found = find(cities, limit=3, matrix=matrix)
    assert (found.names, found.length) == (("a", "b", "c", "a"), 3)
    assert find(cities, limit=3, matrix=np.transpose(matrix)).names == ("a", "c", "b", "a")


def test_the_end_may_be_reached_by_way_of_others():
    """From a to c it is 9, by way of b 2."""
    cities = {"a": (0, 0), "b": (1, 0), "c": (0, 1)}
    matrix = [[0, 1, 9], [1, 0, 1], [9, 1, 0]]
    assert find(cities, limit=2, end="c", matrix=matrix).names == ("a", "b", "c")
    with pytest.raises(InputError, match="limit: 2 given, and no route within it was found"):
        find(cities, limit=2, end="c", matrix=matrix, visits=1)


def test_the_diagonal_of_a_matrix_is_of_no_account():
    matrix = np.full((3, 3), 1.0)
    np.fill_diagonal(matrix, np.nan)
    assert find({"a": (0, 0), "b": (1, 0), "c": (0, 1)}, limit=3, matrix=matrix).profit == 2


def test_cities_in_one_place():
    found = find({"a": (0, 0), "b": (1, 0), "c": (1, 0), "d": (0, 0)}, limit=2)
    assert found.profit == 3
    assert found.length == 2


def test_more_visits_than_cities_is_no_limit():
    assert find(limit=14, visits=1_000).names == find(limit=14).names


def test_worthless_cities_are_not_visited():
    found = find(limit=14, profit=[0, 0, 0, 0])
    assert (found.names, found.profit, found.length) == (("a",), 0, 0)


def test_the_same_seed_finds_the_same_route():
    cities = np.random.default_rng(0).random((60, 2))
    first, again = (find(cities, limit=2, iterations=300, seed=4) for _ in range(2))
    assert first.names == again.names
    assert first.iterations == 300


@pytest.mark.parametrize("end", ["start", 5, None])
def test_never_over_the_limit(end):
    """The length as a user adds it up, leg by leg in order, is the length reported and within the limit."""
    for seed in range(20):
        cities = np.random.default_rng(seed).random((30, 2))
        found = find(cities, limit=1.5, end=end, seed=seed)
        assert found.length == pytest.approx(legs(found, cities))
        assert found.length <= 1.5
        inner = found.names[1:-1] if end == "start" else found.names[1:]
        assert len({found.names[0], *inner}) == len(inner) + 1


def test_a_budget_of_time():
    cities = np.random.default_rng(0).random((60, 2))
    none = route(cities, limit=2, seconds=0)
    some = route(cities, limit=2, seconds=0.2)
    assert 0 < none.iterations < some.iterations
    assert none.profit <= some.profit
    assert some.seconds >= 0.2


BAD = {
    "limit: 5 given, but the shortest route to any city is 6 long": {"limit": 5},
    "limit: 4 given, but the end is 5 from the start": {"limit": 4, "end": "c"},
    "limit: 0 given": {"limit": 0},
    "limit: nan given": {"limit": math.nan},
    "limit: 'far' given": {"limit": "far"},
    "limit: inf given": {"limit": math.inf},
    "start: 'x' is not one of the 4 cities": {"limit": 9, "start": "x"},
    "end: 'x' is not one of the 4 cities": {"limit": 9, "end": "x"},
    "visits: 0 given, at least 1": {"limit": 9, "visits": 0},
    "visits: 1.5 given, a whole number": {"limit": 9, "visits": 1.5},
    "iterations: 0 given": {"limit": 9, "iterations": 0},
    "seconds: -1 given": {"limit": 9, "seconds": -1, "iterations": None},
    "iterations: does not go with seconds; give one of them": {"limit": 9, "seconds": 1},
    "seed: -1 given": {"limit": 9, "seed": -1},
    "profit: 3 numbers given, one for each of the 4": {"limit": 9, "profit": [1, 2, 3]},
    "profit, city 'b': profit 'x' is not a number": {"limit": 9, "profit": [1, "x", 3, 4]},
    "profit, city 'c': -1 is negative": {"limit": 9, "profit": {"c": -1}},
    "profit: 'x' is not one of the 4 cities": {"limit": 9, "profit": {"x": 1}},
    "profit: give a number for each city": {"limit": 9, "profit": 7},
    "matrix: 4 × 4 numbers are needed, .* but it is 2 × 2": {"limit": 9, "matrix": np.ones((2, 2))},
    "matrix: 4 × 4 numbers are needed, .* but it is 4 × 3": {"limit": 9, "matrix": np.ones((4, 3))},
    "matrix: 4 × 4 numbers are needed, .* of another kind": {"limit": 9, "matrix": [[1, 2], [3]]},
}


@pytest.mark.parametrize("message", BAD)
def test_bad_input_is_one_sentence(message):
    with pytest.raises(InputError, match=message) as error:
        find(**BAD[message])
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("hole", [math.nan, math.inf, -1.0])
def test_a_hole_in_the_matrix_is_named(hole):
    matrix = np.ones((4, 4))
    matrix[1, 2] = hole
    with pytest.raises(InputError, match=r"matrix: the distance from 'b' to 'c' is .*; write a number from 0"):
        find(limit=9, matrix=matrix)


def test_cities_that_cannot_be_read():
    with pytest.raises(InputError, match="all cities in one place"):
        find({"a": (1, 1), "b": (1, 1)}, limit=9)
