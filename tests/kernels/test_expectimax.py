"""The optimum of tiny influence problems is the one that plain enumeration finds, and nobody earns more."""

import itertools
from functools import cache

import numpy as np
import pytest

from lmta import Campaign, InputError, policy
from lmta.arena.play import play
from lmta.problems.batch import make_batch
from lmta.problems.influence.exact import solve
from lmta.problems.influence.importer import Network
from lmta.problems.influence.rules import Influence, make_instance

INACTIVE, ACTIVE, REMOVED = 0, 1, 2
EPISODES = 600


def network(num_nodes, edges):
    """`edges` is {(sender, receiver): probability}."""
    return Network(
        ids=tuple(range(num_nodes)),
        senders=np.array([u for u, _ in edges], np.int32),
        receivers=np.array([v for _, v in edges], np.int32),
        probability=np.array(list(edges.values()), np.float32),
    )


def random_edges(num_nodes, density, seed):
    """Every ordered pair with probability `density`; firing probabilities are eighths, exact in single precision."""
    rng = np.random.default_rng(seed)
    pairs = [p for p in itertools.permutations(range(num_nodes), 2) if rng.random() < density]
    return {pair: int(rng.integers(1, 9)) / 8 for pair in pairs}


def best_value(num_nodes, edges, days, budget, status=None):
    """The highest expected number of nodes still to be influenced: every seed set, every combination of coins."""

    @cache
    def value(day, left, status):
        if day == days:
            return 0.0
        inactive = [v for v in range(num_nodes) if status[v] == INACTIVE]
        return max(
            size + night(day, left - size, tuple(ACTIVE if v in seeds else s for v, s in enumerate(status)))
            for size in range(min(left, len(inactive)) + 1)
            for seeds in itertools.combinations(inactive, size)
        )

    @cache
    def night(day, left, status):
        tried = [e for e in edges if status[e[0]] == ACTIVE and status[e[1]] == INACTIVE]
        total = 0.0
        for coins in itertools.product([False, True], repeat=len(tried)):
            chance = 1.0
            for edge, fires in zip(tried, coins, strict=True):
                chance *= edges[edge] if fires else 1 - edges[edge]
            hit = {v for (_, v), fires in zip(tried, coins, strict=True) if fires}
            after = tuple(ACTIVE if v in hit else REMOVED if s == ACTIVE else s for v, s in enumerate(status))
            total += chance * (len(hit) + value(day + 1, left, after))
        return total

    return value(0, budget, status or (INACTIVE,) * num_nodes)


@pytest.mark.parametrize(
    ("num_nodes", "edges", "days", "budget", "expected"),
    [
        (2, {(0, 1): 0.25}, 1, 1, 1.25),  # the night of the last day counts
        (2, {(0, 1): 0.25}, 2, 1, 1.25),  # an edge is tried once only
        (2, {(0, 1): 0.25}, 1, 2, 2.0),
        (2, {(0, 1): 0.25, (1, 0): 0.75}, 3, 1, 1.75),
        (2, {}, 3, 1, 1.0),
        (3, {(0, 1): 0.5, (1, 2): 0.5}, 1, 1, 1.5),
        (3, {(0, 1): 0.5, (1, 2): 0.5}, 2, 1, 1.75),  # the second hop needs a second night
        # 0 first; the day after, 2 if 1 was hit (3 in all), otherwise 1 (2 and one half): 2.75. Both at once: 2.5.
        (3, {(0, 1): 0.5, (1, 2): 0.5}, 2, 2, 2.75),
        # 0 first; then whom it missed: only if both were missed (1/4) is one left over. Two at once: 2.5.
        (3, {(0, 1): 0.5, (0, 2): 0.5}, 2, 2, 2.75),
        (3, {(0, 1): 0.5, (0, 2): 0.5}, 1, 2, 2.5),
        # Two chances to be hit on one night: 1 - 1/2 · 1/2.
        (3, {(0, 2): 0.5, (1, 2): 0.5}, 1, 2, 2.75),
        # More budget than nodes.
        (3, {(0, 1): 0.5}, 1, 5, 3.0),
    ],
)
def test_hand_computed_optimum(num_nodes, edges, days, budget, expected):
    assert best_value(num_nodes, edges, days, budget) == pytest.approx(expected, abs=1e-12)
    assert solve(make_instance(network(num_nodes, edges), days, budget)).optimum == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(("days", "budget"), [(2, 1), (2, 2), (3, 1), (3, 2)])
def test_optimum_equals_enumeration(seed, days, budget):
    edges = random_edges(4, 0.3 + 0.1 * seed, seed)
    found = solve(make_instance(network(4, edges), days, budget)).optimum
    assert found == pytest.approx(best_value(4, edges, days, budget), abs=1e-9)


