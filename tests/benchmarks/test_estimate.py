"""`lmta bench estimate`: what it measures, and what it refuses."""

import numpy as np
import pytest

from lmta import InputError
from lmta.benchmarks.estimate import EstimateSettings, bench_estimate, estimate_table
from lmta.benchmarks.small_networks import Setting, _fair_ratio, _Record
from lmta.policies.registry import policy


def test_times_and_a_network():
    result = bench_estimate(
        EstimateSettings(
            sizes=(20, 40),
            days=2,
            rollouts=4,
            repeats=1,
            futures=3,
            error=1.0,
            networks=("karate-club",),
            probabilities=("0.1",),
            horizons=((2, 2),),
            rivals=("normal-ris", "average-ris"),
        )
    )
    assert [row["nodes"] for row in result["sizes"]] == [20, 40]
    assert result["sizes"][0]["growth"] == 1
    assert all(min(row["day_ms"].values()) > 0 for row in result["sizes"])
    (row,) = result["networks"]
    assert row["best"] in row["rivals"]
    assert row["ratio"] == pytest.approx(row["adviser"] / row["rivals"][row["best"]])
    assert 2 <= row["adviser"] <= 34
    assert len(estimate_table(result).renderables) == 2


def test_what_is_owed_to_chance_makes_scores_steadier_and_not_other():
    """Two seeds a day on the karate club in 400 futures."""
    setting = Setting("karate-club", "0.1", 3, 6, 400, 1.0, 2)
    record = _Record(policy("average-score"), setting.campaign(), setting.seed)
    record.play_up_to(100)
    record.play_up_to(400)
    raw, steady = np.array(record.earned), record.steadied()
    assert len(raw) == 400 and raw.min() >= 6
    assert abs(steady.mean() - raw.mean()) < 3 * raw.std() / 20
    assert steady.std() < 0.5 * raw.std()


def test_more_futures_until_the_error_is_small():
    known = {"sizes": (20,), "repeats": 1, "rollouts": 4, "networks": ("karate-club",), "probabilities": ("0.1",)}
    given = {"futures": 4, "horizons": ((2, 2),), "rivals": ("average-random",), **known}
    few, many = (bench_estimate(EstimateSettings(error=error, **given))["networks"][0] for error in (1.0, 1e-9))
    assert (few["futures"], many["futures"]) == (4, 64)


def test_a_rival_is_not_judged_by_the_futures_that_chose_it():
    """Each of two is best in one half; in the other half it earns half of what we do."""
    ours = np.full(10, 4.0)
    theirs = {"one": np.tile([6.0, 2.0], 5), "other": np.tile([2.0, 6.0], 5)}
    assert _fair_ratio(ours, theirs).mean == pytest.approx(2)


@pytest.mark.parametrize(
    ("given", "fault"),
    [
        ({"sizes": ()}, "sizes: "),
        ({"sizes": (20, 10)}, "sizes: "),
        ({"processes": 0}, "processes: "),
        ({"error": 0.0}, "error: "),
        ({"futures": 1, "sizes": (20,), "networks": ("nowhere",)}, "networks: 'nowhere' is not known"),
    ],
)
def test_bad_settings(given, fault):
    with pytest.raises(InputError, match=fault):
        bench_estimate(EstimateSettings(**given))
