"""Strategies for a day of a campaign, and rollouts that try them."""

from collections.abc import Iterator, Sequence
from functools import cache
from math import ceil, inf

import numpy as np

from lmta.kernels.estimates import Estimate, measure
from lmta.kernels.mean_field import look_ahead
from lmta.kernels.network import ACTIVE, INACTIVE
from lmta.kernels.rollouts import roll_out
from lmta.kernels.seeding import Strategy
from lmta.problems.heuristics import DayPlan
from lmta.problems.influence.estimates import ESTIMATES, hops
from lmta.problems.influence.importer import Network
from lmta.problems.influence.on_host import InfluenceOnHost
from lmta.problems.influence.rules import InfluenceInstance, InfluenceState, make_instance
from lmta.problems.influence.situation import Situation, first_day, situation
from lmta.problems.influence.tuning import STRATEGIES, tuned
from lmta.problems.simulator import AbstractSimulator, Candidate, Outcome, work_through

WORDS = {"mean field": "by mean field", "live edges": "by sampled worlds"}
PATIENCE = {"even where the cascade may come": inf, "away from the cascade": 1.0}
"""How many days to spare (`Strategy`) to try, and what that means."""
MOST_NODES = 5_000
"""Gains in sampled worlds of larger networks take seconds."""
MOST_EXCHANGED, NEXT_BEST = 4, 3
"""So many seeds, the last ones, are exchanged for so many others each."""


