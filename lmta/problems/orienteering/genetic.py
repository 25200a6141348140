"""The budget rule `ga`: one budget for each day, optimised beforehand by a genetic algorithm."""

from dataclasses import dataclass
from functools import partial

from jaxtyping import Int

from lmta.lazy import Array, PRNGKeyArray, jax, jit, jnp
from lmta.problems.base import Problem, pick_day, play_episode
from lmta.problems.heuristics import BudgetRule, Pairing, score_chooser
from lmta.problems.orienteering.heuristics import GREEDY
from lmta.problems.orienteering.rules import OrienteeringInstance, OrienteeringState


@dataclass(frozen=True)
class Genetic:
    """Settings of the genetic algorithm over daily budgets (paper, App. E)."""

    population: int = 32
    generations: int = 30
    elite: int = 4
    mutation: float = 0.1
    futures: int = 4
    """Simulated episodes, the same for all, that a schedule's fitness is the mean of."""


def make_genetic(settings: Genetic) -> BudgetRule:
    """One fixed budget for each day, optimised before the first by simulating `greedy` under each schedule."""

    def make_schedule(problem: Problem, instance: OrienteeringInstance, seed: int) -> Int[Array, " days"]:
        key = jax.random.key(seed)
        return _evolve(settings, problem, instance, key, int(instance.days), int(instance.budget))

    def grant(instance: OrienteeringInstance, state: OrienteeringState, schedule: Int[Array, " days"]):
        return jnp.minimum(schedule[state.day], state.budget_left)

    return BudgetRule("ga", grant, make_schedule)


@partial(jit, static_argnums=(0, 1, 4, 5))
def _evolve(
    settings: Genetic,
    problem: Problem,
    instance: OrienteeringInstance,
    key: PRNGKeyArray,
    days: int,
    budget: int,
) -> Int[Array, " days"]:
    noise_key, first_key, unused_key, key = jax.random.split(key, 4)
    noise = jax.vmap(lambda k: problem.draw_noise(instance, days, k))(jax.random.split(noise_key, settings.futures))
    chooser = score_chooser(problem, GREEDY, instance, unused_key)

    def episode(schedule, noise):
        decide = lambda state, allowance: (pick_day(problem, instance, state, chooser, allowance, budget), None)  # noqa: E731
        return play_episode(problem, instance, noise, decide, schedule).record.reward.sum()

    def fitness(schedules):
        return jax.vmap(lambda s: jax.vmap(lambda future: episode(s, future))(noise).mean())(schedules)

    def generation(carry, key):
        schedules, scores = carry
        parents_key, cross_key, mutate_key = jax.random.split(key, 3)
        order = jnp.argsort(-scores)
        children = _children(settings, schedules[order], parents_key, cross_key, mutate_key, budget)
        schedules = jnp.concatenate([schedules[order[: settings.elite]], children])
        return (schedules, fitness(schedules)), None

    share_key, day_key = jax.random.split(first_key)
    shares = jax.random.dirichlet(share_key, jnp.ones(days), (settings.population,))
    drawn = jax.random.categorical(day_key, jnp.log(shares)[:, None], shape=(settings.population, budget))
    first = jax.vmap(lambda of_one: jnp.bincount(of_one, length=days))(drawn)
    keys = jax.random.split(key, settings.generations)
    (schedules, scores), _ = jax.lax.scan(generation, (first, fitness(first)), keys)
    return schedules[jnp.argmax(scores)]


def _children(
    settings: Genetic,
    sorted_schedules: Int[Array, " population days"],
    parents_key: PRNGKeyArray,
    cross_key: PRNGKeyArray,
    mutate_key: PRNGKeyArray,
    budget: int,
) -> Int[Array, " children days"]:
    """Tournament selection, uniform crossover, one pick moved, and mutation by one up or down, within the budget."""
    population, days = sorted_schedules.shape
    shape = (population - settings.elite, days)
    rivals = jax.random.randint(parents_key, (2, 2, shape[0]), 0, population)
    mothers, fathers = rivals.min(axis=0)  # schedules are sorted: the lower index is the fitter
    crossed = jnp.where(
        jax.random.bernoulli(cross_key, 0.5, shape), sorted_schedules[mothers], sorted_schedules[fathers]
    )
    move_key, step_key = jax.random.split(mutate_key)
    moved = jax.vmap(_move_one)(crossed, jax.random.split(move_key, shape[0]))
    kind_key, sign_key = jax.random.split(step_key)
    step = jax.random.rademacher(sign_key, shape, jnp.int32)
    mutated = jnp.maximum(moved + jnp.where(jax.random.bernoulli(kind_key, settings.mutation, shape), step, 0), 0)
    spent_before = jnp.cumsum(mutated, axis=1) - mutated
    return jnp.minimum(mutated, jnp.maximum(budget - spent_before, 0))


def _move_one(schedule: Int[Array, " days"], key: PRNGKeyArray) -> Int[Array, " days"]:
    """One pick from a random day, if it has any, to another."""
    giver, taker = jax.random.randint(key, (2,), 0, schedule.shape[0])
    given = (schedule[giver] > 0).astype(schedule.dtype)
    return schedule.at[giver].add(-given).at[taker].add(given)


GENETIC = Pairing(make_genetic(Genetic()), {"greedy": GREEDY})
