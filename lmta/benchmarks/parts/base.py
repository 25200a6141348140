"""What a decision consists of, agent by agent: the contract, and which agents have named their parts."""

import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from importlib import import_module
from typing import Any, ClassVar

import jax

from lmta.agents.base import AbstractAgent, Model
from lmta.policies.player import Choice

HOMES = {
    "lmta": "lmta.benchmarks.parts.lmta:LmtaParts",
    "ws-option": "lmta.benchmarks.parts.ws_option:WsOptionParts",
    "flat-dqn": "lmta.benchmarks.parts.flat_dqn:FlatDqnParts",
    "flat-muzero": "lmta.benchmarks.parts.muzero:MuZeroParts",
    "sampled-muzero": "lmta.benchmarks.parts.muzero:MuZeroParts",
    "director": "lmta.benchmarks.parts.director:DirectorParts",
}
"""Where the parts of each agent live, by its name."""


class AbstractParts(ABC):
    """The parts of a decision, each compiled on its own."""

    bare: ClassVar[str]
    """What the bare parts are: networks and search, without what ties them together."""

    @abstractmethod
    def __init__(self, agent: AbstractAgent, model: Model):
        """Of an agent with room for the days and picks of the instances."""

    @abstractmethod
    def time(self, instance: Any, state: Any, choice: Choice) -> tuple[dict[str, float], float]:
        """(milliseconds of each part, and of the bare parts of the choice that was made)."""


def parts_of(agent: AbstractAgent, model: Model) -> AbstractParts | None:
    """The parts of an agent's decisions; None where it names none."""
    if agent.name not in HOMES:
        return None
    module, _, attribute = HOMES[agent.name].partition(":")
    return getattr(import_module(module), attribute)(agent, model)


def timed(run: Callable[..., Any], *arguments: Any) -> tuple[Any, float]:
    """What came out, and the milliseconds it took."""
    start = time.perf_counter()
    out = jax.block_until_ready(run(*arguments))
    return out, 1000 * (time.perf_counter() - start)
