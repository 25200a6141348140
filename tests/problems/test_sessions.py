"""Campaigns and tours with the user's own ids: what is accepted, what is refused, what is only warned of."""

import math
import warnings

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lmta import Campaign, InputError, ModelWarning, OrienteeringRules, Tour, policy
from lmta.problems.influence.rules import ACTIVE, INACTIVE, REMOVED

FRIENDS = nx.DiGraph([("ann", "bob"), ("bob", "cyd"), ("cyd", "dan"), ("ann", "dan"), ("eve", "ann")])
CITIES = {"home": (0, 0), "inn": (1, 0, 0.9), "mill": (0, 1, 0.5), "port": (3, 4, 0.7)}
CITIES = {name: (*row, 0.0)[:3] for name, row in CITIES.items()}


def campaign(**settings):
    return Campaign(FRIENDS, **{"days": 3, "budget": 3} | settings)


def tour(**settings):
    return Tour(CITIES, **{"days": 3, "budget": 3} | settings)


def snapshot(session):
    return [np.asarray(leaf).tolist() for leaf in vars(session.state).values()]


def test_a_campaign_by_hand():
    c = campaign()
    assert (c.day, c.budget_left, c.influenced, c.finished) == (1, 3, 0, False)
    c.advance(seeded=["ann"], activated=["bob"])
    assert c.with_status(ACTIVE) == ("bob",)
    assert c.with_status(REMOVED) == ("ann",)
    assert (c.day, c.budget_left, c.influenced) == (2, 2, 2)
    c.advance(seeded=["eve"], activated=["cyd"])
    c.advance()
    assert c.with_status(INACTIVE) == ("dan",)
    assert (c.finished, c.influenced) == (True, 4)


def test_what_no_neighbour_could_cause_is_taken_as_true_with_a_warning():
    c = campaign()
    with pytest.warns(ModelWarning, match="no active neighbour could reach 'dan'"):
        c.advance(seeded=["bob"], activated=["cyd", "dan"])
    assert c.with_status(ACTIVE) == ("cyd", "dan")


def test_more_seeds_than_were_left_are_taken_as_true_with_a_warning():
    c = campaign(budget=1)
    with pytest.warns(ModelWarning, match="seeded: 2 picks exceed the 1 left of 1; taken as true, and nothing is left"):
        c.advance(seeded=["ann", "eve"])
    assert (c.budget_left, c.influenced) == (0, 2)
    assert c.legal() == ()


REFUSED_CAMPAIGN = {
    "unknown seed": ({"seeded": ["zoe"]}, "seeded: 'zoe' is not one of the 5 known ids"),
    "unknown activation": ({"activated": ["zoe"]}, "activated: 'zoe' is not one of the 5 known ids"),
    "active seed": ({"seeded": ["bob"]}, "seeded: 'bob' is active already"),
    "removed seed": ({"seeded": ["ann"]}, "seeded: 'ann' is removed already"),
    "active activated": ({"activated": ["bob"]}, "activated: 'bob' is active already"),
    "seeded and activated": ({"seeded": ["eve"], "activated": ["eve"]}, "activated: 'eve' was seeded today"),
    "twice": ({"seeded": ["cyd", "cyd"]}, "seeded: 'cyd' is named twice"),
    "a text": ({"seeded": "cyd"}, "give a list of ids, not 'cyd' alone"),
    "a number": ({"seeded": 5}, "seeded: give a list of ids, not 5 alone"),
    "nothing": ({"activated": None}, "activated: give a list of ids, not None alone"),
    "a list as id": ({"seeded": [["cyd"]]}, "cannot be a node's id"),
}


@pytest.mark.parametrize(("report", "message"), REFUSED_CAMPAIGN.values(), ids=REFUSED_CAMPAIGN)
def test_a_refused_report_changes_nothing(report, message):
    c = campaign()
    c.advance(seeded=["ann"], activated=["bob"])
    before = snapshot(c)
    with pytest.raises(InputError, match=message):
        c.advance(**report)
    assert snapshot(c) == before


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"days": 0}, "days: 0 given, at least 1"),
        ({"budget": 0}, "budget: 0 given, at least 1"),
        ({"budget": 6}, "budget: 6 given, but there are only 5 nodes"),
        ({"days": "3"}, "days: '3' given, a whole number is needed"),
        ({"days": 2.5}, "days: 2.5 given, a whole number is needed"),
        ({"days": None}, "days: None given, a whole number is needed"),
        ({"budget": True}, "budget: True given, at least 1"),
        ({"days": 10**12}, "days: 1000000000000 given, at most 10,000"),
    ],
)
def test_a_horizon_without_sense_is_refused(settings, message):
    with pytest.raises(InputError, match=message):
        campaign(**settings)


