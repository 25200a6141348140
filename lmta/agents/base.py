"""The contract of a learner: initialise, decide, what an episode leaves behind, learn, what is measured."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple, TypeVar

import equinox as eqx
from jaxtyping import Array, Float, Int, Key

from lmta.nn.replay import Ring
from lmta.problems.base import DayRecord, Problem
from lmta.problems.spec import Size, Spec
from lmta.sparse import padded_size
from lmta.types import InputError, Observation, SearchReport

Model = Any
"""The weights that decide: a pytree."""
Learner = Any
"""All that training changes besides the replay: weights, targets, optimisers, counters. A pytree."""
Games = Any
"""What episodes of self-play leave behind: a pytree with a leading axis of episodes."""
Terms = dict[str, Float[Array, ""]]
"""The terms of the losses, by name."""


class AgentDay(eqx.Module):
    """What an agent decides for a day."""

    budget: Int[Array, ""]
    record: DayRecord
    """The picks, in the order to make them, with the reward left at 0."""
    report: Any = None
    """What a search found, if there was one."""


class PickValues(NamedTuple):
    """What the value of a pick stands for: the rewards of it and of the picks after it."""

    discount: float
    """From pick to pick."""
    ends_with_day: bool
    """Whether only the picks of the same day count."""


AgentT = TypeVar("AgentT", bound="AbstractAgent")


@dataclass(frozen=True)
class AbstractAgent(ABC):
    """A learner without its weights. Every method is pure and takes what was learned; instances are hashable, so that
    compiled programs are shared."""

    name: ClassVar[str]
    """As in `lmta train --agent NAME`."""
    summary: ClassVar[str]
    """What it is, in a line."""
    settings_type: ClassVar[type]
    """A frozen dataclass with all settings; `train.episodes` is how many are played an epoch."""

    problem: Problem
    """With the features that the agent observes."""
    settings: Any
    size: Size
    """Of the instances it learns on."""
    largest_reward: float
    """No day earns or costs more."""
    max_days: int
    max_picks: int
    """Room for the picks of a day."""

    @classmethod
    def make(cls: type[AgentT], spec: Spec, features: str, settings: Any, size: Size) -> AgentT:
        """The agent for a problem, what it observes of it, and the size of its instances."""
        largest = spec.largest_reward(size)
        return cls(spec.features[features], settings, size, largest, size.days, padded_size(size.budget))

    @classmethod
    @abstractmethod
    def presets(cls, spec: Spec) -> Mapping[str, Any]:
        """Settings by the name of a preset; the first is the default."""

    @classmethod  # noqa: B027 (an agent may have nothing to refuse)
    def check(cls, settings: Any, spec: Spec) -> None:
        """Refuse settings that contradict each other, or a problem without what the agent needs."""

    @property
    def group_size(self) -> int:
        """How many episodes of self-play share an instance and its noise; they stand side by side."""
        return 1

    @abstractmethod
    def init(self, seen: Observation, *, key: Key[Array, ""]) -> Model:
        """The weights before any learning, for observations shaped like `seen`."""

    @abstractmethod
    def begin(self, model: Model) -> Learner:
        """The learner before its first epoch."""

    @abstractmethod
    def playing(self, learner: Learner) -> Model:
        """The weights that play once training is over."""

    @property
    @abstractmethod
    def capacity(self) -> int:
        """Games that the replay keeps."""

    @abstractmethod
    def play(self, learner: Learner, instances: Any, epoch: Int[Array, ""], key: Key[Array, ""]) -> Games:
        """Self-play of an epoch on a batch of instances; games have `reward`, with axes episode and day."""

    @abstractmethod
    def learn(
        self, learner: Learner, replay: Ring, epoch: Int[Array, ""], key: Key[Array, ""]
    ) -> tuple[Learner, Terms]:
        """All updates of an epoch; terms are means over them."""

    @abstractmethod
    def decide(self, model: Model, instance: Any, state: Any, key: Key[Array, ""]) -> AgentDay:
        """Greedy play: today's budget and picks."""

    def measures(self, learner: Learner) -> dict[str, Float[Array, ""]]:
        """What else is worth logging of an epoch, such as the rate of exploration."""
        return {}

    @property
    def pick_values(self) -> PickValues | None:
        """What the values in the records of `decide` stand for; None where picks have no values in units of reward."""
        return None

    def search_report(self, report: Any) -> SearchReport | None:
        """What a search found, on the host; None where the agent does not search."""
        return None

    def why(self, budget: int, num_picks: int, budget_left: int, search: SearchReport | None) -> str:
        """The reason for a decision, in a sentence."""
        short = ", but no more than these are in reach and worth it" if num_picks < budget else ""
        return f"{budget} of {budget_left} left, as {self.name} has learned{short}."

    def fitted(self: AgentT, days: int, budget: int) -> AgentT:
        """The agent with room for so many days and picks, as in training or more, in steps that share a compilation."""
        max_days = self.max_days if days <= self.max_days else padded_size(days)
        return replace(self, max_days=max_days, max_picks=padded_size(budget))

    def with_simulations(self: AgentT, simulations: int) -> AgentT:
        """The agent with another number of simulations for each decision."""
        raise InputError(f"simulations: {self.name} does not search; leave it out.")
