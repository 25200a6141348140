"""What the service does, whoever asks: begin, advise, report, take back. The API and the page both come here."""

import copy
import hashlib
import json
import os
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from lmta.advisor.journal import Journal, journal_text, journal_type, make_day, read_journal, replay
from lmta.advisor.options import read_options
from lmta.agents.players import PREFIX, default_name, is_adviser, player, with_effort, without_thinking
from lmta.hints import hearing
from lmta.planning.effort import Effort
from lmta.planning.planner import DEFAULT_SECONDS, Planner
from lmta.planning.reasons import in_the_lead
from lmta.planning.search import Standing
from lmta.policies.player import AbstractPlayer
from lmta.policies.registry import adviser_name, policy_names
from lmta.problems.delimited import Content
from lmta.problems.registry import spec_of_word
from lmta.problems.session import AbstractSession, check_seed
from lmta.problems.simulator import Candidate
from lmta.service.cores import Cores
from lmta.service.data import Limits, Preview, check_content, preview, safe_name
from lmta.service.reasons import advise
from lmta.service.schemas import PlanOut
from lmta.service.store import ConflictError, Day, Plan, Store, check_next
from lmta.sparse import padded_size
from lmta.types import InputError, quoted

MOST_SECONDS, MOST_ROLLOUTS = 60, 100_000
"""How long anybody may think about a decision."""
MOST_ADVISING = 64
"""Requests for advice at once; others wait."""
MOST_SESSIONS, MOST_EDGES = 256, 1_000_000
"""Sessions that stay in memory, and their edges in all."""


@dataclass(frozen=True)
class Begin:
    """How a new plan is to be."""

    title: str
    kind: str
    content: Content
    days: int
    budget: int
    policy: str | None = None
    seed: int = 0
    options: Mapping[str, Any] = field(default_factory=dict)
    """The problem's own options that differ from their defaults: how the data are read, and the rules."""


