"""Small, dense and supercritical networks: what the adviser earns beside classical policies, future by future."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import networkx as nx
import numpy as np

from lmta.agents.players import player
from lmta.arena.statistics import Mean, mean_of
from lmta.policies.player import AbstractPlayer, day_seed
from lmta.policies.registry import adviser
from lmta.problems.influence.campaign import Campaign
from lmta.problems.influence.on_host import InfluenceOnHost
from lmta.problems.registry import DEFAULT
from lmta.types import InputError

RULES = InfluenceOnHost()
INVERSE_INDEGREE = "1/indegree"
NETWORKS: dict[str, Callable[[int], nx.Graph]] = {
    "les-miserables": lambda seed: nx.les_miserables_graph(),
    "karate-club": lambda seed: nx.karate_club_graph(),
    "relaxed-caveman": lambda seed: nx.relaxed_caveman_graph(20, 10, 0.2, seed=seed),
    "geometric": lambda seed: nx.random_geometric_graph(200, 0.12, seed=seed),
    "barabasi-albert": lambda seed: nx.barabasi_albert_graph(300, 3, seed=seed),
}
"""By name, each of a seed; two of them are what they are."""


@dataclass(frozen=True)
class Setting:
    """A campaign on a small network."""

    network: str
    probability: str
    """A number, or 1/indegree."""
    days: int
    budget: int
    futures: int
    seed: int
    """Of the network, and of the futures."""

    def campaign(self) -> Campaign:
        """Before its first day."""
        if self.network not in NETWORKS:
            raise InputError(f"networks: {self.network!r} is not known; there are {', '.join(NETWORKS)}.")
        graph = NETWORKS[self.network](self.seed)
        edges = nx.Graph((u, v) for u, v in graph.edges if u != v)
        p = None if self.probability == INVERSE_INDEGREE else float(self.probability)
        return Campaign(edges, days=self.days, budget=self.budget, probability=p)


def compare_with_rivals(setting: Setting, rivals: tuple[str, ...]) -> dict[str, Any]:
    """The adviser beside the best of its rivals, in the same futures."""
    campaign, who = setting.campaign(), adviser(DEFAULT)
    ours = _play(who, campaign, setting)
    theirs = {name: _play(player(name, DEFAULT), campaign, setting) for name in rivals}
    best = max(theirs, key=lambda name: theirs[name].mean())
    ratio = _ratio(ours, theirs[best])
    fair = _fair_ratio(ours, theirs)
    return {
        "network": setting.network,
        "nodes": len(campaign.ids),
        "probability": setting.probability,
        "days": setting.days,
        "budget": setting.budget,
        "adviser": float(ours.mean()),
        "rivals": {name: float(earned.mean()) for name, earned in theirs.items()},
        "best": best,
        "ratio": ratio.mean,
        "ratio_error": ratio.sem,
        "fair_ratio": fair.mean,
        "fair_ratio_error": fair.sem,
    }


def _ratio(ours: np.ndarray, theirs: np.ndarray) -> Mean:
    """How much of what they earn we do, with the error of the paired difference."""
    difference = mean_of(ours - theirs)
    return Mean(1 + difference.mean / theirs.mean(), difference.sem / theirs.mean())


def _fair_ratio(ours: np.ndarray, theirs: dict[str, np.ndarray]) -> Mean:
    """The same beside the rival that is best in one half of the futures, counted in the other half.

    The best of many by the same futures owes something to chance; this one does not.
    """
    earned = np.empty_like(ours)
    for half in range(2):
        best = max(theirs, key=lambda name: theirs[name][1 - half :: 2].mean())
        earned[half::2] = theirs[best][half::2]
    return _ratio(ours, earned)


def _play(who: AbstractPlayer, campaign: Campaign, setting: Setting) -> np.ndarray:
    """The nodes that are reached in each future. Who meets the same state twice decides once."""
    prepared, decided = who.prepare(campaign.instance, setting.seed), {}
    return np.array([sum(_rewards(who, campaign, prepared, decided, setting.seed, f)) for f in range(setting.futures)])


def _rewards(
    who: AbstractPlayer, campaign: Campaign, prepared: Any, decided: dict[Any, list[int]], seed: int, future: int
) -> Iterator[float]:
    instance, state = campaign.instance, campaign.state
    noise = RULES.draw_noise(instance, day_seed(seed, future))
    for day in range(campaign.days):
        key = day, int(state.budget_left), np.asarray(state.status).tobytes()
        if int(state.budget_left) == 0:
            decided[key] = []
        elif key not in decided:
            decided[key] = who.choose(instance, state, prepared, day_seed(seed, 0, day)).picks.tolist()
        state, reward = RULES.end_day(instance, RULES.pick(instance, state, decided[key]), noise)
        yield reward
