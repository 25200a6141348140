"""What is measured of every learner: scores, budgets by day, picks beside a heuristic's, values beside returns."""

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from lmta.agents.base import PickValues
from lmta.arena.play import play
from lmta.arena.statistics import Mean, compare, mean_of
from lmta.diagnostics.rollouts import Rollouts, Subject
from lmta.diagnostics.statistics import Calibration, calibration, mean_where_known
from lmta.policies.base import Policy
from lmta.policies.player import AbstractPlayer, day_seed
from lmta.policies.registry import adviser, policy
from lmta.problems.heuristics import BudgetRule
from lmta.problems.spec import Spec

GRANTED = BudgetRule("granted", lambda instance, state, schedule: schedule)
"""Grants the number that stands in the place of a schedule."""


@dataclass(frozen=True)
class Score:
    """What a player earns on the held-out instances."""

    player: str
    score: Mean
    ahead: Mean
    """How much more the agent earns, on the same instances with the same noise; NaN for the agent itself."""
    picks_by_day: tuple[float, ...]


class Quartiles(NamedTuple):
    """Where a quarter, a half and three quarters lie below."""

    low: float
    median: float
    high: float


@dataclass(frozen=True)
class DayBudget:
    """Budgets on one day."""

    day: int
    left: float
    """Mean budget left before the decision."""
    chosen: Mean
    executed: Mean
    quartiles: Quartiles
    """Of the budgets chosen."""
    adviser: float
    """Mean number of picks that the adviser would make at the same states."""


@dataclass(frozen=True)
class Agreement:
    """The agent's picks beside those of the adviser's heuristic at the same states, as many of them."""

    heuristic: str
    equal: Mean
    """Share of a day's picks that are the heuristic's too; the error is over episodes."""
    by_day: tuple[float, ...]
    """NaN where nobody picks on that day."""
    by_chance: float
    """The share that picks drawn evenly from the legal nodes would have."""
    days: int
    """Days with a pick, in all episodes."""


@dataclass(frozen=True)
class Common:
    """What is measured of every learner."""

    scores: tuple[Score, ...]
    """The agent, then the problem's baseline and its adviser."""
    budgets: tuple[DayBudget, ...]
    agreement: Agreement
    values: Calibration | None
    """Values of picks against the rewards that followed; None where the agent values none."""


def measure(subject: Subject, rollouts: Rollouts) -> Common:
    """Play the baseline and the adviser on the same instances, and ask both at the agent's own states."""
    spec = subject.run.spec
    others = policy(spec.policies.baseline, spec.name), adviser(spec.name)
    advised, equal, by_chance = _beside_adviser(subject, rollouts, others[1])
    by_episode = np.array([mean_where_known(row) for row in equal])
    known = by_episode[~np.isnan(by_episode)]
    agreement = Agreement(
        heuristic=heuristic_of(spec).name,
        equal=mean_of(known) if len(known) else Mean(math.nan, math.nan),
        by_day=tuple(mean_where_known(column) for column in equal.T),
        by_chance=mean_where_known(by_chance),
        days=int((~np.isnan(equal)).sum()),
    )
    meaning = subject.agent.pick_values
    return Common(
        scores=_scores(subject, rollouts, others),
        budgets=_budgets(rollouts, advised),
        agreement=agreement,
        values=None if meaning is None else calibration(*values_and_returns(rollouts, meaning)),
    )


def heuristic_of(spec: Spec) -> Policy:
    """The node rule of the adviser, without its say on budgets."""
    rule = policy(spec.policies.adviser, spec.name).node_rule
    plain = spec.policies.node_rules.get(rule.name, rule)
    return Policy(plain.name, spec.problem, GRANTED, plain)


def _scores(subject: Subject, rollouts: Rollouts, others: tuple[AbstractPlayer, ...]) -> tuple[Score, ...]:
    own = np.asarray(rollouts.reward, np.float64).sum(axis=1)
    by_day = tuple(np.asarray(rollouts.num_picks).mean(axis=0).tolist())
    rows = [Score(subject.run.agent, mean_of(own), Mean(math.nan, math.nan), by_day)]
    for player in others:
        played = play(player, subject.batch)
        scores = played.rewards.sum(axis=1, dtype=np.float64)
        picks = tuple(played.num_picks.mean(axis=0).tolist())
        rows.append(Score(player.name, mean_of(scores), compare(own, scores).difference, picks))
    return tuple(rows)


