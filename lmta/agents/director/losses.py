"""The losses of Director: world model, goal autoencoder, manager and worker."""

from typing import TYPE_CHECKING, Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax
from jaxtyping import Array, Bool, Float, Key

from lmta.agents.base import Terms
from lmta.agents.director.imagination import Timetable, Trajectory, frozen, imagine
from lmta.agents.director.networks import Critics, DirectorModel, GoalAutoencoder, WorldModel
from lmta.agents.director.replay import Segment
from lmta.agents.director.settings import LossSettings
from lmta.nn.actor_critic import lambda_returns, reinforce, spread, standardised
from lmta.nn.categorical import squash, two_hot
from lmta.nn.discrete import kl_to_uniform

if TYPE_CHECKING:
    from lmta.agents.director.agent import Director


class Scales(eqx.Module):
    """Weights that steer a term to its target."""

    code_kl: Float[Array, ""]
    code_entropy: Float[Array, " codes"]
    entropy: Float[Array, ""]


class Encoded(NamedTuple):
    """What the world model makes of a segment."""

    latents: Float[Array, " steps_and_one latent"]
    """The first is encoded, the others are predicted."""
    nodes: Float[Array, " nodes embedding"]


def max_cosine(goal: Float[Array, " latent"], latent: Float[Array, " latent"]) -> Float[Array, ""]:
    """g · f / max(|g|, |f|)²: 1 where they are equal, less where either direction or length differs."""
    largest = jnp.maximum(jnp.maximum(goal @ goal, latent @ latent), 1e-12)
    return goal @ latent / largest


def world_loss(world: WorldModel, weights: LossSettings, agent: "Director", segment: Segment) -> tuple[Any, Encoded]:
    """(reconstruction, reward, continuation and consistency of one segment, what was encoded).

    Latents are predicted from the encoded first state alone, as in imagination. One later state, drawn at random, is
    encoded too: predictions are drawn to it, and it must tell the same.
    """
    latent, nodes = world.encode(agent.problem.observe(segment.instance, segment.state))
    later, _ = world.encode(agent.problem.observe(segment.instance, segment.later_state))

    def step(latent, given):
        node, ends_day = given
        after = world.step(latent, nodes[node], ends_day)
        return after, after

    _, predicted = jax.lax.scan(step, latent, (segment.picks, segment.ends_day))
    latents = jnp.concatenate([latent[None], predicted])
    made, at = segment.made.astype(jnp.float32), segment.later - 1
    count = made.sum()

    def of_state(latent, features):
        return ((world.features(latent) - features) ** 2).sum()

    def of_step(before, after, reward, goes_on):
        error = optax.softmax_cross_entropy(world.reward_logits(before, after), two_hot(reward, world.support))
        return error, optax.sigmoid_binary_cross_entropy(world.goes_on(after)[0], goes_on.astype(jnp.float32))

    features = jax.vmap(of_state)(predicted, segment.features[1:])
    reward, goes_on = jax.vmap(of_step)(latents[:-1], predicted, segment.reward, segment.goes_on)
    seen = of_state(latent, segment.features[0]) + of_state(later, segment.features[segment.later])
    seen_reward, seen_goes_on = of_step(latents[at], later, segment.reward[at], segment.goes_on[at])
    stop, balance = jax.lax.stop_gradient, weights.balance
    consistency = balance * ((predicted[at] - stop(later)) ** 2).sum()
    consistency += (1 - balance) * ((stop(predicted[at]) - later) ** 2).sum()
    terms = {
        "features": (made @ features + seen) / (count + 2),
        "reward": (made @ reward + seen_reward) / (count + 1),
        "goes_on": (made @ goes_on + seen_goes_on) / (count + 1),
        "consistency": consistency,
    }
    return terms, Encoded(latents, nodes)


def code_loss(goals: GoalAutoencoder, latent: Float[Array, " latent"], key: Key[Array, ""]) -> tuple[Any, Any]:
    """(squared error through a drawn code, KL of the code to the even distribution)."""
    error = ((goals.reconstruct(latent, key) - latent) ** 2).sum()
    return error, jax.vmap(kl_to_uniform)(goals.logits(latent)).sum()


