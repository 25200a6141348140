"""Director: the world model's encoder, the manager, and the worker."""

from typing import Any

import jax

from lmta.agents.director.agent import Director, choose_goal
from lmta.agents.director.networks import DirectorModel
from lmta.benchmarks.parts.base import AbstractParts, timed
from lmta.policies.player import Choice


class DirectorParts(AbstractParts):
    """Of one decision."""

    bare = "the encoder and the worker once a pick, the manager once a goal"

    def __init__(self, agent: Director, model: DirectorModel):
        problem = agent.problem
        self.stride = agent.settings.stride or agent.max_picks
        self.encode = jax.jit(lambda instance, state: model.world.encode(problem.observe(instance, state)))
        self.manager = jax.jit(lambda latent: choose_goal(model, latent))
        self.worker = jax.jit(lambda nodes, *given: model.worker(model.worker.keys(nodes), *given))
        self.legal = jax.jit(problem.legal)

    def time(self, instance: Any, state: Any, choice: Choice) -> tuple[dict[str, float], float]:
        """One after the other, each with what the one before gave."""
        legal = self.legal(instance, state)
        (latent, nodes), encode = timed(self.encode, instance, state)
        goal, manager = timed(self.manager, latent)
        _, worker = timed(self.worker, nodes, latent, goal, legal)
        picks = len(choice.picks)
        goals = -(-picks // self.stride)
        parts = {"encoder": encode, "manager": manager, "worker": worker}
        return parts, picks * (encode + worker) + goals * manager
