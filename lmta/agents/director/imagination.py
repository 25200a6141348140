"""Trajectories in the latent space of the world model: goals by the manager, picks by the worker."""

from typing import NamedTuple, TypeVar

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Key

from lmta.agents.director.networks import DirectorModel, draw_code
from lmta.nn.discrete import draw, entropy_share

T = TypeVar("T")


def frozen(module: T) -> T:
    """The module without gradient."""
    arrays, rest = eqx.partition(module, eqx.is_array)
    return eqx.combine(jax.lax.stop_gradient(arrays), rest)


class Timetable(NamedTuple):
    """When days end and goals begin, in imagined days that all have the same number of picks."""

    ends_day: tuple[bool, ...]
    new_goal: tuple[bool, ...]

    @property
    def goal_number(self) -> np.ndarray:
        """The goal that each step belongs to."""
        return np.cumsum(self.new_goal) - 1

    @property
    def ends_goal(self) -> np.ndarray:
        """Whether the step is the last of its goal."""
        return np.append(self.new_goal[1:], True)


def timetable(picks_a_day: int, stride: int, horizon: int) -> Timetable:
    """As many whole days as `horizon` steps have room for, one at least; goals begin anew with each day."""
    step = np.arange(max(1, horizon // picks_a_day) * picks_a_day) % picks_a_day
    return Timetable(tuple((step == picks_a_day - 1).tolist()), tuple((step % stride == 0).tolist()))


class Trajectory(eqx.Module):
    """What was imagined. Only log-probabilities and entropies have a gradient, to manager and worker."""

    latents: Float[Array, " steps_and_one latent"]
    goals: Float[Array, " steps latent"]
    """The goal that each step pursued."""
    log_prob: Float[Array, " steps"]
    """Of the pick."""
    entropy: Float[Array, " steps"]
    code_log_prob: Float[Array, " steps"]
    """Of a new goal; it means something where one begins."""
    code_entropy: Float[Array, " steps codes"]


def imagine(
    model: DirectorModel,
    plan: Timetable,
    latent: Float[Array, " latent"],
    nodes: Float[Array, " nodes embedding"],
    legal: Bool[Array, " nodes"],
    key: Key[Array, ""],
) -> Trajectory:
    """From an encoded state on. Nodes stay as they were encoded; those that were picked are masked."""
    stop = jax.lax.stop_gradient
    world, goals = frozen((model.world, model.goals))
    latent, nodes = stop(latent), stop(nodes)
    node_keys = model.worker.keys(nodes)

    def step(carry, given):
        latent, goal, legal = carry
        key, ends_day, new_goal = given
        code_key, pick_key = jax.random.split(key)
        code_logits = model.manager(latent)
        code = draw_code(stop(code_logits), code_key)
        one_hot = jax.nn.one_hot(code, goals.shape[1])
        goal = jnp.where(new_goal, goals.decode(one_hot), goal)
        logits = model.worker(node_keys, latent, goal, legal)
        node = draw(stop(logits), pick_key)
        after = world.step(latent, nodes[node], ends_day)
        noted = {
            "goals": goal,
            "log_prob": jax.nn.log_softmax(logits)[node],
            "entropy": entropy_share(logits),
            "code_log_prob": (jax.nn.log_softmax(code_logits) * one_hot).sum(),
            "code_entropy": jax.vmap(entropy_share)(code_logits),
        }
        return (after, goal, legal.at[node].set(False)), (after, noted)

    given = jax.random.split(key, len(plan.ends_day)), np.array(plan.ends_day), np.array(plan.new_goal)
    _, (after, noted) = jax.lax.scan(step, (latent, jnp.zeros_like(latent), legal), given)
    return Trajectory(latents=jnp.concatenate([latent[None], after]), **noted)
