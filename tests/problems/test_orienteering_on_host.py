"""The rules of orienteering on the host are those that are played in batches, and cost no compilation."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from lmta import adviser
from lmta.problems.orienteering.on_host import OrienteeringOnHost
from lmta.problems.orienteering.rules import Orienteering, OrienteeringNoise
from lmta.problems.orienteering.tour import Tour
from lmta.problems.task import Task
from lmta.service.reasons import advise

RULES, ON_HOST = Orienteering(), OrienteeringOnHost()


def same(state, other):
    for one, another in zip(jax.tree.leaves(state), jax.tree.leaves(other), strict=True):
        np.testing.assert_allclose(one, another, rtol=1e-5, atol=1e-6)
        assert one.dtype == another.dtype


def test_an_episode_is_the_same():
    instance = Task.of("sop", nodes=30, days=4, budget=8).instances(0, 1)[0]
    moves = ON_HOST.draw_noise(instance, 3)
    assert -1 <= moves.min() < moves.max() < 1
    state, on_host = RULES.reset(instance), ON_HOST.reset(instance)
    for day in range(4):
        same(state, on_host)
        for number in range(2):
            legal = ON_HOST.legal(instance, on_host)
            np.testing.assert_array_equal(RULES.legal(instance, state), legal)
            city = int(np.flatnonzero(legal)[-1 - day - number])
            state = RULES.pick(instance, state, jnp.int32(city))
            on_host = ON_HOST.pick(instance, on_host, [city])
        same(state, on_host)
        forecast = float(RULES.forecast(instance, state))
        assert ON_HOST.forecast(instance, on_host) == pytest.approx(forecast, rel=1e-5)
        state, reward = RULES.end_day(instance, state, OrienteeringNoise(jnp.asarray(moves)))
        on_host, earned = ON_HOST.end_day(instance, on_host, moves)
        assert earned == pytest.approx(float(reward), rel=1e-5)
    assert not ON_HOST.legal(instance, on_host).any()


def test_padding_counts_as_visited():
    first, second = (Task.of("sop", nodes=nodes, days=2, budget=2).instances(0, 1)[0] for nodes in (7, 9))
    padded = jax.tree.map(lambda leaf: leaf[0], RULES.stack([first, second]))
    same(RULES.reset(padded), ON_HOST.reset(padded))


def test_advice_for_a_new_size_compiles_nothing():
    """A decision, its reasons and the next day, a closed city included: no program is made for the number of cities."""
    compiled = []
    jax.monitoring.register_event_duration_secs_listener(lambda event, _, **__: compiled.append(event))
    try:
        for num_cities in (40, 41):
            compiled.clear()
            rows = np.random.default_rng(0).uniform(0.1, 1.0, (num_cities, 3))
            tour = Tour(rows, days=4, budget=8)
            assert len(tour.legal()) == num_cities - 1
            advice = advise(adviser("sop"), tour, 0)
            assert len(advice["picks"]) == 2
            assert (advice["alternatives"], advice["ranked_by"]) == ([], None)
            visited = [pick["id"] for pick in advice["picks"]]
            tour.advance(visited=visited, closed=visited[:1], profits={visited[0]: 0.4})
        assert [event for event in compiled if "compile" in event] == []
    finally:
        jax.monitoring.clear_event_listeners()
