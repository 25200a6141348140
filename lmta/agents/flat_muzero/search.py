"""Search over all primitive actions, by Gumbel and sequential halving or by PUCT."""

from typing import Any

import jax.numpy as jnp
import mctx
from jaxtyping import Array, Key

from lmta.agents.flat_muzero.settings import SearchSettings
from lmta.agents.muzero.networks import Place, Scene
from lmta.agents.muzero.search import Found, SearchedModel, recurrent, root_of, summary_of
from lmta.nn.q_learning import MASKED


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
    """Search from a root: the action and the improved policy over all actions."""
    prior, value = model.policy(scene, place), model.expected_value(scene, place)
    expand = lambda after, _: ((), model.policy(scene, after))  # noqa: E731
    root = root_of(prior, value, place, ())
    step = recurrent(model, scene, discount, expand, lambda _, action: action)
    inputs: Any = (None, key, root, step, settings.simulations, (prior <= MASKED / 2)[None], settings.depth)
    if settings.planner == "gumbel":
        considered, scale = settings.considered, 1.0 if explore else 0.0
        found = mctx.gumbel_muzero_policy(*inputs, max_num_considered_actions=considered, gumbel_scale=scale)
    else:
        found = mctx.muzero_policy(
            *inputs,
            dirichlet_fraction=settings.dirichlet_mix if explore else 0.0,
            dirichlet_alpha=settings.dirichlet_alpha,
            pb_c_init=settings.c_init,
            temperature=settings.temperature if explore else 0.0,
        )
    _, values, root_value = summary_of(found.search_tree)
    action = jnp.asarray(found.action)[0]
    return Found(action, values[action], None, jnp.asarray(found.action_weights)[0], root_value)
