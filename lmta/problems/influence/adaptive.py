"""The budget rule `adaptive`: before each seed it asks whether that had better wait."""

import numpy as np
from jaxtyping import Bool, Float, Int

from lmta.kernels.seeding import CANDIDATES_FOR_A_SEED, LOOKS_A_DAY, NODES_FOR_A_SEED
from lmta.lazy import Array, jax, jnp
from lmta.problems.base import DayRecord, empty_day
from lmta.problems.heuristics import BudgetRule, DayPlan, DayRule, Pairing
from lmta.problems.influence.adjacency import adjacency_of
from lmta.problems.influence.estimates import ADAPTIVE as SEED_OR_WAIT
from lmta.problems.influence.estimates import (
    LIVE_EDGE,
    MEASURED,
    OPIM,
    WORTH_TODAY,
    by_mean_field,
    look_by_mean_field,
    seeding_or_waiting,
    worth_today,
)
from lmta.problems.influence.heuristics import LOOKAHEAD
from lmta.problems.influence.mean_field import gain_over_waiting, look_ahead, seed_or_wait_index
from lmta.problems.influence.rules import Influence, InfluenceInstance, InfluenceState
from lmta.problems.influence.situation import situation
from lmta.problems.influence.tong import all_left
from lmta.sparse import first_best
from lmta.types import Graph


def plan_day(instance: InfluenceInstance, state: InfluenceState, budget: Int[Array, ""], max_picks: int) -> DayRecord:
    """The seeds that are expected to add most by being set today, one by one, while the seed-or-wait index is above 0.

    In large networks one look ahead serves several seeds, no two of them neighbours: their cascades hardly ever meet.
    """
    rules, graph = Influence(), instance.graph
    budget = jnp.minimum(jnp.minimum(budget, state.budget_left), max_picks)
    likely = budget // jnp.maximum(instance.days - state.day, 1)
    most_at_a_look = graph.node_mask.sum() // NODES_FOR_A_SEED

    def may_go_on(state, record):
        return (record.num_picks < budget) & rules.legal(instance, state).any()

    def wants_more(carry):
        state, record, ahead = carry
        return may_go_on(state, record) & (seed_or_wait_index(instance, state, ahead) > 0)

    def seed_some(carry):
        state, record, ahead = carry
        score = jnp.where(rules.legal(instance, state), gain_over_waiting(instance, state, ahead), -jnp.inf)
        made = record.num_picks
        at_a_look = jnp.clip(jnp.maximum(likely, made) // LOOKS_A_DAY, 1, jnp.maximum(most_at_a_look, 1))
        nodes, taken = _best_apart(graph, score, jnp.minimum(at_a_look, budget - made))
        slots = jnp.where(taken, made + jnp.cumsum(taken) - 1, max_picks)
        record = DayRecord(
            picks=record.picks.at[slots].set(nodes, mode="drop"),
            values=record.values.at[slots].set(ahead.gain[nodes], mode="drop"),
            num_picks=made + taken.sum(),
            reward=record.reward,
        )
        seed = lambda i, state: rules.pick(instance, state, record.picks[i])  # noqa: E731
        state = jax.lax.fori_loop(made, record.num_picks, seed, state)
        look_again = lambda: look_ahead(instance, state)  # noqa: E731
        return state, record, jax.lax.cond(may_go_on(state, record), look_again, lambda: ahead)

    begin = state, empty_day(max_picks), look_ahead(instance, state)
    return jax.lax.while_loop(wants_more, seed_some, begin)[1]


def plan_day_on_host(instance: InfluenceInstance, state: InfluenceState, budget: int) -> DayPlan:
    """The same in compiled loops, for a network of any size."""
    now = situation(adjacency_of(instance), int(instance.days), state)
    return by_mean_field(now, budget, SEED_OR_WAIT, 0)


def worth_on_host(instance: InfluenceInstance, state: InfluenceState) -> np.ndarray:
    """By what the next seed is chosen."""
    now = situation(adjacency_of(instance), int(instance.days), state)
    return worth_today(now, look_by_mean_field(now, SEED_OR_WAIT, 0), SEED_OR_WAIT)


def _best_apart(
    graph: Graph, score: Float[Array, " nodes"], count: Int[Array, ""]
) -> tuple[Int[Array, " candidates"], Bool[Array, " candidates"]]:
    """The nodes with the highest scores, and which of them to take: the first `count` that are no neighbours."""
    num_candidates = CANDIDATES_FOR_A_SEED * (graph.num_nodes // NODES_FOR_A_SEED)
    if num_candidates <= CANDIDATES_FOR_A_SEED:
        return first_best(score)[None], jnp.ones(1, bool)
    best, nodes = jax.lax.top_k(score, num_candidates)
    rank = jnp.full(graph.num_nodes, num_candidates).at[nodes].set(jnp.arange(num_candidates))
    ends = (rank.at[end].get(mode="fill", fill_value=num_candidates) for end in (graph.senders, graph.receivers))
    joined = jnp.zeros((num_candidates, num_candidates), bool).at[tuple(ends)].set(graph.edge_mask, mode="drop")
    joined |= joined.T

    def consider(i, taken):
        alone = ~(joined[i] & taken).any()
        return taken.at[i].set(alone & (best[i] > -jnp.inf) & (taken.sum() < count))

    return nodes, jax.lax.fori_loop(0, num_candidates, consider, jnp.zeros(num_candidates, bool))


ADAPTIVE = Pairing(
    BudgetRule("adaptive", all_left, may_wait=True),
    {
        "lookahead": DayRule("lookahead", plan_day, WORTH_TODAY + LOOKAHEAD.why, plan_day_on_host, worth_on_host),
        **{rule.name: seeding_or_waiting(rule) for rule in (LIVE_EDGE, OPIM, MEASURED)},
    },
)
