"""A run that stops and goes on is the run that never stopped, bit for bit; bad checkpoints are refused.

All runs but that of LMTA's own preset are on a problem of another package, which has no forecast.
"""

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from tiny_runs import tiny

from lmta.agents.registry import HOMES, agent_type
from lmta.agents.saved import MODEL, VERSION, read_model, write_model
from lmta.agents.settings import RunSettings
from lmta.problems.base import ForecastingProblem
from lmta.problems.registry import spec_of, specs
from lmta.training.checkpoint import load, save
from lmta.training.run import Progress, advance, begin, playing
from lmta.training.settings import check_settings
from lmta.types import InputError, TrainingError

RUNS = [(agent, preset) for agent in HOMES for preset in agent_type(agent).presets(spec_of("aim"))]


@pytest.fixture(scope="module", params=RUNS, ids="-".join)
def saved(request, tmp_path_factory, installed):
    """A run of four epochs, with a checkpoint after the second."""
    agent, preset = request.param
    problem = "aim" if preset == "lmta" else installed.name
    settings, file = tiny(agent, problem, preset), tmp_path_factory.mktemp("run") / "checkpoint"
    check_settings(settings)
    progress, metrics = begin(settings), []
    for epoch in range(4):
        progress, measured = advance(settings, progress)
        metrics.append(measured)
        if epoch == 0:
            games = progress.replay.items
            earned = Earned(*map(np.array, (games.forecasts, games.num_picks, games.reward)))
        if epoch == 1:
            save(file, settings, progress)
    return Saved(settings, file, progress, metrics, earned)


class Earned(NamedTuple):
    """Of the games of an epoch."""

    forecasts: np.ndarray
    num_picks: np.ndarray
    reward: np.ndarray


class Saved(NamedTuple):
    """What a run was and left."""

    settings: RunSettings
    file: Path
    straight: Progress
    metrics: list[dict[str, Any]]
    earned: Earned
    """In the first epoch."""


@pytest.fixture(scope="module")
def installed(other_package):
    """The problem of another package, for this module."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(other_package)
        specs.cache_clear()
        yield spec_of("orchard")
    specs.cache_clear()


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """Settings and checkpoint of a run before its first epoch."""
    settings, file = tiny(), tmp_path_factory.mktemp("run") / "checkpoint"
    save(file, settings, begin(settings))
    return settings, file


def assert_same(one, other):
    for a, b in zip(*map(jax.tree.leaves, (one, other)), strict=True):
        np.testing.assert_array_equal(a, b)


def test_two_and_two_epochs_are_four(saved):
    settings, file, straight, metrics, _ = saved
    same, progress = load(file)
    assert same == settings
    assert int(progress.epoch) == 2
    for epoch in (2, 3):
        progress, measured = advance(same, progress)
        assert {**measured, "seconds": 0, "episodes_per_second": 0} == {
            **metrics[epoch],
            "seconds": 0,
            "episodes_per_second": 0,
        }
    assert_same(progress, straight)


def test_learning_changes_the_weights_that_play_and_every_epoch_has_games_of_its_own(saved):
    settings, file, straight, metrics, _ = saved
    _, halfway = read_model(file)
    pairs = zip(*map(jax.tree.leaves, (halfway, playing(settings, straight))), strict=True)
    assert any(bool((one != other).any()) for one, other in pairs)
    assert len({line["score"] for line in metrics}) > 1
    assert int(straight.replay.size) == min(4 * settings.config.train.episodes, straight.replay.capacity)


def test_the_model_can_be_read_without_the_rest(saved):
    settings, file, *_ = saved
    same, model = read_model(file)
    assert same == settings
    assert_same(model, playing(settings, load(file)[1]))


def test_nan_stops_the_run_and_names_the_epoch_and_the_term(saved):
    settings, file, *_ = saved
    _, progress = load(file)
    arrays, rest = eqx.partition(progress.learner, eqx.is_inexact_array)
    broken = eqx.combine(jax.tree.map(lambda leaf: leaf * jnp.nan, arrays), rest)
    with pytest.raises(TrainingError, match=r"^epoch 3: the term '\w+' is nan; the last checkpoint stays as it is\.$"):
        advance(settings, replace_learner(progress, broken))


def replace_learner(progress, learner):
    return eqx.tree_at(lambda p: p.learner, progress, learner, is_leaf=lambda x: x is None)


def test_games_tell_what_was_earned(saved):
    """Without forecasts every reward of a day falls to its last pick, or its end."""
    earned, first = saved.earned, saved.metrics[0]
    assert isinstance(saved.settings.spec.problem, ForecastingProblem) or (earned.forecasts == 0).all()
    assert earned.num_picks.sum() > 0
    assert first["score"] == pytest.approx(float(earned.reward[:8].sum(axis=1).mean()), rel=1e-5) != 0
    assert all(np.isfinite(value) for value in first["loss"].values())


USERS_FLAGS = """
import sys
from pathlib import Path
from tiny_runs import tiny
from lmta.devices import keep_compilations, use_all_cores
from lmta.training.checkpoint import load, save
from lmta.training.run import advance, begin
keep_compilations()
use_all_cores()
settings, folder = tiny(preset="paper"), Path(sys.argv[1])
progress = begin(settings)
for epoch in range(4):
    progress, _ = advance(settings, progress)
    save(folder / f"after{epoch + 1}", settings, progress)
