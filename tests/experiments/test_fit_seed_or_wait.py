"""The script that fits the seed-or-wait index plays what the policy plays, and finds constants that do well."""

import numpy as np

from lmta.arena.play import play
from lmta.experiments import fit_seed_or_wait as fitting
from lmta.experiments.fit_seed_or_wait import FitSettings, draw_settings, fit, ratios
from lmta.policies.registry import policy
from lmta.problems.influence.mean_field import SEED_OR_WAIT, SeedOrWait

NEVER_BEFORE_THE_LAST_DAY = SeedOrWait(-1e6, 0, 0, 0, 0, 0)


def test_candidates_earn_what_the_policy_earns():
    """With the present constants a candidate is adaptive-lookahead; one that always waits seeds on the last day."""
    (setting,) = draw_settings(1, 3, [0, 1])
    found = ratios([setting], np.array([SEED_OR_WAIT, NEVER_BEFORE_THE_LAST_DAY]))[0] * setting.best_rival
    earned = play(policy("adaptive-lookahead", "aim"), setting.batch).rewards.sum(axis=1).mean()
    np.testing.assert_allclose(found[0], earned, rtol=1e-5)
    assert found[1] < found[0]


def test_rivals_are_the_best_of_three():
    (setting,) = draw_settings(1, 2, [0, 4])
    earned = [play(policy(name, "aim"), setting.batch).rewards.sum(axis=1).mean() for name in fitting.RIVALS]
    assert setting.best_rival == max(earned)


def test_a_fit_tells_its_constants(monkeypatch):
    said = []
    monkeypatch.setattr(fitting, "SEED_OR_WAIT", NEVER_BEFORE_THE_LAST_DAY._replace(constant=-3.0))
    found = fit(FitSettings(settings=2, networks=2, generations=2, candidates=6), said.append)
    assert len(said) == 4 and said[0].startswith("generation 1/2: best ")
    assert str(found) in said[2] and "difference" in said[3]
