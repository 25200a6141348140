"""What to expect from today to the end: simulated futures under one or more policies, as jobs that can be stopped."""

import atexit
import logging
import queue
import sqlite3
import threading
from dataclasses import dataclass
from typing import Any

from lmta.agents.players import without_thinking
from lmta.planning.futures import num_chunks, simulate, summary
from lmta.problems.session import AbstractSession
from lmta.service.desk import Desk, named_player
from lmta.service.store import ConflictError, Forecast, Plan
from lmta.types import InputError

MOST_WAITING = 20
LONGEST_STEP = 60.0
"""Seconds to wait for a job to stop."""
LONGEST_WAIT = 1.0
"""Seconds that a simulated day waits at most while others decide."""
NEXT_TRY = 5.0
"""Seconds after which a job that could not be noted is noted again."""
LOG = logging.getLogger(__name__)


class Stopped(Exception):  # noqa: N818
    """Somebody cancelled the job, removed its plan, or ends the service."""


@dataclass
class _Job:
    """A job under way."""

    forecast: Forecast
    progress: float = 0.0


class Forecasts:
    """The jobs: one at a time in a thread of its own, the others wait."""

    def __init__(self, desk: Desk):
        self._desk = desk
        self._waiting: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._jobs: dict[str, _Job] = {}
        self._lock = threading.Lock()
        self._closing = threading.Event()
        self._worker = threading.Thread(target=self._work, name="forecasts", daemon=True)
        self._worker.start()
        atexit.register(self.close)  # a thread that computes while Python ends would abort the process

    def ask(self, name: str, policies: list[str], futures: int, seed: int) -> Forecast:
        """Begin a job from where a plan stands now."""
        plan = self._desk.store.plan(name)
        if plan.day > plan.beginning.days:
            raise ConflictError(f"All {plan.beginning.days} days are over; there is nothing to expect.")
        chosen = policies or [plan.beginning.policy]
        for policy in chosen:
            named_player(policy, plan.kind)
        with self._lock:
            if sum(map(self._desk.store.is_wanted, list(self._jobs))) >= MOST_WAITING:
                raise ConflictError(f"{MOST_WAITING} forecasts are waiting already; cancel one or try again later.")
            request = {"day": plan.day, "policies": list(dict.fromkeys(chosen)), "futures": futures, "seed": seed}
            forecast = self._desk.store.add_forecast(name, request)
            self._jobs[forecast.id] = _Job(forecast)
        self._waiting.put(forecast.id)
        return forecast

    def progress(self, forecast: Forecast) -> float:
        """The share that is done."""
        job = self._jobs.get(forecast.id)
        return job.progress if job else float(forecast.status == "done")

    def cancel(self, plan: str, name: str) -> Forecast:
        """Stop a job; one that has ended stays as it is."""
        forecast = self._desk.store.forecast(plan, name)
        self._desk.store.mark_forecast(forecast.id, "cancelled")
        return self._desk.store.forecast(plan, name)

    def close(self) -> None:
        """Stop whatever is under way, after the day that is being simulated."""
        self._closing.set()
        self._waiting.put(None)
        self._worker.join(LONGEST_STEP)

    def _work(self) -> None:
        """One job after the other."""
        while (name := self._waiting.get()) is not None:
            try:
                self._finish(self._jobs[name])
            except Stopped:
                pass  # it was noted by whoever stopped it, or will be at the next start
            except Exception:
                LOG.exception("forecast %s", name)
            finally:
                self._jobs.pop(name, None)

    def _finish(self, job: _Job) -> None:
        """Do a job and note how it ended."""
        try:
            self._note(job, "done", self._run(job))
        except InputError as error:
            self._note(job, "failed", {"error": str(error)})
        except Stopped:
            raise
        except Exception:
            LOG.exception("forecast %s", job.forecast.id)
            self._note(job, "failed", {"error": "The forecast broke off; see the log."})

    def _note(self, job: _Job, status: str, outcome: Any = None) -> None:
        """Write how a job stands; while the disk is full, again and again, so that nothing worked out is lost."""
        while True:
            try:
                self._desk.store.mark_forecast(job.forecast.id, status, outcome)
                return
            except sqlite3.OperationalError as error:
                LOG.error("forecast %s cannot be noted yet: %s", job.forecast.id, error)
            if self._closing.wait(NEXT_TRY):
                raise Stopped

    def _run(self, job: _Job) -> dict[str, Any]:
        forecast = job.forecast
        plan = self._plan_then(job)
        session = self._desk.session(plan)
        request = forecast.request
        policies = request["policies"]
        steps = len(policies) * (session.days - session.day + 1) * num_chunks(session.instance, request["futures"])

        def on_day() -> None:
            job.progress += 1 / steps
            self._go_on(job)

        rows = []
        for policy in policies:
            player = named_player(without_thinking(policy), plan.kind)
            today = self._advised(plan, session) if policy == plan.beginning.policy else None
            results = simulate(player, session, request["futures"], request["seed"], on_day, today)
            rows.append(summary(policy, results))
        return {"day": session.day, "now": session.result, "policies": rows}

    def _advised(self, plan: Plan, session: AbstractSession) -> list[int] | None:
        """What the plan's own adviser says for today, if anybody has asked."""
        advice = self._desk.store.advice(plan.id, plan.day)
        return None if advice is None else [session.index(pick["id"], "advice") for pick in advice["picks"]]

    def _plan_then(self, job: _Job) -> Plan:
        """The plan as it was when the job was asked for."""
        self._go_on(job)
        self._note(job, "running")
        plan = self._desk.store.plan(job.forecast.plan)
        if plan.day != job.forecast.request["day"]:
            raise InputError("The plan has moved on since this forecast was asked for; ask again.")
        return plan

    def _go_on(self, job: _Job) -> None:
        """Let decisions go first, and stop where the job is no longer wanted."""
        self._desk.cores.wait_for_quiet(LONGEST_WAIT)
        if self._closing.is_set() or not self._desk.store.is_wanted(job.forecast.id):
            raise Stopped
