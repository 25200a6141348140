"""A beam over the picks of a day, for play once training is over."""

from typing import TYPE_CHECKING, Any

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int

from lmta.agents.steps import either
from lmta.agents.ws_option.networks import WsOptionModel, condition
from lmta.problems.base import DayRecord, empty_day, expected_today
from lmta.sparse import first_best

if TYPE_CHECKING:
    from lmta.agents.ws_option.agent import WsOption


class Path(eqx.Module):
    """The picks of a day so far (or a batch of them)."""

    state: Any
    record: DayRecord
    score: Float[Array, ""]
    """What the picks have added to today's forecast, and Q of the last action: an estimate of all that will follow."""
    ended: Bool[Array, ""]


def search_picks(
    agent: "WsOption", model: WsOptionModel, instance: Any, state: Any, budget: Int[Array, ""]
) -> DayRecord:
    """The best of `width` paths, each continued by the `branch` actions of highest Q until all have ended the day."""
    width, branch = agent.settings.beam.width, min(agent.settings.beam.branch, instance.graph.num_nodes + 1)
    budget = jnp.where(state.day < instance.days, jnp.minimum(budget, state.budget_left), 0)
    at_first = expected_today(agent.problem, instance, state)
    start = Path(state, empty_day(agent.max_picks), jnp.zeros(()), jnp.array(False))

    def continuations(path: Path) -> tuple[Array, Array, Array]:
        """(scores, actions and their values) of the best continuations; a path that has ended has itself alone."""
        left = budget - path.record.num_picks
        values = model.low(agent.problem.observe(instance, path.state), condition(left))
        legal = agent.legal(instance, path.state, left)
        best, actions = jax.lax.top_k(jnp.where(legal, values, -jnp.inf), branch)
        earned = expected_today(agent.problem, instance, path.state) - at_first
        itself = jnp.where(jnp.arange(branch) == 0, path.score, -jnp.inf)
        return jnp.where(path.ended, itself, earned + best), actions, best

    def follow(path: Path, action: Int[Array, ""], score: Float[Array, ""], value: Float[Array, ""]) -> Path:
        ends = action == instance.graph.num_nodes
        record = path.record
        slot = jnp.where(ends, agent.max_picks, record.num_picks)
        picked = DayRecord(
            picks=record.picks.at[slot].set(action, mode="drop"),
            values=record.values.at[slot].set(value, mode="drop"),
            num_picks=record.num_picks + ~ends,
            reward=record.reward,
        )
        after = either(ends, path.state, agent.problem.pick(instance, path.state, action))
        return either(path.ended, path, Path(after, picked, score, ends))

    def step(paths: Path) -> Path:
        scores, actions, values = jax.vmap(continuations)(paths)
        best, places = jax.lax.top_k(scores.reshape(-1), width)
        parents = jax.tree.map(lambda leaf: leaf[places // branch], paths)
        return jax.vmap(follow)(parents, actions.reshape(-1)[places], best, values.reshape(-1)[places])

    paths = jax.tree.map(lambda leaf: jnp.broadcast_to(leaf, (width, *leaf.shape)), start)
    dead = jnp.arange(width) > 0
    paths = eqx.tree_at(lambda p: (p.score, p.ended), paths, (jnp.where(dead, -jnp.inf, 0.0), dead))
    paths = jax.lax.while_loop(lambda p: ~p.ended.all(), step, paths)
    best = first_best(paths.score)
    return jax.tree.map(lambda leaf: leaf[best], paths.record)
