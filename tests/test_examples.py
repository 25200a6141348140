"""The examples run and say what they promise."""

import runpy
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parent.parent / "examples"
SAYS = {
    "own_network.py": "Day 1: seed ['ann']",
    "own_tour.py": "earned in all",
    "random_gym_agent.py": "A random agent earned",
}


def test_every_example_is_listed():
    assert {path.name for path in EXAMPLES.glob("*.py")} == set(SAYS)


@pytest.mark.parametrize("name", SAYS)
def test_example(name, capsys):
    runpy.run_path(str(EXAMPLES / name), run_name="__main__")
    assert SAYS[name] in capsys.readouterr().out
