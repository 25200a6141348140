"""Today's advice with its reasons, as plain values that a database and a page can keep."""

import math
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int

from lmta.policies.base import Policy, ScoreRule
from lmta.policies.player import AbstractPlayer, day_seed
from lmta.policies.registry import NODE_RULES
from lmta.problems.base import Problem
from lmta.problems.session import Session
from lmta.sparse import padded_size
from lmta.types import Decision, SearchReport

NUM_ALTERNATIVES = 5
YARDSTICKS = {"aim": "score", "sop": "greedy"}
"""The node rule by which alternatives are ranked where the policy's own has no scores, by problem."""


def advise(player: AbstractPlayer, session: Session, seed: int) -> dict[str, Any]:
    """Decide for today; what each pick adds today, and what else there would have been."""
    decision = player.decide(session, seed=seed)
    picks = [session.index(node, "advice") for node in decision.nodes]
    gains = _gains_in_order(session, picks)
    others, scores = _runners_up(player, session, picks, seed)
    alone = _gains_alone(session, others)
    return {
        "day": decision.day,
        "policy": decision.policy,
        "seed": seed,
        "budget": decision.budget,
        "budget_left": session.budget_left,
        "picks": [_pick(p.node, p.value, gain) for p, gain in zip(decision.picks, gains, strict=True)],
        "alternatives": [
            _pick(session.ids[i], score, gain) for i, score, gain in zip(others, scores, alone, strict=True)
        ],
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


def _gains_in_order(session: Session, picks: list[int]) -> list[float]:
    """What each pick adds to the reward expected today, after those before it."""
    padded = np.full(padded_size(len(picks)), -1, np.int32)
    padded[: len(picks)] = picks
    gains = _gains(session.problem, session.instance, session.state, jnp.asarray(padded))
    return np.asarray(gains)[: len(picks)].tolist()


def _gains_alone(session: Session, nodes: list[int]) -> list[float]:
    """What each would add as the first pick of the day."""
    padded = np.full((NUM_ALTERNATIVES, 1), -1, np.int32)
    padded[: len(nodes), 0] = nodes
    gains = _gains_apart(session.problem, session.instance, session.state, jnp.asarray(padded))
    return np.asarray(gains)[: len(nodes), 0].tolist()


def _runners_up(player: AbstractPlayer, session: Session, picks: list[int], seed: int) -> tuple[list[int], list[float]]:
    """The legal nodes with the highest scores that were not picked."""
    rule = player.node_rule if isinstance(player, Policy) else None
    if not isinstance(rule, ScoreRule):
        rule = NODE_RULES[session.problem.name][YARDSTICKS[session.problem.name]]
    assert isinstance(rule, ScoreRule)
    key = jax.random.key(day_seed(seed, session.day))
    scores = np.array(_scores(session.problem, rule, session.instance, session.state, key))
    scores[picks] = -np.inf
    best = np.argsort(-scores, kind="stable")[:NUM_ALTERNATIVES]
    best = [int(i) for i in best if np.isfinite(scores[i])]
    return best, scores[best].tolist()


@partial(jax.jit, static_argnums=0)
def _gains(problem: Problem, instance: Any, state: Any, picks: Int[Array, " picks"]) -> Float[Array, " picks"]:
    def pick(carry, node):
        state, before = carry
        state = problem.pick(instance, state, node)
        after = problem.forecast(instance, state)
        return (state, after), after - before

    return jax.lax.scan(pick, (state, problem.forecast(instance, state)), picks)[1]


@partial(jax.jit, static_argnums=0)
def _gains_apart(
    problem: Problem, instance: Any, state: Any, picks: Int[Array, " nodes one"]
) -> Float[Array, " nodes one"]:
    return jax.lax.map(lambda picks: _gains(problem, instance, state, picks), picks)


@partial(jax.jit, static_argnums=(0, 1))
def _scores(problem: Problem, rule: ScoreRule, instance: Any, state: Any, key: Any) -> Float[Array, " nodes"]:
    return jnp.where(problem.legal(instance, state), rule.scores(instance, state, key), -jnp.inf)
