"""A user's data either becomes valid arrays or is refused by one sentence that names the place at fault."""

import csv
import io

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lmta.hints import hearing
from lmta.problems.delimited import Rows, canonical_ids, read_rows
from lmta.problems.influence.importer import Network, load_network
from lmta.problems.orienteering.importer import Cities, load_cities
from lmta.types import DataWarning, InputError

SOURCES = "source/from/src/sender/u/node1/id1/followee"
TARGETS = "target/to/dst/receiver/v/node2/id2/follower"
HEADER_NAMES = f"{SOURCES}, {TARGETS}, probability/prob/p/weight."


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("importers")


def written(folder, name, content):
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8", "surrogatepass"))
    return path


def refusal(load, *arguments, **options):
    with pytest.raises(InputError) as caught:
        load(*arguments, **options)
    message = str(caught.value)
    assert message.isprintable(), "one line"
    return message


def edges_of(network: Network):
    pairs = zip(network.senders, network.receivers, strict=True)
    return [(network.ids[sender], network.ids[receiver]) for sender, receiver in pairs]


def check_network(network: Network):
    count = len(network.senders)
    assert network.num_nodes == len(set(network.ids)) > 0
    assert network.senders.dtype == network.receivers.dtype == np.int32
    assert network.probability.dtype == np.float32
    assert network.senders.shape == network.receivers.shape == network.probability.shape == (count,)
    assert len(set(edges_of(network))) == count
    assert (network.senders != network.receivers).all()
    assert ((network.probability >= 0) & (network.probability <= 1)).all()


def check_cities(cities: Cities):
    count = len(cities.names)
    assert len(set(cities.names)) == count >= 2
    assert cities.coordinates.shape == (count, 2)
    assert cities.coordinates.dtype == np.float64
    assert np.isfinite(cities.coordinates).all()
    assert len(np.unique(cities.coordinates, axis=0)) > 1
    if cities.profit is not None:
        assert cities.profit.shape == (count,)
        assert cities.profit[0] == 0
        assert np.isfinite(cities.profit).all()
        assert (cities.profit >= 0).all()


# Rows


@pytest.mark.parametrize(
    ("name", "text", "lines", "fields"),
    [
        ("a.csv", "a,b\nc,d\n", [1, 2], [("a", "b"), ("c", "d")]),
        ("a.CSV", "a,b", [1], [("a", "b")]),
        ("a.csv", "\ufeffa,b\n", [1], [("a", "b")]),
        ("a.csv", "# x;y\n\n  \na;b\n#c;d\n", [4, 5], [("a", "b"), ("#c", "d")]),
        ("a.csv", "a\tb\n", [1], [("a", "b")]),
        ("a.csv", "a b\n", [1], [("a b",)]),
        ("a.csv", '"a, b";c\n', [1], [("a, b", "c")]),
        ("a.csv", '1, "a, ""b"""\n', [1], [("1", 'a, "b"')]),
        ("a.csv", '"a\n# no comment\n\nb",c\nd,e\n', [1, 5], [("a\n# no comment\n\nb", "c"), ("d", "e")]),
        ("a.csv", '# an "open, "quote\na , b\r\nc,d\re,f', [2, 3, 4], [("a", "b"), ("c", "d"), ("e", "f")]),
        ("a.csv", "a\u2028b,c\x0b\n", [1], [("a\u2028b", "c")]),
        ("a.tsv", "a,b\tc\n", [1], [("a,b", "c")]),
        ("a.tsv", "a b\n", [1], [("a b",)]),
        ("a.txt", "a\tb,c\n", [1], [("a", "b,c")]),
        ("a.txt", "a,b\n", [1], [("a", "b")]),
        ("a.txt", "a;b\n", [1], [("a", "b")]),
        ("a.txt", "# SNAP\na   b\n  c d \n", [2, 3], [("a", "b"), ("c", "d")]),
        ("a", "a b\n", [1], [("a", "b")]),
    ],
)
def test_rows_keep_their_lines(folder, name, text, lines, fields):
    assert read_rows(written(folder, name, text), 3) == Rows(lines, fields)


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (b"", ": has no rows; one record per line is needed."),
        (b"# only\n\n \n", ": has no rows; one record per line is needed."),
        (b"a,b\r\nc,\xff\n", ", line 2: is not UTF-8; save the file as UTF-8 text."),
        (b"a,b\rc,d\r\ne\0\n", ", line 3: has a NUL byte; save the file as UTF-8 text."),
        (b'a,b\n\n"c"x,d\n', ", line 3: is malformed (',' expected after '\"'); close each quote, "),
        (b'a;b\n"c"x;d\n', ", line 2: is malformed (';' expected after '\"'); close each quote, "),
        (b'a\tb\n"c"x\td\n', ", line 2: is malformed ('tab' expected after '\"'); close each quote, "),
        (b"a,b\n" + b"c," * 60_000, ", line 2: is longer than 100,000 characters; write one record per line"),
        (b"a,b\n" + b'c,"\n",' * 20_000, ", line 2: is longer than 100,000 characters; write one record per line"),
        (b'a,b\n"c,d\n\ne,f\n', ", line 2: is malformed (unexpected end of data); close each quote, "),
    ],
)
def test_unreadable_rows_are_refused(folder, content, fault):
    path = written(folder, "bad.csv", content)
    assert refusal(lambda bad: read_rows(bad, 3), path).startswith(f"{path}{fault}")


def test_rows_that_no_table_has_are_not_read_on(folder):
    """Memory is bounded by the columns that are wanted, whatever a file holds."""
    wide = written(folder, "wide.csv", "a,b,c,d\n" * 3)
    assert read_rows(wide, 3).lines == [1]
    assert read_rows(wide, 4).lines == [1, 2, 3]
    assert read_rows(written(folder, "uneven.csv", "a,b\na,b,c\na,b\n"), 3).lines == [1, 2]


