"""LMTA: encoder, search, budget, and the picks of the low level."""

from typing import Any

import jax
import jax.numpy as jnp

from lmta.agents.lmta.agent import Lmta
from lmta.agents.lmta.networks import LmtaModel
from lmta.benchmarks.parts.base import AbstractParts, timed
from lmta.policies.player import Choice


class LmtaParts(AbstractParts):
    """Of one decision."""

    bare = "encoder, search, the Q-network once a pick"

    def __init__(self, agent: Lmta, model: LmtaModel):
        problem, high = agent.problem, model.high

        def search(latent, days_left, budget_left):
            return agent.search(model, latent, days_left, budget_left, jax.random.key(0), explore=False)

        def budget(latent, subgoal, left, days_left):
            return jnp.argmax(high.budgets(latent, subgoal, left, days_left, agent.max_picks)[0])

        def q_network(instance, state, subgoal, picks_left):
            return model.low(problem.observe(instance, state), high.subgoals[subgoal], picks_left)

        self.encode = jax.jit(lambda instance, state: high.encoder(problem.observe(instance, state)))
        self.search = jax.jit(search)
        self.budget = jax.jit(budget)
        self.low_level = jax.jit(lambda *given: agent.make_picks(model, *given))
        self.q_network = jax.jit(q_network)

    def time(self, instance: Any, state: Any, choice: Choice) -> tuple[dict[str, float], float]:
        """One after the other, each with what the one before gave."""
        days_left, granted = instance.days - state.day, jnp.int32(choice.budget)
        latent, encode = timed(self.encode, instance, state)
        found, search = timed(self.search, latent, days_left, state.budget_left)
        _, budget = timed(self.budget, latent, found.subgoal, state.budget_left, days_left)
        _, low_level = timed(self.low_level, instance, state, found.subgoal, granted)
        _, q_network = timed(self.q_network, instance, state, found.subgoal, granted)
        parts = {"encoder": encode, "search": search, "budget": budget, "low level": low_level, "Q-network": q_network}
        return parts, encode + search + len(choice.picks) * q_network
