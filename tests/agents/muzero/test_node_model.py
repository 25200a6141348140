"""The model knows what is certain: days, budget, what was picked; its first policy spends evenly on graphs of any
size."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from tiny_runs import NODES, tiny

from lmta.agents.settings import make_agent, make_model
from lmta.nn.q_learning import MASKED
from lmta.problems.registry import spec_of
from lmta.training.settings import check_settings
from lmta.types import InputError

SETTINGS = tiny("flat-muzero")
AGENT = make_agent(SETTINGS)
MODEL = make_model(SETTINGS, key=jax.random.key(0))


def root(nodes=NODES, day=0, budget_left=4):
    spec = spec_of("aim")
    instance = spec.instances(spec.settings(nodes=nodes, days=3, budget=4), 1, 1)[0]
    state = AGENT.problem.reset(jax.tree.map(jnp.asarray, instance))
    state = AGENT.problem.pick(instance, state, jnp.int32(2))
    state = type(state)(state.status, jnp.int32(day), jnp.int32(budget_left), state.seeded_today)
    return AGENT.represent(MODEL, instance, state)


@pytest.mark.parametrize("nodes", [9, 20])
@pytest.mark.parametrize(("day", "budget_left", "probability"), [(0, 4, 2 / 6), (1, 1, 1 / 2), (2, 4, 0.05 / 4.05)])
def test_at_first_a_day_ends_as_often_as_an_even_budget_asks_for(nodes, day, budget_left, probability):
    """(days left - 1) / (days left - 1 + picks left), whatever the number of nodes, which are all as likely."""
    policy = np.asarray(jax.nn.softmax(MODEL.policy(*root(nodes, day, budget_left))))
    assert policy[-1] == pytest.approx(probability, rel=1e-4)
    np.testing.assert_allclose(policy[:-1][policy[:-1] > 0], (1 - probability) / (nodes - 1), rtol=1e-4)
    assert policy[2] == 0


def test_what_was_picked_or_illegal_stays_closed_today_and_the_policy_judges_later_days():
    """Node 2 is illegal at the root; after a day it might not be, as far as is known in general."""
    scene, place = root()
    step = lambda place, action: MODEL.step(scene, place, jnp.int32(action))[0]  # noqa: E731
    end = scene.nodes.shape[0]
    picked = step(place, 5)
    assert (int(picked.days_left), int(picked.budget_left)) == (3, 3)
    assert set(np.flatnonzero(picked.open(scene))) == set(range(NODES)) - {2, 5}
    ended = step(picked, end)
    assert (int(ended.days_left), int(ended.budget_left)) == (2, 3)
    assert set(np.flatnonzero(ended.open(scene))) == set(range(NODES)) - {5}
    spent = step(step(step(picked, 0), 1), 3)
    assert int(spent.budget_left) == 0
    logits = MODEL.policy(scene, spent)
    assert (logits[:-1] <= MASKED / 2).all() and logits[-1] == 0
    over = step(step(ended, end), end)
    assert float(MODEL.expected_value(scene, over)) == 0


def test_as_many_samples_as_actions_are_allowed():
    check_settings(tiny("sampled-muzero", values={"search.samples": NODES + 1, "search.simulations": NODES + 2}))


REFUSED = {
    "samples": (
        {"search.samples": NODES + 2, "search.simulations": 99},
        "search.samples: 14 given, but 12 nodes and the end of the day are 13 actions.",
    ),
    "simulations": (
        {"search.simulations": 4},
        "search.simulations: 4 given, but each of the 4 samples is tried first; "
        "give more simulations or fewer samples.",
    ),
    "no search": (
        {"search.simulations": 0},
        "search.simulations: 0 given, but the policy learns from the search; at least 1 is needed.",
    ),
    "replay": ({"train.games": 7}, "train.games: 7 given, at least the 8 episodes are needed."),
}


@pytest.mark.parametrize(("values", "message"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_trained_is_refused(values, message):
    with pytest.raises(InputError) as refused:
        check_settings(tiny("sampled-muzero", values=values))
    assert str(refused.value) == message