@pytest.mark.parametrize("load", [load_network, load_cities])
@pytest.mark.parametrize("suffix", [".csv", ".graphml", ".tsp"])
def test_a_path_that_is_no_file_is_refused(folder, load, suffix):
    missing = folder / f"missing{suffix}"
    assert refusal(load, str(missing)) == f"{missing}: there is no such file; give the path of one that exists."
    directory = folder / f"directory{suffix}"
    directory.mkdir(exist_ok=True)
    assert refusal(load, directory) == f"{directory}: is a directory; give the path of a file."
    assert "'1,2\\n3,4" in refusal(load, f"1,2\n3,4{suffix}")
    assert "cannot be used" in refusal(load, f"a\0b{suffix}")
    assert "cannot be used" in refusal(load, "a" * 5000 + suffix)


@pytest.mark.parametrize(
    ("texts", "ids"),
    [
        (["1", "-2", "0"], (1, -2, 0)),
        (["1", "007"], ("1", "007")),
        (["1", "+2"], ("1", "+2")),
        (["1", "1_0"], ("1", "1_0")),
        (["1", "-0"], ("1", "-0")),
        (["1", "٣"], ("1", "٣")),
        (["1", "a"], ("1", "a")),
        (["1", "9" * 5000], ("1", "9" * 5000)),
    ],
)
def test_ids_are_integers_only_if_all_are_written_so(texts, ids):
    assert canonical_ids(texts) == ids


# Networks


@pytest.mark.parametrize(
    ("name", "text", "ids", "edges", "probability"),
    [
        ("a.csv", "7,3\n3,5\n7,5\n", (7, 3, 5), [(7, 3), (3, 5), (7, 5)], [1, 0.5, 0.5]),
        ("a.csv", "1,2,0.25\n2,1,1e-1\n", (1, 2), [(1, 2), (2, 1)], [0.25, 0.1]),
        ("a.csv", "P,TO,From\n0.5,a,b\n", ("b", "a"), [("b", "a")], [0.5]),
        ("a.tsv", "u\tv\n1\t2\n", (1, 2), [(1, 2)], [1]),
        ("a.txt", "# FromNodeId ToNodeId\n1 2\n", (1, 2), [(1, 2)], [1]),
        ("a.csv", "007,é\na b,007\n", ("007", "é", "a b"), [("007", "é"), ("a b", "007")], [1, 1]),
        ("a.csv", '"a,b","c"\n', ("a,b", "c"), [("a,b", "c")], [1]),
        ("a.csv", "a,b\nb,1\n", ("a", "b", "1"), [("a", "b"), ("b", "1")], [1, 1]),
        ("a.csv", "a,1\n1,2\n", ("a", "1", "2"), [("a", "1"), ("1", "2")], [1, 1]),
    ],
)
def test_edge_lists(folder, name, text, *, ids, edges, probability):
    network = load_network(written(folder, name, text))
    check_network(network)
    assert network.ids == ids
    assert edges_of(network) == edges
    assert network.probability == pytest.approx(probability)


@pytest.mark.parametrize("probability", [None, [0.2, 0.4]])
def test_undirected_edges_count_both_ways(folder, probability):
    text = "a,b\nb,c\n" if probability is None else "a,b,0.2\nb,c,0.4\n"
    arrays = ([0, 1], [1, 2]) if probability is None else ([0, 1], [1, 2], probability)
    expected = [0.5, 1, 1, 0.5] if probability is None else [0.2, 0.4, 0.2, 0.4]
    for source in (written(folder, "undirected.csv", text), arrays):
        network = load_network(source, directed=False)
        check_network(network)
        assert network.senders.tolist() == [0, 1, 1, 2]
        assert network.receivers.tolist() == [1, 2, 0, 1]
        assert network.probability == pytest.approx(expected)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("a,b\nb,c,0.5\n", ", line 2: expected 2 columns (source, target) as in line 1, found 3."),
        (
            "p,v,u\n\n1,b\n",
            ", line 3: expected 3 columns (probability, target, source) as in the header on line 1",
        ),
        ("\na\n", ", line 2: expected 2 columns (source, target) or 3 (also probability), found 1."),
        ("a,b,0,d\n", ", line 1: expected 2 columns (source, target) or 3 (also probability), found 4."),
        ("a,b,0.5\nb,c,x\n", ", line 2: probability 'x' is not a number; write a finite number."),
        ("a,b,0.5\nb,c, \n", ", line 2: probability is missing; write a finite number."),
        ("a,b,\n", ", line 1: probability is missing; write a finite number."),
        ("a,b,nan\n", ", line 1: probability 'nan' is not finite; write a finite number."),
        ("a,b,0\nb,c,-inf\n", ", line 2: probability '-inf' is not finite; write a finite number."),
        ("a,b,0\nb,c,1.5\n", ", line 2: probability 1.5 is not between 0 and 1; write one that is."),
        ("a,b,-0.1\n", ", line 1: probability -0.1 is not between 0 and 1; write one that is."),
        ("a,b\n,c\n", ", line 2: source is empty; every record needs one."),
        ("a,b\nc,\n", ", line 2: target is empty; every record needs one."),
        ("source,target\n", ", line 1: is a header without rows; write one record per line below it."),
        ("ann,bob,w\nbob,cyd,0.5\n", ", line 1: looks like a header, since probability 'w' is not a number, "),
        ("ann,bob,high\ncyd,dan,0.5\n", ", line 1: looks like a header, since probability 'high' is not a number, "),
        ("source,source\n1,2\n", ", line 1: looks like a header, since no other line is like it, but the names "),
        ("weight,person\n1,2\n", ", line 1: looks like a header, since no other line is like it, but the names "),
        ("person,friend,kind\n1,2,boss\n", ", line 2: probability 'boss' is not a number; "),
    ],
)
def test_bad_edge_lists_are_refused(folder, text, fault):
    path = written(folder, "bad.csv", text)
    assert refusal(load_network, path).startswith(f"{path}{fault}")


