"""The words of the domain that every part shares: graph, observation, decision, and the error for bad input."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float, Int

from lmta.lazy import Array
from lmta.records import Record

NodeId = Hashable
"""What a user calls a node or a city: a string, an integer, or any other hashable name."""
_LONGEST_QUOTE = 80


class InputError(ValueError):
    """What the user gave cannot be used; the message is one sentence that says what would be right."""


def quoted(value: object) -> str:
    """A value as a message shows it: on one line, and not endless."""
    text = repr(value).replace("\n", " ")
    return text if len(text) <= _LONGEST_QUOTE else text[:_LONGEST_QUOTE] + "..."


class TrainingError(RuntimeError):
    """Training cannot go on; the message says when and why."""


class ModelWarning(UserWarning):
    """What the user observed is taken as true although the model of the world holds it impossible."""


class DataWarning(UserWarning):
    """The user's data can be read, but perhaps not as they were meant."""


class Graph(Record):
    """A directed graph as an edge list; padding has both masks False and weight 0.

    For influence the weight is the probability that the edge fires; for orienteering it is the
    receiver's share of its neighbours.
    """

    senders: Int[Array, " edges"]
    receivers: Int[Array, " edges"]
    weight: Float[Array, " edges"]
    reverse: Int[Array, " edges"]
    """Where the edge the other way round stands, or -1 where there is none."""
    edge_mask: Bool[Array, " edges"]
    node_mask: Bool[Array, " nodes"]

    @property
    def num_nodes(self) -> int:
        """Number of nodes, padding included."""
        return self.node_mask.shape[-1]


class Observation(Record):
    """What a decision may depend on: features of nodes and of all, the graph that joins nodes, and gains of picks."""

    nodes: Float[Array, " nodes features"]
    globals: Float[Array, " global_features"]
    graph: Graph
    gain: Float[Array, " nodes"] | None = None
    """What picking each node now would add to the reward expected for today, where the problem has a closed form for
    it; it means nothing at nodes that are not legal."""
    worth: Float[Array, " nodes"] | None = None
    """What picking each node now is expected to add until the end, by the base heuristic, where features tell it."""


@dataclass(frozen=True)
class Pick:
    """One node of a decision, and what the policy expected of it (in the policy's own measure)."""

    node: NodeId
    value: float


@dataclass(frozen=True, eq=False)
class SearchReport:
    """What a search over subgoals found: the one it chose, its policy, and values in units of reward."""

    subgoal: int
    policy: np.ndarray
    """The share of each subgoal; they add up to 1."""
    value: float
    """What is expected from today to the end, backed by the search."""
    subgoal_values: np.ndarray
    """The same, if today were spent on each subgoal; where it was never tried, the value above."""


@dataclass(frozen=True)
class Tried:
    """A strategy for today as rollouts found it, in units of reward; errors are standard errors."""

    name: str
    num_picks: int
    rollouts: int
    value: float
    """What it earns from today to the end."""
    value_error: float
    less: float
    """How much less that is than the chosen strategy earns in the same worlds."""
    less_error: float
    nodes: tuple[NodeId, ...] = ()
    """What it would pick."""


class Adds(NamedTuple):
    """How much more a decision earns than without one of its picks, which is then kept for later; and its standard
    error."""

    mean: float
    error: float


class Idle(NamedTuple):
    """What is earned from today to the end if nothing more is done, and where nine of ten futures end."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class Thinking:
    """What a planner has tried before it decided."""

    tried: tuple[Tried, ...]
    """The chosen strategy, the runner-up if there is one, and the others, the least promising last."""
    own: int
    """Which of them would have been followed without any thinking."""
    closer: Tried | None
    """What a closer look at single picks found better than the chosen strategy, if anything."""
    rollouts: int
    seconds: float
    adds: tuple[Adds, ...] = ()
    """What each pick of the decision adds, in their order; nothing where there was no time to tell."""
    idle: Idle | None = None
    """What happens without any more picks, where the problem's engine can tell."""

    @property
    def runner_up(self) -> Tried | None:
        """Who comes next, if anybody."""
        return self.tried[1] if len(self.tried) > 1 else None

    def named(self, ids: Sequence[NodeId]) -> "Thinking":
        """The same with the user's own ids in place of numbers of nodes."""

        def name(tried: Tried) -> Tried:
            return replace(tried, nodes=tuple(ids[int(node)] for node in tried.nodes))  # pyright: ignore[reportArgumentType]

        return replace(self, tried=tuple(map(name, self.tried)), closer=self.closer and name(self.closer))


@dataclass(frozen=True)
class Decision:
    """What to do today: the budget granted, the picks in order, and the reason in a sentence.

    Decisions are equal where the same is to be done for the same reason.
    """

    policy: str
    day: int
    budget: int
    picks: tuple[Pick, ...]
    why: str
    milliseconds: float = field(compare=False)
    """How long it took to decide; the first decision on an instance of its size compiles too."""
    search: SearchReport | None = field(compare=False)
    """What the learned planner's search found; None for policies that do not search."""
    thinking: Thinking | None = field(default=None, compare=False)
    """What a planner that thinks has tried; None for those that do not."""

    @property
    def nodes(self) -> tuple[NodeId, ...]:
        """The picked nodes by the user's own ids, in order."""
        return tuple(pick.node for pick in self.picks)
