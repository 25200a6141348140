"""Losses of both MuZeros along an unroll, and all updates of an epoch."""

from typing import TYPE_CHECKING

import equinox as eqx
import jax
import jax.numpy as jnp
import optax
from jaxtyping import Array, Float, Int, Key

from lmta.agents.base import Terms
from lmta.agents.muzero.games import Unroll, sample_unrolls
from lmta.agents.muzero.networks import MuZeroModel
from lmta.nn.categorical import two_hot
from lmta.nn.optimisers import adam, apply_gradient
from lmta.nn.q_learning import MASKED
from lmta.nn.replay import Ring
from lmta.nn.targets import scale_gradient

if TYPE_CHECKING:
    from lmta.agents.muzero.agent import AbstractMuZero


class MuZeroLearner(eqx.Module):
    """What training changes."""

    model: MuZeroModel
    optimiser: optax.OptState


def make_optimiser(agent: "AbstractMuZero") -> optax.GradientTransformation:
    """Clipped Adam."""
    train = agent.settings.train
    clip = optax.clip_by_global_norm(train.clip)
    return optax.chain(clip, adam(train.rate, train.weight_decay, train.rate_decay))


def policy_loss(
    logits: Float[Array, " actions"], options: Int[Array, " options"] | None, policy: Float[Array, " options"]
) -> Float[Array, ""]:
    """- Σ (share of the search) log π over the options; what the model takes for illegal teaches nothing."""
    log_pi = jax.nn.log_softmax(logits)
    if options is not None:
        log_pi = log_pi[options]
    return -jnp.where(log_pi > MASKED / 2, policy * log_pi, 0.0).sum()


def categorical_loss(
    logits: Float[Array, " bins"], target: Float[Array, ""], support: Float[Array, " bins"]
) -> Float[Array, ""]:
    """Cross-entropy to a number on its support."""
    return optax.softmax_cross_entropy(logits, two_hot(target, support))


def unroll_loss(model: MuZeroModel, agent: "AbstractMuZero", unroll: Unroll) -> Terms:
    """Σ_u w_u (policy, value, reward) along hᵘ⁺¹ = g(hᵘ, a_u), with w_0 = 1 and w_u = 1/U below the root.

    Gradients are halved at each step of the dynamics, as in MuZero.
    """
    scene, place = agent.represent(model, unroll.instance, unroll.state)

    def predict(place, value, options, policy, live):
        valued = categorical_loss(model.value(scene, place), value, model.value_support)
        return {"policy": policy_loss(model.policy(scene, place), options, policy), "value": live * valued}

    def step(place, given):
        action, reward, live, targets = given
        place, logits = model.step(scene, place, action)
        place = eqx.tree_at(lambda p: p.latent, place, scale_gradient(place.latent, 0.5))
        earned = live * categorical_loss(logits, reward, model.reward_support)
        return place, predict(place, *targets) | {"reward": earned}

    targets = unroll.value, unroll.options, unroll.policy, unroll.live
    root, later = (jax.tree.map(lambda leaf, part=part: leaf[part], targets) for part in (0, slice(1, None)))
    _, below = jax.lax.scan(step, place, (unroll.action, unroll.reward, unroll.live[:-1], later))
    terms = predict(place, *root) | {"reward": jnp.zeros(())}
    return {name: terms[name] + below[name].mean() for name in terms}


def loss(model: MuZeroModel, agent: "AbstractMuZero", batch: Unroll) -> tuple[Float[Array, ""], Terms]:
    """The weighted sum of the terms, each a mean over the batch."""
    train = agent.settings.train
    terms = jax.tree.map(jnp.mean, jax.vmap(lambda one: unroll_loss(model, agent, one))(batch))
    weights = {"policy": train.policy_weight, "value": train.value_weight, "reward": train.reward_weight}
    return sum(weights[name] * term for name, term in terms.items()), terms  # pyright: ignore


@eqx.filter_jit(donate="none")
def learn(
    agent: "AbstractMuZero", learner: MuZeroLearner, replay: Ring, key: Key[Array, ""]
) -> tuple[MuZeroLearner, Terms]:
    """All updates of an epoch; terms are means."""
    train, optimiser = agent.settings.train, make_optimiser(agent)
    arrays, static = eqx.partition(learner, eqx.is_array)

    def step(arrays, key):
        now = eqx.combine(arrays, static)
        batch = sample_unrolls(agent.problem, train, replay, key)
        gradient, terms = eqx.filter_grad(loss, has_aux=True)(now.model, agent, batch)
        after = MuZeroLearner(*apply_gradient(optimiser, gradient, now.optimiser, now.model))
        return eqx.filter(after, eqx.is_array), terms

    arrays, terms = jax.lax.scan(step, arrays, jax.random.split(key, train.updates))
    return eqx.combine(arrays, static), jax.tree.map(jnp.mean, terms)