def test_an_unknown_header_is_told_the_names_that_are_understood(folder):
    path = written(folder, "bad.csv", "source,source\n1,2\n")
    assert refusal(load_network, path).endswith(f"but the names understood are {HEADER_NAMES}")


PAIRS = "".join(f"left {i},right {i}\n" for i in range(5))
"""No two lines have a node in common."""
CHAIN = "".join(f"n{i},n{i + 1}\n" for i in range(100))
"""Every line has one in common with the next."""


@pytest.mark.parametrize(
    ("text", "line", "first", "header", "edges"),
    [
        ("fan,star\nann,bob\nbob,cyd\n", 1, "'fan', 'star'", "source,target", [("ann", "bob"), ("bob", "cyd")]),
        ("#\nvon,nach\n1,2\n3,04\n", 2, "'von', 'nach'", "source,target", [("1", "2"), ("3", "04")]),
        ("x,y\n1,2\n", 1, "'x', 'y'", "source,target", [(1, 2)]),
        ("client,good\n1,tea\n2,rice\n", 1, "'client', 'good'", "source,target", [("1", "tea"), ("2", "rice")]),
        ("to,person\n1,2\n", 1, "'to', 'person'", "target,source", [(2, 1)]),
        ("a,b,w\n1,2,0.5\n", 1, "'a', 'b', 'w'", "source,target,probability", [(1, 2)]),
        ("p,fan,star\n0.5,1,2\n", 1, "'p', 'fan', 'star'", "probability,source,target", [(1, 2)]),
        (f"fan,star\n{CHAIN}{PAIRS}", 1, "'fan', 'star'", "source,target", None),
        (f"fan,star\n{PAIRS}", 1, "'fan', 'star'", "source,target", None),
        ("fan,star,w\nann,bob,0.5\ncyd,dan,1\n", 1, "'fan', 'star', 'w'", "source,target,probability", None),
    ],
)
def test_what_can_only_be_a_header_is_taken_as_one_and_said(folder, text, line, first, header, edges):
    path = written(folder, "headed.csv", text)
    with pytest.warns(DataWarning) as said:
        network = load_network(path)
    assert [str(warning.message) for warning in said] == [
        f"{path}, line {line}: {first} was taken as a header for {header}; "
        f"write {header} in its place if that is right, or above it if it is a record."
    ]
    assert not {"fan", "star"} & set(network.ids)
    assert edges is None or edges_of(network) == edges


@pytest.mark.parametrize("above", [True, False])
def test_the_remark_says_how_to_have_it_otherwise(folder, above):
    """Warnings are errors in tests: there is none once the header is written."""
    text = "person,friend\nann,bob\nbob,cyd\n"
    text = f"source,target\n{text}" if above else text.replace("person,friend", "source,target")
    network = load_network(written(folder, "said.csv", text))
    assert edges_of(network) == [("person", "friend")] * above + [("ann", "bob"), ("bob", "cyd")]


@pytest.mark.parametrize("first", ["ann,bob\n", "bob,eve\n", "n7,eve\n"])
def test_an_edge_that_is_joined_to_another_is_no_header(folder, first):
    network = load_network(written(folder, "joined.csv", f"{first}bob,cyd\n{CHAIN}"))
    assert edges_of(network)[0] == tuple(first.strip().split(","))


def test_an_edge_with_a_probability_is_no_header(folder):
    network = load_network(written(folder, "weighted.csv", "fan,star,0.5\nann,bob,1\nbob,cyd,1\n"))
    assert edges_of(network)[0] == ("fan", "star")


def test_integers_are_no_header(folder):
    assert load_network(written(folder, "integers.csv", "0,1\n2,3\n4,5\n")).num_nodes == 6


@pytest.mark.parametrize("text", ["fan,star\nann,bob\n", f"0,1\n{CHAIN}"])
def test_what_may_be_a_header_or_an_edge_stays_an_edge_and_is_said(folder, text):
    first, second = text.split("\n")[0].split(",")
    path = written(folder, "likely.csv", text)
    with pytest.warns(DataWarning) as said:
        network = load_network(path)
    assert [str(warning.message) for warning in said] == [
        f"{path}, line 1: '{first}' and '{second}' stand on no other line and were read as an edge; "
        "write source,target above them if they are one, or in their place if they are a header."
    ]
    assert edges_of(network)[0] == (first, second)


def test_weights_are_read_as_probabilities_and_it_is_said(folder):
    path = written(folder, "weights.csv", "source,target,Weight\nann,bob,0.25\nbob,cyd,1\n")
    network, said = heard(path)
    assert network.probability.tolist() == [0.25, 1]
    assert said == (
        f"{path}: the column 'weight' was read as the probability of each edge; "
        "call it probability if it is that, and leave it out if it is not."
    )


def test_weights_that_are_no_probabilities_are_refused_by_their_name(folder):
    path = written(folder, "weights.csv", "source,target,weight\nann,bob,0.25\nbob,cyd,17\n")
    said = ", line 3: weight 17.0 is not between 0 and 1; write one that is, or leave the column out if it holds no "
    assert refusal(load_network, path) == f"{path}{said}probabilities."


@pytest.mark.parametrize("source", ["probable.csv", "probable.graphml", "graph", "arrays"])
def test_a_probability_beside_those_of_the_data_is_said_to_have_no_effect(folder, source):
    graph = nx.DiGraph([("ann", "bob", {"probability": 0.25})])
    path = written(folder, "probable.csv", "source,target,probability\nann,bob,0.25\n")
    nx.write_graphml(graph, folder / "probable.graphml")
    given = {"graph": graph, "arrays": ([0], [1], [0.25]), "probable.csv": path}.get(source, folder / source)
    network, said = heard(given, probability=0.5)
    assert network.probability.tolist() == [0.25]
    assert said.endswith(
        ": has a probability for each edge, which counts; the probability 0.5 that was given has no effect."
    )


