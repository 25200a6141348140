"""A saved model comes back as it was; whatever else lies there is refused in one sentence."""

import json

import jax
import numpy as np
import pytest
from tiny_runs import tiny

from lmta.agents.saved import CHECKPOINT, VERSION, export_model, read_model, write_model
from lmta.agents.settings import make_model
from lmta.cli import run as lmta_run
from lmta.types import InputError

SETTINGS = tiny()


@pytest.fixture(scope="module")
def model():
    return make_model(SETTINGS, key=jax.random.key(1))


@pytest.fixture
def run(model, tmp_path):
    """The folder of a run."""
    folder = tmp_path / "run"
    folder.mkdir()
    write_model(folder / CHECKPOINT, SETTINGS, model)
    return folder


def rewrite(file, **changes):
    """The same file with another header."""
    header, _, leaves = file.read_bytes().partition(b"\n")
    file.write_bytes(json.dumps(json.loads(header) | changes).encode() + b"\n" + leaves)


def assert_same(one, other):
    for a, b in zip(*map(jax.tree.leaves, (one, other)), strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("part", ["", CHECKPOINT])
def test_a_model_is_read_from_the_folder_and_from_the_file(run, model, part):
    settings, same = read_model(run / part)
    assert settings == SETTINGS
    assert_same(model, same)


def test_nothing_else_is_left_behind(run):
    assert [path.name for path in run.iterdir()] == [CHECKPOINT]


def test_a_model_is_exported_to_a_file_of_its_own(run, model, tmp_path, capsys):
    file = tmp_path / "a.model"
    assert lmta_run(["export", str(run), str(file)]) == 0
    assert capsys.readouterr().out.endswith(f"use it as lmta:{file}.\n")
    settings, same = read_model(file)
    assert settings == SETTINGS
    assert_same(model, same)


def test_what_cannot_be_exported_is_refused(run, tmp_path):
    with pytest.raises(InputError, match="is what the checkpoint of a training run is called"):
        export_model(run, tmp_path / CHECKPOINT)
    with pytest.raises(InputError, match="no-run: "):
        export_model(tmp_path / "no-run", tmp_path / "a.model")
    with pytest.raises(InputError, match="does not exist; make it first"):
        export_model(run, tmp_path / "nowhere" / "a.model")
    assert [path.name for path in tmp_path.iterdir()] == ["run"]


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


@pytest.mark.parametrize("place", [5_000, -5_000, 200])
def test_a_damaged_model_is_refused(run, place):
    """Also where numbers have become other numbers, in the weights or in the settings."""
    file = run / CHECKPOINT
    content = bytearray(file.read_bytes())
    content[place : place + 4] = b"1234" if place == 200 else bytes(255 - byte for byte in content[place : place + 4])
    file.write_bytes(content)
    with pytest.raises(InputError, match=r"^\S+/checkpoint: .*\.$"):
        read_model(run)


def test_settings_of_another_run_do_not_go_with_the_weights(run):
    rewrite(run / CHECKPOINT, settings=SETTINGS.as_json() | {"seed": SETTINGS.seed + 1})
    with pytest.raises(InputError, match="checkpoint: the checkpoint is cut short or damaged"):
        read_model(run)


def test_an_export_replaces_an_exported_model_and_nothing_else(run, tmp_path, capsys):
    file, other = tmp_path / "a.model", tmp_path / "les.csv"
    other.write_text("ann,bob\n")
    for _ in range(2):
        assert lmta_run(["export", str(run), str(file)]) == 0
    before = {path: path.read_bytes() for path in (file, other, run / CHECKPOINT)}
    for given, out, fault in (
        (run, other, "is there already and holds no exported model; name another file."),
        (file, file, "is read by the same command; name another file to write."),
    ):
        capsys.readouterr()
        assert lmta_run(["export", str(given), str(out)]) == 2
        assert capsys.readouterr().err == f"lmta: {out}: {fault}\n"
    assert {path: path.read_bytes() for path in before} == before


@pytest.mark.parametrize("content", [b"\x89PNG\r\n" + bytes(100), b"[]\n", b'{"format": "lmta checkpoint"}\n'])
def test_a_foreign_file_is_refused(tmp_path, content):
    (tmp_path / "file").write_bytes(content)
    with pytest.raises(InputError, match="file: is not a checkpoint of lmta"):
        read_model(tmp_path / "file")


def with_settings(**changes):
    return {"settings": SETTINGS.as_json() | changes}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"version": VERSION + 1}, f"of version {VERSION + 1}; this lmta reads version {VERSION}"),
        ({"settings": {}}, "the settings in the checkpoint cannot be read"),
        ({"settings": None}, "the settings in the checkpoint cannot be read"),
        (with_settings(problem="chess"), "problem: 'chess' is not known; there are aim"),
        (with_settings(agent="lmat"), "agent: 'lmat' is not known; did you mean 'lmta'?"),
        (with_settings(mood="good"), "the settings in the checkpoint cannot be read"),
        ({"settings": tiny(values={"network.subgoals": 5}).as_json()}, "is cut short or damaged"),
    ],
    ids=["version", "no settings", "null settings", "problem", "agent", "unknown setting", "more subgoals"],
)
def test_a_header_that_does_not_fit_is_refused(run, changes, message):
    rewrite(run / CHECKPOINT, **changes)
    with pytest.raises(InputError) as refused:
        read_model(run)
    assert message in str(refused.value)
    assert str(refused.value).startswith(f"{run / CHECKPOINT}: ")
