"""How much to think about a decision."""

import math
from dataclasses import dataclass
from typing import Any

from lmta.problems.session import whole_number
from lmta.types import InputError

MOST_SECONDS, MOST_ROLLOUTS = 86_400.0, 100_000_000


@dataclass(frozen=True)
class Effort:
    """So many rollouts, which give the same decision every time, or so many seconds at most."""

    rollouts: int | None = None
    seconds: float | None = None

    def part(self, share: float) -> "Effort":
        """A share of it."""
        if self.rollouts is not None:
            return Effort(rollouts=int(share * self.rollouts))
        return Effort(seconds=share * (self.seconds or 0.0))

    def without(self, rollouts: int) -> "Effort":
        """What is left once so many rollouts are made; seconds count from the beginning, whatever was done."""
        return self if self.rollouts is None else Effort(rollouts=self.rollouts - rollouts)

    def __str__(self) -> str:
        """As the name of a planner says it: 1000 or 10s."""
        return f"{self.seconds:g}s" if self.rollouts is None else str(self.rollouts)


def make_effort(think: Any, rollouts: Any) -> Effort | None:
    """The effort that is asked for, by one of the two; None where nothing or no time at all is."""
    if rollouts is not None:
        if think is not None:
            raise InputError("rollouts: does not go with think; give one of them.")
        if whole_number(rollouts, "rollouts", 1) > MOST_ROLLOUTS:
            raise InputError(f"rollouts: {rollouts} given, at most {MOST_ROLLOUTS:,} are possible.")
        return Effort(rollouts=int(rollouts))
    if think is None:
        return None
    seconds = _seconds(think)
    return Effort(seconds=seconds) if seconds > 0 else None


def read_effort(text: str) -> Effort | None:
    """The effort that `str` has written, or None if it is no such text."""
    number = text.removesuffix("s")
    try:
        return make_effort(float(number), None) if number != text else make_effort(None, int(number))
    except ValueError as error:
        if isinstance(error, InputError):
            raise
        return None


def _seconds(think: Any) -> float:
    if isinstance(think, bool) or not isinstance(think, int | float):
        raise InputError(f"think: {think!r} given, a number of seconds is needed.")
    if not 0 <= think <= MOST_SECONDS or math.isnan(think):
        raise InputError(f"think: {think:g} given, it must lie between 0 and {MOST_SECONDS:,.0f} seconds.")
    return float(think)
