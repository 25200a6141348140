"""Today's advice with its reasons, as plain values that a database and a page can keep."""

import math
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float, Int

from lmta.lazy import Array, jax, jit, jnp
from lmta.planning.planner import Planner
from lmta.policies.base import Policy
from lmta.policies.player import AbstractPlayer, day_seed
from lmta.problems.base import ForecastingProblem, HostRules, Problem, along_picks
from lmta.problems.heuristics import PlanRule, ScoreRule
from lmta.problems.registry import spec_of_session
from lmta.problems.session import AbstractSession
from lmta.sparse import padded_size
from lmta.types import Thinking, Tried

NUM_ALTERNATIVES = 5


class Ranking(NamedTuple):
    """By what alternatives are ranked."""

    name: str
    is_own: bool
    """Whether the policy values its picks by it too."""
    on_host: Callable[[Any, Any], np.ndarray] | None
    """(instance, state) → scores, without a compilation; otherwise by the rule."""
    rule: ScoreRule


def advise(player: AbstractPlayer, session: AbstractSession, seed: int) -> dict[str, Any]:
    """Decide for today; what each pick adds today, and what else there would have been."""
    decision = player.decide(session, seed=seed)
    picks = [session.index(node, "advice") for node in decision.nodes]
    ranking = _ranking(player, session, seed)
    gains, others, scores, instead = _measure(ranking, session, picks, seed)
    return {
        "day": decision.day,
        "policy": decision.policy,
        "seed": seed,
        "budget": decision.budget,
        "budget_left": session.budget_left,
        "picks": [_pick(p.node, p.value, gain) for p, gain in zip(decision.picks, gains, strict=True)],
        "alternatives": [
            _pick(session.ids[i], score if ranking.is_own else math.nan, gain)
            for i, score, gain in zip(others, scores, instead, strict=True)
        ],
        "ranked_by": ranking.name,
        "why": decision.why,
        "thinking": None if decision.thinking is None else _thinking(decision.thinking),
        "milliseconds": decision.milliseconds,
    }


def _pick(node: Any, value: float, gain: float) -> dict[str, Any]:
    return {"id": _id(node), "value": _finite(value), "gain": _finite(gain)}


def _thinking(thinking: Thinking) -> dict[str, Any]:
    """What rollouts told, as plain values."""
    return {
        "strategies": [_tried(tried) for tried in thinking.tried],
        "adds": [{"mean": _finite(added.mean), "error": _finite(added.error)} for added in thinking.adds],
        "idle": None if thinking.idle is None else thinking.idle._asdict(),
        "rollouts": thinking.rollouts,
        "seconds": thinking.seconds,
    }


def _tried(tried: Tried) -> dict[str, Any]:
    return {
        "name": tried.name,
        "picks": [_id(node) for node in tried.nodes],
        "promises": _finite(tried.value),
        "promises_error": _finite(tried.value_error),
        "less": _finite(tried.less),
        "less_error": _finite(tried.less_error),
        "rollouts": tried.rollouts,
    }


def _id(node: Any) -> int | str:
    return node if isinstance(node, int) else str(node)


def _finite(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def _measure(
    ranking: Ranking, session: AbstractSession, picks: list[int], seed: int
) -> tuple[list[float], list[int], list[float], list[float]]:
    """What each pick adds to today; the legal nodes that come next in place of the last pick, their scores, and what
    each would add there."""
    if session.on_host is not None and ranking.on_host is not None:
        return _measure_on_host(session.on_host, ranking.on_host, session, picks)
    padded = np.full(padded_size(session.budget), -1, np.int32)  # one compilation for all days
    padded[: len(picks)] = picks
    random = day_seed(seed, session.day)
    measured = _measures(session.problem, ranking.rule, session.instance, session.state, random, padded, len(picks))
    gains, others, scores, instead = (np.asarray(part) for part in jax.device_get(measured))
    real = np.isfinite(scores)
    return gains[: len(picks)].tolist(), others[real].tolist(), scores[real].tolist(), instead[real].tolist()


def _measure_on_host(
    rules: HostRules, scores_of: Callable[[Any, Any], np.ndarray], session: AbstractSession, picks: list[int]
) -> tuple[list[float], list[int], list[float], list[float]]:
    """The same without a compilation."""
    instance = session.instance
    states = [rules.pick(instance, session.state, picks[:count]) for count in range(len(picks) + 1)]
    forecasts = [rules.forecast(instance, state) for state in states]
    last = max(len(picks) - 1, 0)
    scores = np.where(rules.legal(instance, states[last]), scores_of(instance, states[last]), -np.inf)
    scores[picks] = -np.inf
    others = np.argsort(-scores, kind="stable")[:NUM_ALTERNATIVES]
    others = others[np.isfinite(scores[others])].tolist()
    instead = [rules.forecast(instance, rules.pick(instance, states[last], [i])) - forecasts[last] for i in others]
    return np.diff(forecasts).tolist(), others, scores[others].tolist(), instead


def _ranking(player: AbstractPlayer, session: AbstractSession, seed: int) -> Ranking:
    """The scores of the policy's own node rule, or those of the problem's yardstick."""
    policies = spec_of_session(session).policies
    yardstick = policies.node_rules[policies.yardstick]
    assert isinstance(yardstick, ScoreRule), f"the yardstick {yardstick.name} does not score nodes"
    decider = player.adviser if isinstance(player, Planner) else player
    rule = decider.node_rule if isinstance(decider, Policy) else None
    if isinstance(rule, ScoreRule):
        return Ranking(rule.name, True, rule.on_host, rule)
    if isinstance(rule, PlanRule):
        prepared = session.prepared[player.name, seed]
        scorer = rule.scorer((prepared[0] if isinstance(player, Planner) else prepared)[1])
        if scorer is not None:
            today = day_seed(seed, session.day)
            return Ranking(rule.name, True, lambda instance, state: scorer(state, today), yardstick)
    values_alike = rule is not None and bool(rule.value) and rule.value == yardstick.value
    return Ranking(yardstick.name, values_alike, yardstick.on_host, yardstick)


@partial(jit, static_argnums=(0, 1))
def _measures(
    problem: Problem, rule: ScoreRule, instance: Any, state: Any, seed: Any, picks: Int[Array, " picks"], num_picks: Any
) -> tuple[Float[Array, " picks"], Int[Array, " others"], Float[Array, " others"], Float[Array, " others"]]:
    forecast = _make_forecast(problem, instance)
    forecasts = along_picks(problem, instance, state, picks, num_picks, forecast)
    last = jnp.maximum(num_picks - 1, 0)
    before = jax.lax.fori_loop(0, last, lambda i, s: problem.pick(instance, s, picks[i]), state)
    scores = rule.scores(instance, before, jax.random.fold_in(jax.random.key(seed), last))
    scores = jnp.where(problem.legal(instance, before), scores, -jnp.inf)
    scores = scores.at[jnp.where(picks < 0, scores.shape[0], picks)].set(-jnp.inf, mode="drop")
    best, others = jax.lax.top_k(scores, min(NUM_ALTERNATIVES, scores.shape[0]))
    instead = jax.lax.map(lambda node: forecast(problem.pick(instance, before, node)) - forecasts[last], others)
    return jnp.diff(forecasts), others, best, instead


def _make_forecast(problem: Problem, instance: Any) -> Callable[[Any], Float[Array, ""]]:
    """What a state promises for today; not a number where the problem has no closed form for it."""
    if isinstance(problem, ForecastingProblem):
        return partial(problem.forecast, instance)
    return lambda state: jnp.full((), jnp.nan)
