"""A run that stops and goes on is the run that never stopped, bit for bit; damaged checkpoints are refused."""

import json

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from lmta.agents.saved import VERSION, read_model
from lmta.agents.settings import RunSettings, settings_from_json
from lmta.config import Config, ModelConfig, SearchConfig, TrainConfig
from lmta.problems.registry import InstanceSettings
from lmta.training.checkpoint import load, save
from lmta.training.run import advance, begin
from lmta.types import InputError, TrainingError

MODEL = ModelConfig(latent=8, subgoals=4, subgoal_size=3, hidden=8, encoder_hidden=6, q_hidden=6, q_layers=2)
TRAIN = TrainConfig(
    episodes=3, futures=3, high_updates=2, low_updates=2, games=5, steps=20, unroll=2, warm_up=1, target_every=3
)
SETTINGS = RunSettings(
    instance=InstanceSettings(nodes=14, days=3, budget=5),
    config=Config(model=MODEL, search=SearchConfig(simulations=4), train=TRAIN),
    seed=3,
)


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """A run of four epochs, with a checkpoint after the second."""
    file = tmp_path_factory.mktemp("run") / "checkpoint.lmta"
    progress, scores = begin(SETTINGS), []
    for epoch in range(4):
        progress, metrics = advance(SETTINGS, progress)
        scores.append(metrics["score"])
        if epoch == 1:
            save(file, SETTINGS, progress)
    return file, progress, scores


def assert_same(one, other):
    for a, b in zip(*map(jax.tree.leaves, (one, other)), strict=True):
        np.testing.assert_array_equal(a, b)


def test_two_and_two_epochs_are_four(saved):
    file, straight, scores = saved
    settings, progress = load(file)
    assert settings == SETTINGS
    assert int(progress.epoch) == 2
    for epoch in (2, 3):
        progress, metrics = advance(settings, progress)
        assert metrics["score"] == scores[epoch]
    assert_same(progress, straight)


def test_the_model_can_be_read_without_the_rest(saved):
    settings, model = read_model(saved[0])
    assert settings == SETTINGS
    assert_same(model, load(saved[0])[1].learner.average)


def test_every_epoch_has_games_of_its_own(saved):
    _, progress, scores = saved
    assert len(set(scores)) > 1
    assert int(progress.replay.size) == 5


def test_settings_survive_json():
    assert settings_from_json(json.loads(json.dumps(SETTINGS.as_json()))) == SETTINGS


@pytest.mark.parametrize("kept", [0, 10, 2_000, -1])
def test_a_checkpoint_cut_short_is_refused(saved, tmp_path, kept):
    file = tmp_path / "cut"
    file.write_bytes(saved[0].read_bytes()[:kept])
    with pytest.raises(InputError, match=r"cut: (is not a checkpoint|the checkpoint is cut short)"):
        load(file)


def test_a_checkpoint_of_another_version_is_refused(saved, tmp_path):
    header, _, rest = saved[0].read_bytes().partition(b"\n")
    file = tmp_path / "old"
    file.write_bytes(json.dumps(json.loads(header) | {"version": 0}).encode() + b"\n" + rest)
    with pytest.raises(InputError, match=f"old: is a checkpoint of version 0; this lmta reads version {VERSION}"):
        load(file)


def test_other_files_are_refused(tmp_path):
    file = tmp_path / "picture.png"
    file.write_bytes(b"\x89PNG\r\n" + bytes(100))
    with pytest.raises(InputError, match="is not a checkpoint of lmta"):
        load(file)
    with pytest.raises(InputError, match="there is no such file"):
        load(tmp_path / "none")


def test_a_write_that_fails_leaves_the_old_checkpoint(saved, tmp_path, monkeypatch):
    file = tmp_path / "checkpoint.lmta"
    file.write_bytes(b"the last good one")

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("equinox.tree_serialise_leaves", full)
    with pytest.raises(InputError, match="could not be written"):
        save(file, SETTINGS, saved[1])
    assert [path.name for path in tmp_path.iterdir()] == ["checkpoint.lmta"]
    assert file.read_bytes() == b"the last good one"


def test_nan_stops_the_run_and_names_the_epoch_and_the_term(saved):
    _, progress = load(saved[0])
    broken = eqx.tree_at(lambda p: p.learner.model.high.subgoals, progress, replace_fn=lambda s: s * jnp.nan)
    with pytest.raises(TrainingError, match=r"epoch 3: the term '.*' is nan; the last checkpoint stays"):
        advance(SETTINGS, broken)
