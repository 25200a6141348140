"""Search over subgoals in latent space (App. B): model, latent and key in; search policy and value out.

Budgets are marginalised by the model, or, in a variant of App. N, chance variables of the search.
"""

from typing import Any, Protocol, runtime_checkable

import equinox as eqx
import jax
import jax.numpy as jnp
import mctx
from jaxtyping import Array, Float, Int, Key

from lmta.agents.lmta.settings import SearchSettings
from lmta.nn.categorical import unsquash
from lmta.nn.q_learning import epsilon_greedy


@runtime_checkable
class LatentModel(Protocol):
    """What search needs of a model, on one example."""

    subgoals: Any
    """The embeddings of the subgoals."""

    def predict(self, h: Any) -> tuple[Any, Any]:
        """Latent → (logits over subgoals, squashed value)."""
        ...

    def step(self, h: Any, z: Any, budget: Any = None) -> tuple[Any, Any]:
        """Latent, subgoal and, as a chance variable, its budget → (next latent, logits of the macro reward)."""
        ...

    def reward(self, logits: Any) -> Any:
        """The macro reward in true units."""
        ...


@runtime_checkable
class BudgetModel(LatentModel, Protocol):
    """What it needs beside that where budgets are chance variables."""

    def budgets(self, h: Any, subgoal: Any, left: Any, days_left: Any, most: Any = None) -> tuple[Any, Any]:
        """Latent, subgoal, budget and days left → (logits over budgets, tilt)."""
        ...


class ChanceBudgets(eqx.Module):
    """Budgets as chance variables of the search: so many are drawn for each subgoal at each node of the tree."""

    left: Int[Array, ""]
    samples: int = eqx.field(static=True)
    most: int = eqx.field(static=True)
    """The largest budget of a day."""


class Plan(eqx.Module):
    """What search found for a decision."""

    subgoal: Int[Array, ""]
    """Drawn from the search policy, or its best when playing greedily."""
    policy: Float[Array, " subgoals"]
    """The search policy: tempered shares of the visits."""
    value: Float[Array, ""]
    """The search-backed value of the root, in true units."""
    subgoal_values: Float[Array, " subgoals"]
    """The value of each subgoal at the root; where it was never tried, the root's own."""


def plan(
    model: LatentModel,
    settings: SearchSettings,
    latent: Float[Array, " latent"],
    decisions_left: Int[Array, ""],
    key: Key[Array, ""],
    *,
    max_depth: int,
    explore: bool,
    chance: ChanceBudgets | None = None,
) -> Plan:
    """Search from a latent by PUCT. Past the last decision there is neither reward nor value.

    With `explore` there is Dirichlet noise at the root, the search policy π ∝ N^(1/T) has the training temperature, and
    the subgoal is drawn from it; without, there is no noise and the most visited subgoal is taken. Without simulations
    the prior decides.
    """
    embedding = (latent[None], decisions_left[None])
    prior, value = _predict(model, *embedding)
    if settings.simulations == 0:
        subgoal = jax.random.categorical(key, prior[0]) if explore else jnp.argmax(prior[0])
        return Plan(subgoal, jax.nn.softmax(prior[0]), value[0], jnp.full(prior.shape[1:], value[0]))
    search: Any = mctx.muzero_policy
    levels = 1
    functions = (_make_recurrent(settings.discount),)
    if chance is not None:
        search, levels, embedding = mctx.stochastic_muzero_policy, 2, (*embedding, chance.left[None])
        functions = (_make_draw_budgets(settings.discount, chance), _take_budget)
    found = search(
        model,
        key,
        mctx.RootFnOutput(prior_logits=prior, value=value, embedding=embedding),  # pyright: ignore
        *functions,
        num_simulations=settings.simulations,
        max_depth=levels * max_depth,
        dirichlet_fraction=settings.dirichlet_mix if explore else 0.0,
        dirichlet_alpha=settings.dirichlet_alpha,
        pb_c_init=settings.c_init,
        temperature=settings.temperature if explore else 0.0,
        qtransform=_scaled_over_tree,
    )
    summary = found.search_tree.summary()
    tried = jnp.asarray(summary.visit_counts)[0] > 0
    root_value = jnp.asarray(summary.value)[0]
    shares = jnp.asarray(found.action_weights)[0]
    tempered = shares ** (1 / settings.temperature) if explore else shares
    return Plan(
        subgoal=jnp.asarray(found.action)[0],
        policy=tempered / tempered.sum(),
        value=root_value,
        subgoal_values=jnp.where(tried, jnp.asarray(summary.qvalues)[0], root_value),
    )


