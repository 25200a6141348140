"""Settings that both MuZeros share."""

from dataclasses import dataclass


@dataclass(frozen=True)
class NetworkSettings:
    """Sizes of the networks."""

    hidden: int = 64
    """Width of message passing, of node embeddings and of the heads."""
    layers: int = 3
    latent: int = 64
    """Dimension of the latent of the whole graph."""
    bins: int = 101
    """Atoms of the categorical reward, and of the value."""


@dataclass(frozen=True)
class TrainSettings:
    """Self-play, replay and optimisation."""

    episodes: int = 16
    """Episodes of self-play an epoch, played as one batch."""
    warm_up: int = 2
    """Epochs that the policy prior plays without search."""
    exploratory: float = 0.25
    """The share of episodes in which days end by the odds of an even budget: where the search never waits, values of
    waiting are not learned."""
    updates: int = 96
    """Gradient steps an epoch."""
    batch: int = 32
    games: int = 240
    """Games that the replay keeps."""
    unroll: int = 5
    """Steps of the model in a loss."""
    bootstrap: int = 100
    """Rewards that a value target sums before the value of the search takes over; an episode has fewer steps."""
    discount: float = 1.0
    policy_weight: float = 1.0
    value_weight: float = 0.25
    reward_weight: float = 1.0
    rate: float = 1e-3
    rate_decay: float = 0.001
    """The learning rate falls as 1/√(1 + this · steps)."""
    weight_decay: float = 1e-5
    clip: float = 5.0
