"""The budget rule `rollout`: each candidate for today is tried by playing a node rule to the end many times."""

from typing import Any

from jaxtyping import Float, Int, Key

from lmta.lazy import Array, jax, jnp
from lmta.problems.base import pick_day, play_day
from lmta.problems.heuristics import BudgetRule, Pairing, ScoreRule, score_chooser
from lmta.problems.influence.heuristics import LOOKAHEAD
from lmta.problems.influence.rules import Influence
from lmta.sparse import first_best

ROLLOUTS = 100
MULTIPLES = (0.0, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0, 3.0)
"""Candidates as multiples of an even share; one pick and all that is left are tried too."""


def make_rollout(problem: Influence, node_rule: ScoreRule, rollouts: int = ROLLOUTS) -> BudgetRule:
    """The rule that grants what earns most if the node rule goes on with even budgets afterwards.

    All candidates of a day meet the same futures. The schedule of an instance is the key that its futures come from.
    """

    def grant(instance: Any, state: Any, key: Key[Array, ""]) -> Int[Array, ""]:
        candidates = _candidates(instance, state)
        futures = jax.random.split(jax.random.fold_in(key, state.day), rollouts)

        def totals(future: Key[Array, ""]) -> Float[Array, " candidates"]:
            noise = problem.draw_noise(instance, 1, future)
            return jax.vmap(lambda first: _play_on(problem, node_rule, instance, state, noise, first))(candidates)

        return candidates[first_best(jax.lax.map(totals, futures).mean(axis=0))]

    make_schedule = lambda _problem, _instance, seed: jax.random.key(seed)  # noqa: E731
    return BudgetRule("rollout", grant, make_schedule, looks_at_nodes=True)


def _candidates(instance: Any, state: Any) -> Int[Array, " candidates"]:
    even = state.budget_left / jnp.maximum(instance.days - state.day, 1)
    multiples = jnp.round(jnp.array(MULTIPLES) * even).astype(jnp.int32)
    return jnp.minimum(jnp.concatenate([multiples, jnp.array([1]), state.budget_left[None]]), state.budget_left)


def _play_on(
    problem: Influence, node_rule: ScoreRule, instance: Any, state: Any, noise: Any, first: Int[Array, ""]
) -> Float[Array, ""]:
    """The reward from today to the end with `first` picks today."""
    chooser = score_chooser(problem, node_rule, instance, jax.random.key(0))

    def day(carry):
        state, budget, total = carry
        record = pick_day(problem, instance, state, chooser, budget, instance.graph.num_nodes)
        state, record = play_day(problem, instance, state, noise, record)
        days_left = jnp.maximum(instance.days - state.day, 1)
        return state, -(-state.budget_left // days_left), total + record.reward

    start = (state, first, jnp.zeros(()))
    return jax.lax.while_loop(lambda carry: carry[0].day < instance.days, day, start)[2]


ROLLOUT = Pairing(make_rollout(Influence(), LOOKAHEAD), {"lookahead": LOOKAHEAD})
