"""Every setting of WS-option. The source's own stand in brackets (docs/agents/ws-option.md says why they differ)."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class NetworkSettings:
    """Sizes of the networks."""

    hidden: int = 64
    high_layers: int = 2
    low_layers: int = 3


@dataclass(frozen=True)
class TrainSettings:
    """Self-play, replay and optimisation."""

    episodes: int = 16
    """Episodes of self-play an epoch, played as one batch (15)."""
    sleep: int = 15
    """Epochs with average budgets, in which the low level alone learns (half of all); the high level begins to learn at
    the end of the last of them. More than there are epochs: it never wakes."""
    high_updates: int = 48
    """Gradient steps of the high level an epoch."""
    low_updates: int = 160
    """Gradient steps of the low level an epoch."""
    high_batch: int = 32
    low_batch: int = 16
    """(32)"""
    games: int = 500
    """Games that the replay keeps …"""
    recent_games: int = 160
    """… and the newest of them, which budget values are fitted to: older returns are those of a policy long gone."""
    steps: int = 20_000
    """Primitive steps that the low level learns from: the newest (20,000)."""
    high_rate: float = 1e-3
    """(1e-3 on influence, 1e-2 on routes)"""
    low_rate: float = 1e-3
    """(1e-4)"""
    rate_decay: float = 0.001
    weight_decay: float = 1e-5
    clip: float = 5.0
    discount: float = 0.997
    """Of the low level, at every step (0.99 a night, 1 from pick to pick); returns above are undiscounted, as scores
    are (0.99 a day)."""
    epsilon_first: float = 0.90
    epsilon_last: float = 0.05
    """(0.1)"""
    epsilon_decay: float = 0.998
    """ε of picks shrinks by this with every low-level gradient step (0.98)."""
    budget_epsilon: float = 0.3
    """Rate of random budgets at the first epoch awake …"""
    budget_epsilon_decay: float = 0.93
    """… which shrinks by this with every epoch."""
    most_even_shares: float = 2.0
    """Budgets up to so many times an even share of what is left, rounded up, can be chosen; on the last day any (any on
    all days but the last, which is granted all that is left)."""
    averaging: float = 0.8
    """How much of the average model stays from epoch to epoch; it plays once training is over (the newest weights)."""
    target_every: int = 100
    """Low-level gradient steps between two copies to the target network (10)."""


@dataclass(frozen=True)
class BeamSettings:
    """How picks are searched for once training is over; self-play takes them one by one."""

    width: int = 1
    """Paths that are kept; 1 takes the best pick again and again (10)."""
    branch: int = 10
    """Actions that continue each (10)."""


@dataclass(frozen=True)
class WsOptionSettings:
    """All settings of WS-option."""

    network: NetworkSettings = field(default_factory=NetworkSettings)
    train: TrainSettings = field(default_factory=TrainSettings)
    beam: BeamSettings = field(default_factory=BeamSettings)