_, progress = load(folder / "after2")
for _ in range(2):
    progress, _ = advance(settings, progress)
save(folder / "resumed", settings, progress)
"""


def test_two_and_two_epochs_are_four_with_the_compiler_as_users_have_it(tmp_path):
    """Other tests run without its optimisations; here they are on, and the batch is spread over the cores."""
    tests = Path(__file__).parents[1]
    path = os.pathsep.join([str(tests), str(tests.parent), os.environ.get("PYTHONPATH", "")])
    environment = os.environ | {"PYTHONPATH": path}
    del environment["XLA_FLAGS"]
    command = [sys.executable, "-c", USERS_FLAGS, str(tmp_path)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    straight = (tmp_path / "after4").read_bytes()
    assert (tmp_path / "resumed").read_bytes() == straight
    assert (tmp_path / "after2").read_bytes() != straight


@pytest.mark.parametrize("kept", [0, 10, 5_000, -1])
def test_a_checkpoint_cut_short_is_refused(run, tmp_path, kept):
    file = tmp_path / "cut"
    file.write_bytes(run[1].read_bytes()[:kept])
    with pytest.raises(InputError, match=r"cut: (is not a checkpoint|the checkpoint is cut short)"):
        load(file)


@pytest.mark.parametrize("part", ["model", "rest"])
def test_a_damaged_checkpoint_is_refused_by_whoever_reads_that_part(run, tmp_path, part):
    content, file = bytearray(run[1].read_bytes()), tmp_path / "damaged"
    model_size = json.loads(content.partition(b"\n")[0])["parts"][0]["bytes"]
    last = content.index(b"\n") + model_size if part == "model" else -1
    content[last] ^= 1
    file.write_bytes(content)
    for read in (load, read_model) if part == "model" else (load,):
        with pytest.raises(
            InputError, match=r"damaged: the checkpoint is cut short or damaged; take an earlier one\.$"
        ):
            read(file)


def test_a_model_alone_is_no_checkpoint(run, tmp_path):
    settings, model = read_model(run[1])
    write_model(tmp_path / "alone", settings, model)
    with pytest.raises(InputError, match="alone: is a model alone, without what going on needs"):
        load(tmp_path / "alone")
    for file, fits in ((run[1], False), (tmp_path / "alone", True)):
        with file.open("rb") as opened:
            assert MODEL.fits(opened) == fits


def test_a_checkpoint_with_more_than_it_should_have_is_refused(run, tmp_path):
    file = tmp_path / "long"
    file.write_bytes(run[1].read_bytes() + b"more")
    with pytest.raises(InputError, match="long: the checkpoint has more than it should"):
        load(file)


def without_agent(header):
    header["settings"]["agent"] = "lmtaa"


def of_another_version(header):
    header["version"] = 0


def with_a_word_for_a_number(header):
    header["settings"]["config"]["search"]["simulations"] = "many"


WRONG = {
    "version": (of_another_version, f"is a checkpoint of version 0; this lmta reads version {VERSION}"),
    "agent": (without_agent, "agent: 'lmtaa' is not known; did you mean 'lmta'"),
    "value": (with_a_word_for_a_number, "search.simulations: .*integer.* in the settings of the run"),
}


@pytest.mark.parametrize(("spoil", "message"), WRONG.values(), ids=WRONG)
def test_a_checkpoint_of_another_kind_is_refused_in_one_sentence(run, tmp_path, spoil, message):
    line, _, rest = run[1].read_bytes().partition(b"\n")
    header = json.loads(line)
    spoil(header)
    file = tmp_path / "other"
    file.write_bytes(json.dumps(header).encode() + b"\n" + rest)
    with pytest.raises(InputError, match=f"other: {message}") as refused:
        load(file)
    assert "\n" not in str(refused.value)


def test_other_files_are_refused(tmp_path):
    file = tmp_path / "picture.png"
    file.write_bytes(b"\x89PNG\r\n" + bytes(100))
    with pytest.raises(InputError, match="is not a checkpoint of lmta"):
        load(file)
    with pytest.raises(InputError, match="none: "):
        load(tmp_path / "none")


def test_a_write_that_fails_leaves_the_old_checkpoint(run, tmp_path, monkeypatch):
    file = tmp_path / "checkpoint"
    file.write_bytes(b"the last good one")
    settings, progress = load(run[1])

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("equinox.tree_serialise_leaves", full)
    with pytest.raises(InputError, match="could not be written"):
        save(file, replace(settings, seed=4), progress)
    assert [path.name for path in tmp_path.iterdir()] == ["checkpoint"]
    assert file.read_bytes() == b"the last good one"
