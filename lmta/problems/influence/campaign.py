"""A campaign on one's own network, advanced day by day with what was really observed."""

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from lmta.hints import warn
from lmta.problems.influence.importer import load_network
from lmta.problems.influence.on_host import InfluenceOnHost, make_state, next_day
from lmta.problems.influence.rules import ACTIVE, INACTIVE, Influence, make_instance
from lmta.problems.session import AbstractSession, ReportField, check_horizon
from lmta.types import InputError, ModelWarning, NodeId, quoted

MOST_NAMED = 10
"""Ids that one message names."""


class Campaign(AbstractSession):
    """Whom to seed today: the network, who is active or removed, and what is left of days and budget.

    `graph` is a path (edge list or GraphML), a NetworkX graph, or arrays `(senders, receivers[, probability])`.
    With `directed=False` every edge counts both ways. `probability` is that of every edge where the data have none,
    instead of 1/indegree.
    """

    problem = Influence()
    on_host = InfluenceOnHost()
    word = "campaign"
    title = "Campaign on a network"
    icon = "hub"
    verb = "seed"
    result_name = "nodes reached"
    budget_name = "seeds"
    report_fields: ClassVar[tuple[ReportField, ...]] = (
        ReportField("seeded", "done", "ids", "Whom you seeded", "the ids that were seeded"),
        ReportField("failed", "failed", "ids", "With whom it failed", "the seeds that did not take"),
        ReportField("activated", "observed", "ids", "Whom the cascade reached", "the ids that were activated"),
    )

    def __init__(self, graph: Any, *, days: Any, budget: Any, directed: bool = True, probability: Any = None):
        network = load_network(graph, directed=directed, probability=probability)
        check_horizon(days, budget, network.num_nodes, "nodes")
        super().__init__(make_instance(network, days, budget), network.ids)

    def with_status(self, status: int) -> tuple[NodeId, ...]:
        """The nodes that are INACTIVE, ACTIVE or REMOVED now."""
        return tuple(self.ids[i] for i in np.flatnonzero(np.asarray(self.state.status) == status))

    @property
    def influenced(self) -> int:
        """How many nodes were ever reached, seeds included."""
        return int((np.asarray(self.state.status)[: len(self.ids)] != INACTIVE).sum())

    @property
    def result(self) -> float:
        """Nodes ever reached."""
        return float(self.influenced)

    def progress(self) -> str:
        """How many nodes were reached, and of how many."""
        return f"{self.influenced} of {len(self.ids)} nodes reached"

    def tidy(self, report: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
        """Seeding who was reached before costs the pick; being activated again changes nothing."""
        tidied, said = super().tidy(report)
        seeds, failures = tidied["seeded"], dict.fromkeys(tidied["failed"])
        status = np.asarray(self.state.status)
        for name in seeds:
            if status[self.index(name, "seeded")] != INACTIVE and name not in failures:
                said.append(f"seeded: {quoted(name)} was reached already; it costs the pick and changes nothing.")
                failures[name] = None
        new = []
        for name in tidied["activated"]:
            before = status[self.index(name, "activated")]
            if before != INACTIVE:
                when = "is active" if before == ACTIVE else "was reached"
                said.append(f"activated: {quoted(name)} {when} already; a second time changes nothing.")
            elif name in seeds and name not in failures:
                said.append(f"activated: {quoted(name)} was seeded today; it counts once.")
            else:
                new.append(name)
        return tidied | {"activated": tuple(new), "failed": tuple(failures)}, said

    def advance(self, seeded: Any = (), activated: Any = (), failed: Any = ()) -> None:
        """Report the day: who was seeded and who was activated by the cascade. Nothing changes if it is refused.

        The active nodes are removed, the activated ones are active on the next day. Seeds that failed cost their
        pick and stay as they are. An activation that no active neighbour could have caused, and more seeds than were
        left, are taken as true, with a `ModelWarning`.
        """
        tried, hits = self._indices(seeded, "seeded"), self._indices(activated, "activated")
        failures = self._some_of(failed, "failed", tried, "seeded")
        self._check_day()
        seeds = [i for i in tried if i not in failures]
        status = np.array(self.state.status)
        self._require_inactive(status, seeds, "seeded")
        self._require_inactive(status, hits, "activated")
        seeded_now = set(seeds)
        for i in hits:
            if i in seeded_now:
                raise InputError(f"activated: {quoted(self.ids[i])} was seeded today; name it as seeded only.")
        status[seeds] = ACTIVE
        self._warn_of_the_impossible(status, hits)
        newly_active = np.zeros(len(status), bool)
        newly_active[hits] = True
        left = int(self._left_after(len(tried), "seeded"))
        self.state = next_day(make_state(status, self.day - 1, left), newly_active)

    def _require_inactive(self, status: np.ndarray, indices: list[int], field: str) -> None:
        for i in indices:
            if status[i] != INACTIVE:
                word = "active" if status[i] == ACTIVE else "removed"
                raise InputError(
                    f"{field}: {quoted(self.ids[i])} is {word} already; only inactive nodes can be {field}."
                )

    def _warn_of_the_impossible(self, status: np.ndarray, hits: list[int]) -> None:
        graph = self.instance.graph
        could_fire = (status[np.asarray(graph.senders)] == ACTIVE) & (np.asarray(graph.weight) > 0)
        reachable = np.zeros(len(status), bool)
        reachable[np.asarray(graph.receivers)[could_fire]] = True
        surprising = [self.ids[i] for i in hits if not reachable[i]]
        if surprising:
            names = ", ".join(map(quoted, surprising[:MOST_NAMED]))
            names += f" and {len(surprising) - MOST_NAMED} others" if len(surprising) > MOST_NAMED else ""
            warn(f"activated: no active neighbour could reach {names}; taken as true.", ModelWarning, 3)
