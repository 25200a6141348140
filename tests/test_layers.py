"""Imports go one way: a module may use only what stands below it."""

import ast
from pathlib import Path

import lmta

ROOT = Path(lmta.__file__).parent
LAYERS = [
    {"types", "config"},
    {"sparse", "kernels", "files", "devices", "hints"},
    {"problems", "nn"},
    {"policies", "model"},
    {"search"},
    {"agents"},
    {"training", "evaluation", "advisor"},
    {"service"},
    {"benchmarks", "demo", "diagnostics", "experiments"},
    {"commands"},
    {"cli"},
]
LEVEL = {name: level for level, names in enumerate(LAYERS) for name in names}


def imported_parts(path):
    """The parts of lmta that a file imports, with the line of each."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            continue
        for name in names:
            if name.startswith("lmta."):
                yield name.split(".")[1], node.lineno


def test_every_part_has_a_layer():
    parts = {p.stem for p in ROOT.iterdir() if (p.suffix == ".py" or (p / "__init__.py").exists()) and p.stem[0] != "_"}
    assert parts == set(LEVEL)


def test_imports_go_down():
    wrong = []
    for path in ROOT.rglob("*.py"):
        part = path.relative_to(ROOT).parts[0].removesuffix(".py")
        if part == "__init__":
            continue
        for used, line in imported_parts(path):
            if used != part and LEVEL[used] >= LEVEL[part]:
                wrong.append(f"{path.relative_to(ROOT)}:{line} imports {used}")
    assert wrong == []


def test_the_check_sees_a_wrong_import(tmp_path):
    file = tmp_path / "bad.py"
    file.write_text("from lmta.policies.base import Policy\nimport lmta.cli\n")
    assert list(imported_parts(file)) == [("policies", 1), ("cli", 2)]
