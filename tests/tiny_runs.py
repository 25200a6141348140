"""Runs small enough for tests: few nodes and days, networks of a few neurons, two updates of each kind an epoch.

Tests that share settings share compilations, so take these where nothing else is needed.
"""

from dataclasses import replace
from typing import Any

from lmta.agents.presets import with_values
from lmta.agents.settings import RunSettings, default_settings

NODES, DAYS, BUDGET = 12, 3, 4
MUZERO = {
    "network.hidden": 6,
    "network.layers": 2,
    "network.latent": 5,
    "network.bins": 11,
    "search.simulations": 6,
    "search.depth": 3,
    "train.episodes": 8,
    "train.warm_up": 1,
    "train.updates": 2,
    "train.batch": 4,
    "train.games": 10,
    "train.unroll": 2,
}
VALUES: dict[str, dict[str, Any]] = {
    "lmta": {
        "network.latent": 8,
        "network.subgoals": 4,
        "network.subgoal_size": 3,
        "network.hidden": 8,
        "network.encoder_hidden": 6,
        "network.q_hidden": 6,
        "network.q_layers": 2,
        "network.reward_bins": 11,
        "search.simulations": 4,
        "train.episodes": 8,
        "train.high_updates": 2,
        "train.low_updates": 2,
        "train.games": 10,
        "train.unroll": 2,
        "train.warm_up": 1,
        "train.target_every": 3,
    },
    "ws-option": {
        "network.hidden": 6,
        "train.episodes": 8,
        "train.sleep": 1,
        "train.high_updates": 2,
        "train.low_updates": 2,
        "train.games": 10,
        "train.target_every": 3,
    },
    "flat-muzero": MUZERO | {"search.considered": 4},
    "sampled-muzero": MUZERO | {"search.samples": 4},
    "flat-dqn": {
        "network.hidden": 6,
        "train.episodes": 8,
        "train.updates": 2,
        "train.games": 10,
        "train.target_every": 3,
    },
    "director": {
        "network.latent": 6,
        "network.hidden": 6,
        "network.layers": 2,
        "network.width": 8,
        "network.codes": 3,
        "network.classes": 4,
        "network.reward_bins": 11,
        "train.episodes": 8,
        "train.updates": 2,
        "train.batch": 3,
        "train.imagined": 2,
        "train.horizon": 3,
        "train.games": 10,
        "train.target_every": 3,
    },
}
"""Settings of each agent, by their dotted names."""


def tiny(
    agent: str = "lmta", problem: str = "aim", preset: str | None = None, values: dict[str, Any] | None = None
) -> RunSettings:
    """A run of an agent; `values` are further settings of it."""
    usual = default_settings(agent, problem, preset)
    return replace(
        usual,
        instance=replace(usual.instance, nodes=NODES, days=DAYS, budget=BUDGET),
        config=with_values(usual.config, VALUES[agent] | (values or {})),
        seed=3,
        held_out=2,
    )
