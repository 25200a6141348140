"""What the service does, whoever asks: begin, advise, report, take back. The API and the page both come here."""

import copy
import hashlib
import json
import os
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from functools import lru_cache, partial
from typing import Any, Literal, NamedTuple
from weakref import WeakKeyDictionary

import jax

from lmta.advisor.journal import (
    CampaignJournal,
    Journal,
    TourJournal,
    journal_text,
    read_journal,
    replay,
)
from lmta.advisor.plan import DEFAULT_POLICY
from lmta.agents.planner import PREFIX
from lmta.agents.players import player
from lmta.agents.saved import SHIPPED
from lmta.hints import hearing
from lmta.policies.player import AbstractPlayer
from lmta.policies.registry import policy_names
from lmta.problems.delimited import Content
from lmta.problems.influence.campaign import Campaign
from lmta.problems.orienteering.rules import OrienteeringRules
from lmta.problems.orienteering.tour import Tour
from lmta.problems.session import Session, check_seed
from lmta.service.cores import Cores
from lmta.service.data import Kind, Limits, Preview, check_content, preview, safe_name
from lmta.service.reasons import advise
from lmta.service.reports import campaign_day, tour_day
from lmta.service.schemas import PlanOut
from lmta.service.store import Day, Plan, Store, check_next
from lmta.sparse import padded_size
from lmta.types import InputError, quoted

PROBLEM_OF: dict[Kind, Literal["aim", "sop"]] = {"campaign": "aim", "tour": "sop"}
MOST_SESSIONS, MOST_EDGES = 256, 20_000_000
"""Campaigns and tours that stay in memory, and their edges in all."""


@dataclass(frozen=True)
class Begin:
    """How a new campaign or tour is to be."""

    title: str
    kind: Kind
    content: Content
    days: int
    budget: int
    policy: str | None = None
    seed: int = 0
    directed: bool = True
    probability: float | None = None
    rules: OrienteeringRules | None = None


def kind_of(journal: Journal) -> Kind:
    """Whether it is a campaign or a tour."""
    return "tour" if isinstance(journal, TourJournal) else "campaign"


def result_of(session: Session) -> float:
    """Nodes reached, or profit earned."""
    if isinstance(session, Campaign):
        return float(session.influenced)
    assert isinstance(session, Tour)
    return session.collected


def standing(plan: Plan) -> PlanOut:
    """Where a plan stands, by what is noted."""
    begun = plan.beginning
    kind = kind_of(begun)
    spent = sum(len(day.report["seeded" if kind == "campaign" else "visited"]) for day in plan.days)
    return PlanOut(
        id=plan.id,
        title=plan.title,
        kind=kind,
        created=plan.created,
        policy=begun.policy,
        seed=begun.seed,
        day=plan.day,
        days=begun.days,
        budget=begun.budget,
        budget_left=max(begun.budget - spent, 0),
        finished=plan.day > begun.days,
        result=plan.days[-1].result if plan.days else 0.0,
    )


@lru_cache(maxsize=256)
def named_player(name: str, kind: Kind) -> AbstractPlayer:
    """The policy of that name, read once. No request reaches the file system: a folder is never a name here."""
    if name.startswith(PREFIX) and name.removeprefix(PREFIX) not in SHIPPED:
        raise InputError(
            f"policy: {quoted(name)} names a folder; only the names of `lmta policies` may be chosen here."
        )
    return player(name, PROBLEM_OF[kind])


def policies_for(kind: Kind) -> list[str]:
    """Who may decide."""
    problem = PROBLEM_OF[kind]
    return [f"{PREFIX}{problem}", *policy_names(problem)]


class _Kept(NamedTuple):
    """A session in memory, what it follows from beside its data, and how many edges it holds."""

    lived: tuple[Any, ...]
    session: Session
    edges: int


