"""Today's advice with its reasons, as plain values that a database and a page can keep."""

import math
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int

from lmta.agents.planner import Planner
from lmta.policies.base import Policy, ScoreRule
from lmta.policies.orienteering import Insertion
from lmta.policies.player import AbstractPlayer, day_seed
from lmta.policies.registry import NODE_RULES
from lmta.problems.base import GuidedProblem, Problem, along_picks
from lmta.problems.session import Session
from lmta.sparse import padded_size
from lmta.types import Decision, SearchReport

NUM_ALTERNATIVES = 5
YARDSTICKS = {"aim": "lookahead", "sop": "greedy"}
"""The node rule by which alternatives are ranked where the policy's own has no scores, by problem; guides value picks
by the same."""


def advise(player: AbstractPlayer, session: Session, seed: int) -> dict[str, Any]:
    """Decide for today; what each pick adds today, and what else there would have been."""
    decision = player.decide(session, seed=seed)
    picks = [session.index(node, "advice") for node in decision.nodes]
    rule, is_own = _ranking(player, session.problem.name)
    gains, others, scores, instead = _measure(rule, session, picks, seed)
    return {
        "day": decision.day,
        "policy": decision.policy,
        "seed": seed,
        "budget": decision.budget,
        "budget_left": session.budget_left,
        "picks": [_pick(p.node, p.value, gain) for p, gain in zip(decision.picks, gains, strict=True)],
        "alternatives": [
            _pick(session.ids[i], score if is_own else math.nan, gain)
            for i, score, gain in zip(others, scores, instead, strict=True)
        ],
        "ranked_by": rule.name,
        "why": decision.why,
        "milliseconds": decision.milliseconds,
        "search": _search(decision),
    }


def _pick(node: Any, value: float, gain: float) -> dict[str, Any]:
    return {"id": node if isinstance(node, int) else str(node), "value": _finite(value), "gain": _finite(gain)}


def _finite(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def _search(decision: Decision) -> dict[str, Any] | None:
    report = decision.search
    if report is None:
        return None
    order = np.argsort(-report.policy, kind="stable")
    subgoals = [_subgoal(report, int(i)) for i in order]
    return {"subgoal": report.subgoal, "value": _finite(report.value), "subgoals": subgoals}


def _subgoal(report: SearchReport, i: int) -> dict[str, Any]:
    return {"subgoal": i, "share": _finite(report.policy[i]), "value": _finite(report.subgoal_values[i])}


def _measure(
    rule: ScoreRule, session: Session, picks: list[int], seed: int
) -> tuple[list[float], list[int], list[float], list[float]]:
    """What each pick adds to today; the legal nodes that come next in place of the last pick, their scores, and what
    each would add there."""
    padded = np.full(padded_size(session.budget), -1, np.int32)  # one compilation for all days
    padded[: len(picks)] = picks
    random = day_seed(seed, session.day)
    measured = _measures(session.problem, rule, session.instance, session.state, random, padded, len(picks))
    gains, others, scores, instead = (np.asarray(part) for part in jax.device_get(measured))
    real = np.isfinite(scores)
    return gains[: len(picks)].tolist(), others[real].tolist(), scores[real].tolist(), instead[real].tolist()


def _ranking(player: AbstractPlayer, problem: str) -> tuple[ScoreRule, bool]:
    """The rule by whose scores alternatives are ranked, and whether the policy values its picks by them too."""
    rule = player.node_rule if isinstance(player, Policy) else None
    if isinstance(rule, ScoreRule):
        return rule, True
    yardstick = NODE_RULES[problem][YARDSTICKS[problem]]
    assert isinstance(yardstick, ScoreRule)
    is_guided = isinstance(player, Planner) and isinstance(player.agent.problem, GuidedProblem)
    return yardstick, is_guided or isinstance(rule, Insertion)


@partial(jax.jit, static_argnums=(0, 1))
def _measures(
    problem: Problem, rule: ScoreRule, instance: Any, state: Any, seed: Any, picks: Int[Array, " picks"], num_picks: Any
) -> tuple[Float[Array, " picks"], Int[Array, " others"], Float[Array, " others"], Float[Array, " others"]]:
    forecasts = along_picks(problem, instance, state, picks, num_picks, partial(problem.forecast, instance))
    last = jnp.maximum(num_picks - 1, 0)
    before = jax.lax.fori_loop(0, last, lambda i, s: problem.pick(instance, s, picks[i]), state)
    scores = rule.scores(instance, before, jax.random.fold_in(jax.random.key(seed), last))
    scores = jnp.where(problem.legal(instance, before), scores, -jnp.inf)
    scores = scores.at[jnp.where(picks < 0, scores.shape[0], picks)].set(-jnp.inf, mode="drop")
    best, others = jax.lax.top_k(scores, min(NUM_ALTERNATIVES, scores.shape[0]))
    instead = jax.lax.map(
        lambda node: problem.forecast(instance, problem.pick(instance, before, node)) - forecasts[last], others
    )
    return jnp.diff(forecasts), others, best, instead