def test_directed_graphs_count_both_ways_where_that_is_asked_for(folder):
    graph = nx.DiGraph([("ann", "bob"), ("bob", "cyd")])
    nx.write_graphml(graph, folder / "directed.graphml")
    for source in (graph, folder / "directed.graphml"):
        assert len(edges_of(load_network(source))) == 2
        both = [("ann", "bob"), ("bob", "ann"), ("bob", "cyd"), ("cyd", "bob")]
        assert sorted(edges_of(load_network(source, directed=False))) == both


def test_arrays_with_gaps_as_wide_as_memory_are_refused():
    assert refusal(load_network, ([0, 2_000_000_000], [1, 2])).startswith("The arrays name node 2000000000")


def heard(source, **options):
    """The network, and the one warning about it."""
    with pytest.warns(DataWarning) as said:
        network = load_network(source, **options)
    check_network(network)
    (warning,) = said
    assert str(warning.message).isprintable()
    return network, str(warning.message)


@pytest.mark.parametrize(
    ("text", "directed", "edges", "probability", "remark"),
    [
        ("a,b\n\nb,b\n", True, [("a", "b")], [1], "1 self-loop dropped (first: line 3)."),
        ("c,c\nc,c\nc,a\n", True, [("c", "a")], [1], "2 self-loops dropped (first: line 1)."),
        ("a,b\nb,a\na,b\n", True, [("a", "b"), ("b", "a")], [1, 1], "1 repeated edge merged (first: line 3)."),
        (
            "a,b\nb,a\na,b\n",
            False,
            [("a", "b"), ("b", "a")],
            [1, 1],
            "2 repeated edges merged either way round (first: line 2).",
        ),
        (
            "a,c\nb,c\nb,c\na,c\nb,b\n",
            True,
            [("a", "c"), ("b", "c")],
            [0.5, 0.5],
            "1 self-loop dropped (first: line 5) and 2 repeated edges merged (first: line 3).",
        ),
        ("a,b,0.1\na,b,0.1\n", True, [("a", "b")], [0.1], "1 repeated edge merged (first: line 2)."),
        (
            "a,b,0.5\nb,c,0.3\na,b,0.2\na,b,0.5\nb,c,0.3\n",
            True,
            [("a", "b"), ("b", "c")],
            [0.6, 0.3],
            "3 repeated edges merged (first: line 3); 1 edge of different probabilities combined as 1 - Π(1 - p).",
        ),
        (
            "a,b,1\nb,a,0.2\n",
            False,
            [("a", "b"), ("b", "a")],
            [1, 1],
            "1 repeated edge merged either way round (first: line 2); "
            "1 edge of different probabilities combined as 1 - Π(1 - p).",
        ),
        ("a,a,0.1\na,a,0.2\na,b,0\n", True, [("a", "b")], [0], "2 self-loops dropped (first: line 1)."),
    ],
)
def test_self_loops_are_dropped_and_repeats_merged(folder, text, directed, *, edges, probability, remark):
    path = written(folder, "loops.csv", text)
    network, said = heard(path, directed=directed)
    assert said == f"{path}: {remark}"
    assert edges_of(network) == edges
    assert network.probability == pytest.approx(probability)


def test_a_node_with_nothing_but_a_self_loop_stays(folder):
    network, _ = heard(written(folder, "loops.csv", "source,target\na,b\nc,c\n"))
    assert network.ids == ("a", "b", "c")
    network, _ = heard(written(folder, "loops.csv", "c,c\n"))
    assert (network.ids, len(network.senders)) == (("c",), 0)


def test_arrays_and_graphs_are_merged_alike(folder):
    pairs, values = [(0, 1), (1, 1), (0, 1), (1, 2)], [0.5, 0.9, 0.2, 0.4]
    graph = nx.MultiDiGraph()
    graph.add_edges_from((*pair, {"p": p}) for pair, p in zip(pairs, values, strict=True))
    path = folder / "multi.graphml"
    nx.write_graphml(graph, path)
    arrays = (*map(list, zip(*pairs, strict=True)), values)
    for source, label, loop, repeat in (
        (arrays, "The arrays", "index 1", "index 2"),
        (graph, "The graph", "edge 1 -> 1", "edge 0 -> 1"),
        (path, str(path), "edge '1' -> '1'", "edge '0' -> '1'"),
    ):
        network, said = heard(source)
        assert said == (
            f"{label}: 1 self-loop dropped (first: {loop}) and 1 repeated edge merged (first: {repeat}); "
            "1 edge of different probabilities combined as 1 - Π(1 - p)."
        )
        assert edges_of(network) == [(0, 1), (1, 2)]
        assert network.probability == pytest.approx([0.6, 0.4])


def test_a_remark_about_the_header_stands_beside_the_count(folder):
    with pytest.warns(DataWarning) as said:
        load_network(written(folder, "loops.csv", "fan,star\n1,2\n2,2\n"))
    assert ["header" in str(warning.message) for warning in said] == [True, False]


@settings(max_examples=200)
@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.sampled_from([0, 0.25, 0.5, 1])), min_size=1),
    st.booleans(),
)
def test_merging_by_brute_force(edges, directed):
    """Every pair of nodes is joined with the probability that not all of its different tries miss."""
    tries = {}
    for source, target, p in edges:
        for pair in {(source, target)} if directed else {(source, target), (target, source)}:
            if source != target:
                tries.setdefault(pair, set()).add(p)
    expected = {pair: 1 - np.prod([1 - p for p in given]) for pair, given in tries.items()}
    with hearing():
        network = load_network(tuple(map(list, zip(*edges, strict=True))), directed=directed)
    check_network(network)
    assert dict(zip(edges_of(network), network.probability, strict=True)) == pytest.approx(expected)


def test_networkx_graphs_keep_nodes_ids_and_order():
    graph = nx.DiGraph()
    graph.add_nodes_from(["alone", (1, 2), 7])
    graph.add_edge(7, (1, 2), p=0.25)
    network = load_network(graph)
    check_network(network)
    assert network.ids == ("alone", (1, 2), 7)
    assert edges_of(network) == [(7, (1, 2))]
    assert network.probability.tolist() == [0.25]


