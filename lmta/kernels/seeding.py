"""When and where to seed by an outlook: what a seed today is worth over waiting, and a whole day of seeds."""

from math import inf, log, log1p
from typing import NamedTuple

import numpy as np

from lmta.kernels.compiled import kernel, part
from lmta.kernels.mean_field import HOPS, Outlook, look_again, make_outlook
from lmta.kernels.network import ACTIVE, INACTIVE, Adjacency

DAYS_TO_SPARE = 9.0
"""With so many days to come, waiting for the cascade counts half as much as with no end of days."""
NODES_FOR_A_SEED = 500
"""A network with so many nodes takes one seed more at a look …"""
LOOKS_A_DAY = 5
"""… unless a day may have fewer looks than this: few seeds are worth a look each."""
CANDIDATES_FOR_A_SEED = 3
"""How many of the best nodes are looked through for seeds that are no neighbours."""
BLOCK = 256
"""Nodes among which the best is remembered, so that the next best is found without a look at all others."""
SEEDED, BESIDE = 1, 2
ZERO, ONE, NEVER = np.float32(0), np.float32(1), np.float32(-inf)


class SeedOrWait(NamedTuple):
    """The constants of the seed-or-wait index, a linear rule fitted to episodes on all kinds of networks by
    `lmta experiment seed-or-wait` (an evolution strategy on development seeds)."""

    constant: float = 1.8
    best_gain: float = 1.6
    """Weight of ln(gain of the best seed)."""
    seeds_a_day: float = 0.95
    """Weight of ln(seeds left for each day left)."""
    days_left: float = 0.9
    """Weight of ln(days left), against seeding today."""
    cascade: float = 0.8
    """Weight of ln(1 + expected hits of the running cascade / gain of the best seed), against seeding today."""
    cascade_share: float = 3.5
    """Weight of ln(days left / 3) · expected hits of the running cascade / inactive nodes, against seeding today."""


SEED_OR_WAIT = SeedOrWait()
FEWEST_NODES = 200
"""The networks that the constants were fitted to have so many nodes and more, and mean field serves there."""


class Strategy(NamedTuple):
    """How the base heuristic seeds."""

    tilt: float = 0.0
    """Added to the seed-or-wait index: above 0 seeds come earlier; with infinity a day spends all that it may."""
    days_to_spare: float = DAYS_TO_SPARE
    """The fewer, the more a node that the cascade may reach is left to it; infinity leaves none."""
    hops: int = HOPS
    """How far the spread is followed."""
    looks_a_day: int = LOOKS_A_DAY
    """The fewer, the more seeds a look ahead serves in networks of 1,000 nodes and more."""
    seed_or_wait: SeedOrWait = SEED_OR_WAIT


class Plan(NamedTuple):
    """A day's seeds in order, what each was expected to add, and room to find them."""

    picks: np.ndarray
    values: np.ndarray
    ahead: Outlook
    score: np.ndarray
    best_of_block: np.ndarray
    mark: np.ndarray
    """Who was seeded at this look, and who stands beside."""


