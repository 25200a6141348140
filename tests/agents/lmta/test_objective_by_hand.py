"""Terms of the objective over batches by hand, with networks whose outputs are known."""

from dataclasses import replace

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from tiny_runs import BUDGET, tiny

from lmta.agents.lmta.high import _budget_terms, _order_over_pairs, _subgoal_q_loss
from lmta.agents.lmta.networks import HighLevel, LowLevel
from lmta.agents.lmta.replay import HighBatch, LowBatch
from lmta.agents.lmta.update import low_loss
from lmta.agents.settings import make_agent
from lmta.nn.categorical import squash, unsquash
from lmta.nn.q_learning import MASKED
from lmta.training.run import draw_instances

SETTINGS = tiny(preset="paper", values={"search.discount": 0.5, "train.low_discount": 0.5})
CONFIG, AGENT = SETTINGS.config, make_agent(SETTINGS)
PROBLEM = AGENT.problem
INSTANCE = jax.tree.map(lambda leaf: jnp.asarray(leaf)[0], draw_instances(SETTINGS, 0))
STATE = PROBLEM.reset(INSTANCE)
SUBGOALS, UNROLL = CONFIG.network.subgoals, CONFIG.train.unroll


class FixedHigh(HighLevel):
    """Budgets 0 and 1 have probabilities 1/4 and 3/4; the critic says 0.003; Q of a subgoal is its number, in squashed
    units."""

    def budgets(self, h, subgoal, left, days_left, most=None):
        return jnp.full(BUDGET + 1, MASKED).at[:2].set(jnp.log(jnp.array([0.25, 0.75]))), jnp.zeros(())

    def critic(self, h, z):
        return jnp.float32(0.003)

    def predict(self, h):
        return jnp.arange(SUBGOALS, dtype=jnp.float32), jnp.zeros(())


def high():
    seen = PROBLEM.observe(INSTANCE, STATE)
    return FixedHigh(seen, CONFIG, AGENT.size, AGENT.largest_reward, key=jax.random.key(0))


def high_batch(reward, next_value, budget, *, live=(1.0, 1.0), advantage=(0.0, 0.0), teaches=(True, True)):
    """Two decisions for subgoal 1 that earned `reward`, and what the values after them are fitted to."""

    def one(reward, next_value, budget, live, advantage, teaches):
        tail = jnp.zeros(UNROLL - 1)
        return HighBatch(
            instance=INSTANCE,
            state=STATE,
            next_states=jax.tree.map(lambda leaf: jnp.stack([leaf] * UNROLL), STATE),
            subgoal=jnp.ones(UNROLL, jnp.int32),
            reward=jnp.concatenate([reward[None], tail]),
            policy=jnp.full((UNROLL + 1, SUBGOALS), 1 / SUBGOALS),
            value=jnp.concatenate([jnp.zeros(1), next_value[None], tail]),
            live=jnp.concatenate([jnp.ones(1), live[None], tail]),
            budget=jnp.full(UNROLL, budget),
            budget_log_prob=jnp.log(jnp.float32(0.5)),
            duration=jnp.int32(1),
            teaches_budgets=teaches,
            teaches_values=jnp.ones(UNROLL + 1, bool),
            teaches_model=jnp.array(True),
            advantage=advantage,
        )

    numbers = (jnp.array(row, jnp.float32) for row in (reward, next_value))
    rest = jnp.array(live), jnp.array(advantage), jnp.array(teaches)
    return jax.vmap(one)(*numbers, jnp.array(budget, jnp.int32), *rest)


LATENTS = jnp.zeros((2, CONFIG.network.latent))


def test_budgets_learn_from_the_next_value_less_the_critic():
    """Ĝ = 3 and 2 + 0.5 · 12 = 8, squashed 1.003 and 2.008: advantages 1 and 2.005 of budgets 0 and 1."""
    terms = _budget_terms(high(), CONFIG, LATENTS, high_batch([3.0, 2.0], [0.0, 12.0], [0, 1]))
    assert float(terms["budget_critic"]) == pytest.approx((1 + 2.005**2) / 2, rel=1e-4)
    expected = (np.log(4) + 2.005 * np.log(4 / 3)) / 2
    assert float(terms["budget_actor"]) == pytest.approx(expected, rel=1e-4)
    assert float(terms["budget_entropy"]) == pytest.approx(0.25 * np.log(4) + 0.75 * np.log(4 / 3), rel=1e-4)
    assert float(terms["anchor"]) == 0


