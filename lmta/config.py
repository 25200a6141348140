"""Every setting of the learned planner, and the preset `paper`. Cited are the tables of the paper's App. F."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Literal

import tyro


@dataclass(frozen=True)
class ModelConfig:
    """Sizes of the networks. The paper gives the latent and the number of subgoals; the rest is chosen here."""

    latent: int = 128
    """Dimension d of the latent space."""
    subgoals: int = 32
    """Size of the learned dictionary Z."""
    subgoal_size: int = 32
    """Dimension of a subgoal's embedding."""
    hidden: int = 128
    """Width of the heads."""
    encoder_hidden: int = 64
    encoder_layers: int = 2
    q_hidden: int = 64
    q_layers: int = 3
    reward_bins: int = 61
    """Atoms of the categorical macro-reward, evenly spaced …"""
    reward_range: float = 20.0
    """… from minus to plus this, in squashed units."""
    ambition: float = 0.2
    """Spread of the subgoals' ambitions at the start: today counts e to this power times as much as a later day for a
    subgoal one standard deviation above the average."""
    budget_spread: float = 0.5
    """Spread of a subgoal's budgets around its centre at the start, in picks …"""
    last_spread: float | None = None
    """… or this on the last day, in picks: one that is never made costs far more than any pace can gain."""
    round_from: float = 0.5
    """The share of a pick that counts as a whole one, but for the last day: lower where the last picks of a small
    budget would wait too long, higher where waiting pays."""
    scaled_budget_input: bool = False
    """Whether the budget policy reads latents at unit variance, as other heads do, and learns faster what depends on
    them (see lab notes)."""
    free_budgets: bool = True
    """Whether every budget has a logit of its own beside the bell, as in the paper; without, any can be served."""
    low_level: Literal["q-network", "guided"] = "q-network"
    """Who picks: a Q-network as in the paper, or the problem's own rule of thumb, steered by the subgoal."""
    pace: Literal["budget", "guide"] = "budget"
    """Who says when a day is over: the budget drawn in the morning, as in the paper, or the guide, pick by pick, at the
    urgency of the subgoal; the budget is what it picks then."""
    low_horizon: Literal["day", "episode"] = "episode"
    """How far the Q-network looks: to the end of the day that it was given, or to the end of all days."""
    known_gains: bool = False
    """Whether what a pick adds to the reward expected of today, which is known, is a part of its Q; the network then
    learns what follows from it. Without, it learns both."""
    dueling: bool = True
    """Whether Q is a value of the state plus an advantage of the node."""
    budget_given_subgoal: bool = True
    """Whether the budget policy sees the subgoal (ablation B → C)."""
    low_level_given_subgoal: bool = True
    """Whether the Q-network sees the subgoal (ablation A → B)."""
    learned_margin: bool = True
    """Learned margin m(z), or one fixed margin for all (ablation D → E)."""


@dataclass(frozen=True)
class SearchConfig:
    """Tree search over subgoals (App. B and Table of domain-specific overrides)."""

    planner: Literal["puct", "gumbel", "model-free"] = "puct"
    """PUCT as in the paper, Gumbel MuZero, or no search: a subgoal policy with a gradient of its own (ablation F)."""
    simulations: int = 150
    c_init: float = 2.5
    dirichlet_alpha: float = 0.30
    dirichlet_mix: float = 0.30
    temperature: float = 1.0
    discount: float = 0.997
    """Decision-time discount γ."""


@dataclass(frozen=True)
class LossConfig:
    """Weights of the losses (App. A and G)."""

    policy: float = 1.0
    value: float = 1.0
    reward: float = 1.0
    dynamics: float = 1.0
    """How much predicted latents are drawn to the encoded next mornings (L_dyn of App. A, which the paper mentions)."""
    mts: float = 1.0
    """λ_mts before the next five."""
    cap: float = 0.10
    push: float = 0.10
    order: float = 0.10
    order_intended: float = 0.10
    """The order of all subgoals of a state by the budget they would get; the paper has 0 (see architecture)."""
    margin: float = 1e-4
    """λ_m, the regulariser of the margins."""
    cap_distance: float = 0.10
    """κ, how far one primitive step may move the latent."""
    budget: float = 1.0
    """λ_bud before the next four."""
    budget_actor: float = 1.0
    budget_critic: float = 1.0
    entropy: float = 0.01
    """β, the entropy bonus of the budget policy."""
    urgency: float = 0.0
    """How strongly learned urgencies are drawn to 0, an even pace, where chance says more than the pace …"""
    ambition: float = 0.0
    """… or only that of the subgoal which the search prefers, while the others keep their ambitions beside it."""


