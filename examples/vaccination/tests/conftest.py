"""The package as if it were installed, whether it is or not."""

import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from lmta.problems.registry import GROUP, specs

FOLDER = Path(__file__).parents[1]
sys.path.insert(0, str(FOLDER))


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """Its entry point is known for one test."""
    if "vaccination" not in {entry.name for entry in entry_points(group=GROUP)}:
        told = tmp_path / "lmta_vaccination-0.1.0.dist-info"
        told.mkdir()
        (told / "METADATA").write_text("Metadata-Version: 2.1\nName: lmta-vaccination\nVersion: 0.1.0\n")
        (told / "entry_points.txt").write_text(f"[{GROUP}]\nvaccination = lmta_vaccination.spec:VACCINATION\n")
        monkeypatch.syspath_prepend(tmp_path)
    specs.cache_clear()
    yield
    specs.cache_clear()
