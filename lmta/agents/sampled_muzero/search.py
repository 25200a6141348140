"""Search over actions that are drawn anew at each node of the tree (Hubert et al. 2021)."""

from typing import Any

import jax
import jax.numpy as jnp
import mctx
from jaxtyping import Array, Float, Int, Key

from lmta.agents.muzero.networks import Place, Scene
from lmta.agents.muzero.search import Found, SearchedModel, recurrent, root_of, summary_of
from lmta.agents.sampled_muzero.settings import SearchSettings
from lmta.nn.q_learning import MASKED
from lmta.nn.sampling import corrected_prior, gumbel_top_k


def search(
    model: SearchedModel,
    settings: SearchSettings,
    discount: float,
    scene: Scene,
    place: Place,
    key: Key[Array, ""],
    *,
    explore: bool,
) -> Found:
    """Search from a root: the action, and the policy over the actions that were drawn there."""
    sample_key, search_key, action_key = jax.random.split(key, 3)
    expand = lambda place, key: sample(model, settings, scene, place, key)  # noqa: E731
    actions, prior = expand(place, sample_key)
    value = model.expected_value(scene, place)
    possible = prior > MASKED / 2
    tree = mctx.search(
        None,  # pyright: ignore
        search_key,
        root=root_of(prior, value, place, actions),
        recurrent_fn=recurrent(model, scene, discount, expand, lambda actions, slot: actions[slot]),
        root_action_selection_fn=make_root_selection(settings.c_init),
        interior_action_selection_fn=make_selection(settings.c_init),
        num_simulations=settings.simulations,
        max_depth=settings.depth,
        invalid_actions=~possible[None],
    )
    visits, values, root_value = summary_of(tree)
    policy = policy_of(visits)
    if explore:
        slot = jax.random.categorical(action_key, jnp.log(policy) / settings.temperature)
    else:
        slot = jnp.argmax(jnp.where(policy == policy.max(), values, -jnp.inf))
    return Found(actions[slot], values[slot], actions, policy, root_value)


def sample(
    model: SearchedModel, settings: SearchSettings, scene: Scene, place: Place, key: Key[Array, ""]
) -> tuple[Int[Array, " samples"], Float[Array, " samples"]]:
    """(K different actions drawn from β ∝ π^(1/τ), their prior logits). What is illegal is never drawn before what is
    legal, and has no weight where there is too little of that."""
    logits = model.policy(scene, place)
    proposal = jnp.where(logits > MASKED / 2, logits / settings.proposal_temperature, MASKED)
    actions, log_included = gumbel_top_k(proposal, min(settings.samples, logits.shape[0]), key)
    return actions, corrected_prior(logits, actions, log_included)


def policy_of(visits: Float[Array, " samples"]) -> Float[Array, " samples"]:
    """Shares of the visits that were not owed: each sampled action has one whatever the search knows, which says
    nothing of it and would draw the policy towards the even one."""
    earned = jnp.maximum(visits - 1, 0)
    counted = jnp.where(earned.sum() > 0, earned, visits)
    return counted / counted.sum()


def make_selection(c_init: float) -> Any:
    """PUCT below the root."""
    return lambda key, tree, node, depth: mctx.muzero_action_selection(key, tree, node, depth, pb_c_init=c_init)


def make_root_selection(c_init: float) -> Any:
    """PUCT at the root, once every action has been tried; before that the likeliest that was not."""

    def select(key, tree, node):
        untried = (tree.children_visits[node] == 0) & ~tree.root_invalid_actions
        first = jnp.argmax(jnp.where(untried, tree.children_prior_logits[node], -jnp.inf)).astype(jnp.int32)
        return jnp.where(untried.any(), first, make_selection(c_init)(key, tree, node, 0))

    return select