def test_numbers_and_their_text_name_the_same_node():
    c = Campaign((np.array([0, 1]), np.array([1, 2])), days=2, budget=2)
    c.advance(seeded=["0"], activated=[np.int64(1)])
    assert c.with_status(ACTIVE) == (1,)


def test_after_the_last_day_nothing_is_taken():
    c = campaign(days=1)
    c.advance()
    with pytest.raises(InputError, match="All 1 days are over"):
        c.advance()
    with pytest.raises(InputError, match="All 1 days are over"):
        policy("average-degree").decide(c)


def test_the_decision_names_the_users_ids():
    decision = policy("average-degree").decide(campaign())
    assert decision.nodes == ("ann",)
    assert (decision.day, decision.budget) == (1, 1)
    assert decision.picks[0].value == 2
    assert "average" in decision.why


def test_a_tour_by_hand():
    """The largest distance is 5: inn lies at 0.2 from home, mill √2/5 from inn."""
    t = tour()
    assert t.legal() == ("inn", "mill", "port")
    reward = t.advance(visited=["inn", "mill"], profits={"port": 0.75})
    assert reward == pytest.approx(0.9 + 0.5 - 0.1)
    assert t.collected == reward
    assert float(t.state.profit[3]) == pytest.approx(0.75)
    assert t.legal() == ("port",)
    assert t.ids[int(t.state.position)] == "mill"


def test_profits_under_the_floor_are_taken_as_seen():
    t = tour()
    t.advance(profits={"port": 0.01})
    assert float(t.state.profit[3]) == pytest.approx(0.01)
    assert float(t.state.profit[1]) == pytest.approx(0.9)


def test_a_route_over_the_limit_is_taken_as_true_with_a_warning():
    """inn and port are √20/5 apart, so the way is 0.2 + 0.894; over a limit of 1 the penalty is 5 · 0.094."""
    t = tour(rules=OrienteeringRules(limit=1.0))
    with pytest.warns(ModelWarning, match=r"a route of 1\.094 exceeds the day's 1"):
        reward = t.advance(visited=["inn", "port"])
    assert reward == pytest.approx(0.9 + 0.7 - 0.1 - 5 * (0.2 + math.sqrt(20) / 5 - 1), abs=1e-5)
    assert t.budget_left == 1


def test_more_visits_than_were_left_are_taken_as_true_with_a_warning():
    """The last of them closed; what is earned is what the same visits earn under a budget that allows them."""
    t, rich = tour(budget=1), tour(budget=3)
    with pytest.warns(ModelWarning, match="visited: 3 picks exceed the 1 left of 1; taken as true"):
        earned = t.advance(visited=["inn", "mill", "port"], closed=["port"])
    assert earned == rich.advance(visited=["inn", "mill", "port"], closed=["port"])
    assert t.ids[int(t.state.position)] == "port"
    assert (t.budget_left, t.legal()) == (0, ())


REFUSED_TOUR = {
    "unknown": ({"visited": ["zoo"]}, "visited: 'zoo' is not one of the 4 known ids"),
    "visited": ({"visited": ["inn"]}, "visited: 'inn' has been visited already"),
    "start": ({"visited": ["home"]}, "visited: 'home' has been visited already or is the start"),
    "twice": ({"visited": ["mill", "mill"]}, "visited: 'mill' is named twice"),
    "profit of unknown": ({"profits": {"zoo": 1.0}}, "profits: 'zoo' is not one of the 4"),
    "negative profit": ({"profits": {"mill": -1.0}}, "profits: 'mill' has -1.0; a profit is a number from 0"),
    "nan": ({"profits": {"mill": math.nan}}, "profits: 'mill' has nan"),
    "text": ({"profits": {"mill": "much"}}, "profits: 'mill' has 'much'"),
    "not a mapping": ({"profits": [1.0]}, "profits: give a mapping from ids to profits"),
    "huge": ({"profits": {"mill": 10**400}}, "a profit is a number from 0"),
    "profit of visited": ({"profits": {"inn": 1.0}}, "profits: 'inn' has been visited or is the start"),
}


@pytest.mark.parametrize(("report", "message"), REFUSED_TOUR.values(), ids=REFUSED_TOUR)
def test_a_refused_tour_report_changes_nothing(report, message):
    t = tour()
    t.advance(visited=["inn"])
    before, collected = snapshot(t), t.collected
    with pytest.raises(InputError, match=message):
        t.advance(**report)
    assert (snapshot(t), t.collected) == (before, collected)


def test_rules_of_a_wrong_type_are_refused():
    with pytest.raises(InputError, match="an OrienteeringRules is needed"):
        tour(rules={"limit": 1.0})


@pytest.mark.parametrize("seed", [-1, "a", 1.5, None, 2**32])
def test_a_seed_without_sense_is_refused(seed):
    with pytest.raises(InputError, match="seed: "):
        policy("average-degree").decide(campaign(), seed=seed)