def _budgets(rollouts: Rollouts, advised: np.ndarray) -> tuple[DayBudget, ...]:
    chosen, executed = np.asarray(rollouts.budget), np.asarray(rollouts.num_picks)
    left = np.asarray(rollouts.states.budget_left)
    return tuple(
        DayBudget(
            day=day + 1,
            left=float(left[:, day].mean()),
            chosen=mean_of(chosen[:, day]),
            executed=mean_of(executed[:, day]),
            quartiles=Quartiles(*map(float, np.percentile(chosen[:, day], [25, 50, 75]))),
            adviser=float(advised[:, day].mean()),
        )
        for day in range(chosen.shape[1])
    )


def _beside_adviser(
    subject: Subject, rollouts: Rollouts, advising: Policy
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """By episode and day: picks that the adviser would make, the share of picks that are its heuristic's too, and that
    share by chance."""
    batch, problem = subject.batch, subject.agent.problem
    heuristic = heuristic_of(subject.run.spec)
    prepared = [advising.prepare(instance, day_seed(batch.seed, n)) for n, instance in enumerate(batch.instances)]
    own = [heuristic.prepare(instance, 0)[1] for instance in batch.instances]
    picks, count = np.asarray(rollouts.picks), np.asarray(rollouts.num_picks)
    legal = jax.jit(jax.vmap(problem.legal))
    advised, equal, chance = [], [], []
    for day in range(batch.days):
        states = jax.tree.map(lambda leaf, day=day: leaf[:, day], rollouts.states)
        seeds = [day_seed(batch.seed, n, day) for n in range(batch.size)]
        advised.append(np.asarray(advising.play_day(batch, states, prepared, seeds)[1].num_picks))
        granted = [(jnp.int32(number), each) for number, each in zip(count[:, day], own, strict=True)]
        wanted = np.asarray(heuristic.play_day(batch, states, granted, seeds)[1].picks)
        equal.append([share_of_equal(*rows) for rows in zip(picks[:, day], wanted, strict=True)])
        num_legal = np.asarray(legal(batch.stacked, states)).sum(axis=1)
        chance.append(np.where(count[:, day] > 0, count[:, day] / np.maximum(num_legal, 1), math.nan))
    return np.stack(advised, axis=1), np.array(equal).T, np.stack(chance, axis=1)


def share_of_equal(picks: np.ndarray, others: np.ndarray) -> float:
    """The share of picks that are among the others, in any order; padding (-1) does not count. NaN without picks."""
    made = picks[picks >= 0]
    return float(np.isin(made, others).mean()) if len(made) else math.nan


def values_and_returns(rollouts: Rollouts, meaning: PickValues) -> tuple[np.ndarray, np.ndarray]:
    """For all picks that were made: what was expected of each, and what followed."""
    count = np.asarray(rollouts.num_picks)
    made = np.arange(rollouts.picks.shape[-1]) < count[..., None]
    return np.asarray(rollouts.value)[made], pick_returns(np.asarray(rollouts.pick_reward), count, meaning)


def pick_returns(rewards: np.ndarray, num_picks: np.ndarray, meaning: PickValues) -> np.ndarray:
    """For each pick of each day the discounted rewards of it and of later ones; one list over all that were made."""
    made = np.arange(rewards.shape[-1]) < num_picks[..., None]
    if meaning.ends_with_day:
        rewards, made = (array.reshape(-1, array.shape[-1]) for array in (rewards, made))
    parts = [returns_to_go(part[mask], meaning.discount) for part, mask in zip(rewards, made, strict=True)]
    return np.concatenate(parts)


def returns_to_go(rewards: np.ndarray, discount: float) -> np.ndarray:
    """Σ_j γʲ r_{k+j} along the last axis."""
    total, found = np.zeros(rewards.shape[:-1]), np.empty(rewards.shape)
    for step in reversed(range(rewards.shape[-1])):
        total = rewards[..., step] + discount * total
        found[..., step] = total
    return found


def as_plain(value: Any) -> Any:
    """Measurements as dictionaries and lists; means and intervals keep the names of their parts."""
    if hasattr(value, "__dataclass_fields__"):
        return {name: as_plain(getattr(value, name)) for name in value.__dataclass_fields__}
    if hasattr(value, "_asdict"):
        return {name: as_plain(part) for name, part in value._asdict().items()}
    return [as_plain(part) for part in value] if isinstance(value, tuple) else value
