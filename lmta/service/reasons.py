"""Today's advice with its reasons, as plain values that a database and a page can keep."""

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float, Int

from lmta.lazy import Array, jax, jit, jnp
from lmta.planning.planner import Planner
from lmta.policies.base import Policy
from lmta.policies.player import AbstractPlayer, day_seed
from lmta.problems.base import ForecastingProblem, HostRules, Problem, along_picks
from lmta.problems.heuristics import DayRule, PlanRule, ScoreRule
from lmta.problems.session import AbstractSession
from lmta.sparse import padded_size
from lmta.types import Pick, Thinking, Tried

NUM_ALTERNATIVES = 5


NEARLY = 1e-5
"""The share by which rounding may let another node seem better than the one that was picked."""


class Ranking(NamedTuple):
    """The scores by which a policy chose its last pick: with or without a compilation."""

    name: str
    on_host: Callable[[Any, Any], np.ndarray] | None = None
    """(instance, state) → scores, without a compilation."""
    rule: ScoreRule | None = None


class Measured(NamedTuple):
    """What each pick adds today; the score of the last pick, and who comes next in its place."""

    gains: list[float]
    lead: float
    others: list[int]
    scores: list[float]
    instead: list[float]
    """What each of the others would add today in place of the last pick."""


def advise(player: AbstractPlayer, session: AbstractSession, seed: int) -> dict[str, Any]:
    """Decide for today; what each pick adds today, and what else there would have been."""
    decision = player.decide(session, seed=seed)
    picks = [session.index(node, "advice") for node in decision.nodes]
    ranking = _ranking(player, session, decision.budget, seed)
    measured = _measure(ranking, session, picks, seed)
    alternatives = _alternatives(session, decision.picks, measured)
    return {
        "day": decision.day,
        "policy": decision.policy,
        "seed": seed,
        "budget": decision.budget,
        "budget_left": session.budget_left,
        "picks": [_pick(p.node, p.value, gain) for p, gain in zip(decision.picks, measured.gains, strict=True)],
        "alternatives": alternatives,
        "ranked_by": ranking.name if ranking and alternatives else None,
        "why": decision.why,
        "thinking": None if decision.thinking is None else _thinking(decision.thinking),
        "milliseconds": decision.milliseconds,
    }


def _alternatives(session: AbstractSession, picks: Sequence[Pick], measured: Measured) -> list[dict[str, Any]]:
    """Who comes next in place of the last pick, which is worth as much more than each as it scores more.

    There are none where another node scores more: the last pick was chosen by something else then.
    """
    slack = NEARLY * max(1.0, abs(measured.lead))
    if not picks or not measured.others or measured.scores[0] > measured.lead + slack:
        return []
    return [
        _pick(session.ids[i], picks[-1].value - max(0.0, measured.lead - score), gain)
        for i, score, gain in zip(measured.others, measured.scores, measured.instead, strict=True)
    ]


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


def _measure(ranking: Ranking | None, session: AbstractSession, picks: list[int], seed: int) -> Measured:
    """What the picks add, and the legal nodes that come next in place of the last; none without a ranking."""
    rule = None if ranking is None else ranking.rule
    scores_of = None if ranking is None else ranking.on_host
    if session.on_host is not None and (ranking is None or scores_of is not None):
        return _measure_on_host(session.on_host, scores_of, session, picks)
    padded = np.full(padded_size(session.budget), -1, np.int32)  # one compilation for all days
    padded[: len(picks)] = picks
    random = day_seed(seed, session.day)
    measured = _measures(session.problem, rule, session.instance, session.state, random, padded, len(picks))
    gains, lead, others, scores, instead = (np.asarray(part) for part in jax.device_get(measured))
    rest = (part[np.isfinite(scores)].tolist() for part in (others, scores, instead))
    return Measured(gains[: len(picks)].tolist(), float(lead), *rest)


def _measure_on_host(
    rules: HostRules, scores_of: Callable[[Any, Any], np.ndarray] | None, session: AbstractSession, picks: list[int]
) -> Measured:
    """The same without a compilation."""
    instance = session.instance
    states = [rules.pick(instance, session.state, picks[:count]) for count in range(len(picks) + 1)]
    forecasts = [rules.forecast(instance, state) for state in states]
    gains = np.diff(forecasts).tolist()
    if scores_of is None or not picks:
        return Measured(gains, math.nan, [], [], [])
    before, last = states[-2], picks[-1]
    scores = np.where(rules.legal(instance, before), scores_of(instance, before), -np.inf)
    lead, scores[last] = scores[last], -np.inf
    others = np.argsort(-scores, kind="stable")[:NUM_ALTERNATIVES]
    others = others[np.isfinite(scores[others])].tolist()
    instead = [rules.forecast(instance, rules.pick(instance, before, [i])) - forecasts[-2] for i in others]
    return Measured(gains, float(lead), others, scores[others].tolist(), instead)


def _ranking(player: AbstractPlayer, session: AbstractSession, budget: int, seed: int) -> Ranking | None:
    """The scores by which the policy's node rule chooses; None where it has none."""
    decider = player.adviser if isinstance(player, Planner) else player
    rule = decider.node_rule if isinstance(decider, Policy) else None
    if isinstance(rule, ScoreRule):
        return Ranking(rule.name, rule.on_host, rule)
    if isinstance(rule, DayRule) and rule.scores_on_host is not None:
        return Ranking(rule.name, rule.scores_on_host)
    if isinstance(rule, PlanRule) and not session.finished:
        prepared = session.prepared[player.name, seed]
        own = (prepared[0] if isinstance(player, Planner) else prepared)[1]
        scores = rule.scorer(own, session.state, budget, day_seed(seed, session.day))
        if scores is not None:
            return Ranking(rule.name, lambda instance, state: scores(state))
    return None


@partial(jit, static_argnums=(0, 1))
def _measures(
    problem: Problem,
    rule: ScoreRule | None,
    instance: Any,
    state: Any,
    seed: Any,
    picks: Int[Array, " picks"],
    num_picks: Any,
) -> tuple[
    Float[Array, " picks"],
    Float[Array, ""],
    Int[Array, " others"],
    Float[Array, " others"],
    Float[Array, " others"],
]:
    forecast = _make_forecast(problem, instance)
    forecasts = along_picks(problem, instance, state, picks, num_picks, forecast)
    last = jnp.maximum(num_picks - 1, 0)
    before = jax.lax.fori_loop(0, last, lambda i, s: problem.pick(instance, s, picks[i]), state)
    legal = problem.legal(instance, before)
    key = jax.random.fold_in(jax.random.key(seed), last)
    scores = jnp.where(legal, -jnp.inf if rule is None else rule.scores(instance, before, key), -jnp.inf)
    lead, scores = scores[picks[last]], scores.at[picks[last]].set(-jnp.inf)
    best, others = jax.lax.top_k(scores, min(NUM_ALTERNATIVES, scores.shape[0]))
    instead = jax.lax.map(lambda node: forecast(problem.pick(instance, before, node)) - forecasts[last], others)
    return jnp.diff(forecasts), lead, others, best, instead


def _make_forecast(problem: Problem, instance: Any) -> Callable[[Any], Float[Array, ""]]:
    """What a state promises for today; not a number where the problem has no closed form for it."""
    if isinstance(problem, ForecastingProblem):
        return partial(problem.forecast, instance)
    return lambda state: jnp.full((), jnp.nan)
