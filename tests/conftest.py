"""For everyone: quick compilations, a cache of them that is not the user's own, and the same examples every time.

`pytest --hypothesis-profile explore` looks further, with new examples each time.
"""

import os
import shutil
from pathlib import Path

import pytest
from hypothesis import settings

# Most of the suite's time is spent compiling programs that run for milliseconds. What they compute is the same with
# and without the compiler's optimisations; how fast they are is measured by `lmta bench`, never here.
QUICK = (
    "--xla_backend_optimization_level=0",
    "--xla_llvm_disable_expensive_passes=true",
    "--xla_cpu_use_fusion_emitters=false",
    "--xla_cpu_parallel_codegen_split_count=1",
)
os.environ["XLA_FLAGS"] = " ".join([os.environ.get("XLA_FLAGS", ""), *QUICK])

# Hypothesis has no deadline, since a first call compiles.
settings.register_profile("steady", deadline=None, derandomize=True)
settings.register_profile("explore", deadline=None, max_examples=1_000)
settings.load_profile("steady")


@pytest.fixture(scope="session", autouse=True)
def own_compilations(tmp_path_factory):
    """One cache of compilations for a test process and the commands that it starts."""
    from lmta.devices import keep_compilations  # noqa: PLC0415  (not before jaxtyping watches imports)

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        keep_compilations()
        yield


@pytest.fixture(scope="session")
def other_package(tmp_path_factory):
    """A folder with an installed package that brings a problem; `sys.path` or PYTHONPATH leads to it."""
    folder = tmp_path_factory.mktemp("site")
    shutil.copy(Path(__file__).with_name("orchard.py"), folder)
    told = folder / "orchard-1.0.dist-info"
    told.mkdir()
    (told / "METADATA").write_text("Metadata-Version: 2.1\nName: orchard\nVersion: 1.0\n")
    (told / "entry_points.txt").write_text("[lmta.problems]\norchard = orchard:SPEC\n")
    return folder


@pytest.fixture
def orchard(other_package, monkeypatch):
    """The problem of another package, for one test."""
    from lmta.problems.registry import spec_of, specs  # noqa: PLC0415

    monkeypatch.syspath_prepend(other_package)
    specs.cache_clear()
    yield spec_of("orchard")
    specs.cache_clear()
