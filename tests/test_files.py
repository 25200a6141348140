"""Only regular files are read: whatever else a path names is refused in one sentence, and nothing waits."""

import contextlib
import os
import signal
import socket
from pathlib import Path

import pytest

import lmta
from lmta import cli
from lmta.files import FileKind, check_folder, check_writable, json_object, kind_of, opened
from lmta.types import InputError

NOBODY = 65534
LONG = "a" * 300


@contextlib.contextmanager
def soon():
    """Whoever waits for a pipe fails instead of waiting for ever."""

    def stop(*_):
        raise AssertionError("waits")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(60)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


@contextlib.contextmanager
def without_privileges():
    """Root may read everything."""
    is_root = os.geteuid() == 0
    if is_root:
        os.seteuid(NOBODY)
    try:
        yield
    finally:
        if is_root:
            os.seteuid(0)


def link_to_itself(path):
    path.symlink_to(path)


def links_in_a_ring(path):
    other = path.with_name("other")
    other.symlink_to(path)
    path.symlink_to(other)


def bind_socket(path):
    with socket.socket(socket.AF_UNIX) as listener, contextlib.chdir(path.parent):
        listener.bind(path.name)


ODD = {
    "link to itself": (link_to_itself, "cannot be used (Too many levels of symbolic links); give the path of another"),
    "ring of links": (links_in_a_ring, "cannot be used (Too many levels of symbolic links); give the path of another"),
    "pipe": (os.mkfifo, "is a pipe; give the path of a file."),
    "directory": (os.mkdir, "is a directory; give the path of a file."),
    "socket": (bind_socket, "is a socket; give the path of a file."),
    "link to a device": (lambda path: path.symlink_to("/dev/zero"), "is a device; give the path of a file."),
    "dangling link": (lambda path: path.symlink_to("nowhere"), "there is no such file; give the path of one that"),
    "nothing": (lambda path: None, "there is no such file; give the path of one that exists."),
}


@pytest.mark.parametrize(("make", "fault"), ODD.values(), ids=ODD)
def test_what_is_no_regular_file_is_not_opened(tmp_path, make, fault):
    path = tmp_path / "odd"
    make(path)
    with soon(), pytest.raises(InputError) as caught, opened(path):
        pass
    assert str(caught.value).startswith(f"{path}: {fault}")


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        (LONG, f"{LONG}: cannot be used (File name too long); give the path of another file."),
        ("a\0b", r"'a\x00b': cannot be used (embedded null byte); give the path of another file."),
        ("a\nb", r"'a\nb': there is no such file; give the path of one that exists."),
    ],
)
def test_a_name_that_no_file_can_have(name, reason):
    with pytest.raises(InputError) as caught, opened(name):
        pass
    assert str(caught.value) == reason


def test_a_file_that_may_not_be_read(tmp_path):
    path = tmp_path / "secret"
    path.write_text("")
    path.chmod(0)
    with without_privileges(), pytest.raises(InputError, match=r"cannot be used \(Permission denied\)"), opened(path):
        pass


def test_files_links_and_the_null_device_are_read(tmp_path):
    path, link = tmp_path / "file", tmp_path / "link"
    path.write_bytes(b"content")
    link.symlink_to(path)
    for name in (path, str(link)):
        with opened(name) as file:
            assert file.read() == b"content"
    with opened(os.devnull) as file:
        assert file.read() == b""


def test_kinds(tmp_path):
    assert (kind_of(tmp_path), kind_of(__file__), kind_of(tmp_path / "none")) == ("directory", "file", None)
    assert kind_of(Path(__file__) / "below a file") is None
    assert kind_of(os.devnull) == "device"


@pytest.mark.parametrize("kind", ["link to itself", "pipe", "directory", "socket", "link to a device"])
def test_what_is_no_regular_file_is_not_written_to(tmp_path, kind):
    path = tmp_path / "odd"
    ODD[kind][0](path)
    with pytest.raises(InputError, match=r"odd: (is a \w+; name a file to write|cannot be used)"):
        check_writable(path)


LISTS = FileKind("list", lambda file: file.read(1) == b"[")
HELD = {"nothing yet": (None, True), "nothing": ("", True), "a list": ("[1]", True), "a table": ("a,b\n", False)}


@pytest.mark.parametrize(("held", "fine"), HELD.values(), ids=HELD)
def test_only_a_file_of_the_same_kind_is_written_over(tmp_path, held, fine):
    path = tmp_path / "file"
    if held is not None:
        path.write_text(held)
    refusal = (
        contextlib.nullcontext()
        if fine
        else pytest.raises(InputError, match="file: is there already and holds no list")
    )
    with refusal:
        check_writable(path, over=LISTS)


def test_what_is_read_is_not_written_over_under_any_name(tmp_path):
    path, link = tmp_path / "file", tmp_path / "link"
    path.write_text("[1]")
    link.symlink_to(path)
    for given in (path, str(link)):
        with pytest.raises(InputError, match="file: is read by the same command; name another file to write"):
            check_writable(path, inputs=[None, {"no": "path"}, given])
    check_writable(path, inputs=[None, {"no": "path"}, tmp_path, tmp_path / "none"])


