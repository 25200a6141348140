"""Graph Q-networks: nodes are worth what their surroundings say, given a condition."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from lmta.nn.q_network import LARGEST_CORRECTION, PlainQNetwork, WideQNetwork
from lmta.problems.influence.generators import erdos_renyi
from lmta.problems.influence.rules import Influence, make_instance

RULES = Influence()
KINDS = {kind.__name__: kind(3, 2, 3, 6, 2, key=jax.random.key(1)) for kind in (PlainQNetwork, WideQNetwork)}
CONDITION = jnp.ones(3)


@pytest.fixture(scope="module")
def view():
    instance = make_instance(erdos_renyi(15, 3.0, np.random.default_rng(0)), 3, 5)
    return RULES.observe(instance, RULES.pick(instance, RULES.reset(instance), jnp.int32(2)))


@pytest.mark.parametrize("network", KINDS.values(), ids=KINDS)
def test_a_node_is_worth_what_its_surroundings_say_not_its_number(view, network):
    """Renaming the nodes permutes the values."""
    order = np.random.default_rng(0).permutation(15)
    place, graph = jnp.asarray(np.argsort(order)), view.graph
    renamed = eqx.tree_at(lambda g: (g.senders, g.receivers), graph, (place[graph.senders], place[graph.receivers]))
    other = type(view)(nodes=view.nodes[order], globals=view.globals, graph=renamed)
    values = network(view, CONDITION)
    np.testing.assert_allclose(network(other, CONDITION), values[order], rtol=1e-4, atol=1e-5)
    assert len(np.unique(np.asarray(values).round(4))) > 5


@pytest.mark.parametrize("network", KINDS.values(), ids=KINDS)
def test_values_depend_on_the_condition(view, network):
    assert bool((network(view, CONDITION) != network(view, 2 * CONDITION)).all())


def test_a_dueling_network_centres_its_advantages(view):
    """What is added to the value of the state is added to every node; what is added to all advantages, to none."""
    network = KINDS["WideQNetwork"]
    values = network(view, CONDITION)
    moved = eqx.tree_at(lambda n: n.value.layers[-1].bias, network, replace_fn=lambda bias: bias + 7)
    np.testing.assert_allclose(moved(view, CONDITION), values + 7, atol=1e-4)
    raised = eqx.tree_at(lambda n: n.advantage.bias, network, replace_fn=lambda bias: bias + 7)
    np.testing.assert_allclose(raised(view, CONDITION), values, atol=1e-4)


def test_without_advantages_every_node_is_worth_the_same_at_first(view):
    network = WideQNetwork(3, 2, 3, 6, 2, zero_advantage=True, key=jax.random.key(1))
    values = np.asarray(network(view, CONDITION))
    np.testing.assert_array_equal(values, values[0])


def test_what_picks_are_worth_is_corrected_a_little(view):
    """Whatever the weights, advantages stay within a share of what the observation tells."""
    worth = jnp.linspace(0.0, 9.0, view.nodes.shape[0])
    told = eqx.tree_at(lambda seen: seen.worth, view, worth, is_leaf=lambda x: x is None)
    for factor in (0.0, 1.0, 1e3):
        plain = KINDS["WideQNetwork"]
        network = eqx.tree_at(lambda n: n.advantage.weight, plain, factor * plain.advantage.weight)
        values = np.asarray(network(told, CONDITION))
        advantage = values - values[0]  # the first node is worth nothing, and nothing is corrected
        assert (np.abs(advantage - worth) <= LARGEST_CORRECTION * worth + 1e-4).all()
        assert (values != np.asarray(network(view, CONDITION))).any()