@pytest.mark.parametrize(("budget", "own_value"), [(2, None), (5, 4.0)])
def test_padding_does_not_change_the_optimum(budget, own_value):
    """With five seeds, four nodes are worth 4 however much padding there is; two real nodes more are worth more."""
    edges = random_edges(4, 0.5, 1)
    small, large = (make_instance(network(n, edges), 2, budget) for n in (4, 6))
    padded = make_batch(Influence(), [small, large], 0).instances[0]
    assert padded.graph.num_nodes == 6
    expected = own_value or best_value(4, edges, 2, budget)
    assert solve(padded).optimum == pytest.approx(expected, abs=1e-9)
    assert solve(large).optimum == pytest.approx(best_value(6, edges, 2, budget), abs=1e-9)


def test_values_of_decisions_on_later_days_equal_enumeration():
    edges = {(0, 1): 0.5, (1, 2): 0.75, (2, 3): 0.5, (0, 3): 0.25, (3, 1): 0.125}
    senders, receivers = zip(*edges, strict=True)
    campaign = Campaign((senders, receivers, tuple(edges.values())), days=3, budget=2)
    exact = policy("exact")
    first = exact.decide(campaign)
    assert [pick.value for pick in first.picks] == pytest.approx([best_value(4, edges, 3, 2)], abs=1e-9)

    # 0 was seeded and hit 1, which will hit 2 with 3/4. To wait and then seed 3 (beside an active 2) or 2 earns
    # 3/4 · 2 + 1/4 · 1.5 = 1.875; to seed 3 now earns 1.75, and to seed 2 now 1.5.
    campaign.advance(seeded=[0], activated=[1])
    assert best_value(4, edges, 2, 1, (REMOVED, ACTIVE, INACTIVE, INACTIVE)) == pytest.approx(1.875, abs=1e-12)
    assert exact.decide(campaign).nodes == ()

    # Nobody was hit, and it is the last day: 2 and half of 3.
    campaign.advance()
    assert best_value(4, edges, 1, 1, (REMOVED, REMOVED, INACTIVE, INACTIVE)) == pytest.approx(1.5, abs=1e-12)
    last = exact.decide(campaign)
    assert last.nodes == (2,)
    assert last.picks[0].value == pytest.approx(1.5, abs=1e-9)


def test_the_best_seed_depends_on_the_day():
    """A chain of four and a fork of three, all sure: the chain is worth 4 with three nights left, 2 with one."""
    senders, receivers = [0, 1, 2, 4, 4], [1, 2, 3, 5, 6]
    campaign = Campaign((senders, receivers, [1.0] * 5), days=3, budget=1)
    exact = policy("exact")
    assert [(pick.node, pick.value) for pick in exact.decide(campaign).picks] == [(0, 4)]
    campaign.advance()
    campaign.advance()
    assert [(pick.node, pick.value) for pick in exact.decide(campaign).picks] == [(4, 3)]


@pytest.fixture(scope="module")
def arena():
    """Many episodes on one instance, whose optimum comes from enumeration."""
    edges = random_edges(4, 0.7, 11)
    instance = make_instance(network(4, edges), 3, 2)
    return make_batch(Influence(), [instance] * EPISODES, 5), best_value(4, edges, 3, 2)


def mean_and_error(rewards):
    totals = rewards.sum(axis=1)
    return totals.mean(), totals.std(ddof=1) / np.sqrt(len(totals))


def test_exact_earns_the_optimum_on_average(arena):
    batch, optimum = arena
    result = play(policy("exact"), batch)
    mean, error = mean_and_error(result.rewards)
    assert error < 0.04  # so that three of them are a bound worth the name
    assert abs(mean - optimum) < 3 * error
    assert result.num_picks.sum(axis=1).max() <= 2


@pytest.mark.parametrize(
    "name", ["average-degree", "normal-score", "cap1-lookahead", "adaptive-lookahead", "average-ris", "random"]
)
def test_no_policy_beats_the_optimum(arena, name, monkeypatch):
    monkeypatch.setattr("lmta.problems.influence.sampling.MIN_SETS", 1000)  # plenty for four nodes
    batch, optimum = arena
    mean, error = mean_and_error(play(policy(name, "aim"), batch).rewards)
    assert error < 0.05
    assert mean < optimum + 3 * error


def test_waiting_earns_what_was_computed_by_hand():
    """A star whose edges fire half the time: both seeds at once earn 2.5, the optimum waits and earns 2.75."""
    star = make_instance(network(3, {(0, 1): 0.5, (0, 2): 0.5}), 2, 2)
    batch = make_batch(Influence(), [star] * EPISODES, 3)
    for name, expected in (("exact", 2.75), ("normal-lookahead", 2.5)):
        mean, error = mean_and_error(play(policy(name), batch).rewards)
        assert abs(mean - expected) < 3 * error
        assert error < 0.04


def test_too_many_nodes_are_refused():
    ring = {(i, (i + 1) % 13): 0.5 for i in range(13)}
    with pytest.raises(InputError, match="13 nodes; at most 12"):
        solve(make_instance(network(13, ring), 2, 2))
    senders, receivers = zip(*ring, strict=True)
    with pytest.raises(InputError, match="at most 12"):
        policy("exact").decide(Campaign((senders, receivers), days=2, budget=2))
