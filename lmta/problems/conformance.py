"""Checks that any problem, also a user's own, can be put through: what it must have, and what it may have."""

from functools import partial
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from lmta.problems.base import ForecastingProblem, Problem, expected_today, primitive_rewards

DRAWS = 400
"""Days that the forecast is compared with."""


class ConformanceError(AssertionError):
    """A problem breaks the contract that policies and agents rely on; the message says which part."""


def check_problem(problem: Any, instance: Any, *, other: Any = None, seed: int = 0, episodes: int = 3) -> None:
    """Play random episodes on `instance` and raise `ConformanceError` where the contract is broken.

    Forecast and gains are checked where the problem has them. `other` is a second instance of the same shapes: with it
    the rules are also checked to be traced once a shape.
    """
    _check_methods(problem)
    rules = _Traced(problem)
    rng = np.random.default_rng(seed)
    for episode in range(episodes):
        key = jax.random.key(seed + episode)
        _play_and_check(rules, problem, instance, key, rng)
        if other is not None:
            _play_and_check(rules, problem, other, key, rng)
    _check_same_noise(problem, instance, seed)
    _check_padding(problem, instance)
    repeated = {name: count for name, count in rules.traces.items() if count > 1 and other is not None}
    _require(not repeated, f"traced more than once for one shape: {repeated}")


class _Traced:
    """The rules under jit, counting how often each is traced."""

    def __init__(self, problem: Problem):
        self.traces: dict[str, int] = {}
        self.forecasts = isinstance(problem, ForecastingProblem)
        self.forecast = self._jitted("forecast", partial(expected_today, problem))
        for name in ("reset", "legal", "pick", "end_day", "observe"):
            setattr(self, name, self._jitted(name, getattr(problem, name)))

    def _jitted(self, name: str, rule: Any) -> Any:
        self.traces[name] = 0

        def counted(*arguments):
            self.traces[name] += 1
            return rule(*arguments)

        return jax.jit(counted)


def _check_methods(problem: Any) -> None:
    """Everything of the contract is there; forecast and gains come together or not at all."""
    for name in ("name", "reset", "draw_noise", "legal", "pick", "end_day", "observe", "bounds", "stack"):
        _require(hasattr(problem, name), f"{name}: is missing; every problem needs it")
    has = [name for name in ("forecast", "gains") if hasattr(problem, name)]
    _require(len(has) != 1, f"{''.join(has)}: forecast and gains come together or not at all")


def _play_and_check(rules: Any, problem: Problem, instance: Any, key: Any, rng: np.random.Generator) -> None:
    noise = problem.draw_noise(instance, int(instance.days), key)
    state = rules.reset(instance)
    _require(int(state.day) == 0, "reset: the first day must be 0")
    _require(int(state.budget_left) == int(instance.budget), "reset: the whole budget must be left")
    shapes, spent = _shapes(state), 0
    for day in range(int(instance.days)):
        _check_observation(rules, problem, instance, state)
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
            _check_observation(rules, problem, instance, state)
            forecasts.append(float(rules.forecast(instance, state)))
        if rules.forecasts:
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
    _check_observation(rules, problem, instance, state)


def _check_observation(rules: Any, problem: Problem, instance: Any, state: Any) -> None:
    """Features are finite and within their bounds; there are gains where the problem has a forecast."""
    seen, bounds = rules.observe(instance, state), problem.bounds(instance)
    for leaf in jax.tree.leaves(seen):
        _require(bool(np.isfinite(leaf).all()), "observe: the observation is not finite")
    for name, most in bounds._asdict().items():
        features = np.asarray(getattr(seen, name))
        low, high = float(features.min(initial=0.0)), float(features.max(initial=0.0))
        _require(low >= 0, f"observe: {name} hold {low:.3g}, features must be at least 0")
        within = high <= float(np.float32(most))
        _require(within, f"bounds: {name} hold {high:.3g}, more than the bound of {most:.3g}")
    expected = "gains come with a forecast" if rules.forecasts else "without a forecast there are no gains"
    _require((seen.gain is not None) == rules.forecasts, f"observe: {expected}")


def _check_forecast(rules: Any, problem: Problem, instance: Any, state: Any, key: Any) -> None:
    """The forecast is what the day brings on average: within 5 standard errors over many draws of the noise."""

    def end(key):
        return rules.end_day(instance, state, problem.draw_noise(instance, int(instance.days), key))[1]

    rewards = np.asarray(jax.vmap(end)(jax.random.split(key, DRAWS)))
    tolerance = 5 * rewards.std() / np.sqrt(DRAWS) + 1e-3
    gap = abs(float(rules.forecast(instance, state)) - rewards.mean())
    _require(bool(gap <= tolerance), f"forecast: differs by {gap:.3g} from the mean reward of {DRAWS} draws")


def _check_legal_pick(rules: Any, instance: Any, state: Any, node: int) -> Any:
    after = rules.pick(instance, state, jnp.int32(node))
    if rules.forecasts:
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


def _check_padding(problem: Problem, instance: Any) -> None:
    """With room for two more nodes the same picks are legal."""
    num_nodes = instance.graph.num_nodes
    stacked = problem.stack([instance], min_nodes=num_nodes + 2)
    padded = jax.tree.map(lambda leaf: leaf[0], stacked)
    legal, with_room = (np.asarray(problem.legal(i, problem.reset(i))) for i in (instance, padded))
    _require(with_room.tolist() == [*legal.tolist(), False, False], "stack: padding changes which picks are legal")


def _shapes(tree: Any) -> list[Any]:
    return [(leaf.shape, leaf.dtype) for leaf in jax.tree.leaves(tree)]


def _same(one: Any, other: Any) -> bool:
    return bool(eqx.tree_equal(one, other))


def _require(holds: bool, message: str) -> None:
    if not holds:
        raise ConformanceError(message)
