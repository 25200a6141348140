"""A saved model comes back as it was; whatever else lies there is refused in one sentence."""

import json
from dataclasses import replace

import jax
import numpy as np
import pytest

from lmta.agents.saved import CHECKPOINT, VERSION, read_model, write_model
from lmta.agents.settings import RunSettings, make_model
from lmta.config import Config, ModelConfig
from lmta.problems.registry import InstanceSettings
from lmta.types import InputError

MODEL = ModelConfig(latent=8, subgoals=4, subgoal_size=3, hidden=8, encoder_hidden=6, q_hidden=6, q_layers=2)
SETTINGS = RunSettings(instance=InstanceSettings(nodes=14, days=3, budget=5), config=Config(model=MODEL))


@pytest.fixture(scope="module")
def model():
    return make_model(SETTINGS, key=jax.random.key(1))


@pytest.fixture
def run(model, tmp_path):
    """The folder of a run."""
    write_model(tmp_path / CHECKPOINT, SETTINGS, model)
    return tmp_path


def rewrite(file, **changes):
    """The same file with another header."""
    header, _, leaves = file.read_bytes().partition(b"\n")
    file.write_bytes(json.dumps(json.loads(header) | changes).encode() + b"\n" + leaves)


@pytest.mark.parametrize("part", ["", CHECKPOINT])
def test_a_model_is_read_from_the_folder_and_from_the_file(run, model, part):
    settings, same = read_model(run / part)
    assert settings == SETTINGS
    for one, other in zip(*map(jax.tree.leaves, (model, same)), strict=True):
        np.testing.assert_array_equal(one, other)


def test_nothing_else_is_left_behind(run):
    assert [path.name for path in run.iterdir()] == [CHECKPOINT]


def test_what_is_not_there_is_refused(tmp_path):
    with pytest.raises(InputError, match="none: there is no such file"):
        read_model(tmp_path / "none")
    with pytest.raises(InputError, match="checkpoint: there is no such file"):
        read_model(tmp_path)


@pytest.mark.parametrize("kept", [0, 10, 2_000, -1])
def test_a_model_cut_short_is_refused(run, kept):
    file = run / CHECKPOINT
    file.write_bytes(file.read_bytes()[:kept])
    with pytest.raises(InputError, match=r"checkpoint: (is not a checkpoint|the checkpoint is cut short)"):
        read_model(run)


@pytest.mark.parametrize("content", [b"\x89PNG\r\n" + bytes(100), b"[]\n", b'{"format": "lmta checkpoint"}\n'])
def test_a_foreign_file_is_refused(tmp_path, content):
    (tmp_path / "file").write_bytes(content)
    with pytest.raises(InputError, match="file: is not a checkpoint of lmta"):
        read_model(tmp_path / "file")


def more_subgoals():
    config = Config(model=replace(MODEL, subgoals=5))
    return replace(SETTINGS, config=config).as_json()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"version": 7}, f"is a checkpoint of version 7; this lmta reads version {VERSION}"),
        ({"settings": {}}, "the settings in the checkpoint cannot be read"),
        ({"settings": None}, "the settings in the checkpoint cannot be read"),
        ({"settings": SETTINGS.as_json() | {"problem": "chess"}}, "is for the problem 'chess'; this lmta has aim"),
        ({"settings": more_subgoals()}, "is cut short or damaged"),
    ],
    ids=["version", "no settings", "null settings", "problem", "more subgoals"],
)
def test_a_header_that_does_not_fit_is_refused(run, changes, message):
    rewrite(run / CHECKPOINT, **changes)
    with pytest.raises(InputError, match=message):
        read_model(run)
