"""The loss of Flat DQN by hand, with networks whose values are known."""

from dataclasses import replace

import jax
import jax.numpy as jnp
import pytest
from tiny_runs import BUDGET, NODES, tiny

from lmta.agents.flat_dqn.agent import NOTHING, flat_loss
from lmta.agents.settings import make_agent
from lmta.agents.steps import Step
from lmta.nn.q_network import EndingQNetwork
from lmta.training.run import draw_instances

SETTINGS = tiny("flat-dqn", values={"train.discount": 0.5})
AGENT, PROBLEM = make_agent(SETTINGS), make_agent(SETTINGS).problem
INSTANCE = jax.tree.map(lambda leaf: jnp.asarray(leaf)[0], draw_instances(SETTINGS, 0))


class Learning(EndingQNetwork):
    """Q of a node is its number and ten for each pick that is left; of the end of the day 100."""

    def __call__(self, observation, condition):
        nodes = jnp.arange(observation.nodes.shape[0]) + 10 * BUDGET * observation.globals[1]
        return jnp.append(nodes, 100.0)


class Target(Learning):
    """Minus as much."""

    def __call__(self, observation, condition):
        return -super().__call__(observation, condition)


def network(kind):
    seen = PROBLEM.observe(INSTANCE, PROBLEM.reset(INSTANCE))
    return kind(seen.nodes.shape[1], seen.globals.shape[0], 0, 2, 1, key=jax.random.key(0))


def picked(node, *, goes_on=True):
    """A first pick that earns 2, as a batch of one."""
    state = PROBLEM.reset(INSTANCE)
    number = jnp.int32
    step = Step(
        instance=INSTANCE,
        state=state,
        day=number(0),
        picks_left=number(BUDGET),
        action=number(node),
        reward=jnp.float32(2),
        next_state=PROBLEM.pick(INSTANCE, state, number(node)),
        next_day=number(0),
        next_picks_left=number(BUDGET - 1),
        goes_on=jnp.array(goes_on),
    )
    return jax.tree.map(lambda leaf: leaf[None], step)


@pytest.mark.parametrize(
    ("end_day", "node", "goes_on", "wanted"),
    [
        (True, 3, True, 2 - 0.5 * 100),
        (False, 3, True, 2 - 0.5 * (NODES - 1 + 10 * (BUDGET - 1))),
        (False, NODES - 1, True, 2 - 0.5 * (NODES - 2 + 10 * (BUDGET - 1))),
        (True, 3, False, 2.0),
    ],
    ids=["the end is preferred", "without it the last node", "unless it is picked", "nothing after the last day"],
)
def test_the_target_is_what_the_target_network_says_of_the_preferred_legal_action(end_day, node, goes_on, wanted):
    agent = replace(AGENT, settings=replace(SETTINGS.config, end_day=end_day))
    loss, terms = flat_loss(network(Learning), network(Target), agent, picked(node, goes_on=goes_on))
    value = node + 10 * BUDGET
    assert float(terms["q_value"]) == pytest.approx(value)
    assert float(loss) == float(terms["q"]) == pytest.approx((value - wanted) ** 2, rel=1e-5)


def test_the_day_ends_by_itself_where_it_is_no_action():
    """Values prefer the end; without it all of the budget goes to the highest numbers on the first day."""
    state, model = PROBLEM.reset(INSTANCE), network(Learning)
    assert float(model(PROBLEM.observe(INSTANCE, state), NOTHING)[-1]) == 100
    assert int(AGENT.make_picks(model, INSTANCE, state).num_picks) == 0
    without = replace(AGENT, settings=replace(SETTINGS.config, end_day=False))
    record = without.make_picks(model, INSTANCE, state)
    assert record.picks[:BUDGET].tolist() == [11, 10, 9, 8]
