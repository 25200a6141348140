"""What a search needs of a problem: strategies carried out for today, and what each would earn in sampled worlds."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from lmta.problems.heuristics import BudgetRule, DayPlan, PlanRule


class Candidate(NamedTuple):
    """A strategy carried out for today."""

    name: str
    """What it does, in a few words of a user's."""
    picks: np.ndarray
    values: np.ndarray
    """What each pick is expected to add, in the strategy's own measure."""


class Outcome(NamedTuple):
    """What candidates earn in sampled worlds."""

    rewards: np.ndarray
    """[candidate, world, day], from today to the end."""
    by_chance: np.ndarray
    """[candidate, world]: a control variate, which is 0 in expectation and follows what is owed to chance, or zeros."""


def steadied(numbers: np.ndarray, control: np.ndarray) -> np.ndarray:
    """Numbers without the part that follows a control variate; their expectation stays."""
    spread = control - control.mean()
    total = float(spread @ spread)
    return numbers - float(spread @ numbers) / total * control if total > 0 else numbers


class AbstractSimulator(ABC):
    """Tries what may be done today on one instance, by the rules of its problem."""

    def name_of(self, num_picks: int) -> str:
        """What to call the adviser's own plan of so many picks."""
        return {0: "wait", 1: "1 pick"}.get(num_picks, f"{num_picks} picks")

    @abstractmethod
    def candidates(self, state: Any, own: DayPlan, seed: int) -> Iterator[Candidate]:
        """What else may be done today than the adviser's `own` plan, the most promising first; none does the same.

        Each is worked out as it is asked for, so that who has no time left need not ask for all.
        """

    def practise(self) -> None:
        """Work once through something tiny, where programs for any size are compiled on the way; nothing by default.

        So the first to think on a machine does not spend the time on that.
        """
        return None

    def exchanges(self, state: Any, chosen: Candidate) -> Iterator[Candidate]:
        """The chosen candidate with one pick exchanged for another, the most promising first; perhaps none."""
        return iter(())

    def idle(self, state: Any, worlds: range, seed: int) -> np.ndarray | None:
        """[world, day]: what is earned from today to the end if nothing more is done; None where that is not told."""
        return None

    @abstractmethod
    def try_out(self, state: Any, candidates: Sequence[Candidate], worlds: range, seed: int) -> Outcome:
        """What each candidate earns, if the base heuristic goes on from tomorrow to the end.

        A world is all that chance will do; it depends on its number and the seed alone, so that candidates meet the
        same worlds and can be compared world by world.
        """


def work_through(simulator: AbstractSimulator, state: Any, pick: int) -> None:
    """Ask for all candidates of a day whose own plan is one pick, and for whatever is like them."""
    for candidate in simulator.candidates(state, DayPlan(np.array([pick]), np.ones(1)), 0):
        for _ in simulator.exchanges(state, candidate):
            pass


Play = Callable[[Any, range, int], tuple[np.ndarray, np.ndarray]]
"""(strategy, worlds, seed) → what it earns in each world from the first day to the end, and a control variate."""


@dataclass(frozen=True)
class Tuning:
    """What a problem may have: a family of strategies, one of which may suit an instance better than the adviser."""

    strategy: type
    """What a strategy is: a named tuple of plain values, so that a file can keep it."""
    known: tuple[Any, ...]
    """Strategies to begin with; the first is the usual one."""
    draw: Callable[[np.random.Generator, Any], Any]
    """(random numbers, a strategy or None) → another strategy near it, or anywhere."""
    variants: Callable[[Any, Any], Sequence[Any]]
    """(instance, strategy) → forms of it that `play` does not tell apart, beside itself."""
    own: Callable[[Any], Any]
    """Instance → the member that decides as the adviser does there; None where there is none."""
    make_play: Callable[[Any], Play]
    """Instance → whole episodes of a strategy."""
    rules: Callable[[Any], tuple[BudgetRule, PlanRule]]
    """Strategy → the parts of a policy that follows it."""
    simulator: Callable[[Any, Any], AbstractSimulator]
    """(instance, strategy) → what tries others, with the strategy as base heuristic."""
    fingerprint: Callable[[Any], str]
    """Instance → what tells its data from any others, whatever the horizon and the budget."""
    describe: Callable[[Any], str]
    """A strategy in a few words."""
