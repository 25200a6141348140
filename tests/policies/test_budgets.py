"""Budget rules grant what their names say, never more than is left."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lmta.policies.budgets import BUDGET_RULES, cap_rule
from lmta.problems.heuristics import Numbers
from lmta.problems.influence.importer import Network
from lmta.problems.influence.rules import Influence, make_instance

RULES = {**BUDGET_RULES, "cap5": cap_rule("cap5"), "cap1": cap_rule("cap1")}
PAIR = make_instance(Network((0, 1), np.array([0]), np.array([1]), np.array([0.5], np.float32)), 1, 1)


def make_grant(rule):
    @jax.jit
    def grant(days, budget, day, left):
        instance = eqx.tree_at(lambda i: (i.days, i.budget), PAIR, (days, budget))
        state = eqx.tree_at(lambda s: (s.day, s.budget_left), Influence().reset(instance), (day, left))
        return rule.grant(instance, state, None)

    return lambda *numbers: int(grant(*map(jnp.int32, numbers)))


GRANTS = {name: make_grant(rule) for name, rule in RULES.items()}


def schedule(name, days, budget):
    """What is granted on each day if all of it is spent."""
    granted, left = [], budget
    for day in range(days):
        granted.append(GRANTS[name](days, budget, day, left))
        left -= granted[-1]
    return granted


@pytest.mark.parametrize(
    ("name", "days", "budget", "expected"),
    [
        ("average", 10, 50, [5] * 10),
        ("average", 10, 53, [5] * 9 + [8]),
        ("average", 20, 10, [1] * 10 + [0] * 10),
        ("average", 3, 10, [3, 3, 4]),
        ("average", 1, 7, [7]),
        ("normal", 10, 50, [50] + [0] * 9),
        ("normal", 1, 3, [3]),
        ("static", 10, 50, [25, 0, 0, 0, 0, 25, 0, 0, 0, 0]),
        ("static", 10, 51, [25, 0, 0, 0, 0, 25, 0, 0, 0, 1]),
        ("static", 20, 10, [2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2, 0, 0, 0, 2]),
        ("static", 5, 7, [7, 0, 0, 0, 0]),
        ("static", 3, 10, [10, 0, 0]),  # not one whole cycle: all on its first day
        ("static", 1, 10, [10]),
        ("static", 12, 9, [4, 0, 0, 0, 0, 4, 0, 0, 0, 0, 1, 0]),  # two whole cycles; what is left opens the third
        ("even", 10, 50, [5] * 10),
        ("even", 10, 53, [5] * 7 + [6] * 3),
        ("even", 20, 10, [0] * 10 + [1] * 10),
        ("even", 3, 10, [3, 3, 4]),
        ("rolling", 10, 53, [5] * 7 + [6] * 3),
        ("rolling", 20, 10, [0] * 10 + [1] * 10),
        ("front", 4, 10, [4, 3, 2, 1]),
        ("front", 10, 55, [10, 9, 8, 7, 6, 5, 4, 3, 2, 1]),
        ("front", 3, 10, [5, 3, 2]),  # shares 5, 3⅓, 1⅔
        ("front", 1, 7, [7]),
        ("cap5", 3, 12, [5, 5, 2]),
        ("cap5", 3, 40, [5, 5, 5]),
        ("cap5", 4, 3, [3, 0, 0, 0]),
        ("cap1", 3, 2, [1, 1, 0]),
    ],
)
def test_schedule_by_hand(name, days, budget, expected):
    assert schedule(name, days, budget) == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("average", 20),
        ("static", 20),
        ("normal", 20),
        ("even", 5),
        ("rolling", 20),
        ("front", 20),
        ("cap5", 5),
        ("cap1", 1),
    ],
)
def test_unspent_picks_on_the_last_day(name, expected):
    """(10, 50) with 20 left on the last day, because earlier days fell short."""
    assert GRANTS[name](10, 50, 9, 20) == expected


@pytest.mark.parametrize("name", RULES)
def test_no_rule_exceeds_what_is_left(name):
    """(10, 50) with 2 left on every day, as after a user who seeded more than was granted."""
    granted = [GRANTS[name](10, 50, day, 2) for day in range(10)]
    assert set(granted) <= {0, 1, 2}
    assert granted[9] == (1 if name == "cap1" else 2)


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(list(RULES)), st.integers(1, 25), st.integers(1, 80), st.randoms(use_true_random=False))
def test_never_more_than_is_left(name, days, budget, random):
    """Whatever part of each grant is spent."""
    left = budget
    for day in range(days):
        granted = GRANTS[name](days, budget, day, left)
        assert 0 <= granted <= left
        left -= random.randint(0, granted)
    assert left >= 0


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(list(RULES)), st.integers(1, 25), st.integers(1, 80))
def test_the_whole_budget_is_granted(name, days, budget):
    """Except by a cap, which the days may not suffice for."""
    most = {"cap5": 5 * days, "cap1": days}.get(name, budget)
    assert sum(schedule(name, days, budget)) == min(most, budget)


@pytest.mark.parametrize("name", ["cap", "cap0", "cap05", "cap-1", "cap5x", "Cap5", "cap1.5", "cap1234567", "average"])
def test_other_names_are_no_caps(name):
    assert cap_rule(name) is None


def test_cap_of_several_digits():
    rule = cap_rule("cap12")
    assert rule is not None
    assert rule.name == "cap12"
    assert make_grant(rule)(2, 50, 0, 50) == 12


@pytest.mark.parametrize("name", RULES)
def test_of_plain_numbers_rules_grant_the_same(name):
    """As sessions ask on the host, where nothing is compiled."""
    for days, budget in ((1, 1), (3, 7), (10, 50), (20, 10)):
        for day in range(days):
            for left in (0, budget // 2, budget):
                numbers = Numbers(days, budget, day, left)
                assert int(RULES[name].grant(numbers, numbers, None)) == GRANTS[name](*numbers)
