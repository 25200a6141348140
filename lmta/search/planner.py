"""Search over subgoals in latent space (App. B): model, latent and key in; search policy and value out."""

from collections.abc import Callable
from typing import Any, Protocol, runtime_checkable

import equinox as eqx
import jax
import jax.numpy as jnp
import mctx
from jaxtyping import Array, Float, Int, Key

from lmta.config import SearchConfig
from lmta.nn.categorical import unsquash


@runtime_checkable
class LatentModel(Protocol):
    """What search needs of a model, on one example."""

    @property
    def prediction(self) -> Callable[[Any], tuple[Any, Any]]:
        """Latent → (logits over subgoals, squashed value)."""
        ...

    def step(self, h: Any, subgoal: Any) -> tuple[Any, Any]:
        """Latent and subgoal → (next latent, logits of the macro reward)."""
        ...

    def reward(self, logits: Any) -> Any:
        """The macro reward in true units."""
        ...


class Plan(eqx.Module):
    """What search found for a decision."""

    subgoal: Int[Array, ""]
    """Drawn from the search policy, or its best when playing greedily."""
    policy: Float[Array, " subgoals"]
    """The search policy: shares of the visits (PUCT) or improved policy (Gumbel)."""
    value: Float[Array, ""]
    """The search-backed value of the root, in true units."""
    subgoal_values: Float[Array, " subgoals"]
    """The value of each subgoal at the root; where it was never tried, the root's own."""


def plan(
    model: LatentModel,
    config: SearchConfig,
    latent: Float[Array, " latent"],
    decisions_left: Int[Array, ""],
    key: Key[Array, ""],
    *,
    max_depth: int,
    explore: bool,
) -> Plan:
    """Search from a latent. Past the last decision there is neither reward nor value.

    With `explore` there is Dirichlet noise at the root and the subgoal is drawn at the training temperature; without,
    there is no noise and the most visited subgoal is taken.
    """
    embedding = (latent[None], decisions_left[None])
    prior, value = _predict(model, *embedding)
    if config.planner == "model-free" or config.simulations == 0:
        subgoal = jax.random.categorical(key, prior[0]) if explore else jnp.argmax(prior[0])
        return Plan(subgoal, jax.nn.softmax(prior[0]), value[0], jnp.full(prior.shape[1:], value[0]))
    root = mctx.RootFnOutput(prior_logits=prior, value=value, embedding=embedding)  # pyright: ignore
    inputs: Any = (model, key, root, _make_recurrent(config.discount))
    size: Any = {"num_simulations": config.simulations, "max_depth": max_depth}
    if config.planner == "gumbel":
        found = mctx.gumbel_muzero_policy(
            *inputs, **size, gumbel_scale=1.0 if explore else 0.0, qtransform=_completed_over_tree
        )
    else:
        found = mctx.muzero_policy(
            *inputs,
            **size,
            dirichlet_fraction=config.dirichlet_mix if explore else 0.0,
            dirichlet_alpha=config.dirichlet_alpha,
            pb_c_init=config.c_init,
            temperature=config.temperature if explore else 0.0,
            qtransform=_scaled_over_tree,
        )
    summary = found.search_tree.summary()
    tried = jnp.asarray(summary.visit_counts)[0] > 0
    root_value = jnp.asarray(summary.value)[0]
    return Plan(
        subgoal=jnp.asarray(found.action)[0],
        policy=jnp.asarray(found.action_weights)[0],
        value=root_value,
        subgoal_values=jnp.where(tried, jnp.asarray(summary.qvalues)[0], root_value),
    )


def _scaled_over_tree(tree: Any, node: Any) -> Float[Array, " subgoals"]:
    """The values of a node's subgoals in units of the range of values in the whole tree, as in MuZero.

    In units of the siblings' own range, errors of the model would count as much as any difference where all subgoals
    are worth nearly the same. Subgoals never tried count as the least of those that were, and of the node itself.
    """
    low, extent = _range_of_values(tree)
    tried, values = tree.children_visits[node] > 0, tree.qvalues(node)
    least = jnp.minimum(tree.node_values[node], jnp.min(jnp.where(tried, values, jnp.inf)))
    return (jnp.where(tried, values, least) - low) / extent


def _completed_over_tree(tree: Any, node: Any) -> Float[Array, " subgoals"]:
    """What Gumbel MuZero adds to the logits of a node's subgoals, in units of the same range for the same reason."""
    values = jnp.asarray(mctx.qtransform_completed_by_mix_value(tree, node, rescale_values=False))
    return values / _range_of_values(tree)[1]


def _range_of_values(tree: Any) -> tuple[Float[Array, ""], Float[Array, ""]]:
    """(least value in the tree, how far the largest lies above it)."""
    reached = tree.node_visits > 0
    low = jnp.min(jnp.where(reached, tree.node_values, jnp.inf))
    high = jnp.max(jnp.where(reached, tree.node_values, -jnp.inf))
    return low, jnp.maximum(high - low, 1e-6)


def _predict(
    model: LatentModel, latents, decisions_left
) -> tuple[Float[Array, " batch subgoals"], Float[Array, " batch"]]:
    """Prior and value in true units; with no decision left the value is 0."""
    prior, squashed = jax.vmap(model.prediction)(latents)
    return prior, jnp.where(decisions_left > 0, unsquash(squashed), 0.0)


def _make_recurrent(discount: float) -> Any:
    """One macro step of the model for mctx; embeddings carry the decisions left beside the latent."""

    def recurrent(model: LatentModel, key, subgoal, embedding):
        latents, decisions_left = embedding
        following, reward_logits = jax.vmap(model.step)(latents, subgoal)
        alive = decisions_left > 0
        left = jnp.maximum(decisions_left - 1, 0)
        prior, value = _predict(model, following, left)
        output = mctx.RecurrentFnOutput(
            reward=jnp.where(alive, jax.vmap(model.reward)(reward_logits), 0.0),  # pyright: ignore
            discount=jnp.where(left > 0, discount, 0.0),  # pyright: ignore
            prior_logits=prior,  # pyright: ignore
            value=value,  # pyright: ignore
        )
        return output, (following, left)

    return recurrent
