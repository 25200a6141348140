"""The example conforms, and its rules do what they say."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from lmta_vaccination.data import ContactFile, load
from lmta_vaccination.rules import (
    INFECTED,
    RECOVERED,
    SUSCEPTIBLE,
    VACCINATED,
    Vaccination,
    VaccinationNoise,
    make_instance,
)
from lmta_vaccination.session import Outbreak
from lmta_vaccination.spec import VACCINATION

import lmta
from lmta.problems.conformance import check_problem
from lmta.problems.registry import spec_of

PATH = (np.array([0, 1, 1, 2]), np.array([1, 0, 2, 1]))
CONTACTS = (np.array([0, 1]), np.array([1, 2]))
"""The same as a user gives it: every contact once."""


def path_of_three(infection=1.0, recovery=0.0, days=3, budget=1):
    """0 - 1 - 2, and 0 is infected."""
    return make_instance(*PATH, np.full(4, infection), np.array([True, False, False]), days, budget, recovery)


def noise_of(instance, meets, recovers):
    days, edges = int(instance.days), instance.graph.weight.shape[0]
    return VaccinationNoise(jnp.full((days, edges), meets), jnp.full((days, 3), recovers))


def test_it_is_found_by_its_entry_point(installed):
    assert spec_of("vaccination") is VACCINATION


def test_it_conforms():
    first, other = VACCINATION.instances(VACCINATION.settings(nodes=12, days=3, budget=4, contacts=2.0), 1, 2)
    check_problem(Vaccination(), first, other=other)


def test_an_epidemic_runs_down_a_path():
    rules, instance = Vaccination(), path_of_three()
    noise = noise_of(instance, 0.5, 0.5)
    state = rules.reset(instance)
    state, reward = rules.end_day(instance, state, noise)
    assert state.status.tolist() == [INFECTED, INFECTED, SUSCEPTIBLE]
    assert float(reward) == 2 - 1
    state, reward = rules.end_day(instance, state, noise)
    assert state.status.tolist() == [INFECTED, INFECTED, INFECTED]
    assert float(reward) == -1


def test_a_dose_in_the_middle_saves_both():
    rules, instance = Vaccination(), path_of_three()
    state = rules.pick(instance, rules.reset(instance), jnp.int32(1))
    assert state.status.tolist() == [INFECTED, VACCINATED, SUSCEPTIBLE]
    state, reward = rules.end_day(instance, state, noise_of(instance, 0.0, 0.5))
    assert state.status.tolist() == [INFECTED, VACCINATED, SUSCEPTIBLE]
    assert float(reward) == 2


def test_who_recovers_infects_no_more():
    rules, instance = Vaccination(), path_of_three(infection=0.3, recovery=0.4)
    state, _ = rules.end_day(instance, rules.reset(instance), noise_of(instance, 0.9, 0.1))
    assert state.status.tolist() == [RECOVERED, SUSCEPTIBLE, SUSCEPTIBLE]
    assert float(rules.forecast(instance, state)) == 0


def test_the_score_is_how_many_are_never_infected():
    spec = VACCINATION
    instance = spec.instances(spec.settings(nodes=30, days=5, budget=3), 7, 1)[0]
    rules, noise = Vaccination(), Vaccination().draw_noise(instance, 5, jax.random.key(1))
    state, total = rules.reset(instance), 0.0
    for _ in range(5):
        state, reward = rules.end_day(instance, state, noise)
        total += float(reward)
    assert total == int((state.status == SUSCEPTIBLE).sum())


def test_the_ring_goes_around_the_infected(installed):
    outbreak = Outbreak((np.array([0, 1, 3, 3, 3]), np.array([1, 2, 4, 5, 6])), days=3, budget=1, read=ContactFile("0"))
    assert lmta.policy("normal-ring", "vaccination").decide(outbreak).nodes == (1,)
    assert lmta.policy("normal-degree", "vaccination").decide(outbreak).nodes == (3,)


def test_a_report_is_taken_and_contradictions_are_refused():
    outbreak = Outbreak(CONTACTS, days=3, budget=2, read=ContactFile("0"))
    outbreak.advance(vaccinated=[1], recovered=[0])
    assert outbreak.healthy == 2 and outbreak.budget_left == 1
    with pytest.raises(lmta.InputError, match="infected: 1 is vaccinated already"):
        outbreak.advance(infected=[1])
    tidied, said = outbreak.tidy({"infected": [1, 2], "recovered": []})
    assert tidied["infected"] == (2,) and len(said) == 1


def test_unknown_first_cases_are_told():
    with pytest.raises(lmta.InputError, match="infected: 'zoe' is not one of the 3 people"):
        load(CONTACTS, ContactFile("zoe"))
