"""Every setting of WS-option. Defaults are tuned (docs/agents/ws-option.md); the source's own stand in brackets."""

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
    """Epochs with average budgets, in which the low level alone learns (half of all)."""
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
    low_rate: float = 1e-3
    """(1e-4)"""
    rate_decay: float = 0.001
    weight_decay: float = 1e-5
    clip: float = 5.0
    discount: float = 0.997
    """Of the low level (0.99); returns above are undiscounted, as scores are."""
    epsilon_first: float = 0.90
    epsilon_last: float = 0.05
    """(0.1)"""
    epsilon_decay: float = 0.998
    """ε of picks shrinks by this with every low-level gradient step (0.98 an epoch)."""
    budget_epsilon: float = 0.3
    """Rate of random budgets at the first epoch awake …"""
    budget_epsilon_decay: float = 0.93
    """… which shrinks by this with every epoch."""
    most_even_shares: float = 2.0
    """Budgets up to so many times an even share of what is left can be chosen; on the last day all (any, always)."""
    averaging: float = 0.8
    """How much of the average model stays from epoch to epoch; it plays once training is over (the newest weights)."""
    target_every: int = 100
    """Low-level gradient steps between two copies to the target network (10)."""


@dataclass(frozen=True)
class BeamSettings:
    """How picks are searched for once training is over; self-play takes them one by one."""

    width: int = 1
    """Paths that are kept; 1 takes the best pick again and again (10 on influence, 20 on routes)."""
    branch: int = 10
    """Actions that continue each (10, 20)."""


@dataclass(frozen=True)
class WsOptionSettings:
    """All settings of WS-option."""

    network: NetworkSettings = field(default_factory=NetworkSettings)
    train: TrainSettings = field(default_factory=TrainSettings)
    beam: BeamSettings = field(default_factory=BeamSettings)
