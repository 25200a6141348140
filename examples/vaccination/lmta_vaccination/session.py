"""An outbreak among one's own people, advanced day by day with what was really observed."""

from collections.abc import Mapping
from typing import Any, ClassVar

import equinox as eqx
import jax.numpy as jnp
import numpy as np

from lmta.problems.session import AbstractSession, ReportField, check_horizon
from lmta.types import InputError, quoted
from lmta_vaccination.data import FIRST_CASES, ContactFile, load
from lmta_vaccination.rules import (
    INFECTED,
    RECOVERED,
    SUSCEPTIBLE,
    VACCINATED,
    EpidemicRules,
    Vaccination,
    make_instance,
    next_day,
)

WORDS = {INFECTED: "infected", RECOVERED: "recovered", VACCINATED: "vaccinated"}


class Outbreak(AbstractSession):
    """Whom to vaccinate today: the contacts, who is infected, and what is left of days and doses."""

    problem = Vaccination()
    word = "outbreak"
    title = "Outbreak in a contact network"
    icon = "vaccines"
    verb = "vaccinate"
    result_name = "never infected"
    report_fields: ClassVar[tuple[ReportField, ...]] = (
        ReportField("vaccinated", "done", "ids", "Whom you vaccinated", "the people who were vaccinated"),
        ReportField("infected", "observed", "ids", "Who was infected", "the people who were infected"),
        ReportField("recovered", "observed", "ids", "Who recovered", "the people who recovered"),
    )

    def __init__(
        self,
        contacts: Any,
        *,
        days: Any,
        budget: Any,
        read: ContactFile | None = None,
        rules: EpidemicRules | None = None,
    ):
        rules = EpidemicRules() if rules is None else rules
        data = load(contacts, read or ContactFile())
        network = data.network
        check_horizon(days, budget, network.num_nodes, "people")
        cases = (
            drawn_cases(network.num_nodes, FIRST_CASES, np.random.default_rng(0))
            if data.first_cases is None
            else data.first_cases
        )
        probability = network.probability if data.has_probabilities else np.full(len(network.senders), rules.infection)
        super().__init__(
            make_instance(network.senders, network.receivers, probability, cases, days, budget, rules.recovery),
            network.ids,
        )

    @property
    def healthy(self) -> int:
        """How many were never infected so far."""
        status = np.asarray(self.state.status)[: len(self.ids)]
        return int(((status == SUSCEPTIBLE) | (status == VACCINATED)).sum())

    @property
    def result(self) -> float:
        """Who begins healthy counts on the first day."""
        return float(self.healthy) if self.day > 1 else 0.0

    def progress(self) -> str:
        """How many were never infected, and of how many."""
        return f"{self.healthy} of {len(self.ids)} never infected"

    def tidy(self, report: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
        """Who cannot be vaccinated, infected or recover any more is left out, and pointed out."""
        tidied, said = super().tidy({"vaccinated": (), "infected": (), "recovered": ()} | dict(report))
        status = np.asarray(self.state.status)
        needed = {"vaccinated": SUSCEPTIBLE, "infected": SUSCEPTIBLE, "recovered": INFECTED}
        for field, right in needed.items():
            wrong = [name for name in tidied[field] if status[self.index(name, field)] != right]
            said += [f"{field}: {quoted(name)} cannot be {field} any more; left out." for name in wrong]
            tidied[field] = tuple(name for name in tidied[field] if name not in wrong)
        return tidied, said

    def advance(self, vaccinated: Any = (), infected: Any = (), recovered: Any = ()) -> None:
        """Report the day: who was vaccinated, who was infected in spite of all, and who recovered."""
        doses, cases, well = (
            self._indices(names, field)
            for names, field in ((vaccinated, "vaccinated"), (infected, "infected"), (recovered, "recovered"))
        )
        self._check_day()
        status = np.array(self.state.status)
        for i in doses:
            self._require(status, i, SUSCEPTIBLE, "vaccinated")
        status[doses] = VACCINATED
        for i in cases:
            self._require(status, i, SUSCEPTIBLE, "infected")
        for i in well:
            self._require(status, i, INFECTED, "recovered")
        after = eqx.tree_at(
            lambda s: (s.status, s.budget_left),
            self.state,
            (jnp.asarray(status), self._left_after(len(doses), "vaccinated")),
        )
        self.state = next_day(after, _mask(len(status), cases), _mask(len(status), well))

    def _require(self, status: np.ndarray, i: int, right: int, field: str) -> None:
        if status[i] != right:
            word = WORDS.get(int(status[i]), "susceptible")
            raise InputError(f"{field}: {quoted(self.ids[i])} is {word} already, so it cannot be {field}.")


def _mask(size: int, indices: list[int]) -> jnp.ndarray:
    mask = np.zeros(size, bool)
    mask[indices] = True
    return jnp.asarray(mask)


def drawn_cases(num_people: int, count: int, rng: np.random.Generator) -> np.ndarray:
    """Some people who are infected at the start."""
    cases = np.zeros(num_people, bool)
    cases[rng.choice(num_people, min(count, num_people), replace=False)] = True
    return cases