class Desk:
    """Campaigns and tours in a store, with their sessions kept in memory."""

    def __init__(self, store: Store, limits: Limits | None = None):
        self.store = store
        self.limits = limits or Limits()
        self.cores = Cores(os.cpu_count() or 1)
        self._sessions: OrderedDict[str, _Kept] = OrderedDict()
        self._sessions_lock = threading.Lock()
        self._decided: WeakKeyDictionary[Session, dict[tuple[str, int], dict[str, Any]]] = WeakKeyDictionary()
        self._turns = [threading.RLock() for _ in range(256)]
        self._beside = ThreadPoolExecutor(1, "beforehand")

    def close(self) -> None:
        """Begin nothing more beside the requests, and wait for what is under way."""
        self._beside.shutdown(cancel_futures=True)

    def preview(self, content: Content, kind: Kind, directed: bool) -> tuple[Preview, list[str]]:
        """What the data hold, and what to mind about them."""
        with hearing() as said:
            seen = preview(content, kind, directed, self.limits)
        return seen, said

    def begin(self, wanted: Begin) -> tuple[Plan, list[str]]:
        """Keep a new campaign or tour; it, and what to mind about its data."""
        check_content(wanted.content, wanted.kind, self.limits)
        with hearing() as said:
            journal, session = _begun(wanted)
        name = self.store.add_plan(wanted.title, journal, wanted.content)
        plan = self.store.plan(name)
        self._remember(plan, session)
        self.get_ready(plan)
        return plan, said

    def expect(self, wanted: Begin) -> Future[None]:
        """Get ready for a campaign or tour that will probably be begun."""
        return self._decide_beside(partial(_begun, wanted))

    def get_ready(self, plan: Plan) -> Future[None]:
        """Make the decision that compiles for the data's size before anybody waits for it."""
        return self._decide_beside(lambda: (plan.beginning, self.session(plan)))

    def _decide_beside(self, load: Callable[[], tuple[Journal, Session]]) -> Future[None]:
        try:
            return self._beside.submit(self._decide_beforehand, load)
        except RuntimeError:  # the service is ending
            never: Future[None] = Future()
            never.cancel()
            return never

    def _decide_beforehand(self, load: Callable[[], tuple[Journal, Session]]) -> None:
        """Nothing is noted of the decision; what goes wrong with it is told to whoever asks for one."""
        with hearing():
            journal, session = load()
        adviser = named_player(journal.policy, kind_of(journal))
        if not self.cores.is_ready(_size(adviser, session)):
            self._decide(adviser, session, journal.seed)

    def _decide(self, adviser: AbstractPlayer, session: Session, seed: int) -> dict[str, Any]:
        """A decision, worked out once for a session as it stands."""
        with self._sessions_lock:
            known = self._decided.setdefault(session, {})
        with self.cores.deciding(_size(adviser, session)):
            if (adviser.name, seed) not in known:
                known[adviser.name, seed] = advise(adviser, session, seed)
        return known[adviser.name, seed]

    def bring(self, title: str, state: bytes, data: bytes) -> Plan:
        """Keep the campaign or tour of a state file of `lmta plan`, with its data."""
        journal = read_journal(Content("state", state))
        named_player(journal.policy, kind_of(journal))
        check_seed(journal.seed)
        if hashlib.sha256(data).hexdigest() != journal.fingerprint:
            raise InputError("data: is not what the state was begun with; bring the file that it names.")
        content = Content(safe_name(journal.data), data)
        check_content(content, kind_of(journal), self.limits)
        results: list[float] = []
        with hearing():
            replay(journal, content, "state", lambda session: results.append(result_of(session)))
        reports = json.loads(journal_text(journal))["history"]
        days = tuple(
            Day(number, report, (), result, "")
            for number, (report, result) in enumerate(zip(reports, results, strict=True), 1)
        )
        beginning = replace(journal, data=content.name, history=(), advised=None)
        plan = self.store.plan(self.store.add_plan(title, beginning, content, days))
        self.get_ready(plan)
        return plan

    def change(self, name: str, title: str | None, policy: str | None, seed: int | None) -> Plan:
        """Another title, policy or seed from now on."""
        with self._turn(name):
            plan = self.store.plan(name)
            if policy is not None:
                named_player(policy, kind_of(plan.beginning))
            changes: dict[str, Any] = {"policy": policy, "seed": None if seed is None else check_seed(seed)}
            given = {field: value for field, value in changes.items() if value is not None}
            self.store.change_plan(name, plan.title if title is None else title, replace(plan.beginning, **given))
            return self.store.plan(name)

    def advice(self, name: str) -> dict[str, Any]:
        """What to do today: worked out once, then kept until the day is over or someone else decides."""
        with self._turn(name):
            plan = self.store.plan(name)
            kept = self.store.advice(name, plan.day)
            if kept is not None:
                return kept
            session = self.session(plan)
            adviser = named_player(plan.beginning.policy, kind_of(plan.beginning))
            advice = self._decide(adviser, session, plan.beginning.seed)
            self.store.keep_advice(plan, advice)
            return advice

    def report(self, name: str, number: int, given: dict[str, Any]) -> Day:
        """A day as it really was; what was done is what was advised where nothing else is said."""
        with self._turn(name):
            plan = self.store.plan(name)
            check_next(plan, number)
            session = copy.copy(self.session(plan))
            done = "visited" if isinstance(session, Tour) else "seeded"
            if given.get(done) is None:
                given = given | {done: self._advised(plan, done)}
            with hearing() as said:
                make: Callable[..., Any] = tour_day if isinstance(session, Tour) else campaign_day
                day, contradictions = make(session, **given)
                plan.beginning.report(session, day)
            pointed_out = (*contradictions, *said)
            kept = self.store.add_day(name, number, asdict(day), pointed_out, result_of(session))
            self._remember(replace(plan, days=(*plan.days, kept)), session)
            return kept

    def undo(self, name: str, number: int) -> Plan:
        """Take back the last day."""
        with self._turn(name):
            self.store.remove_day(name, number)
            return self.store.plan(name)

    def remove(self, name: str) -> None:
        """Forget a campaign or tour."""
        with self._turn(name):
            self.store.remove_plan(name)
            with self._sessions_lock:
                self._sessions.pop(name, None)

    def journal(self, plan: Plan) -> Journal:
        """The journal with all its days and what is advised today, as `lmta plan` writes it."""
        whole = json.loads(journal_text(plan.beginning)) | {"history": [day.report for day in plan.days]}
        advice = self.store.advice(plan.id, plan.day)
        if advice is not None:
            whole["advised"] = [pick["id"] for pick in advice["picks"]]
        return read_journal(Content("journal", json.dumps(whole).encode()))

    def session(self, plan: Plan) -> Session:
        """The campaign or tour where it stands; to be read, never advanced."""
        lived = _lived(plan)
        with self._sessions_lock:
            kept = self._sessions.get(plan.id)
        if kept is not None and kept.lived == lived:
            return kept.session
        journal = self.journal(plan)
        with hearing():
            session = replay(journal, self.store.content(plan), plan.title)
        self._remember(plan, session)
        return session

    def _remember(self, plan: Plan, session: Session) -> None:
        with self._sessions_lock:
            self._sessions[plan.id] = _Kept(_lived(plan), session, session.instance.graph.senders.shape[0])
            self._sessions.move_to_end(plan.id)
            edges = sum(kept.edges for kept in self._sessions.values())
            while len(self._sessions) > 1 and (len(self._sessions) > MOST_SESSIONS or edges > MOST_EDGES):
                edges -= self._sessions.popitem(last=False)[1].edges

    def _advised(self, plan: Plan, field: str) -> list[Any]:
        advice = self.store.advice(plan.id, plan.day)
        if advice is None:
            raise InputError(f"{field}: nothing was advised for day {plan.day} yet; ask first, or say what was done.")
        return [pick["id"] for pick in advice["picks"]]

    def _turn(self, name: str) -> threading.RLock:
        """Whoever changes a plan waits for those before."""
        return self._turns[hash(name) % len(self._turns)]


def _begun(wanted: Begin) -> tuple[Journal, Session]:
    """A new campaign or tour, and the journal that it begins."""
    policy = wanted.policy or DEFAULT_POLICY[PROBLEM_OF[wanted.kind]]
    named_player(policy, wanted.kind)
    common: Any = {
        "data": wanted.content.name,
        "fingerprint": hashlib.sha256(wanted.content.data).hexdigest(),
        "days": wanted.days,
        "budget": wanted.budget,
        "policy": policy,
        "seed": check_seed(wanted.seed),
    }
    if wanted.kind == "tour":
        journal = TourJournal(**common, rules=wanted.rules or OrienteeringRules())
    else:
        journal = CampaignJournal(**common, directed=wanted.directed, probability=wanted.probability)
    return journal, journal.begin(wanted.content)


def _size(adviser: AbstractPlayer, session: Session) -> Hashable:
    """What decisions have in common that share a compilation."""
    shapes = tuple(leaf.shape for leaf in jax.tree.leaves(session.instance))
    return adviser.name, shapes, padded_size(session.days), padded_size(session.budget)


def _lived(plan: Plan) -> tuple[Any, ...]:
    """What a session follows from, beside its data."""
    return tuple(day.report for day in plan.days)
