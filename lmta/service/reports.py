"""What a user says of a day, made fit for the journal: contradictions are taken as well as can be, and pointed out."""

from collections import Counter
from typing import Any

import numpy as np

from lmta.advisor.journal import CampaignDay, TourDay
from lmta.problems.influence.campaign import Campaign
from lmta.problems.influence.rules import ACTIVE, INACTIVE
from lmta.problems.orienteering.tour import Tour
from lmta.problems.session import Session
from lmta.types import quoted


def campaign_day(session: Campaign, seeded: Any, activated: Any, failed: Any) -> tuple[CampaignDay, list[str]]:
    """The day of a campaign. Seeding who was reached before costs the pick; being activated again changes nothing."""
    said: list[str] = []
    seeds, hits, failures = (
        _once(session, names, field, said)
        for names, field in ((seeded, "seeded"), (activated, "activated"), (failed, "failed"))
    )
    status = np.asarray(session.state.status)
    for name in seeds:
        if status[session.index(name, "seeded")] != INACTIVE and name not in failures:
            said.append(f"seeded: {quoted(name)} was reached already; it costs the pick and changes nothing.")
            failures[name] = None
    new = []
    for name in hits:
        before = status[session.index(name, "activated")]
        if before != INACTIVE:
            when = "is active" if before == ACTIVE else "was reached"
            said.append(f"activated: {quoted(name)} {when} already; a second time changes nothing.")
        elif name in seeds and name not in failures:
            said.append(f"activated: {quoted(name)} was seeded today; it counts once.")
        else:
            new.append(name)
    return CampaignDay(seeded=tuple(seeds), activated=tuple(new), failed=tuple(failures)), said


def tour_day(session: Tour, visited: Any, profits: dict[Any, float], closed: Any) -> tuple[TourDay, list[str]]:
    """The day of a tour. A second visit costs the way and brings nothing; profits of visited cities stay 0."""
    said: list[str] = []
    route = _once(session, visited, "visited", said)
    shut = _once(session, closed, "closed", said)
    seen = np.asarray(session.state.visited)
    for name in route:
        if seen[session.index(name, "visited")] and name not in shut:
            said.append(
                f"visited: {quoted(name)} was visited before or is the start; it costs the visit and brings nothing."
            )
            shut[name] = None
    known = []
    for given, profit in profits.items():
        name = session.name(given, "profits")
        gone = seen[session.index(name, "profits")] or (name in route and name not in shut)
        if gone and profit != 0:
            said.append(f"profits: {quoted(name)} has been visited or is the start; its profit stays 0.")
        else:
            known.append((name, profit))
    return TourDay(visited=tuple(route), profits=tuple(known), closed=tuple(shut)), said


def _once(session: Session, names: Any, field: str, said: list[str]) -> dict[Any, None]:
    """The ids as the data have them, in order and each once."""
    times = Counter(session.name(name, field) for name in names)
    said.extend(
        f"{field}: {quoted(name)} is named {count} times; it counts once." for name, count in times.items() if count > 1
    )
    return dict.fromkeys(times)
