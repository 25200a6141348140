"""Fits the six constants of the seed-or-wait index: an evolution strategy on drawn settings, with development seeds.

A candidate is worth what it earns beside the best of average-, front- and normal-lookahead in each setting, on the same
networks with the same noise.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from lmta.arena.play import play
from lmta.arena.statistics import Mean, mean_of
from lmta.devices import map_over_cores
from lmta.policies.registry import policy
from lmta.problems.base import pick_day, play_episode
from lmta.problems.batch import Batch, unstack
from lmta.problems.influence.mean_field import (
    SEED_OR_WAIT,
    SeedOrWait,
    gain_over_waiting,
    look_ahead,
    seed_or_wait_index,
)
from lmta.problems.mixtures import between, log_uniform
from lmta.problems.registry import spec_of
from lmta.sparse import first_best, padded_size

PROBLEM = spec_of("influence")
RIVALS = ("average-lookahead", "front-lookahead", "normal-lookahead")
NODES, DAYS, SEEDS_A_NODE, DEGREES = (120, 500), (3, 25), (0.005, 0.2), (2.5, 10.0)
"""Between which settings are drawn."""
ROOM_FOR_EDGES, ROOM_FOR_PICKS = padded_size(6_000), padded_size(round(NODES[1] * SEEDS_A_NODE[1]))
"""So that all settings share one compilation."""
KEPT = 5
"""Of the candidates of a generation."""
LEAST_SPREAD = 0.02


@dataclass(frozen=True)
class FitSettings:
    """How much is played."""

    settings: int = 400
    """Settings that are drawn."""
    networks: int = 16
    """Networks of each setting, with an episode on each."""
    generations: int = 20
    candidates: int = 20
    seed: int = 0
    """Below 1,000: none of it is reported."""


@dataclass(frozen=True)
class Setting:
    """Networks to play on, and what the best rival earns there in the mean."""

    batch: Batch
    best_rival: float


def fit(settings: FitSettings, say: Callable[[str], None]) -> SeedOrWait:
    """The constants that earn most; each generation and a comparison with the present constants are told."""
    rng = np.random.default_rng([settings.seed, 1])
    drawn = draw_settings(settings.settings, settings.networks, [settings.seed, 2])
    mean = np.array(SEED_OR_WAIT)
    spread = 0.1 + 0.25 * np.abs(mean)
    for generation in range(settings.generations):
        noise = rng.normal(size=(settings.candidates - 1, len(mean)))
        candidates = np.concatenate([mean[None], mean + spread * noise])
        worth = ratios(drawn, candidates).mean(axis=0)
        best = candidates[np.argsort(-worth)[:KEPT]]
        say(f"generation {generation + 1}/{settings.generations}: best {worth.max():.4f}, mean {worth.mean():.4f}")
        mean, spread = best.mean(axis=0), np.maximum(best.std(axis=0), LEAST_SPREAD)
    found = SeedOrWait(*(round(float(number), 2) for number in mean))
    say(f"found: {found}")
    now, then, difference = compare_with_present(found, settings)
    say(
        f"on {settings.settings} other settings: {now.mean:.4f} ± {now.sem:.4f} of the best rival, present constants "
        f"{then.mean:.4f} ± {then.sem:.4f}, difference {difference.mean:+.4f} ± {difference.sem:.4f}"
    )
    return found


def compare_with_present(found: SeedOrWait, settings: FitSettings) -> tuple[Mean, Mean, Mean]:
    """Ratios to the best rival of the constants that were found, of the present ones, and their paired difference."""
    others = draw_settings(settings.settings, settings.networks, [settings.seed, 3])
    both = ratios(others, np.array([found, SEED_OR_WAIT]))
    return mean_of(both[:, 0]), mean_of(both[:, 1]), mean_of(both[:, 0] - both[:, 1])


def draw_settings(count: int, networks: int, seed: list[int]) -> list[Setting]:
    """Settings of all kinds: size, horizon, budget, generator, degree and probabilities."""
    return [_draw(networks, np.random.default_rng([*seed, i])) for i in range(count)]


def _draw(networks: int, rng: np.random.Generator) -> Setting:
    nodes = between(rng, *NODES)
    given = {
        "nodes": nodes,
        "days": int(rng.integers(DAYS[0], DAYS[1] + 1)),
        "budget": max(1, round(nodes * log_uniform(rng, *SEEDS_A_NODE))),
        "generator": str(rng.choice(PROBLEM.generators)),
        "degree": log_uniform(rng, *DEGREES),
        "probabilities": "random" if rng.random() < 0.3 else "indegree",
    }
    seed = int(rng.integers(2**31))
    instances = PROBLEM.instances(PROBLEM.settings(**given), seed, networks)
    batch = _batch(instances, seed)
    earned = [play(policy(name, PROBLEM.name), batch).rewards.sum(axis=1).mean() for name in RIVALS]
    return Setting(batch, float(max(earned)))


def _batch(instances: list[Any], seed: int) -> Batch:
    """Instances and noise with room for the largest setting."""
    problem = PROBLEM.problem
    stacked = problem.stack(instances, min_edges=ROOM_FOR_EDGES, min_nodes=NODES[1])
    keys = jax.random.split(jax.random.key(seed), len(instances))
    noise = jax.jit(jax.vmap(lambda instance, key: problem.draw_noise(instance, DAYS[1], key)))(stacked, keys)
    return Batch(problem, unstack(stacked), stacked, shared=False, noise=noise, seed=seed)


def ratios(settings: list[Setting], candidates: np.ndarray) -> np.ndarray:
    """What each candidate earns beside the best rival, by setting and candidate."""
    rows = []
    for setting in settings:
        batch = setting.batch
        scores = map_over_cores(_scores, jnp.asarray(candidates, jnp.float32), batch.stacked, batch.noise)
        rows.append(np.asarray(scores).mean(axis=0) / setting.best_rival)
    return np.stack(rows)


def _scores(candidates: Float[Array, " candidates six"], instance: Any, noise: Any) -> Float[Array, " candidates"]:
    """What each candidate earns on an instance, one after the other."""
    return jax.lax.map(lambda constants: _score(SeedOrWait(*constants), instance, noise), candidates)


def _score(constants: SeedOrWait, instance: Any, noise: Any) -> Float[Array, ""]:
    """What `adaptive-lookahead` earns with other constants; no network is so large that seeds share a look."""
    problem = PROBLEM.problem

    def choose(state, _):
        ahead = look_ahead(instance, state)
        legal = problem.legal(instance, state)
        score = jnp.where(legal, gain_over_waiting(instance, state, ahead), -jnp.inf)
        seeds = legal.any() & (seed_or_wait_index(instance, state, ahead, constants) > 0)
        return jnp.where(seeds, first_best(score), -1), score.max()

    def decide(state, _):
        return pick_day(problem, instance, state, choose, state.budget_left, ROOM_FOR_PICKS), None

    played = play_episode(problem, instance, noise, decide, jnp.arange(DAYS[1]))
    return played.record.reward.sum()
