"""The planners that come with the package: any size, horizon and budget, by name, and how such a file is made."""

import re
from dataclasses import replace
from pathlib import Path

import jax
import networkx as nx
import numpy as np
import pytest

import lmta
from lmta.agents.saved import CHECKPOINT, SHIPPED, export_model, read_model, read_settings, write_model
from lmta.agents.settings import RunSettings, make_model
from lmta.cli import run
from lmta.evaluation.play import play
from lmta.policies.registry import policy
from lmta.problems.batch import make_batch
from lmta.problems.registry import BENCHMARKS, InstanceSettings
from lmta.training.settings import preset_settings


def test_a_campaign_larger_than_any_in_training():
    """All of a budget beyond that of any training episode is spent on legal nodes by the end."""
    campaign = lmta.Campaign(nx.gnp_random_graph(600, 0.01, seed=1), days=3, budget=150)
    planner, spent = lmta.load("aim"), 0
    while not campaign.finished:
        decision = planner.decide(campaign)
        assert set(decision.nodes) <= set(campaign.legal())
        assert len(set(decision.nodes)) == decision.budget <= campaign.budget_left
        spent += decision.budget
        campaign.advance(seeded=decision.nodes, activated=[])
    assert spent == 150


def test_a_tour_keeps_to_the_day_limit_and_the_budget():
    rng = np.random.default_rng(0)
    cities = {f"city {n}": (*rng.random(2), 0.0 if n == 0 else rng.random()) for n in range(30)}
    tour, planner, visits = lmta.Tour(cities, days=4, budget=9), lmta.load("sop"), 0
    while not tour.finished:
        decision = planner.decide(tour)
        visits += len(decision.nodes)
        tour.advance(visited=decision.nodes, profits={})
    assert 0 < visits <= 9
    assert tour.collected > 0


def test_no_worse_than_the_strongest_rules_on_what_was_never_seen():
    """Paired on 40 instances of 150 nodes: not below the classical policy by more than three standard errors."""
    kinds = {
        "aim": ("average-lookahead", InstanceSettings(150, 8, 16)),
        "sop": ("even-insertion", InstanceSettings(80, 6, 18)),
    }
    for name, (rival, settings) in kinds.items():
        problem = BENCHMARKS[name].problem
        batch = make_batch(problem, BENCHMARKS[name].instances(settings, 77, 40), 77)
        scores = [play(player, batch).rewards.sum(axis=1) for player in (lmta.load(name), policy(rival, name))]
        difference = scores[0] - scores[1]
        assert difference.mean() > -3 * difference.std(ddof=1) / np.sqrt(40), name


@pytest.mark.parametrize("name", list(SHIPPED))
def test_the_readme_says_how_it_was_made(name):
    """The settings in the file are the preset's, with the epochs, days and budget of the command in the README."""
    readme = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
    command = re.search(rf"lmta train --problem {name} --preset best ([^#\n]*) --out", readme)
    assert command is not None
    given = dict(zip(*[iter(command[1].split())] * 2, strict=True))
    size = {option: int(given[f"--{option}"]) for option in ("days", "budget") if f"--{option}" in given}
    made, preset = read_settings(SHIPPED[name]), preset_settings(name, "best")
    train = replace(preset.config.train, epochs=int(given["--epochs"]))
    config = replace(preset.config, train=train)
    assert made == replace(preset, config=config, instance=replace(preset.instance, **size))


def test_a_run_is_exported_to_a_file_that_plays_the_same(tmp_path, capsys):
    settings = RunSettings(problem="aim", instance=InstanceSettings(14, 3, 5))
    model = make_model(settings, key=jax.random.key(1))
    write_model(tmp_path / CHECKPOINT, settings, model)
    assert run(["export", str(tmp_path), str(tmp_path / "small.model")]) == 0
    assert "small.model" in capsys.readouterr().out
    _, exported = read_model(tmp_path / "small.model")
    for one, other in zip(jax.tree.leaves(model), jax.tree.leaves(exported), strict=True):
        np.testing.assert_array_equal(one, other)


def test_an_export_that_cannot_be_written_leaves_nothing(tmp_path):
    with pytest.raises(lmta.InputError, match="does not exist; make it first"):
        export_model(SHIPPED["aim"], tmp_path / "nowhere" / "a.model")
    with pytest.raises(lmta.InputError, match="there is no such file"):
        export_model(tmp_path / "no-run", tmp_path / "a.model")
    assert list(tmp_path.iterdir()) == []


def test_names_stand_for_the_shipped_models_and_paths_for_folders(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert lmta.load("aim").name == "lmta:aim"
    with pytest.raises(lmta.InputError, match=r"^aim: there is no such file"):
        lmta.load("./aim")
