"""Search in the model: what both MuZeros give to mctx, and what they keep of it."""

from collections.abc import Callable
from typing import Any, Protocol, runtime_checkable

import equinox as eqx
import jax
import jax.numpy as jnp
import mctx
from jaxtyping import Array, Float, Int, Key

from lmta.agents.muzero.networks import Place, Scene


@runtime_checkable
class SearchedModel(Protocol):
    """What search needs of a model, on one example."""

    def policy(self, scene: Any, place: Any) -> Any:
        """Logits of all actions."""
        ...

    def step(self, scene: Any, place: Any, action: Any) -> tuple[Any, Any]:
        """(the place after an action, its reward in the model's own form)."""
        ...

    def expected_reward(self, logits: Any) -> Any:
        """A reward in true units."""
        ...

    def expected_value(self, scene: Any, place: Any) -> Any:
        """The value of a place in true units."""
        ...


class Found(eqx.Module):
    """What search found for a decision."""

    action: Int[Array, ""]
    """A node, or the number of nodes, which ends the day."""
    action_value: Float[Array, ""]
    """Of that action, in true units."""
    actions: Int[Array, " options"] | None
    """What the policy below is about; None for all actions."""
    policy: Float[Array, " options"]
    """What the policy prior is fitted to."""
    value: Float[Array, ""]
    """Of the root, backed by the search, in true units."""


Expand = Callable[[Place, Key[Array, ""]], tuple[Any, Float[Array, " options"]]]
"""(a new place, key) → (what is to be known of its options, their prior logits)."""


def recurrent(model: SearchedModel, scene: Scene, discount: float, expand: Expand, action_of: Any) -> Any:
    """One step of the model for mctx, with a batch of one; embeddings are (place, what is known of its options).

    `action_of(known, option)` is the action that an option stands for. Past the last day there is neither reward nor
    value.
    """

    def step(_, key, option, embedding):
        (place, known), option = jax.tree.map(lambda leaf: leaf[0], (embedding, option))
        after, reward_logits = model.step(scene, place, action_of(known, option))
        following, prior = expand(after, key)
        output: Any = mctx.RecurrentFnOutput(
            reward=jnp.where(place.days_left > 0, model.expected_reward(reward_logits), 0.0),  # pyright: ignore
            discount=jnp.where(after.days_left > 0, discount, 0.0),  # pyright: ignore
            prior_logits=prior,  # pyright: ignore
            value=model.expected_value(scene, after),  # pyright: ignore
        )
        return batch_of_one((output, (after, following)))

    return step


def root_of(prior: Float[Array, " options"], value: Float[Array, ""], place: Place, known: Any) -> Any:
    """A root for mctx."""
    return batch_of_one(mctx.RootFnOutput(prior_logits=prior, value=value, embedding=(place, known)))  # pyright: ignore


def batch_of_one(tree: Any) -> Any:
    """The tree with a leading axis."""
    return jax.tree.map(lambda leaf: jnp.asarray(leaf)[None], tree)


def summary_of(tree: Any) -> tuple[Float[Array, " options"], Float[Array, " options"], Float[Array, ""]]:
    """(visits, values of the options at the root, value of the root)."""
    summary = tree.summary()
    return summary.visit_counts[0].astype(jnp.float32), summary.qvalues[0], summary.value[0]


def pick_of(found: Found, num_nodes: int, key: Key[Array, ""]) -> Int[Array, ""]:
    """A node drawn from the policy of the search, as if the day could not end; its end where there is none."""
    actions = jnp.arange(num_nodes + 1) if found.actions is None else found.actions
    shares = jnp.where(actions < num_nodes, found.policy, 0.0)
    drawn = actions[jax.random.categorical(key, jnp.log(shares))]
    return jnp.where(shares.sum() > 0, drawn, num_nodes).astype(jnp.int32)


def blank_found(actions: Int[Array, " options"] | None, policy: Float[Array, " options"]) -> Found:
    """Nothing found yet, about so many options."""
    return Found(jnp.zeros((), jnp.int32), jnp.zeros(()), actions, policy, jnp.zeros(()))