@pytest.mark.parametrize(
    ("text", "found"), [('{"a": 1}', {"a": 1}), ("[1]", None), ("a,b", None), ("[" * 100_000, None)]
)
def test_json_objects(tmp_path, text, found):
    (tmp_path / "file").write_text(text)
    with opened(tmp_path / "file") as file:
        assert json_object(file) == found


def test_folders(tmp_path):
    check_folder(tmp_path)
    with pytest.raises(InputError, match="none: there is no such folder; give the path of one that exists"):
        check_folder(tmp_path / "none")
    with pytest.raises(InputError, match=r"test_files\.py: is a file; give the path of a folder"):
        check_folder(Path(__file__))


# Every file that the command line reads

EDGES, PLACES = "source,target\nann,bob\nbob,cyd\n", "name,x,y\nhome,0,0\ninn,1,0\nport,0,1\n"
READS = {
    "plan --graph": "plan --state new.json --days 2 --budget 1 --graph {}",
    "plan --graph GraphML": "plan --state new.json --days 2 --budget 1 --graph {}.graphml",
    "plan --cities": "plan --state new.json --days 2 --budget 1 --cities {}",
    "plan --state": "plan --state {} --days 2 --budget 1 --graph edges.csv --policy average-degree",
    "plan --graph moved": "plan --state campaign.json --graph {}",
    "plan --observed": "plan --state campaign.json --observed {}",
    "plan --observed profits": "plan --state tour.json --observed {}",
    "plan --done": "plan --state campaign.json --observed nothing.txt --done {}",
    "plan --failed": "plan --state campaign.json --observed nothing.txt --failed {}",
    "plan --policy": "plan --state campaign.json --policy lmta:{}",
    "evaluate --graph": "evaluate --policies average-degree --graph {}",
    "evaluate --graph GraphML": "evaluate --policies average-degree --graph {}.graphml",
    "evaluate --cities": "evaluate --policies even-greedy --cities {}",
    "evaluate --cities TSPLIB": "evaluate --policies even-greedy --cities {}.tsp",
    "evaluate --policies": "evaluate --policies lmta:{}",
    "evaluate --json": "evaluate --policies average-degree --nodes 5 --days 1 --budget 1 --instances 1 --json {}",
    "export": "export {} model",
    "diagnose": "diagnose {}",
    "train --resume": "train --resume --out {}",
}


@pytest.fixture(scope="module")
def begun(tmp_path_factory):
    """A folder with a campaign and a tour on their first days."""
    folder = tmp_path_factory.mktemp("begun")
    (folder / "edges.csv").write_text(EDGES)
    (folder / "cities.csv").write_text(PLACES)
    (folder / "nothing.txt").write_text("")
    with contextlib.chdir(folder):
        for name, data, policy in (("campaign", "graph edges", "average-degree"), ("tour", "cities cities", "greedy")):
            begin = f"plan --state {name}.json --{data}.csv --days 2 --budget 1 --policy {policy}"
            assert cli.run(begin.split()) == 0
    return folder


@pytest.mark.parametrize("kind", ["link to itself", "pipe", "socket", "long name"])
@pytest.mark.parametrize("command", READS.values(), ids=READS)
def test_every_file_of_the_command_line_is_refused_in_one_sentence(begun, capsys, kind, command):
    name = LONG if kind == "long name" else "odd"
    path = begun / Path(next(word for word in command.split() if "{}" in word).rpartition(":")[2].format(name))
    with contextlib.chdir(begun), soon():
        capsys.readouterr()
        if kind != "long name":
            ODD[kind][0](path)
        before = sorted(begun.iterdir())
        try:
            code = cli.run(command.format(name).split())
            after = sorted(begun.iterdir())
        finally:
            if kind != "long name":
                path.unlink()
    out, err = capsys.readouterr()
    assert (code, out, err.count("\n")) == (2, "", 1), err
    assert err.startswith("lmta: ")
    assert path.name in err
    assert err.endswith(".\n")
    assert before == after


def test_a_run_whose_checkpoint_is_a_pipe(tmp_path, capsys):
    os.mkfifo(tmp_path / "checkpoint")
    with soon():
        for command in ("train --resume --out", "diagnose", "evaluate --policies", "export"):
            given = f"lmta:{tmp_path}" if "policies" in command else str(tmp_path)
            more = [str(tmp_path / "model")] if command == "export" else []
            assert cli.run([*command.split(), given, *more]) == 2
            assert f"{tmp_path}/checkpoint: is a pipe; give the path of a file." in capsys.readouterr().err


def test_a_journal_whose_data_became_a_pipe(begun, tmp_path, capsys):
    state = tmp_path / "campaign.json"
    state.write_bytes((begun / "campaign.json").read_bytes())
    os.mkfifo(tmp_path / "edges.csv")
    with soon():
        assert cli.run(["plan", "--state", str(state)]) == 2
    assert "edges.csv: is a pipe" in capsys.readouterr().err


def test_python_is_told_the_same(tmp_path):
    os.mkfifo(tmp_path / "pipe.csv")
    with soon():
        for make in (lambda path: lmta.Campaign(path, days=1, budget=1), lmta.load):
            with pytest.raises(InputError, match=r"pipe\.csv: is a pipe"):
                make(tmp_path / "pipe.csv")
        with pytest.raises(InputError, match="embedded null byte"):
            lmta.load("a\0b")
