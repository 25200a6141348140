"""The command line as a user meets it: tables, files, and one sentence with exit code 2 for bad input."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import lmta
from lmta import cli

TINY = ["--nodes", "12", "--days", "2", "--budget", "4", "--instances", "3"]


def run(capsys, *arguments):
    code = cli.run(arguments)
    printed = capsys.readouterr()
    return code, printed.out, printed.err


def test_evaluate_prints_a_table_and_writes_json(capsys, tmp_path):
    file = tmp_path / "out.json"
    code, out, _ = run(
        capsys,
        "evaluate",
        "--problem",
        "aim",
        "--policies",
        "average-degree,average-lookahead",
        *TINY,
        "--json",
        str(file),
    )
    assert code == 0
    assert "average-lookahead" in out
    assert "12 nodes, 2 days, budget 4, 3 instances" in out
    assert [row["policy"] for row in json.loads(file.read_text())["rows"]] == ["average-degree", "average-lookahead"]


def test_own_data_are_played(capsys, tmp_path):
    friends = tmp_path / "friends.csv"
    friends.write_text("source,target,probability\nann,bob,0.5\nbob,cyd,1\ncyd,ann,0.1\n")
    cities = tmp_path / "cities.csv"
    cities.write_text("home,0,0\ninn,1,0\nmill,0,1\nport,1,1\n")
    code, out, _ = run(
        capsys, "evaluate", "--graph", str(friends), "--policies", "average-ris", "--days", "2", "--budget", "2"
    )
    assert (code, "3 nodes" in out) == (0, True)
    code, out, _ = run(
        capsys, "evaluate", "--cities", str(cities), "--policies", "even-insertion", "--days", "2", "--budget", "2"
    )
    assert (code, "sop: 4 nodes" in out) == (0, True)


def bad(tmp_path, name, text):
    file = tmp_path / name
    file.write_text(text)
    return str(file)


def given_twice(option, file):
    """As data, and as the file of results."""
    return [option, file, "--json", file]


BAD = {
    "missing file": (lambda d: ["--graph", str(d / "none.csv")], "none.csv"),
    "probability": (lambda d: ["--graph", bad(d, "g.csv", "a,b,0.5\nb,c,1.5\n")], "g.csv, line 2"),
    "nan": (lambda d: ["--cities", bad(d, "c.csv", "a,0,0\nb,nan,1\n")], "c.csv, line 2"),
    "both": (lambda d: ["--graph", "x", "--cities", "y"], "give one of them"),
    "wrong problem": (
        lambda d: ["--problem", "sop", "--graph", bad(d, "g.csv", "a,b\nb,c\n")],
        "sop does not go with --graph",
    ),
    "option of another problem": (lambda d: ["--limit", "1"], "limit: is an option of sop, not of aim; leave it out"),
    "unknown problem": (lambda d: ["--problem=sob"], "problem: 'sob' is not known; did you mean 'sop'?"),
    "no effect": (lambda d: ["--graph", "x", "--degree", "3"], "degree: has no effect here; leave it out"),
    "budget": (lambda d: ["--nodes", "10", "--budget", "20"], "budget: 20 given, but there are only 10 nodes"),
    "too many nodes": (
        lambda d: ["--nodes", "99999999999"],
        "nodes: 99999999999 given, at most 10,000,000 are possible",
    ),
    "no whole number": (lambda d: ["--days", "two"], "days: 'two' given, a whole number is needed"),
    "no number": (lambda d: ["--think=soon"], "think: 'soon' given, a number is needed"),
    "twice": (lambda d: ["--days", "3", "--days=5"], "days: given twice; give it once"),
    "twice, spelt otherwise": (lambda d: ["--first-days", "1", "--first_days", "2"], "first-days: given twice"),
    "on and off": (lambda d: ["--undirected", "--no-undirected"], "undirected: given twice"),
    "json folder": (lambda d: ["--json", str(d / "no" / "out.json")], "does not exist; make it first"),
    "json is the input": (
        lambda d: given_twice("--graph", bad(d, "g.csv", "a,b\nb,c\n")),
        "g.csv: is read by the same command; name another file to write",
    ),
    "json is a table": (
        lambda d: ["--json", bad(d, "g.csv", "a,b\nb,c\n")],
        "g.csv: is there already and holds no results of lmta; name another file",
    ),
    "json is a folder": (lambda d: ["--json", str(d)], "is a directory"),
}


@pytest.mark.parametrize(("arguments", "message"), BAD.values(), ids=BAD)
def test_bad_input_is_one_sentence_and_exit_code_2(capsys, tmp_path, arguments, message):
    before = set(tmp_path.iterdir())
    given = arguments(tmp_path)
    made = {path: path.read_bytes() for path in {*tmp_path.iterdir()} - before}
    code, out, err = run(capsys, "evaluate", "--policies", "average-random", *given)
    assert code == 2
    assert out == ""
    assert message in err
    assert err.startswith("lmta: ")
    assert err.count("\n") == 1
    assert {path: path.read_bytes() for path in {*tmp_path.iterdir()} - before} == made


@pytest.mark.filterwarnings("default::lmta.types.DataWarning")
def test_a_warning_about_the_data_is_one_sentence_beside_the_results(capsys, tmp_path):
    network = bad(tmp_path, "g.csv", "a,b\nc,c\na,b\n")
    play = ("evaluate", "--policies", "average-degree", "--days", "1", "--budget", "1")
    code, out, err = run(capsys, *play, "--graph", network)
    assert (code, "3 nodes" in out) == (0, True)
    assert err == (
        f"lmta: {network}: 1 self-loop dropped (first: line 2) and 1 repeated edge merged (first: line 3).\n"
    )


@pytest.mark.parametrize(("command", "missing"), [("plan", "--state"), ("evaluate", "--policies"), ("tune", "--out")])
def test_a_command_without_arguments_says_what_is_missing(capsys, command, missing):
    with pytest.raises(SystemExit) as stop:
        cli.run([command])
    assert stop.value.code == 2
    assert missing in capsys.readouterr().err


def test_ceilings_of_ones_own_network_are_told(capsys, tmp_path):
    """Of the chains 0-1-2 and 3-4, where every edge is certain, one seed reaches three nodes."""
    network = tmp_path / "chains.csv"
    network.write_text("0,1,1\n1,2,1\n3,4,1\n")
    code, out, err = run(capsys, "bound", "--graph", str(network), "--days", "1", "--budget", "1", "--instances", "1")
    assert (code, err) == (0, "")
    assert "1 instance of aim, seed 0: no policy reaches more than 5.00 ± – on average" in out
    assert "each when the cascade is over, however long it takes, reach 3.00 ± –." in out


@pytest.mark.parametrize(
    "command", ["train --out {} --nodes 99999999999", "bound --problem sop --nodes 99999999999"], ids=["train", "bound"]
)
def test_more_nodes_than_any_machine_holds_are_refused(capsys, tmp_path, command):
    code, out, err = run(capsys, *command.format(tmp_path / "run").split())
    assert (code, out) == (2, "")
    assert err == "lmta: nodes: 99999999999 given, at most 10,000,000 are possible.\n"
    assert list(tmp_path.iterdir()) == []


SYSTEM = {
    "memory": (MemoryError(), "memory: there is too little of it for that; take fewer or smaller instances."),
    "a file": (PermissionError(13, "Permission denied", "a.txt"), "a.txt: cannot be used (Permission denied)."),
    "a connection": (ConnectionError("lost"), "the system refused what lmta asked of it (lost)."),
}


@pytest.mark.parametrize(("error", "sentence"), SYSTEM.values(), ids=SYSTEM)
def test_what_the_system_refuses_is_one_sentence(capsys, monkeypatch, error, sentence):
    def fail(*_):
        raise error

    monkeypatch.setattr("lmta.commands.policies.spec_of", fail)
    assert run(capsys, "policies") == (2, "", f"lmta: {sentence}\n")


@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("arguments", ["policies", "policies --help", "--help"])
def test_a_full_standard_output_is_one_sentence(arguments, unbuffered):
    program = [sys.executable, "-c", "from lmta.cli import main; main()", *arguments.split()]
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            program,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
            env=os.environ | {"PYTHONUNBUFFERED": unbuffered},
        )
    assert (done.returncode, done.stderr) == (
        2,
        "lmta: standard output: cannot be written (No space left on device).\n",
    )


def test_a_reader_that_goes_early_is_no_error():
    program = f"{sys.executable} -c 'from lmta.cli import main; main()' policies | head -1; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", program], capture_output=True, text=True, check=True)
    assert (done.stdout.splitlines()[1:], done.stderr) == (["0"], "")


EXPERIMENTS = {
    "report": (
        "report --results {0}/nope --docs {0}",
        "nope: there is no such folder; give the path of one that exists.",
    ),
    "report of a file": ("report --results {0}/file --docs {0}", "file: is a file; give the path of a folder."),
    "results": ("experiment aim-main --dry-run --results {0}/file", "file: is a file; give the path of a folder."),
    "runs": ("experiment aim-main --dry-run --runs {0}/file", "file: is a file; give the path of a folder."),
    "only": (
        "experiment aim-main --only zzz --results {0}",
        "only: 'zzz' is in the name of no cell; without it --dry-run lists those to run.",
    ),
}


@pytest.mark.parametrize(("command", "fault"), EXPERIMENTS.values(), ids=EXPERIMENTS)
def test_experiments_without_a_folder_or_a_cell_are_refused(capsys, tmp_path, command, fault):
    (tmp_path / "file").write_text("")
    (tmp_path / "results.head.md").write_text("# Results\n")
    before = sorted(tmp_path.iterdir())
    code, out, err = run(capsys, *command.format(tmp_path).split())
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.endswith(f"{fault}\n")
    assert sorted(tmp_path.iterdir()) == before


def test_an_unknown_option_is_exit_code_2(capsys):
    with pytest.raises(SystemExit) as stop:
        cli.run(["evaluate", "--policies", "average-degree", "--nodez", "5"])
    assert stop.value.code == 2
    capsys.readouterr()


def test_bench_decide_splits_a_decision_into_its_parts(capsys, tmp_path):
    file = tmp_path / "decide.json"
    small = ["--nodes", "30", "--days", "2", "--budget", "4", "--episodes", "2", "--repeats", "1"]
    code, out, _ = run(capsys, "bench", "decide", "--agent", "flat-dqn", *small, "--json", str(file))
    assert code == 0
    assert "whole decision" in out
    result = json.loads(file.read_text())
    assert 2 <= result["decisions"] <= 4
    assert result["bare_parts_ms"] > 0 and list(result["parts"]) == ["Q-network"]
    assert result["batch16_ms_per_decision"] > 0
    assert result["decision_ms_p95"] >= result["decision_ms_median"] > 0


def test_bench_train_splits_an_epoch(capsys, tmp_path):
    file = tmp_path / "train.json"
    small = ["--nodes", "20", "--days", "2", "--budget", "3", "--sizes", "20", "--epochs", "1"]
    code, out, _ = run(capsys, "bench", "train", "--agent", "flat-dqn", *small, "--json", str(file))
    assert code == 0
    assert "self-play" in out
    result = json.loads(file.read_text())
    assert result["epoch_s"] == pytest.approx(result["selfplay_s"] + result["update_s"], rel=1e-6)
    assert list(result["by_nodes"]) == ["20"]


def test_bench_simulate_compares_in_one_run(capsys, tmp_path):
    file = tmp_path / "bench.json"
    small = ["--nodes", "20", "--days", "2", "--budget", "4", "--batch", "4", "--repeats", "2", "--sizes", "20", "40"]
    code, out, _ = run(capsys, "bench", "simulate", *small, "--json", str(file))
    assert (code, "networkx" in out) == (0, True)
    written = json.loads(file.read_text())
    assert set(written["speedup"]) == {"lmta_one_graph", "lmta_many_graphs"}
    assert [row["nodes"] for row in written["scaling"]] == [20, 40]
    assert written["peak_memory_mb"] > 0


BAD_BENCH = {
    "batch": (["--batch", "0"], "batch: 0 given"),
    "repeats": (["--repeats", "0"], "repeats: 0 given"),
    "days": (["--days", "0"], "days: 0 given"),
    "few picks": (["--days", "10", "--budget", "5"], "budget: 5 given, one pick for each of the 10 days"),
    "sizes": (["--sizes", "0"], "there are only 0 nodes"),
    "seed": (["--seed", "-1"], "seed: -1 given"),
    "json": (["--json", __file__], "test_cli.py: is there already and holds no results of lmta"),
}


@pytest.mark.parametrize(("arguments", "message"), BAD_BENCH.values(), ids=BAD_BENCH)
def test_bad_bench_settings_are_one_sentence_and_exit_code_2(capsys, arguments, message):
    code, out, err = run(capsys, "bench", "simulate", *arguments)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert message in err


@pytest.mark.parametrize("name", ["sop", "orienteering"])
def test_policies_are_listed(capsys, name):
    _, out, _ = run(capsys, "policies", name)
    assert {"even-insertion", "greedy", "ga"} <= set(out.split())
    assert "lmta:sop, the adviser that comes with lmta: rolling-rollout-routes" in out


def test_policies_of_no_problem_are_refused(capsys):
    code, out, err = run(capsys, "policies", "soap")
    assert (code, out, err) == (2, "", "lmta: problem: 'soap' is not known; did you mean 'sop'?\n")


def test_problems_are_listed_with_their_generators_and_options(capsys):
    code, out, _ = run(capsys, "problems")
    assert code == 0
    assert {"aim,", "sop,", "power2500", "clustered", "--cities", "--graph", "--degree,", "--limit,"} <= set(
        out.split()
    )


@pytest.mark.parametrize(
    ("arguments", "own", "others"),
    [
        ([], {"--graph", "--degree", "--undirected"}, {"--cities", "--limit"}),
        (["--problem", "sop"], {"--cities", "--limit", "--drift"}, {"--graph", "--degree"}),
        (["--problem=influence"], {"--graph", "--degree", "--undirected"}, {"--cities", "--limit"}),
        (["--cities", "c.csv"], {"--cities", "--limit", "--drift"}, {"--graph", "--degree"}),
    ],
)
def test_help_of_evaluate_shows_the_options_of_the_problem(capsys, arguments, own, others):
    with pytest.raises(SystemExit) as stop:
        cli.run(["evaluate", *arguments, "--help"])
    assert stop.value.code == 0
    words = set(capsys.readouterr().out.replace(",", " ").split())
    assert own | {"--policies", "--problem", "--nodes", "--seed"} <= words
    assert not others & words


def test_the_version_is_told(capsys):
    assert run(capsys, "--version") == (0, f"lmta {lmta.__version__}\n", "")


def test_help_lists_every_command_and_each_command_has_help(capsys):
    for arguments in ((), ("--help",)):
        code, out, _ = run(capsys, *arguments)
        assert code == 0
        assert all(f"  {name} " in out for name in cli.COMMANDS)
    for name, what in cli.COMMANDS.items():
        with pytest.raises(SystemExit) as stop:
            cli.run([name, "--help"])
        assert stop.value.code == 0
        assert what.split(":")[0] in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize(("name", "hint"), [("evalute", "did you mean evaluate?"), ("xyz", "there are evaluate, plan")])
def test_an_unknown_command_is_one_sentence_and_exit_code_2(capsys, name, hint):
    code, out, err = run(capsys, name)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert f"{name!r} is no command" in err
    assert hint in err


def test_a_command_whose_extra_is_missing_names_it(capsys, monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    monkeypatch.delitem(sys.modules, "lmta.service.serve", raising=False)
    monkeypatch.delattr("lmta.service.serve", raising=False)
    code, _, err = run(capsys, "serve", "--data", str(tmp_path / "data"))
    assert code == 2
    assert err == "lmta: uvicorn is not installed; it comes with: pip install 'lmta[serve]'\n"


def test_a_command_imports_no_more_than_it_needs():
    """Starting takes seconds otherwise."""
    not_needed = {
        "import lmta": ("jax", "numpy", "tyro", "rich"),
        "from lmta.cli import run; run(['--help'])": ("jax", "numpy", "tyro", "rich"),
        "from lmta.cli import run; run(['policies'])": ("matplotlib", "scipy.stats", "gymnasium", "optax"),
        "import lmta.commands.bench": ("jax", "matplotlib", "lmta.benchmarks.simulate"),
    }
    for start, modules in not_needed.items():
        program = f"import sys; {start}; print([m for m in {modules} if m in sys.modules])"
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
        assert done.stdout.splitlines()[-1] == "[]", start


def test_a_broken_measurement_leaves_the_others_alone(capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "lmta.benchmarks.train", None)
    code, _, err = run(capsys, "bench", "simulate", "--batch", "0")
    assert (code, "batch: 0 given" in err) == (2, True)
    with pytest.raises(ImportError):
        run(capsys, "bench", "train")


@pytest.mark.parametrize("arguments", [[], ["smulate"]])
def test_bench_says_what_can_be_measured(capsys, arguments):
    with pytest.raises(SystemExit) as stop:
        cli.run(["bench", *arguments])
    assert stop.value.code == 2
    printed = capsys.readouterr()
    assert "simulate" in printed.out + printed.err