def choose_by_q(
    q_values: Float[Array, " subgoals"], epsilon: Float[Array, ""] | float, key: Key[Array, ""] | None
) -> Plan:
    """Variant F: the subgoal with the highest Q, ε-greedy, without search. Q-values are in true units."""
    subgoal = epsilon_greedy(q_values, jnp.ones(q_values.shape, bool), epsilon, key)
    share = jax.nn.one_hot(jnp.argmax(q_values), q_values.shape[0])
    return Plan(subgoal, share, q_values.max(), q_values)


def _scaled_over_tree(tree: Any, node: Any) -> Float[Array, " subgoals"]:
    """The values of a node's subgoals in units of the range of values in the whole tree, as in MuZero.

    In units of the siblings' own range, errors of the model would count as much as any difference where all subgoals
    are worth nearly the same. Subgoals never tried count as the least of those that were, and of the node itself.
    """
    low, extent = _range_of_values(tree)
    tried, values = tree.children_visits[node] > 0, tree.qvalues(node)
    least = jnp.minimum(tree.node_values[node], jnp.min(jnp.where(tried, values, jnp.inf)))
    return (jnp.where(tried, values, least) - low) / extent


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
    prior, squashed = jax.vmap(model.predict)(latents)
    return prior, jnp.where(decisions_left > 0, unsquash(squashed), 0.0)


def _make_recurrent(discount: float) -> Any:
    """One macro step of the model for mctx; embeddings carry the decisions left beside the latent."""

    def recurrent(model: LatentModel, key, subgoal, embedding):
        latents, decisions_left = embedding
        following, reward_logits = jax.vmap(model.step)(latents, model.subgoals[subgoal])
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


class Drawn(eqx.Module):
    """A subgoal whose budget is open: what follows each of the budgets that were drawn for it."""

    latents: Float[Array, " batch samples latent"]
    rewards: Float[Array, " batch samples"]
    budgets_left: Int[Array, " batch samples"]
    decisions_left: Int[Array, " batch"]
    discount: Float[Array, " batch"]


def _make_draw_budgets(discount: float, chance: ChanceBudgets) -> Any:
    """A decision for mctx: budgets are drawn from the budget policy, all as likely, and the model steps with each."""

    def one(model: BudgetModel, key, subgoal, h, decisions_left, left):
        logits, _ = model.budgets(h, subgoal, left, decisions_left, chance.most)
        budgets = jax.random.categorical(key, logits, shape=(chance.samples,))
        latents, reward_logits = jax.vmap(lambda b: model.step(h, model.subgoals[subgoal], b))(budgets)
        rewards = jnp.where(decisions_left > 0, jax.vmap(model.reward)(reward_logits), 0.0)
        return latents, rewards, left - budgets

    def draw(model: BudgetModel, key, subgoal, embedding):
        keys = jax.random.split(key, subgoal.shape[0])
        latents, rewards, lefts = jax.vmap(one, (None, 0, 0, 0, 0, 0))(model, keys, subgoal, *embedding)
        decisions_left = jnp.maximum(embedding[1] - 1, 0)
        drawn = Drawn(latents, rewards, lefts, decisions_left, jnp.where(decisions_left > 0, discount, 0.0))
        _, values = jax.vmap(_predict, (None, 1, None), 1)(model, latents, decisions_left)
        output = mctx.DecisionRecurrentFnOutput(
            chance_logits=jnp.zeros(rewards.shape),  # pyright: ignore
            afterstate_value=jnp.mean(rewards + drawn.discount[:, None] * values, axis=1),  # pyright: ignore
        )
        return output, drawn

    return draw


def _take_budget(model: LatentModel, key, number, drawn: Drawn) -> Any:
    """One of the budgets that were drawn, for mctx."""
    latents, reward, left = jax.vmap(lambda all_of_it, i: jax.tree.map(lambda leaf: leaf[i], all_of_it))(
        (drawn.latents, drawn.rewards, drawn.budgets_left), number
    )
    prior, value = _predict(model, latents, drawn.decisions_left)
    output = mctx.ChanceRecurrentFnOutput(
        action_logits=prior,  # pyright: ignore
        value=value,  # pyright: ignore
        reward=reward,  # pyright: ignore
        discount=drawn.discount,  # pyright: ignore
    )
    return output, (latents, drawn.decisions_left, left)