@pytest.mark.parametrize("session", [None, "friends.csv"])
def test_only_sessions_are_decided(session):
    with pytest.raises(InputError, match="decides for a session such as a Campaign or a Tour"):
        policy("average-degree").decide(session)


@pytest.mark.parametrize("name", [None, 5, ["a"]])
def test_a_policy_has_a_name(name):
    with pytest.raises(InputError, match="a name such as"):
        policy(name)


@pytest.mark.parametrize("field", ["limit", "penalty", "drift"])
def test_rules_without_sense_are_refused(field):
    with pytest.raises(InputError, match=f"{field}: -1 given"):
        tour(rules=OrienteeringRules(**{field: -1.0}))


IDS = st.sampled_from(["ann", "bob", "cyd", "dan", "eve", "zoe", 7, None])
DAYS = st.lists(st.tuples(st.lists(IDS, max_size=3), st.lists(IDS, max_size=3)), max_size=4)


@given(DAYS)
def test_any_reports_leave_a_whole_campaign(days):
    """Whatever is reported, it is refused in one line with nothing changed, or budget and counts still add up."""
    c = campaign()
    seeded, day = 0, 1
    for seeds, hits in days:
        before = snapshot(c)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ModelWarning)
                c.advance(seeds, hits)
        except InputError as error:
            assert "\n" not in str(error)
            assert snapshot(c) == before
        else:
            seeded, day = seeded + len(seeds), day + 1
        assert (c.day, c.budget_left) == (day, 3 - seeded)
        assert sum(len(c.with_status(s)) for s in (INACTIVE, ACTIVE, REMOVED)) == 5


CITY = st.sampled_from(["home", "inn", "mill", "port", "zoo"])
PROFITS = st.dictionaries(CITY, st.one_of(st.floats(), st.just("x")), max_size=2)


@given(st.lists(st.tuples(st.lists(CITY, max_size=3), PROFITS), max_size=4))
def test_any_reports_leave_a_whole_tour(days):
    t = tour()
    visits = 0
    for visited, profits in days:
        before = snapshot(t)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ModelWarning)
                reward = t.advance(visited, profits)
        except InputError as error:
            assert "\n" not in str(error)
            assert snapshot(t) == before
        else:
            assert math.isfinite(reward)
            visits += len(visited)
        assert t.budget_left == 3 - visits
        assert np.asarray(t.state.visited).sum() == visits + 1
        assert (np.asarray(t.state.profit)[np.asarray(t.state.visited)] == 0).all()


def test_seeds_that_failed_cost_their_pick_and_change_nothing_else():
    c = campaign()
    c.advance(seeded=["ann", "eve"], activated=["bob"], failed=["eve"])
    assert (c.with_status(REMOVED), c.with_status(ACTIVE)) == (("ann",), ("bob",))
    assert (c.budget_left, c.influenced) == (1, 2)
    assert "eve" in c.legal()


def test_a_failed_seed_may_be_active_already_or_be_reached_by_others():
    c = campaign()
    c.advance(seeded=["ann", "bob"], activated=["bob"], failed=["bob"])
    c.advance(seeded=["bob"], failed=["bob"])
    assert (c.budget_left, c.influenced, c.with_status(REMOVED)) == (0, 2, ("ann", "bob"))


def test_a_closed_city_costs_the_way_and_the_visit_only():
    """Largest distance 5: home to port is 1, port to inn √20/5; two visits cost crowding of 0.1."""
    t = tour(rules=OrienteeringRules(limit=3.0))
    reward = t.advance(visited=["port", "inn"], closed=["port"], profits={"port": 0.6})
    assert reward == pytest.approx(0.9 - 0.1)
    assert (t.budget_left, t.ids[int(t.state.position)]) == (1, "inn")
    assert "port" in t.legal()
    assert t.advance(visited=["port"]) == pytest.approx(0.6)


def test_a_city_visited_before_can_be_passed_as_closed():
    t = tour(rules=OrienteeringRules(limit=3.0))
    t.advance(visited=["inn"])
    assert t.advance(visited=["inn", "home"], closed=["inn", "home"]) == pytest.approx(-0.1)
    assert (t.budget_left, t.legal()) == (0, ())


@pytest.mark.parametrize(
    ("session", "report"),
    [(campaign, {"seeded": ["ann"], "failed": ["bob"]}), (tour, {"visited": ["inn"], "closed": ["mill"]})],
)
def test_what_failed_must_have_been_tried(session, report):
    s = session()
    with pytest.raises(InputError, match="is not among those"):
        s.advance(**report)
    assert s.day == 1


def test_a_probability_for_edges_that_have_none():
    c = campaign(probability=0.25)
    assert np.unique(np.asarray(c.instance.graph.weight)[np.asarray(c.instance.graph.edge_mask)]).tolist() == [0.25]
    with pytest.raises(InputError, match=r"probability: 1\.5 given, a number from 0 to 1 is needed"):
        campaign(probability=1.5)
