"""What typed text stands for: names, lists of names, numbers."""

from types import SimpleNamespace

import pytest

from lmta.service.page import fields
from lmta.types import InputError

NAMES = ["ann", "bob", "New York", "Doe, Jane", "1", "11", "a b", "a"]


def check(text, place):
    if text not in NAMES:
        raise InputError(f"{place}: no {text!r}.")
    return text


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("", []),
        (" \n , ", []),
        ("  ann ", ["ann"]),
        ("ann,bob", ["ann", "bob"]),
        ("ann\tbob  11\r\n1,", ["ann", "bob", "11", "1"]),
        ("New York", ["New York"]),
        ("New York, ann bob", ["New York", "ann", "bob"]),
        ("Doe, Jane\nNew York", ["Doe, Jane", "New York"]),
        ("a b", ["a b"]),
    ],
)
def test_a_text_is_one_name_or_a_list(text, names):
    assert fields.read_list(text, "here", check) == names


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("zoe", "here: no 'zoe'."),
        ("ann zoe 1", "here: no 'zoe'."),
        ("ann, zoe", "here: no 'zoe'."),
        ("ann, New Yrok", "here: no 'New Yrok'."),
        ("ann;bob", "here: no 'ann;bob'."),
        ("Ann", "here: no 'Ann'."),
    ],
)
def test_what_is_no_name_is_told(text, told):
    with pytest.raises(InputError) as error:
        fields.read_list(text, "here", check)
    assert str(error.value) == told


def test_the_name_itself_is_offered_first_and_nothing_twice():
    names = [str(number) for number in reversed(range(5_000))]
    offered = fields.best_matches(" 17", names, {"170"})
    assert offered[:3] == ["17", "179", "178"]
    assert "170" not in offered
    assert len(offered) == fields.MOST_OFFERED
    assert all("17" in name for name in offered)
    assert fields.best_matches("", names, {"4999"})[:2] == ["4998", "4997"]
    assert fields.best_matches("NEW", NAMES, ()) == ["New York"]


@pytest.mark.parametrize(("text", "number"), [("", None), (None, None), (" 10 ", 10), ("0.5", 0.5), ("1e3", 1000)])
def test_numbers_as_they_are_typed(text, number):
    assert fields.read_number(SimpleNamespace(value=text), "days") == number


@pytest.mark.parametrize("text", ["0,5", "ten", "1e", "nan", "1e999"])
def test_what_is_no_number_is_told(text):
    with pytest.raises(InputError) as error:
        fields.read_number(SimpleNamespace(value=text), "days")
    assert str(error.value) == f"days: '{text}' given, a number such as 10 or 0.5 is needed."
