"""Rollouts under common random numbers: today's seeds as given, then the base heuristic to the end."""

import os
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from lmta.kernels.cascade import end_day, flip_coins
from lmta.kernels.compiled import kernel, part
from lmta.kernels.network import ACTIVE, Adjacency
from lmta.kernels.seeding import Strategy, make_plan, seed_today

WORLDS_AT_ONCE = 16
"""How many worlds a thread takes before it asks for more."""


def rollout_rewards(
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
) -> np.ndarray:
    """The reward of each day by candidate, world and day, as whole numbers.

    Candidate c seeds picks[c, :num_picks[c]] today, which must be inactive and within the budget. Coins depend on seed
    and world alone, so candidates can be compared world by world, and so can rewards of another call.
    """
    rewards = np.zeros((len(picks), len(worlds), days_left), np.int32)
    status = np.array(status, np.int8)  # a copy, since an array that may not be written is another type
    picks, num_picks = np.array(picks, np.uint32), np.array(num_picks, np.int64)

    def play(first: int) -> None:
        _play_worlds(
            network,
            status,
            budget_left,
            picks,
            num_picks,
            seed,
            worlds.start + first,
            strategy or Strategy(),
            rewards[:, first : first + WORLDS_AT_ONCE],
            make_plan(network),
            np.empty(network.num_edges, np.bool_),
            np.empty_like(status),
        )

    with ThreadPoolExecutor(threads or os.cpu_count()) as pool:
        list(pool.map(play, range(0, len(worlds), WORLDS_AT_ONCE)))
    return rewards


@kernel
def _play_worlds(
    network, status, budget_left, picks, num_picks, seed, first_world, strategy, rewards, plan, fires, now
):
    """Fill the rewards of consecutive worlds."""
    for w in range(rewards.shape[1]):
        flip_coins(network, seed, first_world + w, fires)
        for c in range(len(picks)):
            for v in range(len(status)):
                now[v] = status[v]
            for i in range(num_picks[c]):
                now[picks[c, i]] = ACTIVE
            _play_on(network, now, budget_left, num_picks[c], strategy, fires, rewards[c, w], plan)


@part
def _play_on(network, status, budget_left, seeded, strategy, fires, rewards, plan):
    """Play to the end by the base heuristic from a state in which today's seeds are set; rewards by day."""
    for day in range(len(rewards)):
        if day > 0:
            seeded = seed_today(network, status, len(rewards) - day, budget_left, budget_left, strategy, plan)
        budget_left -= seeded
        rewards[day] = seeded + end_day(network, status, fires, plan.picks)
