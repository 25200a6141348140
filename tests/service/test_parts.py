"""The small parts of the page."""

import asyncio

import pytest

from lmta.service.page import parts
from lmta.types import InputError


@pytest.mark.parametrize(
    ("value", "text"),
    [(None, "–"), (0.0, "0"), (0.1234, "0.123"), (12.345, "12.3"), (1234.5, "1,234"), (-50_000, "-50,000")],
)
def test_numbers_for_people(value, text):
    assert parts.number_text(value) == text


@pytest.mark.parametrize(
    ("error", "told"), [(InputError("day: no."), "day: no."), (RuntimeError("hidden"), "Something broke; see the log.")]
)
def test_whatever_goes_wrong_is_told(monkeypatch, caplog, error, told):
    """Nothing that was begun waits for ever; what nobody foresaw is in the log."""
    said = []
    monkeypatch.setattr(parts, "show_error", said.append)

    def work():
        raise error

    assert asyncio.run(parts.attempt(work)) is None
    assert said == [told]
    assert ("hidden" in caplog.text) == isinstance(error, RuntimeError)
