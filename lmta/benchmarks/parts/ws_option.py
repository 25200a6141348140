"""WS-option: the values of budgets, and the picks of the low level."""

from typing import Any

import jax
import jax.numpy as jnp

from lmta.agents.ws_option.agent import WsOption
from lmta.agents.ws_option.networks import WsOptionModel, condition
from lmta.benchmarks.parts.base import AbstractParts, timed
from lmta.policies.player import Choice


class WsOptionParts(AbstractParts):
    """Of one decision."""

    bare = "the budget network, the Q-network once a step"

    def __init__(self, agent: WsOption, model: WsOptionModel):
        problem = agent.problem

        def q_network(instance, state, picks_left):
            return model.low(problem.observe(instance, state), condition(picks_left))

        self.budget = jax.jit(lambda *given: agent.choose_budget(model, *given))
        self.low_level = jax.jit(lambda *given: agent.make_picks(model, *given))
        self.q_network = jax.jit(q_network)

    def time(self, instance: Any, state: Any, choice: Choice) -> tuple[dict[str, float], float]:
        """One after the other."""
        granted = jnp.int32(choice.budget)
        _, budget = timed(self.budget, instance, state)
        _, low_level = timed(self.low_level, instance, state, granted)
        _, q_network = timed(self.q_network, instance, state, granted)
        parts = {"budget": budget, "low level": low_level, "Q-network": q_network}
        return parts, budget + min(len(choice.picks) + 1, choice.budget) * q_network
