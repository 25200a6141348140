"""Sequential halving: what is spent, who is compared in which worlds, who wins, and when it stops."""

import time

import numpy as np
import pytest

from lmta.planning.effort import Effort, make_effort, read_effort
from lmta.planning.search import LEAST_WORLDS, Margin, mean_of, search
from lmta.types import InputError


def tries(means, spread=1.0, common=5.0, calls=None, seconds=0.0):
    """Candidates that earn `means` in expectation: a part of the noise is common to all in a world."""

    def try_out(some, worlds):
        if calls is not None:
            calls.append((list(some), worlds))
        time.sleep(seconds * len(some) * len(worlds))
        shared = np.array([np.random.default_rng([0, w]).normal() for w in worlds])
        own = [np.array([np.random.default_rng([1, i, w]).normal() for w in worlds]) for i in some]
        earned = np.array([means[i] + common * shared + spread * noise for i, noise in zip(some, own, strict=True)])
        return earned, np.zeros_like(earned)

    return try_out


def test_the_best_candidate_wins_with_its_margin():
    found = search(tries([10, 9, 10, 12, 11, 8]), 6, Effort(rollouts=2000))
    assert found.chosen == 3
    assert found.runner_up() == 4
    margin = found.margin(3, 0)
    assert abs(margin.mean - 2) < 4 * margin.error < 1
    assert abs(found.value(3).mean - 12) < 4 * found.value(3).error


def test_the_first_is_overruled_by_evidence_alone():
    noisy = tries([10.0] * 6, spread=3.0)
    chosen = [search(noisy_with(seed), 6, Effort(rollouts=400)).chosen for seed in range(20)]
    assert np.mean(np.array(chosen) == 0) > 0.6
    assert search(noisy, 1, Effort(rollouts=400)).chosen == 0
    assert Margin(1.0, 0.0).evidence == np.inf
    assert Margin(0.0, 0.0).evidence == 0


def noisy_with(seed):
    rng = np.random.default_rng(seed)
    return lambda some, worlds: (rng.normal(size=(len(some), len(worlds))), np.zeros((len(some), len(worlds))))


def test_rollouts_are_what_was_asked_for_and_worlds_are_common():
    for rollouts in (50, 200, 1000, 3001):
        calls = []
        found = search(tries(np.linspace(0, 1, 12), calls=calls), 12, Effort(rollouts=rollouts))
        spent = sum(len(some) * len(worlds) for some, worlds in calls)
        assert rollouts - 12 < spent == found.rollouts <= rollouts
        assert all(some[0] == 0 for some, _ in calls)
        assert [worlds.start for _, worlds in calls] == list(np.cumsum([0] + [len(w) for _, w in calls])[:-1])
        assert all(len(worlds) >= LEAST_WORLDS for _, worlds in calls)
        sizes = [len(some) for some, _ in calls]
        assert sizes == sorted(sizes, reverse=True)
        assert sizes[-1] == 2
    assert sizes[0] == 12


def test_a_control_variate_takes_its_part_of_the_noise_out():
    rng = np.random.default_rng(0)
    control, rest = rng.normal(size=(2, 2000))
    plain, steadied = mean_of(3 + 4 * control + rest, np.zeros(2000)), mean_of(3 + 4 * control + rest, control)
    assert plain.error == pytest.approx(17**0.5 / 2000**0.5, rel=0.1)
    assert steadied.error == pytest.approx(1 / 2000**0.5, rel=0.1)
    assert abs(steadied.mean - 3) < 4 * steadied.error
    assert np.isnan(mean_of(np.ones(2), np.zeros(2)).error)


def test_too_few_rollouts_leave_the_decision_to_the_adviser():
    found = search(tries([0, 100]), 2, Effort(rollouts=2 * LEAST_WORLDS - 1))
    assert (found.chosen, found.rollouts, found.runner_up()) == (0, 0, None)


def test_the_same_rollouts_give_the_same_choice():
    first, again = (search(tries(np.linspace(0, 1, 9)), 9, Effort(rollouts=900)) for _ in range(2))
    assert first.chosen == again.chosen
    for one, other in zip(first.earned, again.earned, strict=True):
        np.testing.assert_array_equal(one, other)


def test_seconds_are_kept():
    start = time.perf_counter()
    found = search(tries([0.0, 0.1, 0.5, 0.2], seconds=2e-4), 4, Effort(seconds=1.0))
    assert time.perf_counter() - start < 2.0
    assert found.rollouts > 100


def test_what_takes_too_long_is_not_begun():
    start = time.perf_counter()
    found = search(tries([0.0, 1.0], seconds=0.1), 2, Effort(seconds=0.3), begun=start)
    assert time.perf_counter() - start < 1.3
    assert found.chosen == 0


def test_what_is_settled_takes_no_more_time():
    start = time.perf_counter()
    found = search(tries([0.0, -9.0, 9.0, -5.0], seconds=2e-5), 4, Effort(seconds=30.0))
    assert time.perf_counter() - start < 10
    assert found.chosen == 2


def test_ctrl_c_takes_the_best_so_far():
    calls = []
    works = tries([0.0, 5.0, 1.0])

    def try_out(some, worlds):
        calls.append(some)
        if len(calls) > 1:
            raise KeyboardInterrupt
        return works(some, worlds)

    assert search(try_out, 3, Effort(rollouts=600), stoppable=True).chosen == 1
    with pytest.raises(KeyboardInterrupt):
        search(try_out, 3, Effort(rollouts=600))


def test_progress_says_who_leads():
    heard = []
    search(tries([0.0, 1.0, 5.0]), 3, Effort(rollouts=600), on_progress=heard.append)
    assert [standing.leading for standing in heard] == [2] * len(heard)
    assert heard[-1].done == 1.0
    assert heard[-1].margin.evidence > 10


@pytest.mark.parametrize(
    ("think", "rollouts", "told"),
    [
        (-1, None, "think: -1 given"),
        (float("inf"), None, "think: inf given"),
        (float("nan"), None, "think: nan given"),
        ("long", None, "think: 'long' given"),
        (None, 0, "rollouts: 0 given, at least 1"),
        (None, 2.5, "rollouts: 2.5 given, a whole number"),
        (None, 10**12, "rollouts: 1000000000000 given, at most"),
        (1, 10, "give one of them"),
    ],
)
def test_an_effort_that_makes_no_sense_is_refused(think, rollouts, told):
    with pytest.raises(InputError, match=told):
        make_effort(think, rollouts)


def test_an_effort_reads_as_it_is_written():
    for effort in (Effort(rollouts=1000), Effort(seconds=2.5), Effort(seconds=10.0)):
        assert read_effort(str(effort)) == effort
    assert read_effort("fast") is None
    assert make_effort(0, None) is None
    with pytest.raises(InputError, match="rollouts: 0"):
        read_effort("0")