def test_undirected_networkx_graphs_give_both_directions():
    network = load_network(nx.path_graph(3))
    check_network(network)
    assert sorted(edges_of(network)) == [(0, 1), (1, 0), (1, 2), (2, 1)]
    assert network.probability[network.receivers == 1].tolist() == [0.5, 0.5]


def test_a_graph_without_edges_is_a_network(folder):
    path = folder / "alone.graphml"
    nx.write_graphml(nx.empty_graph(2), path)
    for source in (nx.empty_graph(2), path):
        network = load_network(source)
        check_network(network)
        assert network.ids == (0, 1)
        assert len(network.senders) == 0


@pytest.mark.parametrize(
    ("edges", "fault"),
    [
        ([("a", "b", {"p": 0.1}), ("b", "c", {})], "The graph, edge 'b' -> 'c': p is missing; "),
        ([("a", "b", {"probability": "x"})], "The graph, edge 'a' -> 'b': probability 'x' is not a number; "),
        ([("a", "b", {"p": float("nan")})], "The graph, edge 'a' -> 'b': p nan is not finite; "),
        ([("a", "b", {"p": 10**400})], "The graph, edge 'a' -> 'b': p 1000"),
        ([("a", "b", {"p": 2})], "The graph, edge 'a' -> 'b': probability 2.0 is not between 0 and 1; "),
        ([], "The graph: has no nodes; give at least one."),
    ],
)
def test_bad_networkx_graphs_are_refused(edges, fault):
    graph = nx.DiGraph()
    graph.add_edges_from(edges)
    assert refusal(load_network, graph).startswith(fault)


@pytest.mark.parametrize("kind", [nx.MultiGraph, nx.MultiDiGraph])
def test_networkx_multigraphs_are_graphs(kind):
    graph = kind()
    graph.add_edge(0, 1)
    assert edges_of(load_network(graph)) == ([(0, 1)] if graph.is_directed() else [(0, 1), (1, 0)])


@pytest.mark.parametrize("attribute", ["probability", "p"])
@pytest.mark.parametrize("kind", [nx.Graph, nx.DiGraph])
@pytest.mark.parametrize("nodes", [(3, 1, 2), ("é", "a b", "007")])
def test_graphml_reads_as_the_graph_that_wrote_it(folder, attribute, kind, nodes):
    graph = kind()
    graph.add_nodes_from(nodes)
    graph.add_edge(nodes[2], nodes[0], **{attribute: 0.25})
    path = folder / "written.GraphML"
    nx.write_graphml(graph, path)
    network, expected = load_network(path), load_network(graph)
    check_network(network)
    assert network.ids == nodes
    assert edges_of(network) == edges_of(expected)
    assert network.probability.tolist() == expected.probability.tolist()


ANY_GRAPHML = '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">{}<graph edgedefault="{}">{}</graph></graphml>'
DEFAULT_KEY = '<key id="k" for="edge" attr.name="p" attr.type="double"><default>0.5</default></key>'
GRAPHML = ANY_GRAPHML.format(DEFAULT_KEY, "directed", "{}")


def test_graphml_defaults_apply_to_edges_without_a_value(folder):
    edges = '<edge source="a" target="b"/><edge source="b" target="a"><data key="k">0.1</data></edge>'
    network = load_network(written(folder, "default.graphml", GRAPHML.format(edges)))
    assert network.probability == pytest.approx([0.5, 0.1])


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        ("", ": is not GraphML that can be read ("),
        ("<graphml", ": is not GraphML that can be read ("),
        ("<html></html>", ": is not GraphML that can be read ("),
        ('<?xml version="1.0" encoding="nonsense"?><graphml/>', ": is not GraphML that can be read ("),
        (GRAPHML.format(""), ": has no nodes; give at least one."),
        (GRAPHML.format("<node/>"), ": is not GraphML that can be read ('a node has no id, or an edge"),
        (
            GRAPHML.format('<edge source="a"/>'),
            ": is not GraphML that can be read ('a node has no id, or an edge",
        ),
        (
            GRAPHML.format('<edge source="a" target="b"><data key="k">x</data></edge>'),
            ": is not GraphML that can be read (\"could not convert string to float: 'x'\").",
        ),
        (
            GRAPHML.format('<edge source="a" target="b"><data key="k">2</data></edge>'),
            ", edge 'a' -> 'b': probability 2.0 is not between 0 and 1; write one that is.",
        ),
    ],
)
def test_bad_graphml_is_refused(folder, content, fault):
    path = written(folder, "bad.graphml", content)
    assert refusal(load_network, path).startswith(f"{path}{fault}")


def test_arrays_name_nodes_by_number():
    network = load_network((np.array([3, 0]), np.array([0, 1]), [0.5, 1]))
    check_network(network)
    assert network.ids == (0, 1, 2, 3)
    assert edges_of(network) == [(3, 0), (0, 1)]
    assert network.probability.tolist() == [0.5, 1]


@pytest.mark.parametrize(
    ("source", "fault"),
    [
        (([0], [1], [1], [1]), "A tuple of arrays is (senders, receivers[, probability]), not 4 long."),
        (([], []), "The arrays of a network are empty; give at least one edge."),
        (([0, 1], [1]), "The arrays of a network must be of one length, not [2, 1]."),
        (([0.0], [1]), "The array senders of a network must be one-dimensional and hold integers."),
        (([0], [[1]]), "The array receivers of a network must be one-dimensional and hold integers."),
        (([0], [1, [2]]), "The array receivers of a network must be one-dimensional and hold integers."),
        (([True], [0]), "The array senders of a network must be one-dimensional and hold integers."),
        (([0], [1], ["x"]), "The array probability of a network must be one-dimensional and hold numbers."),
        (([0, -1], [1, 0]), "The arrays, index 1: senders -1 is not a node; number the nodes from 0 up."),
        (([0], [2**40]), "The arrays, index 0: receivers 1099511627776 is not a node; "),
        (([0, 1], [1, 0], [1, np.nan]), "The arrays, index 1: probability nan is not finite; "),
        (([0], [1], [1.5]), "The arrays, index 0: probability 1.5 is not between 0 and 1; "),
        (
            [[0], [1]],
            "A network is read from a path, a NetworkX graph or a tuple of arrays, not from [[0], [1]].",
        ),
        (None, "A network is read from a path, a NetworkX graph or a tuple of arrays, not from None."),
    ],
)
def test_bad_arrays_are_refused(source, fault):
    assert refusal(load_network, source).startswith(fault)


