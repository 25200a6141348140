"""The beam of WS-option beside brute force, and beside picks one by one."""

import itertools
from dataclasses import replace

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from tiny_runs import tiny

from lmta.agents.settings import make_agent, make_model
from lmta.agents.ws_option.beam import search_picks
from lmta.agents.ws_option.networks import condition
from lmta.problems.base import pick_in_order

NODES, BUDGET = 6, 2
SETTINGS = tiny("ws-option")
SETTINGS = replace(SETTINGS, instance=replace(SETTINGS.instance, nodes=NODES))
AGENT, PROBLEM = make_agent(SETTINGS), make_agent(SETTINGS).problem


@pytest.fixture(scope="module")
def model():
    return make_model(SETTINGS, key=jax.random.key(2))


@pytest.fixture(scope="module")
def instance():
    return jax.tree.map(jnp.asarray, SETTINGS.spec.instances(SETTINGS.instance, 4, 1)[0])


def found(model, instance, width, branch):
    beam = replace(SETTINGS.config.beam, width=width, branch=branch)
    agent = replace(AGENT, settings=replace(SETTINGS.config, beam=beam))
    search = jax.jit(lambda state: search_picks(agent, model, instance, state, jnp.int32(BUDGET)))
    return search(PROBLEM.reset(instance))


@eqx.filter_jit
def forecast_and_end(model, instance, state, budget):
    """The forecast, and Q of ending the day."""
    return PROBLEM.forecast(instance, state), model.low(PROBLEM.observe(instance, state), condition(budget))[-1]


def worth(model, instance, picks):
    """What picks add to the forecast, and Q of ending the day after them."""
    state = PROBLEM.reset(instance)
    before, _ = forecast_and_end(model, instance, state, jnp.int32(BUDGET))
    for node in picks:
        state = PROBLEM.pick(instance, state, jnp.int32(node))
    after, end = forecast_and_end(model, instance, state, jnp.int32(BUDGET - len(picks)))
    return float(after - before + end)


def test_a_beam_with_room_for_all_paths_finds_the_best(model, instance):
    record = found(model, instance, 60, NODES + 1)
    days = [picks for count in range(BUDGET + 1) for picks in itertools.permutations(range(NODES), count)]
    by_worth = {picks: worth(model, instance, picks) for picks in days}
    picks = tuple(np.asarray(record.picks)[: int(record.num_picks)].tolist())
    assert by_worth[picks] == pytest.approx(max(by_worth.values()), rel=1e-5)
    assert len({round(value, 4) for value in by_worth.values()}) > 5


def test_one_path_takes_the_best_pick_again_and_again(model, instance):
    record = found(model, instance, 1, 3)
    greedy = AGENT.make_picks(model, instance, PROBLEM.reset(instance), jnp.int32(BUDGET))
    assert int(record.num_picks) == int(greedy.num_picks)
    np.testing.assert_array_equal(record.picks, greedy.picks)
    np.testing.assert_allclose(record.values, greedy.values, rtol=1e-5)


def test_picks_are_legal_and_a_day_that_is_over_has_none(model, instance):
    record = found(model, instance, 3, 10)
    state = pick_in_order(PROBLEM, instance, PROBLEM.reset(instance), record)
    assert int(instance.budget - state.budget_left) == int(record.num_picks) <= BUDGET
    beam = replace(AGENT, settings=replace(SETTINGS.config, beam=replace(SETTINGS.config.beam, width=3)))
    over = replace(PROBLEM.reset(instance), day=instance.days)
    assert int(search_picks(beam, model, instance, over, jnp.int32(BUDGET)).num_picks) == 0
    day = beam.decide(model, instance, PROBLEM.reset(instance), jax.random.key(0))
    assert int(day.record.num_picks) <= int(day.budget)
