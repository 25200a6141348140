"""`lmta plan` for a problem that another package brings."""

import json
from typing import Literal

import pytest
from orchard import TREES, OrchardFile, OrchardRules

from lmta import cli
from lmta.advisor.options import Option, options_of, read_options
from lmta.types import InputError


@pytest.fixture
def begun(orchard, tmp_path):
    """A harvest of crates on its first day."""
    data, state = tmp_path / "trees.csv", tmp_path / "harvest.json"
    data.write_bytes(TREES)
    begin = ("--trees", data, "--days", 3, "--budget", 3, "--unit", "crate", "--least", 30, "--spoil", 0.5)
    assert plan("--state", state, *begin) == 0
    return state


def plan(*arguments):
    return cli.run(["plan", *map(str, arguments)])


def test_a_harvest_from_the_shell(begun, tmp_path, capsys):
    journal = json.loads(begun.read_text())
    assert journal["kind"] == "lmta harvest 1"
    assert journal["read"] == {"unit": "crate", "least": 30}
    assert journal["rules"] == {"spoil": 0.5}
    assert (journal["policy"], journal["advised"]) == ("lmta:orchard", ["ash lane"])
    assert plan("--state", begun) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "Day 1 of 3, 3 of 3 left, 0 apples picked." in out
    assert "with the trees whose apples fell and what hangs now in a FILE each" in out
    assert out.endswith("--day 1 --observed fallen=FILE counts=FILE")
    fallen, counts = tmp_path / "fallen.txt", tmp_path / "counts.csv"
    fallen.write_text("barn\n")
    counts.write_text("name,apples\ncreek,45\n")
    assert plan("--state", begun, "--day", 1, "--observed", f"counts={counts}", fallen) == 0
    out = capsys.readouterr().out
    assert "Day 2 of 3, 2 of 3 left, 160 apples picked." in out
    journal = json.loads(begun.read_text())
    assert journal["history"] == [{"picked": ["ash lane"], "fallen": ["barn"], "counts": [["creek", 45.0]]}]
    assert journal["advised"] == ["creek"]


@pytest.mark.parametrize(
    ("arguments", "fault"),
    [
        (["--observed", "none.txt"], "observed: counts is missing; give counts=FILE, which may be an empty file."),
        (["--observed", "none.txt", "fallen=none.txt"], "none.txt are both given for fallen; give one."),
        (["--observed", "none.txt", "counts=bad.csv"], "bad.csv, line 2: apples 'many' is not a number"),
        (["--observed", "none.txt", "counts=none.txt", "--failed", "none.txt"], "failed: has no effect here"),
        (["--unit", "apple"], "unit: is not what"),
        (["--spoil", "0"], "spoil: is not what"),
        (["--graph", "none.txt"], "graph: is not what"),
    ],
)
def test_what_cannot_be_is_refused(begun, tmp_path, monkeypatch, capsys, arguments, fault):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "none.txt").write_text("")
    (tmp_path / "bad.csv").write_text("name,apples\nbarn,many\n")
    before = begun.read_bytes()
    assert plan("--state", begun, *arguments) == 2
    assert fault in capsys.readouterr().err.replace("\n", " ")
    assert begun.read_bytes() == before


def test_a_beginning_names_its_option_too(orchard, tmp_path, capsys):
    assert plan("--state", tmp_path / "new.json") == 2
    assert "begin it with --graph or --cities or --trees, and one only." in capsys.readouterr().err


def test_options_are_described_by_their_docstrings(orchard):
    unit, least = options_of(OrchardFile)
    assert (unit.name, unit.default, unit.describe) == (
        "unit",
        "apple",
        "What is counted: single apples, or crates of 20.",
    )
    assert (least.name, least.default) == ("least", None)


@pytest.mark.parametrize(
    ("kind", "choices", "is_number", "is_optional"),
    [
        (bool, (), False, False),
        (float, (), True, False),
        (int | None, (), True, True),
        (str, (), False, False),
        (Literal["a", "b"], ("a", "b"), False, False),
        (Literal["a", "b"] | None, ("a", "b"), False, True),
    ],
)
def test_an_option_knows_what_it_takes(kind, choices, is_number, is_optional):
    option = Option("name", kind, None, "")
    assert (option.choices, option.is_number, option.is_optional) == (choices, is_number, is_optional)


def test_options_come_as_text_and_the_wrong_one_is_named(orchard):
    assert read_options(orchard, {"least": "3", "spoil": "0.25"}) == (OrchardFile(least=3), OrchardRules(spoil=0.25))
    for given, fault in (
        ({"unit": "barrel"}, "unit: Input should be 'apple' or 'crate'."),
        ({"least": "few"}, "least: Input should be a valid integer"),
        ({"undirected": True}, "undirected: is no option of a harvest; there are unit, least, spoil."),
    ):
        with pytest.raises(InputError, match=fault):
            read_options(orchard, given)
