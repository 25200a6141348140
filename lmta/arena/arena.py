"""The arena: every policy meets the same instances with the same noise, and its decisions are timed one by one."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np

from lmta.arena.play import Play, play
from lmta.arena.statistics import Comparison, Mean, compare, mean_of
from lmta.policies.player import AbstractPlayer
from lmta.problems.batch import Batch

TIMED_EPISODES = 5


@dataclass(frozen=True)
class Row:
    """One policy in the arena."""

    policy: str
    episodes: np.ndarray
    """The score of each episode."""
    budget_by_day: np.ndarray
    """Mean number of picks made on each day."""
    reward_by_day: np.ndarray
    decision_ms: np.ndarray
    """How long single decisions took, on days with a budget."""
    prepare_ms: float
    """How long it took to prepare for an instance, on average."""
    optimum: float | None = None
    """Mean of the exact optimum in expectation, for the policy `exact`."""

    @property
    def score(self) -> Mean:
        """Mean score with its error."""
        return mean_of(self.episodes)

    def as_json(self, first: "Row") -> dict[str, Any]:
        """The row as plain numbers, with the comparison to the first."""
        comparison = compare(self.episodes, first.episodes)
        return {
            "policy": self.policy,
            "mean": self.score.mean,
            "sem": self.score.sem,
            "n": len(self.episodes),
            "difference": comparison.difference.mean,
            "difference_sem": comparison.difference.sem,
            "paired_p": comparison.paired_p,
            "decision_ms_median": float(np.median(self.decision_ms)),
            "decision_ms_p95": float(np.percentile(self.decision_ms, 95)),
            "prepare_ms": self.prepare_ms,
            "budget_by_day": self.budget_by_day.tolist(),
            "reward_by_day": self.reward_by_day.tolist(),
            "episodes": self.episodes.tolist(),
            **({} if self.optimum is None else {"optimum": self.optimum}),
        }


def run_arena(
    players: Sequence[AbstractPlayer],
    batch: Batch,
    *,
    first_days: int | None = None,
    on_day: Callable[[AbstractPlayer], None] = lambda player: None,
) -> list[Row]:
    """Let every player play; with `first_days` only the rewards of the first days count."""
    rows = []
    for player in players:
        played = play(player, batch, keep_states=TIMED_EPISODES, on_day=lambda player=player: on_day(player))
        rows.append(
            Row(
                policy=player.name,
                episodes=played.rewards[:, :first_days].sum(axis=1, dtype=np.float64),
                budget_by_day=played.num_picks.mean(axis=0),
                reward_by_day=played.rewards.mean(axis=0, dtype=np.float64),
                decision_ms=_time_decisions(player, batch, played),
                prepare_ms=played.prepare_ms,
                optimum=_mean_optimum(player, played),
            )
        )
    return rows


def _mean_optimum(player: AbstractPlayer, played: Play) -> float | None:
    optima = [optimum for prepared in played.prepared if (optimum := player.optimum(prepared)) is not None]
    return float(np.mean(optima)) if optima else None


def _time_decisions(player: AbstractPlayer, batch: Batch, played: Play) -> np.ndarray:
    """Milliseconds for each decision of the first episodes that had a budget, one at a time after a warm-up."""
    milliseconds = []
    instances = [jax.device_put(instance) for instance in batch.instances[:TIMED_EPISODES]]
    for day, states in enumerate(played.states):
        for n, state in enumerate(states):
            arguments = (instances[n], jax.device_put(state), played.prepared[n], day)
            if not milliseconds:
                player.choose(*arguments)
            start = time.perf_counter()
            choice = player.choose(*arguments)
            if choice.budget > 0:
                milliseconds.append(1000 * (time.perf_counter() - start))
    return np.array(milliseconds or [np.nan])


def comparisons(rows: Sequence[Row]) -> list[Comparison]:
    """Every policy against the first."""
    return [compare(row.episodes, rows[0].episodes) for row in rows]
