"""Imports go one way, problems are known by their specs alone, and retired words stay retired."""

import ast
import re
from pathlib import Path

import pytest

import lmta
from lmta.problems.registry import specs

ROOT = Path(lmta.__file__).parent
LAYERS = [
    {"lazy", "records"},
    {"types"},
    {"sparse", "kernels", "files", "devices", "hints", "extras"},
    {"problems", "nn"},
    {"routing"},
    {"policies"},
    {"planning"},
    {"agents"},
    {"arena", "advisor"},
    {"training"},
    {"service"},
    {"benchmarks", "diagnostics"},
    {"experiments"},
    {"demo"},
    {"commands"},
    {"cli"},
]
LEVEL = {name: level for level, names in enumerate(LAYERS) for name in names}

SPECIFIC = {"problems", "experiments"}
"""Parts that may know one problem from another."""
STORIES = {
    "__init__.py",
    *(f"demo/{name}.py" for name in ("demo", "learner", "stories")),
    "routing.py",
    *(f"benchmarks/{name}.py" for name in ("estimate", "serve", "simulate", "small_networks")),
}
"""Files that may import one problem: what the package exports, and programs about one problem."""
NAMES = re.compile(r"\b(aim|sop|power-?2500)\b", re.IGNORECASE)
RETIRED = re.compile(
    r"(?<![a-z])(luck|haste|stray|urgen|ambition|eagerness|surplus|guide(?!d.local.search))", re.IGNORECASE
)


def files():
    return sorted(ROOT.rglob("*.py"))


def part_of(path):
    return path.relative_to(ROOT).parts[0].removesuffix(".py")


def imported(path):
    """The modules of lmta that a file imports, with the line of each."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            continue
        for name in names:
            if name.startswith("lmta."):
                yield name.removeprefix("lmta."), node.lineno


def found(pattern, paths):
    """Where a pattern occurs, as file:line: text."""
    return [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
        for path in paths
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if pattern.search(line)
    ]


def test_every_part_has_a_layer():
    parts = {p.stem for p in ROOT.iterdir() if (p.suffix == ".py" or (p / "__init__.py").exists()) and p.stem[0] != "_"}
    assert parts <= set(LEVEL)


def test_imports_go_down():
    wrong = []
    for path in files():
        part = part_of(path)
        if part == "__init__":
            continue
        for module, line in imported(path):
            used = module.split(".")[0]
            if used != part and LEVEL[used] >= LEVEL[part]:
                wrong.append(f"{path.relative_to(ROOT)}:{line} imports {used}")
    assert wrong == []


def test_the_check_sees_a_wrong_import(tmp_path):
    file = tmp_path / "bad.py"
    file.write_text("from lmta.policies.base import Policy\nimport lmta.cli\n")
    assert list(imported(file)) == [("policies.base", 1), ("cli", 2)]


def test_one_problem_is_imported_only_where_the_story_is_about_it():
    folders = {f"problems.{path.name}" for path in (ROOT / "problems").iterdir() if (path / "spec.py").exists()}
    assert len(folders) >= 2
    wrong = []
    for path in files():
        place = path.relative_to(ROOT)
        if part_of(path) in SPECIFIC or place.as_posix() in STORIES:
            continue
        for module, line in imported(path):
            if ".".join(module.split(".")[:2]) in folders:
                wrong.append(f"{place}:{line} imports {module}")
    assert wrong == []


def test_no_problem_is_named_outside_the_problems():
    assert {name for name in specs() if NAMES.fullmatch(name)} == {"aim", "sop", "power2500"}
    assert found(NAMES, [path for path in files() if part_of(path) not in SPECIFIC]) == []


def test_no_alias_of_a_problem_is_a_literal_outside_the_problems():
    names = {name for spec in specs().values() for name in (spec.name, *spec.aliases)}
    wrong = []
    for path in files():
        if part_of(path) not in SPECIFIC:
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Constant) and node.value in names:
                    wrong.append(f"{path.relative_to(ROOT)}:{node.lineno}: {node.value!r}")
    assert wrong == []


def test_retired_words_stay_retired():
    """The words of the field stand in their place; docs/architecture.md lists them."""
    assert found(RETIRED, files()) == []


@pytest.mark.parametrize("text", ["luck = 1", "self._luck", "guided: bool", "an urgency of 2", "stray_share"])
def test_the_check_sees_a_retired_word(text):
    assert RETIRED.search(text)


@pytest.mark.parametrize("text", ["plucked", "astray", "misguided", "GUIDED_LOCAL_SEARCH"])
def test_the_check_lets_other_words_pass(text):
    assert not RETIRED.search(text)