def test_budgets_of_groups_learn_from_their_advantage_by_how_likely_they_are_now():
    """Advantages 3 and 4 have the root mean square √12.5; ratios are 0.25 / 0.5 and 0.75 / 0.5. Only the second
    teaches, and the mean is over both."""
    config = replace(CONFIG, departures=replace(CONFIG.departures, group_size=2))
    batch = high_batch([3.0, 2.0], [0.0, 12.0], [0, 1], advantage=(3.0, 4.0), teaches=(False, True))
    terms = _budget_terms(high(), config, LATENTS, batch)
    expected = 1.5 * 4 / (np.sqrt(12.5) + 1e-3) * np.log(4 / 3) / 2
    assert float(terms["budget_actor"]) == pytest.approx(expected, rel=1e-4)


def test_variant_f_learns_the_reward_and_the_best_subgoal_that_follows():
    """Q of subgoal 1 is 1; wanted is 3 + 0.5 max Q', or 3 alone where the episode is over, squashed 1.003."""
    batch = high_batch([3.0, 3.0], [0.0, 0.0], [0, 0], live=(1.0, 0.0))
    loss = float(_subgoal_q_loss(high(), high(), PROBLEM, CONFIG, LATENTS, batch))
    best = float(unsquash(jnp.float32(SUBGOALS - 1)))
    first = (1 - float(squash(jnp.float32(3 + 0.5 * best)))) ** 2
    assert loss == pytest.approx((first + (1 - 1.003) ** 2) / 2, rel=1e-3)


def test_the_order_of_a_batch_is_the_mean_over_pairs_of_different_items():
    """Scores 1, 0.5, 2 of durations 3, 3, 1. The pair of equals costs 1; the others 1 + 1 and 1 + 1.5, both ways."""
    order = _order_over_pairs(jnp.array([1.0, 0.5, 2.0]), jnp.array([3, 3, 1]))
    assert float(order) == pytest.approx((1 + 2 + 2.5) / 3)


class Learning(LowLevel):
    """Q of a node is its number, and what the subgoal's first number adds."""

    def __call__(self, observation, z, picks_left):
        return jnp.arange(observation.nodes.shape[0]) + 100 * z[0]


class Target(Learning):
    """Minus as much."""

    def __call__(self, observation, z, picks_left):
        return -super().__call__(observation, z, picks_left)


@pytest.mark.parametrize(
    ("network", "goes_on", "same_day", "wanted"),
    [
        ("plain", True, False, 2 - 0.5 * 100),
        ("wide", True, False, 2 - 0.5 * 211),
        ("known-gains", True, False, 2.0),
        ("known-gains", True, True, 2 - 0.5 * 211),
        ("plain", False, False, 2.0),
    ],
)
def test_the_low_level_bootstraps_by_its_kind(network, goes_on, same_day, wanted):
    """Node 3 under subgoal 0 is worth 103 and earns 2. Plain: the largest of the target under the same subgoal (node 0:
    -100). Wide: what the target says of the node that the learning network prefers, under the next subgoal (-211).
    Known gains: the same within a day only."""
    config = replace(CONFIG, departures=replace(CONFIG.departures, q_network=network))
    seen, subgoals = PROBLEM.observe(INSTANCE, STATE), jnp.array([[1.0], [2.0]])
    levels = [kind(seen, config, key=jax.random.key(0)) for kind in (Learning, Target)]
    number = jnp.int32
    step = LowBatch(
        instance=INSTANCE,
        state=STATE,
        subgoal=number(0),
        picks_left=number(2),
        node=number(3),
        reward=jnp.float32(2),
        after=PROBLEM.pick(INSTANCE, STATE, number(3)),
        next_state=PROBLEM.pick(INSTANCE, STATE, number(3)),
        next_subgoal=number(1),
        next_picks_left=number(1),
        goes_on=jnp.array(goes_on),
        same_day=jnp.array(same_day),
    )
    batch = jax.tree.map(lambda leaf: leaf[None], step)
    loss, terms = low_loss((levels[0], subgoals), levels[1], PROBLEM, config, batch)
    assert float(terms["q_value"]) == pytest.approx(103)
    assert float(loss) == float(terms["q"]) == pytest.approx((103 - wanted) ** 2, rel=1e-5)
