"""Rollouts under common random numbers: today's seeds as given, then the base heuristic to the end."""

from typing import Any, NamedTuple

import numpy as np

from lmta.kernels.cascade import end_day, flip_coins
from lmta.kernels.compiled import kernel, part
from lmta.kernels.mean_field import look_again, look_ahead
from lmta.kernels.network import ACTIVE, INACTIVE, Adjacency
from lmta.kernels.seeding import Strategy, make_plan, seed_today
from lmta.kernels.threads import share_out

ZERO, ONE = np.float32(0), np.float32(1)


class Rollouts(NamedTuple):
    """What candidates earn in sampled worlds."""

    rewards: np.ndarray
    """[candidate, world, day], whole numbers."""
    by_chance: np.ndarray
    """[candidate, world]: how much of that is owed to chance, as far as mean field can tell; 0 in expectation.

    Each night's hits less the expected ones, every node with what it is likely to lead to. What weighs a hit is known
    before the coins fall, so whatever mean field may be worth, the mean is 0, and returns less this have the same
    expectation with less noise: a control variate.
    """


def owed_to_chance(network: Adjacency, status: np.ndarray, days_left: int, fires: np.ndarray) -> float:
    """How much of what follows is owed to tonight's coins (in the order of the out-edges), in a post-decision state."""
    ahead, missed = look_ahead(network, status, days_left), np.ones(network.num_nodes, np.float32)
    return float(_weigh_night(network, np.array(status, np.int8), np.array(fires, np.bool_), ahead, missed))


def rollout_rewards(network: Adjacency, *arguments: Any, **options: Any) -> np.ndarray:
    """The rewards of rollouts alone."""
    return roll_out(network, *arguments, **options).rewards


def roll_out(
    network: Adjacency,
    status: np.ndarray,
    days_left: int,
    budget_left: int,
    picks: np.ndarray,
    num_picks: np.ndarray,
    *,
    worlds: range,
    seed: int,
    strategy: Strategy | None = None,
    threads: int | None = None,
    weigh_chance: bool = False,
) -> Rollouts:
    """Play every candidate to the end in every world.

    Candidate c seeds picks[c, :num_picks[c]] today, which must be inactive and within the budget. Coins depend on seed
    and world alone, so candidates can be compared world by world, and so can rewards of another call. How much is owed
    to chance is worked out only if asked for.
    """
    rewards = np.zeros((len(picks), len(worlds), days_left), np.int32)
    by_chance = np.zeros((len(picks), len(worlds)))
    status = np.array(status, np.int8)  # a copy, since an array that may not be written is another type
    picks, num_picks = np.array(picks, np.uint32), np.array(num_picks, np.int64)

    def play(some: slice) -> None:
        _play_worlds(
            network,
            status,
            budget_left,
            picks,
            num_picks,
            seed,
            worlds.start + some.start,
            strategy or Strategy(),
            rewards[:, some],
            by_chance[:, some],
            weigh_chance,
            make_plan(network),
            np.empty(network.num_edges, np.bool_),
            np.empty_like(status),
            np.ones(network.num_nodes, np.float32),
        )

    share_out(play, len(worlds), threads)
    return Rollouts(rewards, by_chance)


@kernel
def _play_worlds(
    network,
    status,
    budget_left,
    picks,
    num_picks,
    seed,
    first_world,
    strategy,
    rewards,
    by_chance,
    weigh_chance,
    plan,
    fires,
    now,
    missed,
):
    """Fill the rewards of consecutive worlds."""
    for w in range(rewards.shape[1]):
        flip_coins(network, seed, first_world + w, fires)
        for c in range(len(picks)):
            for v in range(len(status)):
                now[v] = status[v]
            for i in range(num_picks[c]):
                now[picks[c, i]] = ACTIVE
            by_chance[c, w] = _play_on(
                network, now, budget_left, num_picks[c], strategy, fires, rewards[c, w], weigh_chance, plan, missed
            )


@part
def _play_on(network, status, budget_left, seeded, strategy, fires, rewards, weigh_chance, plan, missed):
    """Play to the end by the base heuristic from a state in which today's seeds are set.

    Fills the rewards by day, and returns what is owed to chance.
    """
    by_chance = 0.0
    for day in range(len(rewards)):
        days_left = len(rewards) - day
        if day > 0:
            seeded = seed_today(network, status, days_left, budget_left, budget_left, strategy, plan)
        budget_left -= seeded
        if weigh_chance:
            if day == 0 or budget_left == 0:  # otherwise the heuristic looked at this state, and waits
                look_again(network, status, min(strategy.hops, days_left), plan.ahead)
            by_chance += _hits_over_expected(network, status, fires, plan.ahead, missed)
        rewards[day] = seeded + end_day(network, status, fires, plan.picks)
    return by_chance


@kernel
def _weigh_night(network, status, fires, ahead, missed):
    return _hits_over_expected(network, status, fires, ahead, missed)


@part
def _hits_over_expected(network, status, fires, ahead, missed):
    """Tonight's hits less the expected ones, weighed by what each is likely to lead to; `missed` is 1 everywhere."""
    for v in range(len(status)):
        if status[v] == ACTIVE:
            rank = network.out_rank[v]
            for e in range(network.out_start[rank], network.out_start[rank + 1]):
                missed[network.out_receiver[e]] *= ONE - network.out_probability[e]
    total = 0.0
    for v in range(len(status)):
        if status[v] == ACTIVE:
            rank = network.out_rank[v]
            for e in range(network.out_start[rank], network.out_start[rank + 1]):
                u = network.out_receiver[e]
                if status[u] == INACTIVE and missed[u] < ONE and ahead.untouched[u] > 0:
                    total -= (ONE - missed[u]) * ahead.gain[u] / ahead.untouched[u]
                missed[u] = ONE
    for v in range(len(status)):
        if status[v] == ACTIVE:
            rank = network.out_rank[v]
            for e in range(network.out_start[rank], network.out_start[rank + 1]):
                u = network.out_receiver[e]
                if fires[e] and status[u] == INACTIVE and missed[u] == ONE and ahead.untouched[u] > 0:
                    total += ahead.gain[u] / ahead.untouched[u]
                    missed[u] = ZERO
    for v in range(len(status)):
        missed[v] = ONE
    return total
