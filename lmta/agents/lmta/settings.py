"""Every setting of LMTA, and its two presets: `lmta`, what earns most, and `paper`, as published.

The defaults of all classes are the paper's (App. F and G; its tables are cited), so `paper` is `LmtaSettings()` with
the domain-specific overrides of the problem's spec. `lmta` adds departures.
"""

from dataclasses import dataclass, field
from typing import Literal

import tyro

Variant = Literal["B", "C", "D", "E", "F"]
LossTerm = Literal["pull", "push", "order"]


@dataclass(frozen=True)
class NetworkSettings:
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
    """Atoms of the categorical macro-reward."""


@dataclass(frozen=True)
class SearchSettings:
    """Tree search over subgoals (App. B and the table of domain-specific overrides)."""

    simulations: int = 150
    c_init: float = 2.5
    dirichlet_alpha: float = 0.30
    dirichlet_mix: float = 0.30
    temperature: float = 1.0
    """Of the search policy in training, which is the target of the policy prior too."""
    discount: float = 0.997
    """Decision-time discount γ."""


@dataclass(frozen=True)
class LossSettings:
    """Weights of the losses (App. A and G)."""

    policy: float = 1.0
    value: float = 1.0
    reward: float = 1.0
    mts: float = 1.0
    """λ_mts before the next four."""
    cap: float = 0.10
    push: float = 0.10
    order: float = 0.10
    margin: float = 1e-4
    """λ_m, the regulariser of the margins."""
    cap_distance: float = 0.10
    """κ, how far one primitive step may move the latent."""
    budget: float = 1.0
    """λ_bud before the next three."""
    budget_actor: float = 1.0
    budget_critic: float = 1.0
    entropy: float = 0.01
    """β, the entropy bonus of the budget policy."""


@dataclass(frozen=True)
class TrainSettings:
    """Self-play, replay and optimisation (Algorithm 1, App. F and G)."""

    episodes: int = 16
    """Episodes of self-play an epoch, played as one batch."""
    high_updates: int = 48
    """Gradient steps of the high level an epoch."""
    low_updates: int = 128
    """Gradient steps of the low level an epoch."""
    high_batch: int = 8
    low_batch: int = 8
    games: int = 1_000
    """Games that the replay keeps."""
    steps: int = 10_000
    """Primitive steps that the low level learns from: the newest."""
    unroll: int = 5
    warm_up: int = 3
    """Epochs with budgets of the average allocation, before the budget policy takes over."""
    high_rate: float = 1e-3
    low_rate: float = 1e-3
    weight_decay: float = 1e-5
    clip: float = 5.0
    low_discount: float = 0.997
    """Primitive-time discount γ_LL."""
    epsilon_first: float = 0.90
    epsilon_last: float = 0.05
    epsilon_decay: float = 0.995
    """ε shrinks by this with every low-level gradient step."""
    target_every: int = 100
    """Low-level gradient steps between two copies to the target network."""


@dataclass(frozen=True)
class Departures:
    """What is not the paper's. Each line says what it replaces and why; with these defaults there is none."""

    return_targets: int = 0
    """Values, and the Ĝ of budgets, are fitted to the rewards that followed in this many of the newest games, without
    discount within a day, in place of stored search values, which are those of old networks and feed back on
    themselves."""
    group_size: int = 1
    """So many episodes share an instance and its noise, and the budget policy learns from their leave-one-out
    advantage, in place of Ĝ less the critic, most of which is noise. Half of the groups then play without random picks;
    they alone teach budgets and values."""
    budget_prior: Literal["none", "added", "alone"] = "none"
    """Budgets around an even share of what is left, with a learned tilt: added to the paper's free logits, or alone."""
    subgoal_bias: float = 0.0
    """Subgoals begin alike but for their bias to front-load, with this spread, in place of random vectors, and the
    favourite is drawn to even budgets: what is learned of one subgoal then holds for its neighbours."""
    exploratory: float = 0.0
    """The share of episodes that keep to one subgoal, drawn evenly, until a day drawn evenly, and then search; while
    warming up all do. Otherwise the model never sees what most subgoals do, nor what a state is worth to which the
    search would not have gone."""
    exploratory_teach: bool = False
    """Whether these teach budgets too."""
    order_of_intents: float = 0.0
    """Weight of the order of all subgoals of a state by the budget they would get, beside that of executed ones."""
    consistency: float = 0.0
    """Weight of ‖g(h, z) - sg(h(s⁺))‖² along the unroll (L_dyn of App. A, which the published objective leaves out)."""
    q_network: Literal["plain", "wide", "known-gains"] = "plain"
    """The low level: plain DQN on [node; z]; or dueling double DQN that also sees a node's own features, the mean of
    all and the picks left; or the same above what a pick is known to add today, to the end of the day only."""
    scaled_latents: bool = False
    """Dynamics, prediction and critic read latents at unit variance: as unit vectors they teach nothing for epochs."""
    averaging: float = 0.0
    """How much of the average model stays from epoch to epoch; it plays, in place of the newest weights."""
    rate_decay: float = 0.0
    """Learning rates fall as 1/√(1 + this · steps), a tenth as fast below, with decoupled weight decay."""

    @property
    def q_ends_with_day(self) -> bool:
        """Whether the low level looks to the end of the day only."""
        return self.q_network == "known-gains"


@dataclass(frozen=True)
class Ablation:
    """Variants of the paper's section 5.3 and App. H."""

    variant: Variant = "E"
    """B: budgets blind to the subgoal, no MTS losses; C: budgets see it; D: one fixed margin; E: all; F: no search, a
    DQN over subgoals. (A is the agent ws-option.)"""
    without: tuple[LossTerm, ...] = ()
    """Terms of the MTS loss to leave out."""
    chance_budgets: int = 0
    """Budgets as chance variables of the search (App. N): the model reads the budget, and so many are drawn for each
    subgoal at each node of the tree. With 0 the model marginalises them."""

    @property
    def budget_sees_subgoal(self) -> bool:
        """Variants from C on."""
        return self.variant != "B"

    @property
    def has_mts(self) -> bool:
        """Variants from D on."""
        return self.variant not in ("B", "C")

    @property
    def learns_margins(self) -> bool:
        """Whether margins differ by subgoal."""
        return self.variant != "D"

    @property
    def searches(self) -> bool:
        """Whether the high level plans."""
        return self.variant != "F"


@dataclass(frozen=True)
class LmtaSettings:
    """All settings of LMTA."""

    network: NetworkSettings = field(default_factory=NetworkSettings)
    search: SearchSettings = field(default_factory=SearchSettings)
    loss: LossSettings = field(default_factory=LossSettings)
    train: TrainSettings = field(default_factory=TrainSettings)
    departures: Departures = field(default_factory=Departures)
    ablation: tyro.conf.OmitArgPrefixes[Ablation] = field(default_factory=Ablation)

    @property
    def discount_in_day(self) -> float:
        """From pick to pick within a macro reward: γ_LL, or 1 where values are fitted to returns."""
        return 1.0 if self.departures.return_targets > 0 else self.train.low_discount


EARNING = Departures(
    return_targets=1_000,
    group_size=2,
    budget_prior="added",
    subgoal_bias=0.2,
    exploratory=0.2,
    exploratory_teach=True,
    order_of_intents=0.1,
    consistency=1.0,
    q_network="wide",
    scaled_latents=True,
    averaging=0.9,
    rate_decay=0.01,
)
"""The departures of preset `lmta`, before what a problem's spec changes."""
PRESETS = {"lmta": LmtaSettings(departures=EARNING), "paper": LmtaSettings()}
