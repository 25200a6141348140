"""Reverse-reachable sets count what a seed would add, and the greedy cover is the plain greedy of set cover."""

import itertools

import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lmta.kernels.reverse_reachable import draw_sets, greedy_cover
from lmta.problems.influence.importer import Network
from lmta.problems.influence.rules import InfluenceState, make_instance
from lmta.problems.influence.sampling import ReverseReachable

INACTIVE, ACTIVE, REMOVED = 0, 1, 2
NUM_SETS = 200_000

# A cycle, two ways from 0 to 3, and a tail: nine edges, so 512 worlds.
EDGES = {
    (0, 1): 0.5,
    (1, 3): 0.75,
    (0, 2): 0.25,
    (2, 3): 0.5,
    (3, 4): 0.5,
    (4, 0): 0.25,
    (4, 5): 1.0,
    (3, 1): 0.25,
    (5, 2): 0.5,
}


def sets_of(edges, status, num_sets, horizon, seed=0):
    """What the kernel draws, as a list of tuples."""
    by_receiver = sorted(edges, key=lambda e: e[1])
    receivers = [v for _, v in by_receiver]
    members, start = draw_sets(
        np.searchsorted(receivers, np.arange(len(status) + 1)),
        np.array([u for u, _ in by_receiver], np.int32),
        np.array([edges[e] for e in by_receiver], np.float32),
        np.array(status, np.int8),
        num_sets,
        horizon,
        seed,
    )
    return [tuple(members[a:b].tolist()) for a, b in itertools.pairwise(start)]


def spread(edges, status, seeds, nights):
    """Expected number of inactive nodes that will have been influenced, by enumeration of every edge's coin."""
    total = 0.0
    for coins in itertools.product([False, True], repeat=len(edges)):
        chance = 1.0
        for p, fires in zip(edges.values(), coins, strict=True):
            chance *= p if fires else 1 - p
        if chance == 0:
            continue
        live = [e for e, fires in zip(edges, coins, strict=True) if fires]
        inactive = {v for v, s in enumerate(status) if s == INACTIVE} - set(seeds)
        active = {v for v, s in enumerate(status) if s == ACTIVE} | set(seeds)
        influenced = len(seeds)
        for _ in range(nights):
            active = {v for u, v in live if u in active and v in inactive}
            inactive -= active
            influenced += len(active)
        total += chance * influenced
    return total


STATUSES = [
    (INACTIVE,) * 6,
    (INACTIVE, INACTIVE, ACTIVE, INACTIVE, INACTIVE, INACTIVE),
    (REMOVED, INACTIVE, INACTIVE, INACTIVE, ACTIVE, INACTIVE),
]


@pytest.mark.parametrize("status", STATUSES)
@pytest.mark.parametrize("horizon", [1, 2, 4])
def test_frequency_is_the_gain_in_spread(status, horizon):
    """P(u in a set) · number of inactive nodes = what seeding u adds. Tolerance: 5 deviations, at most 0.006."""
    sets = sets_of(EDGES, status, NUM_SETS, horizon)
    num_inactive = status.count(INACTIVE)
    counts = np.bincount(np.fromiter(itertools.chain.from_iterable(sets), int), minlength=6)
    without = spread(EDGES, status, (), horizon)
    for node, count in enumerate(counts):
        if status[node] != INACTIVE:
            assert count == 0
            continue
        share = (spread(EDGES, status, (node,), horizon) - without) / num_inactive
        deviation = np.sqrt(share * (1 - share) / NUM_SETS)
        assert count / NUM_SETS == pytest.approx(share, abs=5 * deviation + 1e-12)


@pytest.mark.parametrize("status", STATUSES)
def test_values_of_the_node_rule_add_up_to_the_gain_of_all_its_picks(status):
    """At most 20,000 sets are drawn: 5 standard deviations of a share are at most 0.0177, times the inactive nodes."""
    network = Network(
        ids=tuple(range(6)),
        senders=np.array([u for u, _ in EDGES], np.int32),
        receivers=np.array([v for _, v in EDGES], np.int32),
        probability=np.array(list(EDGES.values()), np.float32),
    )
    rule = ReverseReachable()
    state = InfluenceState(
        status=jnp.array(status, jnp.int8), day=jnp.int32(1), budget_left=jnp.int32(2), seeded_today=jnp.int32(0)
    )
    picks, values = rule.plan(rule.prepare(make_instance(network, 3, 2)), state, 2, seed=1)
    nights = 2  # day 1 of days 0, 1, 2
    without = spread(EDGES, status, (), nights)
    tolerance = 0.0177 * status.count(INACTIVE)
    seeds = tuple(picks.tolist())
    assert len(seeds) == len(set(seeds)) == 2
    assert values[0] == pytest.approx(spread(EDGES, status, seeds[:1], nights) - without, abs=tolerance)
    assert values.sum() == pytest.approx(spread(EDGES, status, seeds, nights) - without, abs=tolerance)
    # The first pick is the best single seed, up to what sampling can tell apart.
    best = max(spread(EDGES, status, (v,), nights) for v in range(6) if status[v] == INACTIVE) - without
    assert values[0] >= best - tolerance