# Cities

TSP = "NAME : tiny\nTYPE: TSP\nDIMENSION : {}\nEDGE_WEIGHT_TYPE : {}\nNODE_COORD_SECTION\n{}"


@pytest.mark.parametrize(
    ("name", "text", "names", "coordinates", "profit"),
    [
        ("a.csv", "A,0,1\nB,2,3.5\n", ("A", "B"), [[0, 1], [2, 3.5]], None),
        ("a.csv", "1,0,1,9\n2,2,3,4\n", (1, 2), [[0, 1], [2, 3]], [0, 4]),
        ("a.csv", "Prize;Y;x;City\n9;1;0;007\n4;3;2;é b\n", ("007", "é b"), [[0, 1], [2, 3]], [0, 4]),
        ("a.txt", "# x\n1 0 1\n2 2 3\n", (1, 2), [[0, 1], [2, 3]], None),
        ("a.csv", '"a, b",0,1\n"c\nd",2,3\n', ("a, b", "c\nd"), [[0, 1], [2, 3]], None),
        ("a.tsp", TSP.format(2, "EUC_2D", "4 0 1\n2 2.0 3e0\nEOF\nignored"), (4, 2), [[0, 1], [2, 3]], None),
        ("a.TSP", TSP.format(2, "ATT", " 1 0 1\n\n 2 2 3"), (1, 2), [[0, 1], [2, 3]], None),
        ("a.tsp", TSP.format(2, "ceil_2d", "1 0 1\n2 2 3\neof"), (1, 2), [[0, 1], [2, 3]], None),
        ("a.tsp", "NODE_COORD_SECTION\n1 0 1\n2 2 3\n", (1, 2), [[0, 1], [2, 3]], None),
    ],
)
def test_city_files(folder, name, text, *, names, coordinates, profit):
    cities = load_cities(written(folder, name, text))
    check_cities(cities)
    assert cities.names == names
    assert cities.coordinates.tolist() == coordinates
    assert (None if cities.profit is None else cities.profit.tolist()) == profit


def test_degrees_are_taken_on_a_plane_and_it_is_said(folder):
    path = written(folder, "degrees.csv", "name,Lat,lon\nA,52.5,13.4\nB,48.1,11.6\n")
    with pytest.warns(DataWarning) as said:
        cities = load_cities(path)
    assert cities.coordinates.tolist() == [[13.4, 52.5], [11.6, 48.1]]
    assert [str(warning.message) for warning in said] == [
        f"{path}: 'Lat' and 'lon' were taken as coordinates on a plane, where a degree is as long anywhere; "
        "project them first, to kilometres for instance, and call them x and y."
    ]


@pytest.mark.parametrize(
    ("text", "first", "header"),
    [
        ("town,x,y\nA,0,1\nB,2,3\n", "'town', 'x', 'y'", "name,x,y"),
        ("ort,breite,höhe,wert\nA,0,1,9\nB,2,3,4\n", "'ort', 'breite', 'höhe', 'wert'", "name,x,y,profit"),
        ("x,y,town\n0,1,A\n2,3,B\n", "'x', 'y', 'town'", "x,y,name"),
        ("id,y,east\nA,1,0\nB,3,2\n", "'id', 'y', 'east'", "name,y,x"),
    ],
)
def test_words_above_coordinates_are_taken_as_a_header_and_it_is_said(folder, text, first, header):
    path = written(folder, "headed.csv", text)
    with pytest.warns(DataWarning) as said:
        cities = load_cities(path)
    assert [str(warning.message) for warning in said] == [
        f"{path}, line 1: {first} was taken as a header for {header}; "
        f"write {header} in its place if that is right, or above it if it is a record."
    ]
    assert cities.names == ("A", "B")
    assert cities.coordinates.tolist() == [[0, 1], [2, 3]]


@pytest.mark.parametrize(
    ("source", "names", "profit"),
    [
        ({"b": (0, 1), 7: [2, 3]}, ("b", 7), None),
        ({"b": (0, 1, 9), "a": np.array([2, 3, 4])}, ("b", "a"), [0, 4]),
        ([[0, 1], [2, 3]], (0, 1), None),
        (np.array([[0, 1, 9], [2, 3, 4]]), (0, 1), [0, 4]),
    ],
)
def test_cities_in_memory(source, names, profit):
    cities = load_cities(source)
    check_cities(cities)
    assert cities.names == names
    assert cities.coordinates.tolist() == [[0, 1], [2, 3]]
    assert (None if cities.profit is None else cities.profit.tolist()) == profit


def test_the_start_keeps_no_profit_and_the_source_is_left_alone():
    array = np.array([[0.0, 1, 9], [2, 3, 4]])
    load_cities(array)
    assert array[0, 2] == 9


