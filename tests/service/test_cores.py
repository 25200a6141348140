"""Who may compute when: one compiles for all, and the first decision is made before anybody asks."""

import contextlib
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from lmta.problems.delimited import Content
from lmta.service import desk as module
from lmta.service.cores import Cores
from lmta.service.desk import Begin, Desk
from lmta.service.store import Store

EDGES = b"source,target\nann,bob\nbob,cyd\ncyd,dan\n"
WANTED = Begin("t", "campaign", Content("a.csv", EDGES), days=3, budget=2, policy="average-degree")
LONGEST = 60


@pytest.fixture
def decided(monkeypatch):
    """The days of the decisions that were made, by whomever."""
    days, advise = [], module.advise

    def noted(player, session, seed):
        days.append(session.day)
        return advise(player, session, seed)

    monkeypatch.setattr(module, "advise", noted)
    return days


@pytest.fixture
def desk(tmp_path):
    opened = Desk(Store(tmp_path))
    yield opened
    opened.close()


def most_at_once(cores, sizes):
    """How many were deciding at the same time, of decisions for these sizes that take a while."""
    now, most, lock = 0, 0, threading.Lock()
    meeting = threading.Barrier(len(sizes))

    def decide(size):
        nonlocal now, most
        with cores.deciding(size):
            with lock:
                now += 1
                most = max(most, now)
            with contextlib.suppress(threading.BrokenBarrierError):
                meeting.wait(0.5)
            with lock:
                now -= 1

    with ThreadPoolExecutor(len(sizes)) as pool:
        list(pool.map(decide, sizes))
    return most


def test_of_a_new_size_one_decides_at_a_time():
    cores = Cores(4)
    assert most_at_once(cores, ["a", "a", "a"]) == 1
    assert cores.is_ready("a")
    assert not cores.is_ready("b")
    assert most_at_once(cores, ["a", "a", "a"]) == 3
    assert most_at_once(cores, ["b", "c"]) == 2


def test_a_decision_that_broke_off_has_compiled_nothing():
    cores = Cores(1)
    with pytest.raises(ZeroDivisionError), cores.deciding("a"):
        raise ZeroDivisionError
    assert not cores.is_ready("a")
    cores.wait_for_quiet(LONGEST)


def test_the_first_decision_is_made_before_anybody_asks(desk, decided):
    """Once for a size; what was advised stays unknown until somebody asks."""
    desk.expect(WANTED).result(LONGEST)
    assert decided == [1]
    plan, _ = desk.begin(WANTED)
    desk.get_ready(plan).result(LONGEST)
    assert decided == [1]
    assert desk.store.advised(plan.id) == {}
    assert [pick["id"] for pick in desk.advice(plan.id)["picks"]] == ["ann"]
    assert decided == [1, 1]


def test_whoever_asks_meanwhile_waits_for_it(desk, monkeypatch):
    """A report of the same plan does not."""
    begun, go_on, advise, calls = threading.Event(), threading.Event(), module.advise, []

    def slow(player, session, seed):
        calls.append(threading.current_thread().name)
        begun.set()
        assert go_on.wait(LONGEST)
        return advise(player, session, seed)

    monkeypatch.setattr(module, "advise", slow)
    plan, other = desk.begin(WANTED)[0], desk.begin(WANTED)[0]
    assert begun.wait(LONGEST)
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(desk.advice, plan.id)
        assert desk.report(other.id, 1, {"seeded": ["ann"], "activated": [], "failed": []}).number == 1
        assert len(calls) == 1
        go_on.set()
        assert asked.result(LONGEST)["day"] == 1
    assert len(calls) == 1
    assert calls[0].startswith("beforehand")


def test_the_end_cancels_what_has_not_begun(desk, monkeypatch):
    begun, go_on = threading.Event(), threading.Event()

    def slow(player, session, seed):
        begun.set()
        assert go_on.wait(LONGEST)

    monkeypatch.setattr(module, "advise", slow)
    plan, _ = desk.begin(WANTED)
    assert begun.wait(LONGEST)
    waiting = desk.get_ready(plan)
    threading.Timer(0.1, go_on.set).start()
    desk.close()
    assert waiting.cancelled()
    assert desk.get_ready(plan).cancelled()
    assert desk.begin(WANTED)[0].day == 1


def test_what_cannot_be_decided_beforehand_is_told_to_whoever_asks(desk):
    """`exact` serves twelve nodes at most."""
    path = "".join(f"{i},{i + 1}\n" for i in range(20)).encode()
    plan, _ = desk.begin(Begin("t", "campaign", Content("a.csv", path), days=3, budget=2, policy="exact"))
    with pytest.raises(module.InputError, match="exact"):
        desk.get_ready(plan).result(LONGEST)
    with pytest.raises(module.InputError, match="exact"):
        desk.advice(plan.id)
