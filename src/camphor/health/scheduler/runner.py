"""Runs the reminders of a phone in the foreground: APScheduler wakes it for each dose, a slow round catches the rest.

What must be done is in the doses alone. APScheduler's jobs, kept on disk beside the phone's store, only say when to
look again; a store of jobs that is lost or broken is made anew. The round is there because a clock that is set back,
or a machine that slept, makes every timer late.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from camphor.errors import MissingExtra, StoreError
from camphor.health.scheduler.reminders import Reminders

ROUND_SECONDS = 20.0
_FIRST_SECONDS = 1.0
_JUMP_SECONDS = 90.0
_STANDS_STILL = 3.0  # seconds after which a clock that shows the same time is one that stands still
_MOST_JOBS = 50
SUFFIX = ".health-jobs"

_wakers: dict[str, threading.Event] = {}


def ring(name: str) -> None:
    """What a job does: wakes the runner of that name, if it runs in this process."""
    if waker := _wakers.get(name):
        waker.set()


def steady() -> float:
    """Seconds that pass while the machine sleeps, too, and that no change of the clock touches."""
    clock = getattr(time, "CLOCK_BOOTTIME", None)
    return time.clock_gettime(clock) if clock is not None else time.monotonic()


class Runner:
    """Reminds of the doses of one phone until it is stopped.

    Args:
        reminders: of the phone. jobs: where APScheduler keeps its jobs; None keeps them in memory.
        tell: says something to the person that is no reminder. seconds: a clock for how long something took.
        also: what else is to be looked at each time that doses are, such as whether the day's report is due.
    """

    def __init__(
        self,
        reminders: Reminders,
        jobs: Path | None,
        tell: Callable[[str], None] = lambda text: None,
        seconds: Callable[[], float] = steady,
        also: Callable[[], object] = lambda: None,
    ) -> None:
        self.reminders, self.jobs, self.tell, self._seconds, self._also = reminders, jobs, tell, seconds, also
        self.name = str(jobs or id(self))
        self._wake, self._stopped = threading.Event(), False
        self._seen: tuple[float, float] | None = None
        self._begun: tuple[float, float] | None = None

    def stop(self) -> None:
        """Ends `run`; may be called from another thread."""
        self._stopped = True
        self._wake.set()

    def run(self) -> None:
        """Reminds until it is stopped, or for ever on a clock that goes.

        Raises:
            MissingExtra: APScheduler is not installed. StoreError: the doses or the jobs cannot be kept.
        """
        scheduler = _scheduler(self.jobs)
        _wakers[self.name] = self._wake
        try:
            while not self._stopped:
                self._wake.clear()
                self.round()
                if self._stands_still():
                    moment = f"{self.reminders.clock():%d %B %Y %H:%M}"
                    self.tell(f"The clock of this phone stands still at {moment}: no more falls due")
                    return
                # a clock that may stand still has no jobs: they run by the machine's
                self._wake.wait(self._until_next_job(scheduler) if self._moved() else _FIRST_SECONDS)
        finally:
            _wakers.pop(self.name, None)
            scheduler.shutdown()

    def round(self) -> None:
        """Everything that is due now; says so where the clock was changed since the last round."""
        now, passed = self.reminders.now, self._seconds()
        self._begun = self._begun or (now, passed)
        if self._seen:
            jump = (now - self._seen[0]) - (passed - self._seen[1])
            if abs(jump) > _JUMP_SECONDS and now != self._begun[0]:
                way = "forward" if jump > 0 else "back"
                self.tell(f"The clock was set {way} by {_span(abs(jump))}: check that it is right now")
        self._seen = (now, passed)
        self.reminders.tick()
        self._also()

    def _moved(self) -> bool | None:
        """Whether the clock goes; None where that cannot be told yet."""
        assert self._begun is not None
        if self.reminders.now != self._begun[0]:
            return True
        return None if self._seconds() - self._begun[1] < _STANDS_STILL else False

    def _stands_still(self) -> bool:
        return self._moved() is False

    def _until_next_job(self, scheduler: Any) -> float:
        """Keeps a job for each moment at which something is to be shown, runs those that are due; seconds to the next.

        Jobs that cannot be kept cost their exactness alone: the slow round goes on.
        """
        try:
            self._keep_jobs(scheduler)
            wait = scheduler._process_jobs()  # what APScheduler's own schedulers call in their loops
        except Exception:
            return ROUND_SECONDS
        return ROUND_SECONDS if wait is None else min(ROUND_SECONDS, max(0.05, float(wait)))

    def _keep_jobs(self, scheduler: Any) -> None:
        reminders, now = self.reminders, self.reminders.now
        doses = reminders.doses
        wanted = {f"dose-{dose.id}": dose.at for dose in doses.upcoming(now, _MOST_JOBS)}
        for dose in doses.waiting(now):
            nagging = dose.reminders < reminders.rules.most
            wanted[f"dose-{dose.id}"] = max(
                now + 1, min(dose.remind_at(now) if nagging else dose.until, dose.until + 1)
            )
        kept = {job.id: job.next_run_time for job in scheduler.get_jobs()}
        for key in kept.keys() - wanted.keys():
            scheduler.remove_job(key)
        for key, at in wanted.items():
            moment = datetime.fromtimestamp(at, UTC)
            if kept.get(key) != moment:
                scheduler.add_job(ring, "date", run_date=moment, args=[self.name], id=key, replace_existing=True)


def _scheduler(jobs: Path | None) -> Any:
    """A scheduler whose jobs lie on disk and run where the runner calls it: no thread of its own."""
    try:
        from apscheduler.executors.debug import DebugExecutor
        from apscheduler.jobstores.memory import MemoryJobStore
        from apscheduler.schedulers.base import BaseScheduler
    except ImportError as error:
        raise MissingExtra("APScheduler, which wakes the reminders,", "health") from error

    class Called(BaseScheduler):  # type: ignore[misc]  # it has no types
        def wakeup(self) -> None:
            """Nothing waits inside it."""

        def shutdown(self, wait: bool = True) -> None:
            super().shutdown(wait)

    def started() -> Any:
        # a late job still counts, and several late ones count once
        scheduler = Called(
            jobstores={"default": _job_store(jobs) if jobs else MemoryJobStore()},
            executors={"default": DebugExecutor()},
            job_defaults={"coalesce": True, "misfire_grace_time": None, "max_instances": 1},
            timezone=UTC,
        )
        scheduler.start()
        scheduler.get_jobs()
        return scheduler

    try:
        return started()
    except MissingExtra:
        raise
    except Exception as error:  # whatever breaks in it, the jobs are made anew of the doses
        if jobs is None:
            raise
        try:
            jobs.unlink(missing_ok=True)
            return started()
        except Exception:
            raise StoreError(
                f"{jobs}: the times of reminders cannot be kept there ({error}): check its folder"
            ) from error


def _job_store(jobs: Path) -> Any:
    try:
        from apscheduler.jobstores.sqlalchemy import SQLAlchemyJobStore
        from sqlalchemy import URL
    except ImportError as error:
        raise MissingExtra("SQLAlchemy, which keeps the times of reminders,", "health") from error
    jobs.touch(mode=0o600)
    return SQLAlchemyJobStore(url=URL.create("sqlite", database=str(jobs)))


def _span(seconds: float) -> str:
    if seconds < 5400:
        return f"{round(seconds / 60)} minutes"
    return f"{round(seconds / 3600)} hours" if seconds < 172800 else f"{round(seconds / 86400)} days"
