"""Flat and Sampled MuZero: the representation of a root, and the search from it."""

from typing import Any

import jax

from lmta.agents.muzero.agent import AbstractMuZero
from lmta.agents.muzero.networks import MuZeroModel
from lmta.benchmarks.parts.base import AbstractParts, timed
from lmta.policies.player import Choice


class MuZeroParts(AbstractParts):
    """Of one decision."""

    bare = "representation and search once a step"

    def __init__(self, agent: AbstractMuZero, model: MuZeroModel):
        self.represent = jax.jit(lambda instance, state: agent.represent(model, instance, state))
        self.search = jax.jit(lambda scene, place: agent.find(model, scene, place, jax.random.key(0), explore=False))

    def time(self, instance: Any, state: Any, choice: Choice) -> tuple[dict[str, float], float]:
        """One after the other; a day's last step ends it, unless nothing is left to pick with."""
        root, represent = timed(self.represent, instance, state)
        _, search = timed(self.search, *root)
        steps = min(len(choice.picks) + 1, int(state.budget_left))
        return {"representation": represent, "search": search}, steps * (represent + search)
