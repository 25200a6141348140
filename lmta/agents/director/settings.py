"""Every setting of Director. The source's own stand in brackets (docs/agents/director.md says why they differ)."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class NetworkSettings:
    """Sizes of the networks."""

    latent: int = 64
    """(1,024, and 32 × 32 stochastic classes)"""
    hidden: int = 64
    """Of message passing and of the worker's scores."""
    layers: int = 3
    width: int = 128
    """Of all other networks, which have two layers (4 × 512)."""
    codes: int = 8
    classes: int = 8
    """A goal is a code of so many one-hot vectors of so many classes (8 × 8)."""
    reward_bins: int = 101


@dataclass(frozen=True)
class TrainSettings:
    """Self-play, replay and optimisation."""

    episodes: int = 16
    """Episodes of self-play an epoch, played as one batch."""
    updates: int = 32
    """Gradient steps an epoch, each of all parts."""
    batch: int = 16
    """Days of replay that the world model learns from, and that imagination starts at (16 × 64 steps)."""
    imagined: int = 4
    """Trajectories that are imagined from each start (1)."""
    horizon: int = 16
    """Most primitive steps of an unroll or an imagined trajectory, cut to whole days; one day at least (16)."""
    games: int = 500
    """Games that the replay keeps."""
    rate: float = 1e-3
    """Of world model and goal autoencoder (1e-4)."""
    policy_rate: float = 1e-3
    """Of manager, worker and critics (1e-4)."""
    rate_decay: float = 0.01
    """The learning rate falls as 1/√(1 + this · steps) (0)."""
    weight_decay: float = 1e-5
    """(1e-2)"""
    clip: float = 100.0
    """Of the gradient of world model and goal autoencoder, and of that of all else (100, for each network)."""
    discount: float = 0.99
    """From pick to pick for the worker, from goal to goal for the manager (0.99)."""
    trace: float = 0.95
    """λ of returns (0.95)."""
    averaging: float = 0.8
    """How much of the average of weights, which plays, remains after an epoch (0)."""
    target_every: int = 100
    """Gradient steps between two copies to the slow critics (100)."""


@dataclass(frozen=True)
class LossSettings:
    """Weights and targets of the terms."""

    features: float = 10.0
    """Reconstruction of pooled features."""
    consistency: float = 10.0
    """Predicted latents to encoded ones, in place of the KL of a stochastic latent."""
    balance: float = 0.8
    """How much of it moves the prediction; the rest moves the encoding (0.8)."""
    code_kl: float = 10.0
    """Where the KL of codes to the even distribution is steered to (10)."""
    entropy_target: float = 0.5
    """Where the entropies of both policies are steered to, as a share of the largest (0.5)."""
    exploration: float = 0.1
    """Weight of the goal autoencoder's error in the manager's reward (0.1)."""


@dataclass(frozen=True)
class DirectorSettings:
    """All settings of Director."""

    stride: int = 0
    """Picks that a goal lasts, counted from the beginning of each day; 0 is one goal a day (8)."""
    network: NetworkSettings = field(default_factory=NetworkSettings)
    train: TrainSettings = field(default_factory=TrainSettings)
    loss: LossSettings = field(default_factory=LossSettings)
