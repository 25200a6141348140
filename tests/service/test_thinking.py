"""Advisers that think, in the service: offered, limited, and never in simulated futures."""

import pytest

import lmta
from lmta.agents.players import without_thinking
from lmta.service.desk import named_player, policies_for


def test_thinking_is_offered_and_limited():
    assert policies_for("campaign")[:2] == ["lmta:aim", "lmta:aim@10s"]
    assert named_player("lmta:aim@2000", "campaign").name == "lmta:aim@2000"
    for name in ("lmta:aim@61s", "lmta:aim@100001"):
        with pytest.raises(lmta.InputError, match="thinks too long; 60 seconds or 100,000 rollouts"):
            named_player(name, "campaign")


def test_simulated_futures_are_played_without_thinking():
    assert without_thinking("lmta:aim@10s") == "lmta:aim"
    assert without_thinking("average-degree") == "average-degree"