def mean_code_loss(
    goals: GoalAutoencoder,
    latents: Float[Array, " batch steps_and_one latent"],
    made: Bool[Array, " batch steps"],
    key: Key[Array, ""],
) -> tuple[Float[Array, ""], Float[Array, ""]]:
    """The means of `code_loss` over the steps that were made."""
    keys = jax.random.split(key, latents.shape[:2])
    error, kl = jax.vmap(jax.vmap(lambda latent, key: code_loss(goals, latent, key)))(latents, keys)
    counts = jnp.concatenate([jnp.ones((latents.shape[0], 1)), made], axis=1)
    return (error * counts).sum() / counts.sum(), (kl * counts).sum() / counts.sum()


class Rewards(eqx.Module):
    """What a trajectory pays, step by step, and how likely it goes on."""

    extrinsic: Float[Array, " steps"]
    exploratory: Float[Array, " steps"]
    """The squared error of the goal autoencoder."""
    goal: Float[Array, " steps"]
    goes_on: Float[Array, " steps"]


def rewards_of(model: DirectorModel, trajectory: Trajectory) -> Rewards:
    """As the world model and the goal autoencoder see it; without gradient."""
    world, goals = frozen((model.world, model.goals))
    before, after = trajectory.latents[:-1], trajectory.latents[1:]
    return Rewards(
        extrinsic=jax.vmap(world.expected_reward)(before, after),
        exploratory=jax.vmap(lambda latent: ((goals.reconstruct(latent, None) - latent) ** 2).mean())(after),
        goal=jax.vmap(max_cosine)(trajectory.goals, after),
        goes_on=jax.nn.sigmoid(jax.vmap(world.goes_on)(after)[:, 0]),
    )


class Lesson(eqx.Module):
    """What an actor and its critic learn from a trajectory (or a batch); several critics stand side by side."""

    returns: Float[Array, " *batch steps critics"]
    values: Float[Array, " *batch steps critics"]
    """As the slow critics have them."""
    outputs: Float[Array, " *batch steps critics"]
    """Those of the learning critics, in squashed units."""
    weight: Float[Array, " *batch steps"]
    """How likely the trajectory has come so far, discounted."""


def worker_lesson(
    critics: Critics,
    slow: Critics,
    plan: Timetable,
    trajectory: Trajectory,
    rewards: Rewards,
    discount: float,
    trace: float,
) -> Lesson:
    """Pieces of one goal each, which bootstrap on the current goal."""
    before, after, goals = trajectory.latents[:-1], trajectory.latents[1:], trajectory.goals
    discounts = discount * rewards.goes_on
    returns = lambda_returns(
        rewards.goal, discounts, jax.vmap(slow.of_worker)(after, goals), jnp.where(plan.ends_goal, 0.0, trace)
    )
    values = jax.vmap(slow.of_worker)(before, goals)
    outputs = jax.vmap(critics.worker)(jnp.concatenate([before, goals], axis=1))
    return Lesson(returns[:, None], values[:, None], outputs, _weights(discounts))


def manager_lesson(
    critics: Critics,
    slow: Critics,
    plan: Timetable,
    trajectory: Trajectory,
    rewards: Rewards,
    discount: float,
    trace: float,
) -> Lesson:
    """One step a goal, which pays the mean of what its steps pay."""
    starts, number = np.flatnonzero(plan.new_goal), plan.goal_number
    count = np.bincount(number)
    in_goal = number[None, :] == np.arange(len(starts))[:, None]
    reached = jnp.concatenate([jnp.ones(1), jnp.cumprod(rewards.goes_on)[:-1]])
    since_start = reached / jnp.maximum(reached[starts][number], 1e-6)
    pays = jnp.stack([rewards.extrinsic, rewards.exploratory], axis=1) * since_start[:, None]
    reward = in_goal.astype(np.float32) @ pays / count[:, None]
    discounts = discount * jnp.prod(jnp.where(in_goal, rewards.goes_on, 1.0), axis=1)
    latents = trajectory.latents[np.append(starts, len(number))]
    values = jax.vmap(slow.of_manager)(latents)
    traces = jnp.full(len(starts), trace)
    returns = jax.vmap(lambda_returns, (1, None, 1, None), 1)(reward, discounts, values[1:], traces)
    return Lesson(returns, values[:-1], jax.vmap(critics.manager)(latents[:-1]), _weights(discounts))


def _weights(discounts: Float[Array, " steps"]) -> Float[Array, " steps"]:
    return jnp.concatenate([jnp.ones(1), jnp.cumprod(discounts)[:-1]])


