"""The losses of WS-option by hand, with networks whose values are known, and which budgets may be chosen when."""

from dataclasses import replace

import equinox as eqx
import jax
import jax.numpy as jnp
import pytest
from tiny_runs import BUDGET, DAYS, NODES, tiny

from lmta.agents.settings import make_agent, make_model
from lmta.agents.steps import Step
from lmta.agents.ws_option.networks import BudgetValues
from lmta.agents.ws_option.update import Decision, high_loss, low_loss, sleeps
from lmta.nn.q_network import EndingQNetwork
from lmta.training.run import draw_instances

SETTINGS = tiny("ws-option", values={"train.discount": 0.5})
SIZES = SETTINGS.config.network
AGENT, PROBLEM = make_agent(SETTINGS), make_agent(SETTINGS).problem
INSTANCE = jax.tree.map(lambda leaf: jnp.asarray(leaf)[0], draw_instances(SETTINGS, 0))
SHAPE = 3, 2


class Budgets(BudgetValues):
    """Q(s, k) = k + 10 · budget left + 100 · days left."""

    def __call__(self, observation, left, days_left, budgets):
        return (budgets + 10 * left + 100 * days_left).astype(jnp.float32)


class Learning(EndingQNetwork):
    """Q of a node is its number and ten for each pick that the day has left; of the end 20."""

    def __call__(self, observation, condition):
        nodes = jnp.arange(observation.nodes.shape[0]) + 10 * jnp.expm1(condition[0])
        return jnp.append(nodes, 20.0)


class Target(Learning):
    """Minus as much."""

    def __call__(self, observation, condition):
        return -super().__call__(observation, condition)


def low(kind):
    return kind(*SHAPE, 1, 2, 1, key=jax.random.key(0))


def a_batch(tree):
    return jax.tree.map(lambda leaf: leaf[None], tree)


def test_values_of_budgets_are_fitted_to_returns_in_squashed_units():
    """Q = 2 + 10 · 4 + 100 · 3 = 342 beside squash(3) = 1.003: nothing of another network is in the target."""
    decision = Decision(INSTANCE, PROBLEM.reset(INSTANCE), jnp.int32(2), jnp.float32(3))
    loss, terms = high_loss(Budgets(*SHAPE, SIZES, key=jax.random.key(0)), AGENT, a_batch(decision))
    assert (BUDGET, DAYS) == (4, 3)
    assert float(loss) == float(terms["budget_value"]) == pytest.approx((342 - 1.003) ** 2, rel=1e-5)


@pytest.mark.parametrize(
    ("next_picks_left", "goes_on", "wanted"),
    [(1, True, 2 - 0.5 * (NODES - 1 + 10)), (0, True, 2 - 0.5 * 20), (1, False, 2.0)],
    ids=["another pick", "only the end is left", "the episode is over"],
)
def test_picks_learn_by_double_dqn_told_what_the_day_has_left(next_picks_left, goes_on, wanted):
    """Node 3 with two picks left is worth 23 and earns 2. The learning network prefers, the target network values."""
    state, number = PROBLEM.reset(INSTANCE), jnp.int32
    step = Step(
        instance=INSTANCE,
        state=state,
        day=number(0),
        picks_left=number(2),
        action=number(3),
        reward=jnp.float32(2),
        next_state=PROBLEM.pick(INSTANCE, state, number(3)),
        next_day=number(0),
        next_picks_left=number(next_picks_left),
        goes_on=jnp.array(goes_on),
    )
    loss, terms = low_loss(low(Learning), low(Target), AGENT, a_batch(step))
    assert float(terms["q_value"]) == pytest.approx(23)
    assert float(loss) == float(terms["q"]) == pytest.approx((23 - wanted) ** 2, rel=1e-5)


@pytest.mark.parametrize(
    ("awake", "day", "left", "budget"), [(True, 0, 4, 3), (True, 1, 4, 4), (True, 2, 3, 3), (False, 0, 4, 1)]
)
def test_budgets_up_to_twice_an_even_share_can_be_chosen(awake, day, left, budget):
    """Values prefer the largest: ⌈2 · 4/3⌉ of 4 on the first of three days, 4 on the second, all on the last. Asleep
    it is the average."""
    model = make_model(SETTINGS, key=jax.random.key(0))
    fixed = Budgets(*SHAPE, SIZES, key=jax.random.key(0))
    model = eqx.tree_at(lambda m: (m.high, m.awake), model, (fixed, jnp.array(awake)))
    state = replace(PROBLEM.reset(INSTANCE), day=jnp.int32(day), budget_left=jnp.int32(left))
    assert int(AGENT.choose_budget(model, INSTANCE, state)) == budget


def test_the_high_level_first_learns_after_the_last_epoch_of_sleep():
    train = replace(SETTINGS.config.train, sleep=15)
    assert [bool(sleeps(train, jnp.int32(epoch))) for epoch in (0, 13, 14, 15)] == [True, True, False, False]
