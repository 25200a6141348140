"""Small, dense and supercritical networks: what the adviser earns beside classical policies, future by future."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import networkx as nx
import numpy as np

from lmta.agents.players import player
from lmta.arena.statistics import Mean, mean_of
from lmta.kernels.rollouts import owed_to_chance
from lmta.policies.player import AbstractPlayer, day_seed
from lmta.policies.registry import adviser
from lmta.problems.influence.adjacency import adjacency_of
from lmta.problems.influence.campaign import Campaign
from lmta.problems.influence.on_host import InfluenceOnHost
from lmta.problems.registry import DEFAULT
from lmta.problems.simulator import steadied
from lmta.types import InputError

RULES = InfluenceOnHost()
INVERSE_INDEGREE = "1/indegree"
MOST_TIMES = 16
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
    """At least so many are played …"""
    error: float
    """… and more until the standard error of the ratio is no larger, up to `MOST_TIMES` as many."""
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
    campaign = setting.campaign()
    us, *them = [
        _Record(who, campaign, setting.seed) for who in (adviser(DEFAULT), *(player(r, DEFAULT) for r in rivals))
    ]
    futures = 0
    while True:
        futures = 2 * futures or setting.futures
        for record in (us, *them):
            record.play_up_to(futures)
        ours, theirs = us.steadied(), {name: record.steadied() for name, record in zip(rivals, them, strict=True)}
        best = max(theirs, key=lambda name: theirs[name].mean())
        ratio, fair = _ratio(ours, theirs[best]), _fair_ratio(ours, theirs)
        if max(ratio.sem, fair.sem) <= setting.error or futures >= MOST_TIMES * setting.futures:
            break
    return {
        "network": setting.network,
        "nodes": len(campaign.ids),
        "probability": setting.probability,
        "days": setting.days,
        "budget": setting.budget,
        "futures": futures,
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


class _Record:
    """What somebody earns in one future after the other. Who meets the same state twice decides once."""

    def __init__(self, who: AbstractPlayer, campaign: Campaign, seed: int):
        self.who, self.campaign, self.seed = who, campaign, seed
        self.prepared, self.decided = who.prepare(campaign.instance, seed), {}
        self.network = adjacency_of(campaign.instance)
        self.earned: list[float] = []
        self.by_chance: list[float] = []

    def steadied(self) -> np.ndarray:
        """The nodes reached in each future, less what is owed to chance: a control variate."""
        return steadied(np.array(self.earned), np.array(self.by_chance))

    def play_up_to(self, futures: int) -> None:
        """Play those futures that are missing."""
        for future in range(len(self.earned), futures):
            noise = RULES.draw_noise(self.campaign.instance, day_seed(self.seed, future))
            days = list(self._days(noise))
            self.earned.append(sum(reward for reward, _ in days))
            self.by_chance.append(sum(by_chance for _, by_chance in days))

    def _days(self, noise: np.ndarray) -> Iterator[tuple[float, float]]:
        """(reward, what is owed to the night's coins) of each day."""
        instance, state = self.campaign.instance, self.campaign.state
        fires = noise[np.flatnonzero(instance.graph.edge_mask)][self.network.out_edge]
        for day in range(self.campaign.days):
            after = RULES.pick(instance, state, self._decide(day, state))
            by_chance = owed_to_chance(self.network, np.asarray(after.status), self.campaign.days - day, fires)
            state, reward = RULES.end_day(instance, after, noise)
            yield reward, by_chance

    def _decide(self, day: int, state: Any) -> list[int]:
        if int(state.budget_left) == 0:
            return []
        key = day, int(state.budget_left), np.asarray(state.status).tobytes()
        if key not in self.decided:
            picks = self.who.choose(self.campaign.instance, state, self.prepared, day_seed(self.seed, 0, day)).picks
            self.decided[key] = picks.tolist()
        return self.decided[key]
