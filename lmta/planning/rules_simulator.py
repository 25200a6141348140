"""Rollouts by the rules of any problem: its node rules are the strategies, its adviser or baseline goes on."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from jaxtyping import Float, Int

from lmta.devices import map_over_cores
from lmta.lazy import Array, jax, jnp
from lmta.policies.base import Policy, decide_day
from lmta.policies.registry import policy
from lmta.problems.base import DayRecord, play_day
from lmta.problems.heuristics import DayPlan, DayRule, ScoreRule
from lmta.problems.simulator import AbstractSimulator, Candidate, Outcome
from lmta.problems.spec import Spec
from lmta.sparse import padded_size
from lmta.types import InputError

AT_ONCE = 8
"""Rollouts that one call makes, so that there is one compilation."""
RANDOM = "random"


class RulesSimulator(AbstractSimulator):
    """Tries picks by playing on under jit."""

    def __init__(self, spec: Spec, instance: Any):
        self.spec, self.instance = spec, instance
        self.base = base_heuristic(spec)
        make_schedule = self.base.budget_rule.make_schedule
        self.schedule = make_schedule(spec.problem, instance, 0) if make_schedule else None
        self.max_picks = padded_size(int(instance.budget))

    def candidates(self, state: Any, own: DayPlan, seed: int) -> Iterator[Candidate]:
        """The picks of each node rule, as many as the adviser makes, one more and one fewer; and to wait."""
        count = len(own.picks)
        different = {tuple(own.picks.tolist())}
        known = self.spec.policies
        rules = [name for name in known.node_rules if name not in known.complete and name != RANDOM]
        for number in dict.fromkeys((count, count + 1, count - 1, 0)):
            for rule in rules if 0 < number <= int(state.budget_left) else [None] * (number == 0):
                candidate = self._by(rule, number, state, seed) if rule else _wait()
                if tuple(candidate.picks.tolist()) not in different:
                    different.add(tuple(candidate.picks.tolist()))
                    yield candidate

    def _by(self, rule: str, count: int, state: Any, seed: int) -> Candidate:
        """So many picks by a node rule, or as many as it can make."""
        player = policy(f"cap{count}-{rule}", self.spec.name)
        choice = player.choose(self.instance, state, player.prepare(self.instance, seed), seed)
        name = f"{len(choice.picks)} by {rule}" if len(choice.picks) else "wait"
        return Candidate(name, np.asarray(choice.picks), np.asarray(choice.values))

    def try_out(self, state: Any, candidates: Sequence[Candidate], worlds: range, seed: int) -> Outcome:
        """One rollout after the other on each core."""
        picks = np.full((len(candidates), self.max_picks), -1, np.int32)
        for row, candidate in zip(picks, candidates, strict=True):
            row[: len(candidate.picks)] = candidate.picks
        counts = np.array([len(candidate.picks) for candidate in candidates], np.int32)
        which, world = (pair.ravel() for pair in np.meshgrid(np.arange(len(candidates)), worlds, indexing="ij"))
        days = int(self.instance.days)
        play = _Rollout(self.base, self.max_picks, days)
        shared = self.instance, state, self.schedule, np.uint32(seed)
        rewards = []
        for first in range(0, len(which), AT_ONCE):
            some = np.resize(np.arange(first, min(first + AT_ONCE, len(which))), AT_ONCE)
            played = map_over_cores(play, shared, picks[which[some]], counts[which[some]], world[some].astype(np.int32))
            rewards.append(np.asarray(played)[: len(which) - first])
        shape = (len(candidates), len(worlds), days)
        by_day = np.concatenate(rewards).reshape(shape)[:, :, int(state.day) :]
        return Outcome(by_day, np.zeros(shape[:2]))


def _wait() -> Candidate:
    return Candidate("wait", np.zeros(0, np.int32), np.zeros(0))


def base_heuristic(spec: Spec) -> Policy:
    """The adviser, or the baseline where the adviser does not run under jit."""
    for name in (spec.policies.adviser, spec.policies.baseline):
        found = policy(name, spec.name)
        if isinstance(found.node_rule, ScoreRule | DayRule) and found.budget_rule.num_today is None:
            return found
    raise InputError(f"think: {spec.name} has no policy that runs under jit, which rollouts need.")


def simulator_of(spec: Spec) -> Any:
    """Instance → what tries strategies on it: the problem's own engine, or its rules."""
    return spec.policies.simulator or partial(RulesSimulator, spec)


@dataclass(frozen=True)
class _Rollout:
    """Plays one candidate in one world."""

    policy: Policy
    max_picks: int
    max_days: int

    def __call__(
        self, shared: tuple[Any, ...], picks: Int[Array, " picks"], count: Int[Array, ""], world: Int[Array, ""]
    ) -> Float[Array, " days"]:
        """The reward of each day; 0 for those that are over."""
        instance, state, schedule, seed = shared
        problem = self.policy.problem
        key = jax.random.key(seed)
        noise = problem.draw_noise(instance, self.max_days, jax.random.fold_in(key, world))

        def play(state, rewards, record):
            following, played = play_day(problem, instance, state, noise, record)
            return following, rewards.at[state.day].set(played.reward)

        def go_on(carry):
            state, rewards = carry
            return play(state, rewards, decide_day(self.policy, self.max_picks, instance, state, schedule, seed)[1])

        today = DayRecord(picks, jnp.zeros(self.max_picks), count, jnp.zeros(()))
        begin = play(state, jnp.zeros(self.max_days), today)
        return jax.lax.while_loop(lambda carry: carry[0].day < instance.days, go_on, begin)[1]
