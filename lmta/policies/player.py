"""Whoever decides, by rule or by learning: for a user's session, for one instance, and for a day of a batch."""

import time
from abc import ABC, abstractmethod
from typing import Any, NamedTuple

import numpy as np

from lmta.problems.base import AbstractInstance, AbstractState, DayRecord, Problem
from lmta.problems.batch import Batch
from lmta.problems.session import AbstractSession, check_seed
from lmta.types import Decision, InputError, Pick, SearchReport, Thinking


class Choice(NamedTuple):
    """What to do today with one instance: the budget, the picks in order, their values, and the search if any."""

    budget: int
    picks: np.ndarray
    values: np.ndarray
    search: SearchReport | None = None
    note: str = ""
    """What is to be said of this choice beside the player's usual reason."""
    thinking: Thinking | None = None
    waits: bool = False
    """Whether what is not spent of the budget waits for later days."""


class AbstractPlayer(ABC):
    """Decides for one problem; the arena and the user's sessions need no more than this."""

    name: str
    problem: Problem

    @abstractmethod
    def prepare(self, instance: AbstractInstance, seed: int) -> Any:
        """What can be worked out once for an instance."""

    @abstractmethod
    def choose(self, instance: AbstractInstance, state: AbstractState, prepared: Any, seed: int) -> Choice:
        """Today's decision for one instance."""

    @abstractmethod
    def play_day(self, batch: Batch, states: Any, prepared: list[Any], seeds: list[int]) -> tuple[Any, DayRecord]:
        """One day of a batch, with what was prepared and a seed for each episode."""

    @abstractmethod
    def why(self, choice: Choice, budget_left: int) -> str:
        """The reason for a choice, in a sentence."""

    def optimum(self, prepared: Any) -> float | None:
        """The best score there is in expectation, where the player knows it."""
        return None

    def check_problem(self, name: str) -> None:
        """Refuse another problem than the player's own."""
        if name != self.problem.name:
            raise InputError(f"{self.name} plays {self.problem.name}, not {name}.")

    def decide(self, session: Any, *, seed: Any = 0) -> Decision:
        """What to do today in a campaign or a tour. `seed` matters only where samples are drawn or ties broken."""
        if not isinstance(session, AbstractSession):
            raise InputError(f"{self.name} decides for a session such as a Campaign or a Tour, not for {session!r}.")
        self.check_problem(session.problem.name)
        check_seed(seed)
        if session.finished:
            raise InputError(f"All {session.days} days are over; there is nothing to decide.")
        start = time.perf_counter()
        key = (self.name, seed)
        if key not in session.prepared:
            session.prepared[key] = self.prepare(session.instance, seed)
        choice = self.choose(session.instance, session.state, session.prepared[key], day_seed(seed, session.day))
        if choice.thinking is not None:
            choice = choice._replace(thinking=choice.thinking.named(session.ids))
        picked = zip(choice.picks, choice.values, strict=True)
        return Decision(
            policy=self.name,
            day=session.day,
            budget=choice.budget,
            picks=tuple(Pick(session.ids[int(node)], float(value)) for node, value in picked),
            why=self.why(choice, session.budget_left),
            milliseconds=1000 * (time.perf_counter() - start),
            search=choice.search,
            thinking=choice.thinking,
        )


def day_seed(seed: int, *parts: int) -> int:
    """A 31-bit seed of its own for each day (and instance), from one seed."""
    return int(np.random.SeedSequence([seed, len(parts), *parts]).generate_state(1)[0] >> 1)
