"""Every setting of Sampled MuZero."""

from dataclasses import dataclass, field

from lmta.agents.muzero.settings import NetworkSettings, TrainSettings


@dataclass(frozen=True)
class SearchSettings:
    """Tree search over sampled actions."""

    simulations: int = 50
    samples: int = 20
    """K, the actions that are drawn at each node of the tree."""
    proposal_temperature: float = 1.0
    """They are drawn from β ∝ π^(1/this)."""
    depth: int = 5
    """Actions ahead, at most."""
    c_init: float = 1.25
    temperature: float = 1.0
    """In self-play an action is drawn with the power 1/this of its visits."""


@dataclass(frozen=True)
class SampledMuZeroSettings:
    """All settings of Sampled MuZero."""

    network: NetworkSettings = field(default_factory=NetworkSettings)
    search: SearchSettings = field(default_factory=SearchSettings)
    train: TrainSettings = field(default_factory=TrainSettings)