class CampaignSimulator(AbstractSimulator):
    """Tries seeds by rollouts of the base heuristic."""

    def __init__(self, instance: InfluenceInstance, base: Strategy | None = None):
        start = first_day(instance)
        self.network, self.days = start.network, start.days_left
        self.estimate: Estimate = measure(start.network, start.status, start.days_left).estimate
        fast: tuple[Estimate, ...] = ("mean field", "live edges")[: 2 if self.network.num_nodes <= MOST_NODES else 1]
        self.others = [estimate for estimate in fast if estimate != self.estimate]
        self.base = base or tuned(start, 0) or STRATEGIES[0]

    def name_of(self, num_picks: int) -> str:
        """So many seeds."""
        return seeds(num_picks)

    def practise(self) -> None:
        """Once, on a path of four nodes."""
        _practise()

    def candidates(self, state: InfluenceState, own: DayPlan, seed: int) -> Iterator[Candidate]:
        """More or fewer seeds than the adviser sets; as many, but by another estimate or with another patience."""
        now = situation(self.network, self.days, state)
        if now.days_left == 1:
            return  # to spend all is best, and what a seed adds in one day is known
        different = {frozenset(own.picks.tolist())}
        for candidate in self._strategies(now, own, seed):
            seeds = frozenset(candidate.picks.tolist())
            if seeds not in different:
                different.add(seeds)
                yield candidate

    def exchanges(self, state: InfluenceState, chosen: Candidate) -> Iterator[Candidate]:
        """Each of the last seeds exchanged for those that mean field holds for the next best in its place."""
        now = situation(self.network, self.days, state)
        places = range(len(chosen.picks) - 1, -1, -1)[:MOST_EXCHANGED]
        others = [self._in_place_of(now, chosen, place) for place in places]
        for rank in range(NEXT_BEST):
            for place, (nodes, gains) in zip(places, others, strict=True):
                if rank < len(nodes):
                    picks, values = chosen.picks.copy(), chosen.values.copy()
                    picks[place], values[place] = nodes[rank], gains[rank]
                    yield Candidate(f"{chosen.name}, one exchanged", picks, values)

    def _in_place_of(self, now: Situation, chosen: Candidate, place: int) -> tuple[np.ndarray, np.ndarray]:
        """The best nodes to seed beside the others in place of one, and what each adds by mean field."""
        status = np.array(now.status)
        status[np.delete(chosen.picks, place)] = ACTIVE
        gain = look_ahead(self.network, status, now.days_left).gain
        gain[chosen.picks[place]] = 0
        best = np.argsort(-gain, kind="stable")[:NEXT_BEST]
        best = best[gain[best] > 0]
        return best, gain[best]

    def try_out(self, state: InfluenceState, candidates: Sequence[Candidate], worlds: range, seed: int) -> Outcome:
        """Rewards are whole numbers: the nodes that each day influences."""
        now = situation(self.network, self.days, state)
        counts = np.array([len(candidate.picks) for candidate in candidates])
        picks = np.zeros((len(candidates), max(1, counts.max())), np.uint32)
        for row, candidate in zip(picks, candidates, strict=True):
            row[: len(candidate.picks)] = candidate.picks
        played = roll_out(
            self.network,
            now.status,
            now.days_left,
            now.budget_left,
            picks,
            counts,
            worlds=worlds,
            seed=seed,
            strategy=self.base,
            weigh_chance=True,
        )
        return Outcome(played.rewards, played.by_chance)

    def idle(self, state: InfluenceState, worlds: range, seed: int) -> np.ndarray:
        """Where the running cascade gets without any more seeds."""
        now = situation(self.network, self.days, state)
        nobody = np.zeros((1, 1), np.uint32), np.zeros(1, np.int64)
        return roll_out(self.network, now.status, now.days_left, 0, *nobody, worlds=worlds, seed=seed).rewards[0]

    def _strategies(self, now: Situation, own: DayPlan, seed: int) -> Iterator[Candidate]:
        """All of them, where some may come to the same."""
        day = ESTIMATES["mean field"].plan(now, now.budget_left, self.base, seed)
        ahead = f"{seeds(len(day.picks))} by a look of {hops(self.base.hops)}"
        yield Candidate(ahead if len(day.picks) else seeds(0), day.picks, day.values)
        most = min(now.budget_left, int(np.sum(now.status == INACTIVE)))
        longer = self._prolonged(now, own, min(most, max_count(len(own.picks))), seed)
        for count in counts_around(len(own.picks), len(longer.picks)):
            yield Candidate(seeds(count), longer.picks[:count], longer.values[:count])
        count = len(own.picks)
        if count:
            for words, patience in PATIENCE.items():
                day = ESTIMATES[self.estimate].plan(now, count, Strategy(tilt=inf, days_to_spare=patience), seed)
                yield Candidate(f"{seeds(len(day.picks))} {words}", day.picks, day.values)
            for estimate in self.others:
                day = ESTIMATES[estimate].plan(now, count, Strategy(tilt=inf), seed)
                yield Candidate(f"{seeds(len(day.picks))} {WORDS[estimate]}", day.picks, day.values)
        if most > len(longer.picks):
            day = ESTIMATES["mean field"].plan(now, most, Strategy(tilt=inf), seed)
            yield Candidate(f"all {seeds(most)}", day.picks, day.values)

    def _prolonged(self, now: Situation, own: DayPlan, count: int, seed: int) -> DayPlan:
        """The plan with more seeds, by the estimate that serves on the network, up to so many in all."""
        made = len(own.picks)
        if count <= made:
            return own
        status = np.array(now.status)
        status[own.picks] = ACTIVE
        after = now._replace(status=status, budget_left=now.budget_left - made)
        more = ESTIMATES[self.estimate].plan(after, count - made, Strategy(tilt=inf), seed)
        return DayPlan(np.concatenate([own.picks, more.picks]), np.concatenate([own.values, more.values]))


@cache
def _practise() -> None:
    path = make_instance(Network(tuple(range(4)), np.arange(3), np.arange(1, 4), np.full(3, 0.5, np.float32)), 3, 3)
    work_through(CampaignSimulator(path), InfluenceOnHost().reset(path), 0)


def max_count(count: int) -> int:
    """The most seeds that are tried, but for all."""
    return max(count + 2, 2 * count)


def counts_around(count: int, most: int) -> list[int]:
    """How many seeds to try where the adviser sets `count`, the likeliest first."""
    tried = (count + 1, count - 1, 0, count + 2, ceil(1.5 * count), count // 2, 1, 2 * count)
    return [number for number in dict.fromkeys(tried) if 0 <= number <= most and number != count]


def seeds(count: int) -> str:
    """So many seeds, in words."""
    return {0: "wait", 1: "1 seed"}.get(count, f"{count} seeds")