@pytest.mark.parametrize(
    ("name", "text", "fault"),
    [
        ("a.csv", "A,0,1\nB,nan,3\n", ", line 2: x 'nan' is not finite; write a finite number."),
        ("a.csv", "A,0,1\nB,2,1e13\n", ", line 2: y '1e13' is too large; keep it between -1e+12 and 1e+12."),
        ("a.csv", "A,0,1\n\nB,2,inf\n", ", line 3: y 'inf' is not finite; write a finite number."),
        ("a.csv", "A,0,1\nB,,3\n", ", line 2: x is missing; write a finite number."),
        ("a.csv", "A,0,1\nB,2,three\n", ", line 2: y 'three' is not a number; write a finite number."),
        ("a.csv", "A,0,1,0\nB,2,3,-1\n", ", line 2: profit '-1' is negative; write 0 or more."),
        ("a.csv", "A,0,1,0\nB,2,3,inf\n", ", line 2: profit 'inf' is not finite; write a finite number."),
        ("a.csv", "A,0,1\nB,2,3\n\nA,4,5\n", ", line 4: name 'A' repeats line 1; give each city once."),
        ("a.csv", "A,0,1\n,2,3\n", ", line 2: name is empty; every record needs one."),
        ("a.csv", "A,0,1\nB,2,3,4\n", ", line 2: expected 3 columns (name, x, y) as in line 1, found 4."),
        ("a.csv", "A,0\n", ", line 1: expected 3 columns (name, x, y) or 4 (also profit), found 2."),
        (
            "a.csv",
            "town,O,1\nA,0,1\n",
            ", line 1: looks like a header, since x 'O' is not a number, but the names ",
        ),
        (
            "a.csv",
            "A,'1,5','2,5'\nB,'2,5','3,5'\n".replace("'", '"'),
            ", line 1: looks like a header, since x '1,5' is not a number, but the names ",
        ),
        ("a.csv", "town,x,x\nA,0,1\n", ", line 1: looks like a header, since no other line is like it, but "),
        ("a.csv", "name,x,y\n", ", line 1: is a header without rows; write one record per line below it."),
        ("a.csv", "A,0,1\n", ": needs at least 2 cities, the start included, and has 1."),
        ("a.csv", "A,0,1\nB,0,1\n", ": has all cities in one place; give at least two that differ."),
        ("a.tsp", "", ": has no NODE_COORD_SECTION; a .tsp file needs one."),
        ("a.tsp", "NAME : x\nEOF\n", ", line 2: expected KEY : VALUE or NODE_COORD_SECTION, found 'EOF'."),
        (
            "a.tsp",
            TSP.format(2, "GEO", ""),
            ", line 4: EDGE_WEIGHT_TYPE 'GEO' is not one of EUC_2D, CEIL_2D, ATT.",
        ),
        ("a.tsp", TSP.format(2, "EXPLICIT", ""), ", line 4: EDGE_WEIGHT_TYPE 'EXPLICIT' is not one of "),
        (
            "a.tsp",
            TSP.format(3, "ATT", "1 0 1\n2 2 3\n"),
            ", line 3: DIMENSION is '3', but there are 2 rows; ",
        ),
        (
            "a.tsp",
            TSP.format("x", "ATT", "1 0 1\n2 2 3\n"),
            ", line 3: DIMENSION is 'X', but there are 2 rows; ",
        ),
        (
            "a.tsp",
            TSP.format(2, "ATT", "1 0 1\n2 2\n"),
            ", line 7: expected 3 fields (number, x, y), found 2.",
        ),
        ("a.tsp", TSP.format(2, "ATT", "1 0 1\nB 2 3\n"), ", line 7: number 'B' is not an integer."),
        ("a.tsp", TSP.format(2, "ATT", "1 0 1\n\n2 2 nan\n"), ", line 8: y 'nan' is not finite; "),
        (
            "a.tsp",
            TSP.format(2, "ATT", "1 0 1\n1 2 3\n"),
            ", line 7: name 1 repeats line 6; give each city once.",
        ),
        ("a.tsp", TSP.format(0, "ATT", ""), ": needs at least 2 cities, the start included, and has 0."),
    ],
)
def test_bad_city_files_are_refused(folder, name, text, fault):
    path = written(folder, name, text)
    assert refusal(load_cities, path).startswith(f"{path}{fault}")


@pytest.mark.parametrize(
    ("source", "fault"),
    [
        ({}, "The mapping: needs at least 2 cities, "),
        (
            {"a": (0, 1), "b": (2,)},
            "The mapping, city 'b': must be (x, y) for every city, or (x, y, profit) ",
        ),
        ({"a": (0, 1), "b": (2, 3, 4)}, "The mapping, city 'b': must be (x, y) for every city, "),
        ({"a": (0, 1), "b": 2}, "The mapping, city 'b': must be (x, y) for every city, "),
        ({"a": "01", "b": "23"}, "The mapping, city 'a': must be (x, y) for every city, "),
        ({"a": (0, 1), "b": (2, None)}, "The mapping, city 'b': y is missing; write a finite number."),
        ({"a": (0, 1, 0), "b": (2, 3, -4)}, "The mapping, city 'b': profit -4 is negative; write 0 or more."),
        ([[0, 1], [2, np.nan]], "The array, row 1: y "),
        (np.empty((0, 2)), "The array: needs at least 2 cities, "),
        ([[0, 1], [0, 1]], "The array: has all cities in one place; "),
        ([[0, 1], [2]], "Cities are read from a path, a mapping from name to (x, y[, profit]), or an array "),
        ([["0", "1"], ["2", "3"]], "Cities are read from a path, "),
        ([0, 1], "Cities are read from a path, "),
        (np.zeros((2, 4)), "Cities are read from a path, "),
        (None, "Cities are read from a path, "),
    ],
)
def test_bad_cities_in_memory_are_refused(source, fault):
    assert refusal(load_cities, source).startswith(fault)


# Anything at all