def standing(plan: Plan) -> PlanOut:
    """Where a plan stands, by what is noted."""
    begun = plan.beginning
    spent = sum(len(day.report[plan.done]) for day in plan.days)
    return PlanOut(
        id=plan.id,
        title=plan.title,
        kind=plan.kind,
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
def named_player(name: str, kind: str) -> AbstractPlayer:
    """The policy of that name, made once. No request reaches the file system: a folder is never a name here."""
    if name.startswith(PREFIX) and not is_adviser(name.removeprefix(PREFIX)):
        raise InputError(
            f"policy: {quoted(name)} names a folder; only the names of `lmta policies` may be chosen here."
        )
    found = player(name, spec_of_word(kind).name)
    if isinstance(found, Planner):
        effort = found.effort
        if (effort.seconds or 0) > MOST_SECONDS or (effort.rollouts or 0) > MOST_ROLLOUTS:
            most = f"{MOST_SECONDS} seconds or {MOST_ROLLOUTS:,} rollouts"
            raise InputError(f"policy: {quoted(name)} thinks too long; {most} are the most that is possible here.")
    return found


def policies_for(kind: str) -> list[str]:
    """Who may decide, the adviser first, without and with thinking."""
    spec = spec_of_word(kind)
    adviser = adviser_name(spec)
    return [adviser, with_effort(adviser, Effort(seconds=DEFAULT_SECONDS)), *policy_names(spec.name)]


def preferred(kind: str) -> str:
    """Who is proposed to somebody who can wait for a few seconds; programs name who decides, or have the rule."""
    return default_name(spec_of_word(kind))


class _Kept(NamedTuple):
    """A session in memory, what it follows from beside its data, and how many edges it holds."""

    lived: tuple[Any, ...]
    session: AbstractSession
    edges: int


class _Once:
    """A decision that is worked out by whoever asks first; others wait for it."""

    def __init__(self):
        self._lock = threading.Lock()
        self._made: dict[str, Any] | None = None

    def work_out(self, decide: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        """The decision."""
        with self._lock:
            if self._made is None:
                self._made = decide()
            return self._made


class Desk:
    """Plans in a store, with their sessions kept in memory."""

    def __init__(self, store: Store, limits: Limits | None = None):
        self.store = store
        self.limits = limits or Limits()
        self.cores = Cores(os.cpu_count() or 1)
        self._sessions: OrderedDict[str, _Kept] = OrderedDict()
        self._sessions_lock = threading.Lock()
        self._decided: WeakKeyDictionary[AbstractSession, dict[tuple[str, int], _Once]]
        self._decided = WeakKeyDictionary()
        self._turns = [threading.RLock() for _ in range(256)]
        self._beside = ThreadPoolExecutor(1, "beforehand")
        self._advisers = ThreadPoolExecutor(MOST_ADVISING, "advice")
        self._standing: dict[str, str] = {}
        self._closing = threading.Event()

    def close(self) -> None:
        """Begin nothing more beside the requests, and wait for what is under way; nobody thinks any longer."""
        self._closing.set()
        for pool in (self._beside, self._advisers):
            pool.shutdown(cancel_futures=True)

    def preview(self, content: Content, kind: str, options: Mapping[str, Any]) -> tuple[Preview, list[str]]:
        """What the data hold, and what to mind about them."""
        spec = spec_of_word(kind)
        read, _ = read_options(spec, options)
        with hearing() as said:
            seen = preview(content, spec, read, self.limits)
        return seen, said

    def begin(self, wanted: Begin) -> tuple[Plan, list[str]]:
        """Keep a new plan; it, and what to mind about its data."""
        check_content(wanted.content, spec_of_word(wanted.kind).own_data.suffixes, self.limits)
        with hearing() as said:
            journal, session = _begun(wanted)
        name = self.store.add_plan(wanted.title, journal, wanted.content)
        plan = self.store.plan(name)
        self._remember(plan, session)
        self.get_ready(plan)
        return plan, said

    def expect(self, wanted: Begin) -> Future[None]:
        """Get ready for a plan that will probably be begun."""
        return self._decide_beside(partial(_begun, wanted))

    def get_ready(self, plan: Plan) -> Future[None]:
        """Make the decision that compiles for the data's size before anybody waits for it."""
        return self._decide_beside(lambda: (plan.beginning, self.session(plan)))

    def _decide_beside(self, load: Callable[[], tuple[Journal, AbstractSession]]) -> Future[None]:
        try:
            return self._beside.submit(self._decide_beforehand, load)
        except RuntimeError:  # the service is ending
            never: Future[None] = Future()
            never.cancel()
            return never

    def _decide_beforehand(self, load: Callable[[], tuple[Journal, AbstractSession]]) -> None:
        """Nothing is noted of the decision; what goes wrong with it is told to whoever asks for one."""
        with hearing():
            journal, session = load()
        adviser = named_player(without_thinking(journal.policy), session.word)
        if not self.cores.is_ready(_size(adviser, session)):
            self._decide(adviser, session, journal.seed)

    def _decide(self, adviser: AbstractPlayer, session: AbstractSession, seed: int, plan: str = "") -> dict[str, Any]:
        """A decision, worked out once for a session as it stands."""
        with self._sessions_lock:
            once = self._decided.setdefault(session, {}).setdefault((adviser.name, seed), _Once())

        def decide() -> dict[str, Any]:
            if isinstance(adviser, Planner):
                with self.cores.thinking():
                    return self._think(adviser, session, seed, plan)
            with self.cores.deciding(_size(adviser, session)):
                return advise(adviser, session, seed)

        return once.work_out(decide)

    def _think(self, adviser: Planner, session: AbstractSession, seed: int, plan: str) -> dict[str, Any]:
        """A decision that takes seconds: others can see how it gets on, and it ends when the service does."""

        def look(standing: Standing, candidates: Sequence[Candidate]) -> None:
            if self._closing.is_set():
                raise ConflictError("The service is ending; ask again when it is back.")
            self._standing[plan] = in_the_lead(standing, candidates)

        try:
            return advise(replace(adviser, on_progress=look), session, seed)
        finally:
            self._standing.pop(plan, None)

    def thinks_of(self, name: str) -> str:
        """What a plan's adviser holds for best so far, while it thinks."""
        return self._standing.get(name, "")

    def bring(self, title: str, state: bytes, data: bytes) -> Plan:
        """Keep the plan of a state file of `lmta plan`, with its data."""
        journal = read_journal(Content("state", state))
        named_player(journal.policy, journal.spec.session.word)
        check_seed(journal.seed)
        if hashlib.sha256(data).hexdigest() != journal.fingerprint:
            raise InputError("data: is not what the state was begun with; bring the file that it names.")
        content = Content(safe_name(journal.data), data)
        check_content(content, journal.spec.own_data.suffixes, self.limits)
        results: list[float] = []
        with hearing():
            replay(journal, content, "state", lambda session: results.append(session.result))
        reports = json.loads(journal_text(journal))["history"]
        days = tuple(
            Day(number, report, (), result, "")
            for number, (report, result) in enumerate(zip(reports, results, strict=True), 1)
        )
        beginning = journal.model_copy(update={"data": content.name, "history": (), "advised": None})
        plan = self.store.plan(self.store.add_plan(title, beginning, content, days))
        self.get_ready(plan)
        return plan

    def change(self, name: str, title: str | None, policy: str | None, seed: int | None) -> Plan:
        """Another title, policy or seed from now on."""
        with self._turn(name):
            plan = self.store.plan(name)
            if policy is not None:
                named_player(policy, plan.kind)
            changes: dict[str, Any] = {"policy": policy, "seed": None if seed is None else check_seed(seed)}
            given = {name: value for name, value in changes.items() if value is not None}
            changed = plan.beginning.model_copy(update=given)
            self.store.change_plan(name, plan.title if title is None else title, changed)
            return self.store.plan(name)

    def advice(self, name: str) -> dict[str, Any]:
        """What to do today: worked out once, then kept until the day is over or someone else decides.

        Nobody waits for it who reports on the plan meanwhile; what was worked out for another day is not kept.
        """
        with self._turn(name):
            plan = self.store.plan(name)
            kept = self.store.advice(name, plan.day)
            if kept is not None:
                return kept
            session = self.session(plan)
        adviser = named_player(plan.beginning.policy, plan.kind)
        advice = self._decide(adviser, session, plan.beginning.seed, name)
        self.store.keep_advice(plan, advice)
        return advice

    def advise(self, name: str) -> Future[dict[str, Any]]:
        """The same in a thread of its own, so that those who think take none from other requests."""
        return self._advisers.submit(self.advice, name)

    def report(self, name: str, number: int, given: Mapping[str, Any]) -> Day:
        """A day as it really was, by the names of the report's fields; what was done is what was advised where nothing
        else is said."""
        with self._turn(name):
            plan = self.store.plan(name)
            check_next(plan, number)
            session = copy.copy(self.session(plan))
            if given.get(plan.done) is None:
                given = {**given, plan.done: self._advised(plan)}
            with hearing() as said:
                report, contradictions = session.tidy(given)
                session.advance(**report)
            noted = make_day(plan.spec, report).model_dump(mode="json")
            kept = self.store.add_day(name, number, noted, (*contradictions, *said), session.result)
            self._remember(replace(plan, days=(*plan.days, kept)), session)
            return kept

    def undo(self, name: str, number: int) -> Plan:
        """Take back the last day."""
        with self._turn(name):
            self.store.remove_day(name, number)
            return self.store.plan(name)

    def remove(self, name: str) -> None:
        """Forget a plan."""
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

    def session(self, plan: Plan) -> AbstractSession:
        """The session where it stands; to be read, never advanced."""
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

    def _remember(self, plan: Plan, session: AbstractSession) -> None:
        with self._sessions_lock:
            self._sessions[plan.id] = _Kept(_lived(plan), session, session.instance.graph.senders.shape[0])
            self._sessions.move_to_end(plan.id)
            edges = sum(kept.edges for kept in self._sessions.values())
            while len(self._sessions) > 1 and (len(self._sessions) > MOST_SESSIONS or edges > MOST_EDGES):
                edges -= self._sessions.popitem(last=False)[1].edges

    def _advised(self, plan: Plan) -> list[Any]:
        advice = self.store.advice(plan.id, plan.day)
        if advice is None:
            raise InputError(
                f"{plan.done}: nothing was advised for day {plan.day} yet; ask first, or say what was done."
            )
        return [pick["id"] for pick in advice["picks"]]

    def _turn(self, name: str) -> threading.RLock:
        """Whoever changes a plan waits for those before."""
        return self._turns[hash(name) % len(self._turns)]


def _begun(wanted: Begin) -> tuple[Journal, AbstractSession]:
    """A new session, and the journal that it begins."""
    spec = spec_of_word(wanted.kind)
    policy = wanted.policy or adviser_name(spec)
    named_player(policy, wanted.kind)
    read, rules = read_options(spec, wanted.options)
    journal = journal_type(spec)(
        data=wanted.content.name,
        fingerprint=hashlib.sha256(wanted.content.data).hexdigest(),
        read=read,
        rules=rules,
        days=wanted.days,
        budget=wanted.budget,
        policy=policy,
        seed=check_seed(wanted.seed),
    )
    return journal, journal.begin(journal.load(wanted.content))


def _size(adviser: AbstractPlayer, session: AbstractSession) -> Hashable:
    """What decisions have in common that share a compilation."""
    graph = session.instance.graph
    return (
        adviser.name,
        graph.node_mask.shape,
        graph.senders.shape,
        padded_size(session.days),
        padded_size(session.budget),
    )


def _lived(plan: Plan) -> tuple[Any, ...]:
    """What a session follows from, beside its data."""
    return tuple(day.report for day in plan.days)