@dataclass(frozen=True)
class TrainConfig:
    """Self-play, replay and optimisation (Algorithm 1, App. F and G)."""

    epochs: tyro.conf.OmitArgPrefixes[int] = 50
    """Epochs in all."""
    episodes: int = 16
    """Episodes of self-play an epoch, played as one batch."""
    futures: int = 2
    """So many of them share an instance and its noise. The budget policy then learns from how much better an episode
    went than the others like it; with 1, from how much better it went than the critic expected, as in the paper."""
    surplus_in: Literal["reward", "percent", "deviations"] = "reward"
    """What that is measured in: rewards, percent of what they earned on average, or their standard deviation."""
    high_updates: int = 48
    """Gradient steps of the high level an epoch."""
    low_updates: int = 128
    """Gradient steps of the low level an epoch; a guided one has none."""
    haste: float = 0.0
    """Spread of the urgencies that self-play tries around the learned one, half of it common to the days of an episode.
    The budget policy then learns from these; with 0, from budgets that it draws, as in the paper."""
    mixture: bool = False
    """Whether every instance of self-play draws its own size, horizon, budget and kind, up to those of the run."""
    high_batch: int = 8
    low_batch: int = 8
    games: int = 1_000
    """Games that the replay keeps."""
    recent_games: int = 1_000
    """The newest of them, which the high level learns from."""
    steps: int = 10_000
    """Primitive steps that the replay keeps."""
    low_steps: int = 1
    """Picks whose rewards a target of the low level counts before it bootstraps; 1 as in the paper."""
    unroll: int = 5
    value_steps: int = 100
    """Rewards that a value target counts before it trusts the search-backed value; the paper has 0 (see lab notes)."""
    warm_up: int = 3
    """Epochs in which every episode keeps to one subgoal, drawn evenly, and budgets stay around the average, before the
    search chooses and budgets are learned."""
    stray: float = 0.2
    """The share of the episodes of self-play that do so once the warm-up is over."""
    strays_teach: bool = True
    """Whether the budget policy learns from these too. Without, subgoals that the search does not choose keep budgets
    of their own; with, the budgets of all come together."""
    high_rate: float = 1e-3
    low_rate: float = 1e-3
    budget_rate: float = 1e-3
    """Learning rate of the budget policy."""
    weight_decay: float = 1e-5
    clip: float = 5.0
    averaging: float = 0.9
    """How much of the average model stays from epoch to epoch; it plays once training is over."""
    double_q: bool = True
    """Whether the learning network chooses the node that the target network values (double DQN)."""
    low_discount: float = 0.997
    """Primitive-time discount γ_LL."""
    high_decay: float = 0.01
    """The learning rate of the high level, but for the budget policy's, shrinks as 1/√(1 + this · gradient steps) …"""
    budget_decay: float = 0.01
    """… that of the budget policy likewise …"""
    low_decay: float = 0.001
    """… and that of the low level."""
    epsilon_first: float = 0.90
    epsilon_last: float = 0.05
    epsilon_decay: float = 0.995
    """ε shrinks by this with every low-level gradient step."""
    target_every: int = 100
    """Low-level gradient steps between two copies to the target network."""


@dataclass(frozen=True)
class Config:
    """All settings of one agent."""

    model: ModelConfig = field(default_factory=ModelConfig)
    search: SearchConfig = field(default_factory=SearchConfig)
    loss: LossConfig = field(default_factory=LossConfig)
    train: TrainConfig = field(default_factory=TrainConfig)


def paper(problem: str) -> Config:
    """The paper's settings for a problem (Tables of shared and of domain-specific hyperparameters)."""
    config = Config(loss=LossConfig(ambition=3.0))
    if problem == "aim":
        return config
    return replace(
        config,
        search=replace(
            config.search, simulations=250, c_init=1.5, dirichlet_alpha=0.20, dirichlet_mix=0.20, temperature=1.5
        ),
        model=replace(
            config.model,
            low_horizon="day",
            known_gains=True,
            ambition=0.15,
            last_spread=0.2,
            round_from=0.98,
            free_budgets=False,
        ),
        loss=replace(config.loss, entropy=0.02, ambition=6.0),
        train=replace(
            config.train,
            low_rate=5e-4,
            target_every=200,
            futures=4,
            recent_games=160,
            strays_teach=False,
        ),
    )


def best(problem: str) -> Config:
    """What earns most: the problem's rule of thumb as the low level, steered by learned budgets and subgoals."""
    config = paper(problem)
    config = replace(
        config,
        model=replace(
            config.model,
            subgoals=16,
            ambition=0.35,
            encoder_layers=0,
            free_budgets=False,
            last_spread=0.2,
            low_level="guided",
            round_from=0.9,
        ),
        search=replace(config.search, planner="gumbel", simulations=16, temperature=1.0),
        loss=replace(config.loss, entropy=0.0, ambition=0.0, urgency=5.0),
        train=replace(
            config.train,
            episodes=64,
            futures=8,
            high_updates=64,
            high_batch=32,
            low_updates=0,
            games=1_024,
            recent_games=512,
            epsilon_first=0.0,
            epsilon_last=0.0,
            strays_teach=True,
            mixture=True,
            surplus_in="percent",
        ),
    )
    return _with_paces_tried(config) if problem == "aim" else config


def _with_paces_tried(config: Config) -> Config:
    """Where noise hides what a day's budget is worth: whole episodes at another pace than learned, and many of them,
    around the pace of a guide that can tell when to wait."""
    return replace(
        config,
        model=replace(config.model, pace="guide", scaled_budget_input=True),
        loss=replace(config.loss, urgency=0.15),
        train=replace(config.train, haste=0.4, surplus_in="deviations", episodes=256, games=2_048, recent_games=1_024),
    )


Preset = Literal["paper", "best"]
PRESETS: dict[Preset, Callable[[str], Config]] = {"paper": paper, "best": best}
"""Settings by name, for the name of a problem (aim, sop)."""