def critic_loss(lesson: Lesson) -> Float[Array, ""]:
    """Squared error to the returns, in squashed units."""
    error = (lesson.outputs - squash(jax.lax.stop_gradient(lesson.returns))) ** 2
    return (lesson.weight[..., None] * error).mean()


def actor_loss(lesson: Lesson, log_prob: Float[Array, " batch steps"], shares: tuple[float, ...]) -> Float[Array, ""]:
    """REINFORCE of a batch. Each critic's advantage counts by its share, in units of the spread of its returns; the sum
    is standardised."""
    gains = lesson.returns - lesson.values
    parts = [share * gains[..., n] / spread(lesson.returns[..., n], lesson.weight) for n, share in enumerate(shares)]
    return reinforce(log_prob, standardised(sum(parts[1:], parts[0]), lesson.weight), lesson.weight)


class Dream(NamedTuple):
    """A trajectory (or a batch), what it pays, and what is learned from it."""

    trajectory: Trajectory
    rewards: Rewards
    worker: Lesson
    manager: Lesson


def dream(
    model: DirectorModel, slow: Critics, agent: "Director", start: tuple[Array, Array, Array], key: Key[Array, ""]
) -> Dream:
    """From a start: its latent, its nodes, and which of them are legal."""
    train, plan = agent.settings.train, agent.timetable
    trajectory = imagine(model, plan, *start, key)
    rewards = rewards_of(model, trajectory)
    worker, manager = (
        teach(model.critics, slow, plan, trajectory, rewards, train.discount, train.trace)
        for teach in (worker_lesson, manager_lesson)
    )
    return Dream(trajectory, rewards, worker, manager)


def acting_terms(dreams: Dream, plan: Timetable, exploration: float) -> tuple[Terms, Float[Array, " codes"]]:
    """(the terms of both actors and their critics, the entropies of the code) of a batch."""
    starts = np.flatnonzero(plan.new_goal)
    trajectory, rewards, worker, manager = dreams
    code_entropy = trajectory.code_entropy[:, starts].mean(axis=(0, 1))
    terms = {
        "worker": actor_loss(worker, trajectory.log_prob, (1.0,)),
        "worker_critic": critic_loss(worker),
        "manager": actor_loss(manager, trajectory.code_log_prob[:, starts], (1.0, exploration)),
        "manager_critic": critic_loss(manager),
        "entropy": trajectory.entropy.mean(),
        "code_entropy": code_entropy.mean(),
        "goal_reward": rewards.goal.mean(),
        "imagined_reward": rewards.extrinsic.mean(),
    }
    return terms, code_entropy


def director_loss(
    model: DirectorModel, slow: Critics, scales: Scales, agent: "Director", batch: Segment, key: Key[Array, ""]
) -> tuple[Float[Array, ""], tuple[Terms, Scales]]:
    """(the sum of all losses, (terms, what the scales steer))."""
    weights, train = agent.settings.loss, agent.settings.train
    code_key, dream_key = jax.random.split(key)
    of_world, encoded = jax.vmap(lambda one: world_loss(model.world, weights, agent, one))(batch)
    latents = jax.lax.stop_gradient(encoded.latents)
    code, code_kl = mean_code_loss(model.goals, latents, batch.made, code_key)
    legal = jax.vmap(agent.problem.legal)(batch.instance, batch.state)
    start, keys = (latents[:, 0], encoded.nodes, legal), jax.random.split(dream_key, (train.batch, train.imagined))
    dreams = jax.vmap(lambda start, keys: jax.vmap(lambda key: dream(model, slow, agent, start, key))(keys))(
        start, keys
    )
    dreams = jax.tree.map(lambda leaf: leaf.reshape(-1, *leaf.shape[2:]), dreams)
    of_acting, code_entropy = acting_terms(dreams, agent.timetable, weights.exploration)
    terms = jax.tree.map(jnp.mean, of_world) | {"code": code, "code_kl": code_kl} | of_acting
    weight = {"features": weights.features, "consistency": weights.consistency, "code_kl": scales.code_kl}
    summed = "features", "reward", "goes_on", "consistency", "code", "code_kl", "worker", "manager"
    total = sum(weight.get(name, 1.0) * terms[name] for name in (*summed, "worker_critic", "manager_critic"))
    total -= scales.entropy * terms["entropy"] + (scales.code_entropy * code_entropy).sum()
    return jnp.asarray(total), (terms, Scales(code_kl, code_entropy, terms["entropy"]))
