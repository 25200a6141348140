"""Checks that any problem, also a user's own, can be put through."""

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from lmta.problems.base import Problem, primitive_rewards

NIGHTS = 400


class ConformanceError(AssertionError):
    """A problem breaks the contract that policies and agents rely on; the message says which part."""


def check_problem(problem: Problem, instance: Any, *, other: Any = None, seed: int = 0, episodes: int = 3) -> None:
    """Play random episodes on `instance` and raise `ConformanceError` where the contract is broken.

    `other` is a second instance of the same shapes: with it the rules are also checked to be traced once a shape.
    """
    rules = _Traced(problem)
    rng = np.random.default_rng(seed)
    for episode in range(episodes):
        key = jax.random.key(seed + episode)
        _play_and_check(rules, problem, instance, key, rng)
        if other is not None:
            _play_and_check(rules, problem, other, key, rng)
    _check_same_noise(problem, instance, seed)
    repeated = {name: count for name, count in rules.traces.items() if count > 1 and other is not None}
    _require(not repeated, f"traced more than once for one shape: {repeated}")


class _Traced:
    """The rules under jit, counting how often each is traced."""

    def __init__(self, problem: Problem):
        self.traces: dict[str, int] = {}
        for name in ("reset", "legal", "pick", "forecast", "end_day", "observe"):
            self.traces[name] = 0
            setattr(self, name, self._jitted(name, getattr(problem, name)))

    def _jitted(self, name: str, rule: Any) -> Any:
        def counted(*arguments):
            self.traces[name] += 1
            return rule(*arguments)

        return jax.jit(counted)


def _play_and_check(rules: Any, problem: Problem, instance: Any, key: Any, rng: np.random.Generator) -> None:
    noise = problem.draw_noise(instance, int(instance.days), key)
    state = rules.reset(instance)
    _require(int(state.day) == 0, "reset: the first day must be 0")
    _require(int(state.budget_left) == int(instance.budget), "reset: the whole budget must be left")
    shapes, spent = _shapes(state), 0
    for day in range(int(instance.days)):
        forecasts = [float(rules.forecast(instance, state))]
        for _ in range(int(rng.integers(0, int(instance.budget) + 2))):
            mask = np.asarray(rules.legal(instance, state))
            _check_illegal_picks(rules, instance, state, mask, rng)
            legal = np.flatnonzero(mask)
            if len(legal) == 0:
                break
            state = _check_legal_pick(rules, instance, state, int(rng.choice(legal)))
            spent += 1
            _require(_shapes(state) == shapes, "pick: shapes or types of the state change")
            forecasts.append(float(rules.forecast(instance, state)))
        _check_forecast(rules, problem, instance, state, jax.random.fold_in(key, day))
        again, _ = rules.end_day(instance, state, noise)
        state, reward = rules.end_day(instance, state, noise)
        _require(_same(again, state), "end_day: the same noise gives different states")
        _require(_shapes(state) == shapes, "end_day: shapes or types of the state change")
        _require(int(state.day) == day + 1, "end_day: the day must advance by one")
        total = float(primitive_rewards(jnp.asarray(forecasts), reward).sum())
        _require(abs(total - float(reward)) < 1e-3, "primitive rewards do not add up to the day's reward")
        _require(spent + int(state.budget_left) == int(instance.budget), "the budget is not conserved")
    _require(not np.asarray(rules.legal(instance, state)).any(), "legal: picks are allowed after the last day")
    for leaf in jax.tree.leaves(rules.observe(instance, state)):
        _require(bool(jnp.isfinite(leaf).all()), "observe: the observation is not finite")


def _check_forecast(rules: Any, problem: Problem, instance: Any, state: Any, key: Any) -> None:
    """The forecast is what the day brings on average: within 5 standard errors over many nights."""

    def night(key):
        return rules.end_day(instance, state, problem.draw_noise(instance, int(instance.days), key))[1]

    rewards = np.asarray(jax.vmap(night)(jax.random.split(key, NIGHTS)))
    tolerance = 5 * rewards.std() / np.sqrt(NIGHTS) + 1e-3
    gap = abs(float(rules.forecast(instance, state)) - rewards.mean())
    _require(bool(gap <= tolerance), f"forecast: differs by {gap:.3g} from the mean reward of {NIGHTS} nights")


def _check_legal_pick(rules: Any, instance: Any, state: Any, node: int) -> Any:
    after = rules.pick(instance, state, jnp.int32(node))
    added = float(rules.forecast(instance, after) - rules.forecast(instance, state))
    gain = float(rules.observe(instance, state).gain[node])
    _require(abs(gain - added) < 1e-3, f"observe: the gain of node {node} is {gain:.3g}, it adds {added:.3g}")
    _require(int(after.budget_left) == int(state.budget_left) - 1, f"pick: legal node {node} was not accepted")
    _require(not bool(rules.legal(instance, after)[node]), f"legal: node {node} may be picked twice")
    return after


def _check_illegal_picks(rules: Any, instance: Any, state: Any, mask: np.ndarray, rng: np.random.Generator) -> None:
    illegal = np.flatnonzero(~mask)
    for node in [-1, len(mask), *(rng.choice(illegal, 2) if len(illegal) else [])]:
        after = rules.pick(instance, state, jnp.int32(node))
        _require(_same(after, state), f"pick: node {node} is masked but changes the state")


def _check_same_noise(problem: Problem, instance: Any, seed: int) -> None:
    days = int(instance.days)
    once, again = (problem.draw_noise(instance, days, jax.random.key(seed)) for _ in range(2))
    _require(_same(once, again), "draw_noise: the same key gives different noise")


def _shapes(tree: Any) -> list[Any]:
    return [(leaf.shape, leaf.dtype) for leaf in jax.tree.leaves(tree)]


def _same(one: Any, other: Any) -> bool:
    return bool(eqx.tree_equal(one, other))


def _require(holds: bool, message: str) -> None:
    if not holds:
        raise ConformanceError(message)