CHAIN = {(3, 2): 1.0, (2, 1): 1.0, (1, 0): 1.0}


@pytest.mark.parametrize("horizon", [0, 1, 2, 3, 9])
def test_horizon_is_respected(horizon):
    """On a chain 3 → 2 → 1 → 0 where every edge fires, the set of r is r, r+1, … up to `horizon` hops away."""
    sets = sets_of(CHAIN, (INACTIVE,) * 4, 400, horizon)
    expected = {tuple(range(r, min(r + horizon, 3) + 1)) for r in range(4)}
    assert set(sets) == expected


def test_shortest_way_counts():
    """2 reaches 0 in two hops and, by a shortcut, in one; the longer way must not hide the shorter."""
    edges = {(2, 1): 1.0, (1, 0): 1.0, (2, 0): 1.0, (3, 2): 1.0}
    sets = sets_of(edges, (INACTIVE,) * 4, 200, 2)
    assert {s[0]: set(s) for s in sets} == {0: {0, 1, 2, 3}, 1: {1, 2, 3}, 2: {2, 3}, 3: {3}}


def test_sets_that_the_running_cascade_reaches_are_empty():
    """3 is active: it will hit 2 and 1 within two days anyway, but not 0."""
    sets = sets_of(CHAIN, (INACTIVE, INACTIVE, INACTIVE, ACTIVE), 400, 2)
    assert set(sets) == {(), (0, 1, 2)}
    assert sets.count(()) == pytest.approx(400 * 2 / 3, abs=5 * np.sqrt(400 * 2 / 9))


def test_removed_nodes_neither_appear_nor_conduct():
    assert set(sets_of(CHAIN, (INACTIVE, REMOVED, INACTIVE, INACTIVE), 400, 3)) == {(0,), (2, 3), (3,)}
    assert set(sets_of(CHAIN, (INACTIVE, REMOVED, INACTIVE, ACTIVE), 400, 3)) == {(0,), ()}


def test_sets_larger_than_first_room_are_kept_whole():
    """Twelve nodes that all reach one another: the buffer, made for four a set, has to grow."""
    everyone = dict.fromkeys(itertools.permutations(range(12), 2), 1.0)
    sets = sets_of(everyone, (INACTIVE,) * 12, 300, 1)
    assert all(sorted(s) == list(range(12)) for s in sets)
    assert {s[0] for s in sets} == set(range(12))


def test_same_seed_same_sets():
    first, again, other = (sets_of(EDGES, (INACTIVE,) * 6, 300, 3, seed) for seed in (4, 4, 5))
    assert first == again
    assert first != other


def plain_greedy(sets, status, budget):
    """Greedy set cover by its definition; the lowest node wins a tie."""
    picks, gains, left = [], [], [set(s) for s in sets]
    while len(picks) < budget:
        free = [v for v, s in enumerate(status) if s == INACTIVE and v not in picks]
        if not free:
            break
        best = max(free, key=lambda v: (sum(v in s for s in left), -v))
        picks.append(best)
        gains.append(sum(best in s for s in left))
        left = [s for s in left if best not in s]
    return picks, gains


@st.composite
def set_systems(draw):
    num_nodes = draw(st.integers(1, 7))
    status = draw(
        st.lists(st.sampled_from([INACTIVE, INACTIVE, ACTIVE, REMOVED]), min_size=num_nodes, max_size=num_nodes)
    )
    inactive = [v for v, s in enumerate(status) if s == INACTIVE]
    members = st.lists(st.sampled_from(inactive), unique=True) if inactive else st.just([])
    return status, draw(st.lists(members, max_size=12)), draw(st.integers(0, 9))


@settings(max_examples=200, deadline=None)
@given(set_systems())
def test_cover_equals_plain_greedy(system):
    status, sets, budget = system
    start = np.cumsum([0, *map(len, sets)])
    members = np.array([v for s in sets for v in s], np.int32)
    picks, gains = greedy_cover(members, start, np.array(status, np.int8), budget)
    assert (picks.tolist(), gains.tolist()) == plain_greedy(sets, status, budget)
    assert len(set(picks.tolist())) == len(picks) == min(budget, status.count(INACTIVE))
    assert all(status[v] == INACTIVE for v in picks)


def test_budget_beyond_the_inactive_nodes():
    """Sets {0,2}, {2}, {3}: 2 covers two, 3 covers one, 0 is left with nothing; 1 is removed."""
    members, start = np.array([0, 2, 2, 3], np.int32), np.array([0, 2, 3, 4])
    picks, gains = greedy_cover(members, start, np.array([INACTIVE, REMOVED, INACTIVE, INACTIVE], np.int8), 10)
    assert picks.tolist() == [2, 3, 0]
    assert gains.tolist() == [2, 1, 0]
