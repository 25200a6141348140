"""Every setting of Flat MuZero."""

from dataclasses import dataclass, field
from typing import Literal

from lmta.agents.muzero.settings import NetworkSettings, TrainSettings


@dataclass(frozen=True)
class SearchSettings:
    """Tree search over nodes and the end of the day."""

    simulations: int = 50
    planner: Literal["gumbel", "puct"] = "gumbel"
    """Sequential halving among the actions that Gumbel noise favours, or PUCT with noise at the root."""
    considered: int = 16
    """Actions that sequential halving begins with."""
    depth: int = 5
    """Actions ahead, at most."""
    c_init: float = 1.25
    """Of PUCT, as are the next three."""
    dirichlet_alpha: float = 0.30
    dirichlet_mix: float = 0.25
    temperature: float = 1.0


@dataclass(frozen=True)
class FlatMuZeroSettings:
    """All settings of Flat MuZero."""

    network: NetworkSettings = field(default_factory=NetworkSettings)
    search: SearchSettings = field(default_factory=SearchSettings)
    train: TrainSettings = field(default_factory=TrainSettings)
