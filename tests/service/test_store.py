"""The store: one day is written once, whoever writes; nothing is kept of what was refused."""

import json
import stat
from concurrent.futures import ThreadPoolExecutor

import pytest

from lmta import InputError
from lmta.advisor.journal import journal_text, journal_type
from lmta.problems.delimited import Content
from lmta.problems.registry import spec_of
from lmta.service.store import ConflictError, NotFoundError, Store

CONTENT = Content("a.csv", b"a,b\n")
BEGINNING = journal_type(spec_of("aim"))(
    data="a.csv", fingerprint="f", days=5, budget=2, policy="average-degree", seed=0
)
REPORT = {"seeded": [], "activated": [], "failed": []}


def test_many_threads_and_two_stores_write_the_same_days(tmp_path):
    stores = Store(tmp_path), Store(tmp_path)
    plan = stores[0].add_plan("t", BEGINNING, CONTENT)

    def write(number):
        try:
            return stores[number % 2].add_day(plan, 1 + number // 8, REPORT, (), float(number)).number
        except ConflictError:
            return None

    with ThreadPoolExecutor(8) as pool:
        written = [day for day in pool.map(write, range(24)) if day]
    assert sorted(written) == list(range(1, len(written) + 1))
    assert [day.number for day in stores[0].plan(plan).days] == sorted(written)


def test_advice_that_comes_too_late_is_not_kept(tmp_path):
    store = Store(tmp_path)
    plan = store.add_plan("t", BEGINNING, CONTENT)
    seen = store.plan(plan)
    store.add_day(plan, 1, REPORT, (), 0.0)
    store.keep_advice(seen, {"day": 1})
    assert store.advice(plan, 1) is None
    store.keep_advice(store.plan(plan), {"day": 2})
    assert store.advice(plan, 2) == {"day": 2}
    store.remove_day(plan, 1)
    assert store.advice(plan, 2) is None


def test_a_plan_of_an_earlier_version(tmp_path):
    """Its journal has another layout in the database, which is no reason to forget advice."""
    store = Store(tmp_path)
    plan = store.add_plan("t", BEGINNING, CONTENT)
    now = json.loads(journal_text(BEGINNING))
    then = {name: value for name, value in now.items() if name not in ("read", "rules")}
    old = json.dumps(then | {"directed": False, "probability": None})
    store._db.execute("UPDATE plans SET journal = ?", (old,))
    seen = store.plan(plan)
    assert (seen.kind, seen.beginning.read.undirected) == ("campaign", True)
    store.keep_advice(seen, {"day": 1})
    assert store.advice(plan, 1) == {"day": 1}
    store.change_plan(plan, "t", seen.beginning.model_copy(update={"seed": 1}))
    assert store.advice(plan, 1) is None
    assert store.plan(plan).beginning.seed == 1


def test_only_the_owner_can_read_the_database(tmp_path):
    Store(tmp_path).add_plan("t", BEGINNING, CONTENT)
    files = [path for path in tmp_path.iterdir() if path.name.startswith("lmta.sqlite3")]
    assert len(files) > 1  # its log too
    assert {stat.S_IMODE(path.stat().st_mode) for path in files} == {0o600}


def test_data_go_with_the_last_plan_that_has_them(tmp_path):
    store = Store(tmp_path)
    first, second = (store.add_plan("t", BEGINNING, CONTENT) for _ in range(2))
    store.remove_plan(first)
    assert store.content(store.plan(second)) == CONTENT
    store.remove_plan(second)
    with pytest.raises(NotFoundError):
        store.plan(second)


def test_a_database_of_another_version_is_refused(tmp_path):
    store = Store(tmp_path)
    store._db.execute("PRAGMA user_version = 99")
    with pytest.raises(InputError, match="was made by another version of lmta"):
        Store(tmp_path)


def test_a_folder_that_cannot_be_used_is_refused(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot hold the database"):
        Store(tmp_path / "file")
