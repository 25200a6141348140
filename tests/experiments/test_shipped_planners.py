"""The experiments with the shipped planners: what is played, what is written, and how it is told."""

import json

import jax.numpy as jnp
import networkx as nx
import numpy as np
import pytest

import lmta
from lmta.benchmarks.scale import ScaleSettings, bench_scale, scale_table
from lmta.arena.arena import Row
from lmta.experiments import ablated, shipped
from lmta.experiments.ablated import CHOSEN, AblatedSettings, run_ablated, variants
from lmta.experiments.shipped import SETTINGS, ShippedSettings, _line, run_shipped
from lmta.problems.registry import BENCHMARKS, InstanceSettings


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
    """Without learned paces the guide's own judgement counts; with one subgoal all of them are worth the same."""
    campaign = lmta.Campaign(nx.gnp_random_graph(40, 0.1, seed=1), days=3, budget=9)
    planner = lmta.load("aim")
    found = variants(planner)
    assert found["whole"] is planner
    assert found["without search"].agent.config.search.simulations == 0
    own_pace = planner.agent.problem.plan_day(campaign.instance, campaign.state, jnp.int32(9), 9, jnp.zeros(()))
    assert found["without learned paces"].decide(campaign).budget == int(own_pace.num_picks)
    spread = lambda who: np.nanmax(values := who.decide(campaign).search.subgoal_values) - np.nanmin(values)  # noqa: E731
    assert spread(found["without subgoals"]) < 1e-4 < spread(planner)


SMALL = {"aim": {"small": InstanceSettings(20, 2, 3)}, "sop": {"few": InstanceSettings(15, 2, 3)}}


def test_what_is_chosen_is_played_beside_all_rivals_and_kept(tmp_path, monkeypatch):
    monkeypatch.setattr(shipped, "SETTINGS", SMALL)
    monkeypatch.setattr(shipped, "RIVALS", {"sop": ("even-greedy", "cap4-insertion")})
    tables = []
    run_shipped(ShippedSettings(tmp_path, instances=2, seed=3, only=("few",)), tables.append)
    assert [file.name for file in tmp_path.iterdir()] == ["shipped-sop-few.json"]
    kept = json.loads((tmp_path / "shipped-sop-few.json").read_text())
    assert [row["policy"] for row in kept["rows"]] == ["lmta:sop", "even-greedy", "cap4-insertion"]
    assert len(tables) == 1 and "| few |" in tables[0]
    with pytest.raises(lmta.InputError, match="only: 'many' is none of the settings"):
        run_shipped(ShippedSettings(tmp_path, only=("many",)), tables.append)


def test_parts_switched_off_are_played_on_the_same_instances_and_kept(tmp_path, monkeypatch):
    monkeypatch.setattr(ablated, "SETTINGS", SMALL)
    monkeypatch.setattr(ablated, "CHOSEN", {"sop": ("few",)})
    tables = []
    run_ablated(AblatedSettings(tmp_path, instances=2, seed=3), tables.append)
    kept = json.loads((tmp_path / "shipped-ablations.json").read_text())["episodes"]["sop"]["few"]
    assert list(kept) == ["whole", "without search", "without learned paces", "without subgoals"]
    assert all(len(scores) == 2 for scores in kept.values())
    assert len(tables) == 1 and tables[0].count("±") == 4


def test_decisions_are_timed_from_small_to_large(tmp_path):
    """Growth is beside that of nodes and edges together; rivals stop at the size asked for."""
    file = tmp_path / "scale.json"
    settings = ScaleSettings("sop", (10, 20), rivals_up_to=10, days=2, budget=3, repeats=1, json=file)
    result = bench_scale(settings)
    small, large = result["sizes"]
    assert list(small["rivals_ms"]) == ["even-insertion"] and large["rivals_ms"] == {}
    larger = (large["nodes"] + large["edges"]) / (small["nodes"] + small["edges"])
    assert large["growth_beside_linear"] == pytest.approx(large["ms"] / small["ms"] / larger)
    assert json.loads(file.read_text())["sizes"] == result["sizes"]
    assert scale_table(result).row_count == 2
    with pytest.raises(lmta.InputError, match=r"sizes: \(20, 10\) given"):
        bench_scale(ScaleSettings(sizes=(20, 10)))
