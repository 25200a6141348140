"""Fit a strategy to one instance: successive halving over a family, then a judgement on futures it has not seen."""

import math
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from lmta.planning.effort import Effort
from lmta.planning.futures import MOST_AT_ONCE, earn
from lmta.planning.search import Standing, mean_of, search
from lmta.planning.tuned import Gain, TunedPlanner, policy_of, tuning_of
from lmta.policies.base import Policy
from lmta.policies.player import day_seed
from lmta.policies.registry import adviser
from lmta.problems.simulator import Play
from lmta.problems.spec import Spec
from lmta.types import InputError

MOST_MINUTES = 24 * 60.0
DRAWN, NEARBY = 55, 31
"""Strategies that are drawn anywhere at first, and near the best one in each later generation."""
GENERATIONS = (0.25, 0.12, 0.12, 0.11)
"""The share of the time for each generation …"""
CHOOSING = 0.1
"""… and for the choice among forms that rollouts do not tell apart; the judgement has the rest."""
FEWEST, MOST, ROLLOUTS_AT_ONCE = 100, 10_000, 250
"""Futures of a judgement, and of a part of it where rollouts can tell."""
ENOUGH = 2.0
"""Standard errors by which a strategy must be ahead of the adviser."""
OnProgress = Callable[[float, str], None]
"""Is told the share that is done, and what leads."""


def seconds_in(minutes: Any) -> float:
    """Minutes as seconds, where they are a sensible number."""
    if isinstance(minutes, bool) or not isinstance(minutes, int | float) or not 0 < minutes <= MOST_MINUTES:
        raise InputError(f"minutes: {minutes} given, it must be above 0 and at most {MOST_MINUTES:,.0f}.")
    return 60.0 * minutes


def tune(
    spec: Spec, instance: Any, seconds: float, seed: int, on_progress: OnProgress = lambda *told: None
) -> TunedPlanner:
    """The best strategy of the problem's family for an instance, or the adviser's own where none is surely better."""
    tuning, begun = tuning_of(spec), time.perf_counter()
    fitted = _fit(spec, instance, seconds, seed, on_progress)
    on_progress(sum(GENERATIONS), "which form of it")
    end = begun + (sum(GENERATIONS) + CHOOSING) * seconds
    best = _best_form([fitted, *tuning.variants(instance, fitted)], spec, instance, end, day_seed(seed, 1))
    on_progress(sum(GENERATIONS) + CHOOSING, "judged on fresh futures")
    end, judged, usual = begun + seconds, day_seed(seed, 2), tuning.own(instance)
    if usual is not None and best is fitted:
        gain = _judge_by_rollouts(tuning.make_play(instance), usual, best, end, judged)
    else:
        rivals = [adviser(spec.name), policy_of(spec, best, "tuned")]
        gain = _gain(*_play(rivals, spec, instance, end, judged))
    return TunedPlanner(
        problem=spec.name,
        fingerprint=tuning.fingerprint(instance),
        days=int(instance.days),
        budget=int(instance.budget),
        strategy=_plain(best) if is_sure(gain) else None,
        gain=gain,
    )


def is_sure(gain: Gain) -> bool:
    """Whether a gain is beyond doubt."""
    return gain.mean > ENOUGH * gain.error


def _fit(spec: Spec, instance: Any, seconds: float, seed: int, on_progress: OnProgress) -> Any:
    """The best of the family by rollouts from the first day, generation by generation."""
    tuning, rng = tuning_of(spec), np.random.default_rng([seed, 0])
    play = tuning.make_play(instance)
    best, done = tuning.known[0], 0.0
    for generation, share in enumerate(GENERATIONS):
        if generation == 0:
            rivals = [*tuning.known[1:], *(tuning.draw(rng, None) for _ in range(DRAWN))]
        else:
            rivals = [tuning.draw(rng, best) for _ in range(NEARBY)]
        tell = partial(_tell, on_progress, tuning.describe, done, share)
        best = _best_of([best, *rivals], play, share * seconds, day_seed(seed, 0, generation), tell)
        done += share
    return best


def _tell(
    on_progress: OnProgress, describe: Callable[[Any], str], done: float, share: float, of_share: float, leading: Any
) -> None:
    on_progress(done + share * of_share, describe(leading))


def _best_of(
    strategies: Sequence[Any], play: Play, seconds: float, seed: int, tell: Callable[[float, Any], None]
) -> Any:
    """The best strategy by evidence; the first is the one to beat."""

    def try_out(some: Sequence[int], worlds: range) -> tuple[np.ndarray, np.ndarray]:
        returns, by_chance = zip(*(play(strategies[i], worlds, seed) for i in some), strict=True)
        return np.stack(returns), np.stack(by_chance)

    def on_progress(standing: Standing) -> None:
        tell(standing.done, strategies[standing.leading])

    return strategies[search(try_out, len(strategies), Effort(seconds=seconds), on_progress=on_progress).chosen]


def _best_form(forms: Sequence[Any], spec: Spec, instance: Any, end: float, seed: int) -> Any:
    """The first form, unless another is surely better."""
    if len(forms) == 1:
        return forms[0]
    earned = _play([policy_of(spec, form, "form") for form in forms], spec, instance, end, seed)
    gains = [_gain(earned[0], row) for row in earned]
    best = max(range(len(forms)), key=lambda i: gains[i].mean)
    return forms[best] if is_sure(gains[best]) else forms[0]


def _judge_by_rollouts(play: Play, own: Any, tuned: Any, end: float, seed: int) -> Gain:
    """What one strategy earns more than another in the same worlds."""
    played: list[np.ndarray] = []
    while not played or (time.perf_counter() < end and len(played) * ROLLOUTS_AT_ONCE < MOST):
        worlds = range(len(played) * ROLLOUTS_AT_ONCE, (len(played) + 1) * ROLLOUTS_AT_ONCE)
        played.append(np.stack([np.stack(play(strategy, worlds, seed)) for strategy in (own, tuned)]))
    both = np.concatenate(played, axis=2)
    more = mean_of(*(both[1] - both[0]))
    return Gain(mean=more.mean, error=more.error, adviser=mean_of(*both[0]).mean, futures=both.shape[2])


def _play(players: Sequence[Policy], spec: Spec, instance: Any, end: float, seed: int) -> np.ndarray:
    """What each earns in the same futures, as many as there is time for: [player, future]."""
    rules = spec.session.on_host
    state = (rules or spec.problem).reset(instance)
    earned: list[np.ndarray] = []
    while len(earned) * MOST_AT_ONCE < FEWEST or (time.perf_counter() < end and len(earned) * MOST_AT_ONCE < MOST):
        world_seed = day_seed(seed, len(earned))
        earned.append(
            np.stack([earn(player, rules, instance, state, MOST_AT_ONCE, world_seed)[:, -1] for player in players])
        )
    return np.concatenate(earned, axis=1)


def _gain(own: np.ndarray, tuned: np.ndarray) -> Gain:
    more = tuned - own
    error = float(more.std(ddof=1)) / math.sqrt(len(more))
    return Gain(mean=float(more.mean()), error=error, adviser=float(own.mean()), futures=len(more))


def _plain(strategy: Any) -> dict[str, Any]:
    """A named tuple as a file keeps it."""
    return {name: _plain(value) if hasattr(value, "_asdict") else value for name, value in strategy._asdict().items()}
