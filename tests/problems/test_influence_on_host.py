"""The rules of influence on the host are those that are played in batches, and cost no compilation."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from lmta import adviser
from lmta.problems.influence.campaign import Campaign
from lmta.problems.influence.on_host import InfluenceOnHost, make_state
from lmta.problems.influence.rules import Influence, InfluenceNoise
from lmta.problems.task import Task
from lmta.service.reasons import advise

RULES, ON_HOST = Influence(), InfluenceOnHost()


def same(state, other):
    for one, another in zip(jax.tree.leaves(state), jax.tree.leaves(other), strict=True):
        np.testing.assert_array_equal(one, another)
        assert one.dtype == another.dtype


def test_an_episode_is_the_same():
    instance = Task.of("aim", nodes=30, days=4, budget=6).instances(0, 1)[0]
    fires = ON_HOST.draw_noise(instance, 3)
    assert not fires[np.asarray(instance.graph.weight) == 0].any()
    state, on_host = RULES.reset(instance), ON_HOST.reset(instance)
    for _ in range(4):
        same(state, on_host)
        np.testing.assert_array_equal(RULES.legal(instance, state), ON_HOST.legal(instance, on_host))
        for node in np.flatnonzero(ON_HOST.legal(instance, on_host))[:2]:
            state = RULES.pick(instance, state, jnp.int32(node))
            on_host = ON_HOST.pick(instance, on_host, [int(node)])
        same(state, on_host)
        forecast = float(RULES.forecast(instance, state))
        assert ON_HOST.forecast(instance, on_host) == pytest.approx(forecast, rel=1e-5)
        state, reward = RULES.end_day(instance, state, InfluenceNoise(jnp.asarray(fires)))
        on_host, earned = ON_HOST.end_day(instance, on_host, fires)
        assert earned == float(reward)
    assert not ON_HOST.legal(instance, on_host).any()


def test_padding_counts_as_removed():
    first, second = (Task.of("aim", nodes=nodes, days=2, budget=2).instances(0, 1)[0] for nodes in (7, 9))
    padded = jax.tree.map(lambda leaf: leaf[0], RULES.stack([first, second]))
    same(RULES.reset(padded), ON_HOST.reset(padded))


def test_advice_for_a_new_size_compiles_nothing():
    """A decision, its reasons and the next day: no program is made for the number of nodes."""
    compiled = []
    jax.monitoring.register_event_duration_secs_listener(lambda event, _, **__: compiled.append(event))
    try:
        for num_nodes in (40, 41):
            compiled.clear()
            leaves = np.arange(3, num_nodes)
            stars = (leaves % 3, leaves, np.full(num_nodes - 3, 0.5))
            campaign = Campaign(stars, days=4, budget=3)
            advice = advise(adviser("aim"), campaign, 0)
            assert sorted(pick["id"] for pick in advice["picks"]) == [0, 1, 2]
            assert len(advice["alternatives"]) == 5
            assert advice["ranked_by"] == "measured"
            campaign.advance(seeded=[pick["id"] for pick in advice["picks"]])
        assert [event for event in compiled if "compile" in event] == []
    finally:
        jax.monitoring.clear_event_listeners()


def test_alternatives_are_valued_as_the_picks_are():
    """On a ring of certain edges each seed reaches as many as there are days, whoever it is."""
    ring = (np.arange(12), (np.arange(12) + 1) % 12, np.ones(12))
    advice = advise(adviser("aim"), Campaign(ring, days=3, budget=1), 0)
    assert [pick["value"] for pick in advice["picks"]] == pytest.approx([4])
    assert [other["value"] for other in advice["alternatives"]] == pytest.approx([4] * 5)
    assert [other["gain"] for other in advice["alternatives"]] == pytest.approx([2] * 5)


def test_a_state_has_the_types_of_the_rules():
    instance = Task.of("aim", nodes=7, days=2, budget=2).instances(0, 1)[0]
    same(make_state(np.zeros(7, int), 0, 2), RULES.reset(instance))
