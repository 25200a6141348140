"""The table of the shipped planners: the best rival of each setting, and how it compares."""

import networkx as nx
import numpy as np

import lmta
from lmta.evaluation.arena import Row
from lmta.experiments.ablated import CHOSEN, variants
from lmta.experiments.shipped import SETTINGS, _line
from lmta.problems.registry import BENCHMARKS


def row(policy, scores, ms):
    return Row(policy, np.array(scores), np.ones(1), np.ones(1), np.array(ms), 0.0)


def test_a_line_names_the_best_rival():
    """5 against 4 is a ratio of 1.25; paired differences are 0 and 2."""
    rows = [row("lmta:aim", [4.0, 6.0], [2.0]), row("weak", [1.0, 2.0], [9.0]), row("strong", [4.0, 4.0], [3.0])]
    cells = [cell.strip() for cell in _line("here", rows).strip("|").split("|")]
    assert cells == ["here", "5.00 ± 1.00", "4.00 ± 0.00", "strong", "1.250", "+1.00 ± 1.00", "2.0", "3.0", "9.0"]


def test_every_setting_can_be_drawn():
    for problem, kinds in SETTINGS.items():
        for kind in kinds.values():
            drawn = BENCHMARKS[problem].instances(kind, 0, 1)[0]
            assert int(drawn.graph.node_mask.sum()) == BENCHMARKS[problem].size(kind).nodes
        assert set(CHOSEN[problem]) <= set(kinds)


def test_parts_of_a_planner_are_switched_off_one_at_a_time():
    """Nine seeds in three days: even budgets are three a day; with one subgoal all of them are worth the same."""
    campaign = lmta.Campaign(nx.gnp_random_graph(40, 0.1, seed=1), days=3, budget=9)
    planner = lmta.load("aim")
    found = variants(planner)
    assert found["whole"] is planner
    assert found["without search"].agent.config.search.simulations == 0
    assert found["even budgets"].decide(campaign).budget == 3
    spread = lambda who: np.nanmax(values := who.decide(campaign).search.subgoal_values) - np.nanmin(values)  # noqa: E731
    assert spread(found["without subgoals"]) < 1e-4 < spread(planner)
