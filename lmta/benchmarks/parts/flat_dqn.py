"""Flat DQN: one Q-network for picks and the end of the day."""

from typing import Any

import jax

from lmta.agents.flat_dqn.agent import NOTHING, FlatDqn
from lmta.benchmarks.parts.base import AbstractParts, timed
from lmta.nn.q_network import EndingQNetwork
from lmta.policies.player import Choice


class FlatDqnParts(AbstractParts):
    """Of one decision."""

    bare = "the Q-network once a step"

    def __init__(self, agent: FlatDqn, model: EndingQNetwork):
        self.q_network = jax.jit(lambda instance, state: model(agent.problem.observe(instance, state), NOTHING))

    def time(self, instance: Any, state: Any, choice: Choice) -> tuple[dict[str, float], float]:
        """The network alone; a day's last step ends it, unless nothing is left to pick with."""
        _, q_network = timed(self.q_network, instance, state)
        steps = min(len(choice.picks) + 1, int(state.budget_left))
        return {"Q-network": q_network}, steps * q_network