def make_plan(network: Adjacency) -> Plan:
    """Room for the plans of days."""
    num_nodes = network.num_nodes
    return Plan(
        picks=np.zeros(num_nodes, np.uint32),
        values=np.zeros(num_nodes, np.float32),
        ahead=make_outlook(network),
        score=np.zeros(num_nodes, np.float32),
        best_of_block=np.zeros(-(-num_nodes // BLOCK), np.uint32),
        mark=np.zeros(num_nodes, np.uint8),
    )


def plan_day(
    network: Adjacency, status: np.ndarray, days_left: int, budget_left: int, budget: int, strategy: Strategy
) -> tuple[np.ndarray, np.ndarray]:
    """Today's seeds by the base heuristic, `budget` at most, in order, and what each was expected to add."""
    plan = make_plan(network)
    count = seed_today(network, np.array(status, np.int8), days_left, budget_left, budget, strategy, plan)
    return plan.picks[:count], plan.values[:count]


@kernel
def gain_over_waiting(status, untouched, gain, price, score):
    """What to seed today rather than later: the gain, less what waiting for the cascade may spare.

    A node that the cascade reaches anyway, with probability 1 - w, needs no seed; who waits will know, and spares the
    price of one: G(v) - price · (1 - w(v)), and -∞ for nodes that cannot be seeded.
    """
    for v in range(len(gain)):
        score[v] = gain[v] - price * (ONE - untouched[v]) if status[v] == INACTIVE else NEVER


@kernel
def price_of_a_seed(best, days_left, days_to_spare):
    """What a seed that is spared is worth: as much as the best of today, but the fewer days are left, the less.

    A lost day costs more then: max G · L / (L + days to spare) with L days after today.
    """
    later_days = np.float32(days_left - 1)
    return later_days / (later_days + np.float32(days_to_spare)) * best


@kernel
def seed_or_wait(best, under_way, num_inactive, days_left, budget_left, weights):
    """Whether the next seed promises more today than on a later day: above 0 it does; on the last day always.

    For today speak how much the best seed adds, and how many seeds there are for each day left; for waiting, which
    tells where the cascade goes, how many days are left, and how many nodes the cascade under way is expected to
    reach: beside what a seed adds, and, the more days are left, as a share of who is inactive.
    """
    if days_left <= 1:
        return inf
    best = min(max(best, 1.0), num_inactive)  # estimates of gains count walks, more than there are nodes
    under_way = max(under_way, 0.0)
    return (
        weights.constant
        + weights.best_gain * log(best)
        + weights.seeds_a_day * log(budget_left / days_left)
        - weights.days_left * log(days_left)
        - weights.cascade * log1p(under_way / best)
        - weights.cascade_share * log(days_left / 3.0) * under_way / num_inactive
    )


def num_worth_today(
    gains: np.ndarray, under_way: float, num_inactive: int, days_left: int, budget_left: int, strategy: Strategy
) -> int:
    """How many of a list of seeds to set today by the seed-or-wait index, each with what it adds to those before."""
    for made, gain in enumerate(gains):
        reached = under_way + float(np.sum(gains[:made])) - made  # the seeds themselves are no longer inactive
        left = num_inactive - made, days_left, budget_left - made
        if not seed_or_wait(float(gain), reached, *left, strategy.seed_or_wait) + strategy.tilt > 0:
            return made
    return len(gains)


@kernel
def seed_today(network, status, days_left, budget_left, budget, strategy, plan):
    """Set the seeds that are expected to add most by being set today, one by one, and return how many they are.

    As long as seeding is worth more than waiting, somebody is inactive, and budget is left. In large networks a look
    ahead serves a few of many, no two side by side: so far apart they hardly ever meet.
    """
    ahead = plan.ahead
    budget = min(budget, budget_left)
    likely = budget if strategy.tilt == inf else budget // max(days_left, 1)
    num_inactive, made = np.int64(0), np.int64(0)
    for v in range(len(status)):
        num_inactive += status[v] == INACTIVE
    while days_left > 0 and made < budget and num_inactive > 0:
        look_again(network, status, min(strategy.hops, days_left), ahead)
        best, under_way = ZERO, float(num_inactive)
        for v in range(len(status)):
            best = max(best, ahead.gain[v])
            under_way -= ahead.untouched[v]
        index = seed_or_wait(best, under_way, num_inactive, days_left, budget_left - made, strategy.seed_or_wait)
        if not index + strategy.tilt > 0:
            break
        price = price_of_a_seed(best, days_left, strategy.days_to_spare)
        gain_over_waiting(status, ahead.untouched, ahead.gain, price, plan.score)
        at_a_look = max(1, min(max(likely, made) // strategy.looks_a_day, len(status) // NODES_FOR_A_SEED))
        count = _seed_best_apart(network, status, made, min(at_a_look, budget - made), plan)
        made += count
        num_inactive -= count
    return made


@part
def _seed_best_apart(network, status, made, count, plan):
    """Seed the first `count` of the best nodes by score that are no neighbours; return how many there were."""
    score, picks = plan.score, plan.picks
    for block in range(len(plan.best_of_block)):
        plan.best_of_block[block] = _best_of_block(score, block)
    taken = 0
    for _ in range(max(1, CANDIDATES_FOR_A_SEED * (len(status) // NODES_FOR_A_SEED))):
        best = plan.best_of_block[0]
        for block in range(1, len(plan.best_of_block)):
            if score[plan.best_of_block[block]] > score[best]:
                best = plan.best_of_block[block]
        if taken == count or score[best] == NEVER:
            break
        score[best] = NEVER
        plan.best_of_block[best // BLOCK] = _best_of_block(score, best // BLOCK)
        if taken == 0 or not _stands_beside(network, best, plan.mark):
            picks[made + taken], plan.values[made + taken] = best, plan.ahead.gain[best]
            status[best] = ACTIVE
            taken += 1
            if count > 1:
                _mark(network, best, plan.mark)
    if count > 1:
        for v in range(len(status)):
            plan.mark[v] = 0
    return taken


@part
def _best_of_block(score, block):
    """The first node with the highest score among some that stand side by side."""
    best = np.uint32(block * BLOCK)
    for v in range(block * BLOCK, min((block + 1) * BLOCK, len(score))):
        if score[v] > score[best]:
            best = np.uint32(v)
    return best


@part
def _stands_beside(network, node, mark):
    """Whether an edge joins the node and a seed of this look, in either direction."""
    beside = mark[node] == BESIDE
    rank = network.out_rank[node]
    for e in range(network.out_start[rank], network.out_start[rank + 1]):
        beside |= mark[network.out_receiver[e]] == SEEDED
    return beside


@part
def _mark(network, node, mark):
    """A seed of this look, and whom its edges join to it."""
    rank = network.out_rank[node]
    for e in range(network.out_start[rank], network.out_start[rank + 1]):
        if mark[network.out_receiver[e]] != SEEDED:
            mark[network.out_receiver[e]] = BESIDE
    mark[node] = SEEDED
