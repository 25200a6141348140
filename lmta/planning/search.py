"""Sequential halving over candidates, tried in the same worlds; the first is overruled by paired evidence alone."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil, inf, log2, nan, sqrt
from typing import NamedTuple

import numpy as np

from lmta.planning.effort import Effort
from lmta.problems.simulator import steadied

TryOut = Callable[[Sequence[int], range], tuple[np.ndarray, np.ndarray]]
"""(candidates, worlds) → what each candidate earns in each world, and a control variate: 0 in expectation."""
LEAST_WORLDS = 12
"""Candidates that could not even be tried in so many worlds are left out."""
LEAST_EVIDENCE = 1.0
"""So many standard errors a candidate must be ahead to overrule the first."""
SURE, PRECISION = 5.0, 5e-4
"""A round in seconds ends early where all margins are so many errors, or known to such a share of the value …"""
SETTLING_WORLDS = 50
"""… in so many worlds at least."""
CHUNK_SECONDS = 0.1
"""How long the search goes on before it looks at the clock …"""
LARGEST_STEP = 4
"""… with so many times as many rollouts as before at most."""
SHORTEST = 1e-9
"""Seconds; no rollout takes less."""


class Margin(NamedTuple):
    """How much more one candidate earns than another in the same worlds, with its standard error."""

    mean: float
    error: float

    @property
    def evidence(self) -> float:
        """In standard errors."""
        return self.mean / self.error if self.error > 0 else (0.0 if self.mean == 0 else inf * np.sign(self.mean))


class Standing(NamedTuple):
    """Where a search stands: the share that is done, the leading candidate, and its margin over the first."""

    done: float
    leading: int
    margin: Margin


@dataclass
class Search:
    """What each candidate has earned so far, world by world, and the control variate; all begin with world 0."""

    earned: list[np.ndarray]
    """By candidate: [returns and control variate, world]."""
    chosen: int = 0
    stopped: bool = False
    """Whether Ctrl-C has ended it."""

    def margin(self, candidate: int, other: int) -> Margin:
        """How much more `candidate` earns than `other`, in the worlds that both were tried in."""
        common = min(self.num_worlds(candidate), self.num_worlds(other))
        return mean_of(*(self.earned[candidate][:, :common] - self.earned[other][:, :common]))

    def value(self, candidate: int) -> Margin:
        """What a candidate earns, in all worlds that it was tried in."""
        return mean_of(*self.earned[candidate])

    def num_worlds(self, candidate: int) -> int:
        """In how many worlds a candidate was tried."""
        return self.earned[candidate].shape[1]

    @property
    def rollouts(self) -> int:
        """How many there were in all."""
        return sum(map(self.num_worlds, range(len(self.earned))))

    def runner_up(self) -> int | None:
        """Of those that were tried about as often as the chosen one, who comes next."""
        enough = max(3, self.num_worlds(self.chosen) / 2)
        others = [i for i in range(len(self.earned)) if i != self.chosen and self.num_worlds(i) >= enough]
        return max(others, key=lambda i: self.margin(i, self.chosen).mean, default=None)


def mean_of(numbers: np.ndarray, control: np.ndarray) -> Margin:
    """Mean and standard error, once the part that follows the control variate is taken out."""
    count = len(numbers)
    if count < 3:
        return Margin(float(np.mean(numbers)) if count else nan, nan)
    rest = steadied(numbers, control)
    return Margin(float(rest.mean()), float(np.std(rest)) * sqrt(1 / (count - 2)))


def search(
    try_out: TryOut,
    num_candidates: int,
    effort: Effort,
    *,
    begun: float | None = None,
    each: float | None = None,
    stoppable: bool = False,
    on_progress: Callable[[Standing], None] = lambda standing: None,
) -> Search:
    """Try the candidates, the most promising ones most often, and choose. The first is the one to beat.

    In each round all that are left are tried in new worlds, and the worse half is dropped, but never the first. With
    an effort in seconds, which count from `begun`, the rounds take the same time; a rollout takes about `each` seconds,
    which is tried where it is not known. Where it is `stoppable`, Ctrl-C takes the best so far.
    """
    found = Search([np.zeros((2, 0))] * num_candidates)
    clock = _Rollouts(effort.rollouts) if effort.rollouts is not None else _Seconds(effort.seconds or 0.0, begun, each)
    try:
        rivals = list(range(1, num_candidates))[: clock.affordable(num_candidates - 1, try_out)]
        rounds = _num_rounds(len(rivals))
        for round_ in range(rounds):
            left = [0, *rivals]
            for worlds in clock.chunks(len(left), rounds - round_):
                first = found.num_worlds(0)
                earned = clock.run(try_out, left, range(first, first + worlds))
                if earned is None:
                    break
                for i, *new in zip(left, *earned, strict=True):
                    found.earned[i] = np.concatenate([found.earned[i], np.stack(new)], axis=1)
                leading = max(left, key=lambda i: found.margin(i, 0).mean)
                on_progress(Standing(clock.done, leading, found.margin(leading, 0)))
                if clock.may_end_early and _is_settled(found, rivals):
                    break
            rivals.sort(key=lambda i: -found.margin(i, 0).mean)
            rivals = rivals[: max(1, ceil(len(rivals) / 2))]
    except KeyboardInterrupt:
        if not stoppable:
            raise
        found.stopped = True
    found.chosen = _choose(found)
    return found


def _choose(found: Search) -> int:
    """The one with most evidence against the first among those that were tried longest, if there is enough."""
    longest = found.num_worlds(0)
    others = range(1, len(found.earned))
    ahead = [i for i in others if found.num_worlds(i) == longest and longest >= LEAST_WORLDS]
    best = max(ahead, key=lambda i: found.margin(i, 0).mean, default=0)
    return best if best and found.margin(best, 0).evidence > LEAST_EVIDENCE else 0


def _is_settled(found: Search, rivals: Sequence[int]) -> bool:
    """Whether more worlds would hardly change anything: all rivals are surely ahead, behind, or as good."""
    if found.num_worlds(0) < SETTLING_WORLDS:
        return False
    enough = PRECISION * abs(found.value(0).mean)
    margins = [found.margin(i, 0) for i in rivals]
    return all(abs(margin.evidence) > SURE or margin.error <= enough for margin in margins)


def _num_rounds(num_rivals: int) -> int:
    """Until one rival is left, and a last one between it and the first."""
    return 1 + ceil(log2(num_rivals)) if num_rivals else 0


class _Rollouts:
    """A number of rollouts, spent round by round."""

    may_end_early = False

    def __init__(self, rollouts: int):
        self.rollouts, self.left = rollouts, rollouts

    @property
    def done(self) -> float:
        return 1 - self.left / self.rollouts

    def affordable(self, most: int, try_out: TryOut) -> int:
        """How many rivals, `most` of them at most, can be tried in enough worlds each in all rounds."""
        return _affordable(self.rollouts, most)

    def chunks(self, num_candidates: int, rounds_left: int):
        """The worlds of a round."""
        worlds = self.left // rounds_left // num_candidates
        if worlds:
            self.left -= worlds * num_candidates
            yield worlds

    def run(self, try_out: TryOut, candidates: Sequence[int], worlds: range) -> tuple[np.ndarray, np.ndarray]:
        """What the candidates earn in some worlds."""
        return try_out(candidates, worlds)


class _Seconds:
    """A number of seconds, spent round by round in chunks."""

    may_end_early = True

    def __init__(self, seconds: float, begun: float | None, each: float | None):
        self.begun = time.perf_counter() if begun is None else begun
        self.seconds, self.end = seconds, self.begun + seconds
        self.each = each
        """Seconds that a rollout takes."""
        self.made = 1
        """Rollouts of the last chunk."""

    @property
    def done(self) -> float:
        return min(1.0, (time.perf_counter() - self.begun) / self.seconds)

    def affordable(self, most: int, try_out: TryOut) -> int:
        """The same, by the time that a rollout takes."""
        if self.each is None:
            self.each = seconds_of(lambda: try_out([0], range(1)))
        return _affordable((self.end - time.perf_counter()) / self.each, most)

    def chunks(self, num_candidates: int, rounds_left: int):
        """Worlds for a moment each, until the round's share of the time is over.

        Rollouts grow in number by steps, so that what the first one took need not be right.
        """
        assert self.each is not None
        now = time.perf_counter()
        end = now + (self.end - now) / rounds_left
        while now < end:
            if num_candidates * self.each > end - now:
                return
            rollouts = min(CHUNK_SECONDS, end - now) / self.each
            worlds = int(min(rollouts, max(num_candidates, LARGEST_STEP * self.made)) / num_candidates)
            worlds = worlds or max(1, min(int(rollouts), int((end - now) / (num_candidates * self.each))))
            yield worlds
            self.made = worlds * num_candidates
            start, now = now, time.perf_counter()
            self.each = max((now - start) / self.made, SHORTEST)

    def run(self, try_out: TryOut, candidates: Sequence[int], worlds: range) -> tuple[np.ndarray, np.ndarray] | None:
        """What the candidates earn in some worlds: together, or one by one where that takes longer than a moment, with
        a look at the clock before each; None where time is over before all have been tried."""
        assert self.each is not None
        takes = len(worlds) * self.each
        if len(candidates) * takes <= CHUNK_SECONDS:
            return try_out(candidates, worlds)
        parts = []
        for candidate in candidates:
            if time.perf_counter() + takes > self.end:
                return None
            parts.append(try_out([candidate], worlds))
        rewards, by_chance = zip(*parts, strict=True)
        return np.concatenate(rewards), np.concatenate(by_chance)


def seconds_of(run: Callable[[], object]) -> float:
    """How long something takes the second time: the first may have to load programs, and start threads."""
    run()
    start = time.perf_counter()
    run()
    return max(time.perf_counter() - start, SHORTEST)


def _affordable(rollouts: float, most: int) -> int:
    """The most rivals that leave LEAST_WORLDS for each of them and the first in every round."""
    return max((n for n in range(1, most + 1) if rollouts >= _num_rounds(n) * (n + 1) * LEAST_WORLDS), default=0)