SUFFIXES = [".csv", ".tsv", ".txt", ".graphml", ".tsp"]
WORDS = [
    "0",
    "1",
    "2",
    "007",
    "0.5",
    "-1",
    "nan",
    "1e400",
    "a",
    "é",
    "source",
    "target",
    "p",
    "name",
    "x",
    "y",
]
MARKS = [",", ",", "\t", ";", " ", "\n", "\n", "\r\n", "\r", '"', '""', "#", "\ufeff", "\u2028"]
TSPLIB = [
    "DIMENSION : 2\n",
    "EDGE_WEIGHT_TYPE: ATT\n",
    "EDGE_WEIGHT_TYPE: GEO\n",
    "NODE_COORD_SECTION\n",
    "EOF\n",
]
PLACES = ["1 0 1\n", "2 2 3\n", "3 0 1\n", "1 1 1\n", "4 nan 0\n", "5 0\n", "6 1e400 0\n", "EOF\n"]
ELEMENTS = [
    "<node/>",
    '<node id="a"/>',
    '<node id="1"/>',
    '<node id="g" yfiles.foldertype="group"></node>',
    '<edge source="a" target="b"/>',
    '<edge source="b" target="a" directed="true"/>',
    '<edge source="a" target="a"/>',
    '<edge source="a" target="b"><data key="k">0.25</data></edge>',
    '<edge source="1" target="2"><data key="k"/></edge>',
    '<edge source="2" target="1" id="&#10;"><data key="&#10;">1</data></edge>',
    '<data key="k"><x/></data>',
    "<port/>",
    "<hyperedge/>",
]
KEYS = [
    "",
    '<key id="k" for="edge" attr.name="p" attr.type="double"/>',
    '<key id="k" for="edge" attr.name="p" attr.type="double"><default/></key>',
    '<key id="k" for="edge" attr.name="p" attr.type="boolean"><default/></key>',
    '<key id="k" for="edge" attr.name="p" attr.type="boolean"/>',
    '<key id="k" for="edge" attr.name="p" attr.type="what"/>',
    '<key id="k" for="edge" attr.name="probability"/>',
    '<key id="k"/>',
]

near_lines = st.integers(2, 4).flatmap(
    lambda width: st.lists(st.lists(st.sampled_from(WORDS), min_size=width, max_size=width).map(",".join))
)
near_tables = near_lines.map("\n".join) | st.lists(st.sampled_from(WORDS + MARKS), max_size=30).map("".join)
near_tsplib = st.builds(
    "{}NODE_COORD_SECTION\n{}{}".format,
    st.lists(st.sampled_from(TSPLIB), max_size=2).map("".join),
    st.lists(st.sampled_from(PLACES), max_size=4).map("".join),
    st.lists(st.sampled_from(WORDS + MARKS), max_size=4).map("".join),
)
near_graphml = st.builds(
    ANY_GRAPHML.format,
    st.sampled_from(KEYS),
    st.sampled_from(["directed", "undirected", ""]),
    st.lists(st.sampled_from(ELEMENTS), max_size=5).map("".join),
)


def loads_or_refuses(load, check, path, **options):
    try:
        loaded = load(path, **options)
    except InputError as error:
        assert str(error).isprintable()
        assert str(path) in str(error)
    else:
        check(loaded)


@pytest.mark.filterwarnings("ignore::lmta.types.DataWarning")
@settings(max_examples=600, deadline=None)
@given(
    content=st.binary() | st.text() | near_tables | near_tsplib | near_graphml,
    suffix=st.sampled_from(SUFFIXES),
    directed=st.booleans(),
)
def test_any_file_loads_or_is_refused(folder, content, suffix, directed):
    path = written(folder, f"any{suffix}", content)
    loads_or_refuses(load_network, check_network, path, directed=directed)
    loads_or_refuses(load_cities, check_cities, path)


@pytest.mark.filterwarnings("ignore::lmta.types.DataWarning")
@settings(max_examples=300, deadline=None)
@given(content=near_graphml)
def test_any_graphml_loads_or_is_refused(folder, content):
    loads_or_refuses(load_network, check_network, written(folder, "near.graphml", content))


@settings(max_examples=300, deadline=None)
@given(content=near_tsplib)
def test_any_tsplib_loads_or_is_refused(folder, content):
    loads_or_refuses(load_cities, check_cities, written(folder, "near.tsp", content))


texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1)
names = texts.filter(lambda text: text == text.strip() and not text.startswith("#"))
integers = st.integers(0, 10**20).map(str)
probabilities = st.floats(0, 1, width=32)


@st.composite
def edge_lists(draw):
    pair = st.one_of(st.tuples(names, names), st.tuples(integers, integers)).filter(lambda ends: ends[0] != ends[1])
    edges = draw(st.lists(pair, min_size=1, max_size=8, unique=True))
    return [(source, target, draw(probabilities)) for source, target in edges]


@settings(max_examples=200, deadline=None)
@given(edges=edge_lists(), suffix=st.sampled_from([".csv", ".tsv"]))
def test_valid_edge_lists_come_back_as_written(folder, edges, suffix):
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter="," if suffix == ".csv" else "\t", quoting=csv.QUOTE_ALL)
    writer.writerows([("source", "target", "probability"), *edges])
    network = load_network(written(folder, f"valid{suffix}", text.getvalue()))
    check_network(network)
    assert [(str(source), str(target)) for source, target in edges_of(network)] == [edge[:2] for edge in edges]
    assert network.probability.tolist() == [edge[2] for edge in edges]
    assert list(map(str, network.ids)) == list(dict.fromkeys(end for edge in edges for end in edge[:2]))


@settings(max_examples=200, deadline=None)
@given(
    cities=st.dictionaries(
        names,
        st.tuples(*[st.floats(-1e12, 1e12)] * 2, st.floats(0, 1e9)),
        min_size=2,
    ).filter(lambda cities: len({point[:2] for point in cities.values()}) > 1)
)
def test_valid_cities_come_back_as_written(folder, cities):
    text = io.StringIO(newline="")
    writer = csv.writer(text, quoting=csv.QUOTE_ALL)
    writer.writerows([("name", "x", "y", "profit"), *((name, *point) for name, point in cities.items())])
    for source in (written(folder, "cities.csv", text.getvalue()), cities):
        loaded = load_cities(source)
        check_cities(loaded)
        assert list(map(str, loaded.names)) == list(cities)
        assert loaded.coordinates.tolist() == [list(point[:2]) for point in cities.values()]
        assert loaded.profit is not None
        assert loaded.profit[1:].tolist() == [point[2] for point in cities.values()][1:]
