"""The runner in the foreground: on a clock that goes, one that stands, one that jumps; with its jobs on disk."""

from __future__ import annotations

import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

from scheduler_doubles import ZONE, Phone

from camphor.device.health.doses import Doses
from camphor.health.scheduler.runner import Runner

_RUN = """
import sys
from datetime import datetime
from pathlib import Path
sys.path.insert(0, {doubles!r})
from scheduler_doubles import ZONE, Phone
from camphor.health.scheduler.runner import Runner
phone = Phone(Path({path!r}))
phone.reminders.clock = lambda: datetime.now(ZONE).replace(tzinfo=None)
phone.reminders.notify = lambda reminder: print(reminder.dose.id, reminder.text, flush=True)
Runner(phone.reminders, Path({jobs!r})).run()
"""


def jobs_in(path: Path) -> int:
    with closing(sqlite3.connect(path)) as base:
        try:
            return int(base.execute("SELECT count(*) FROM apscheduler_jobs").fetchone()[0])
        except sqlite3.OperationalError:  # not made yet, or being written
            return 0


def test_it_goes_on_after_a_kill_and_after_its_jobs_are_damaged(tmp_path: Path) -> None:
    path, jobs = tmp_path / "phone.health", tmp_path / "phone.jobs"
    now = datetime.now(UTC).astimezone(ZONE).replace(tzinfo=None)
    phone = Phone(path, now=now)
    phone.take({"every_hours": 5.0, "times": []})
    doubles = str(Path(__file__).parent)
    script = _RUN.format(doubles=doubles, path=str(path), jobs=str(jobs))

    def first_line(until: Callable[[], bool] = lambda: True) -> str:
        """What it says first; it is killed when it has said it and something else is so."""
        process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        with process.stdout:
            line = process.stdout.readline()
            while not until() and process.poll() is None:
                time.sleep(0.1)
            process.send_signal(signal.SIGKILL)
            process.wait()
        return line

    assert first_line(lambda: jobs_in(jobs) > 5).startswith("1 Metformin")
    jobs.write_bytes(b"no database at all, " * 100)
    with closing(sqlite3.connect(path)) as base, base:
        base.execute("UPDATE doses_doses SET next=at, shown=0 WHERE id=1")
    assert "You may have seen this before" in first_line()
    assert Doses(phone.doses._database).dose(1).reminders == 2


def test_a_clock_that_stands_still_ends_it_with_a_word(tmp_path: Path) -> None:
    phone, told = Phone(tmp_path / "phone.health"), []
    phone.take()
    phone.now = phone.now.replace(hour=8)
    passed = iter(range(0, 1000, 2))
    Runner(phone.reminders, tmp_path / "jobs", told.append, lambda: float(next(passed))).run()
    assert len(phone.shown) == 1
    assert told == ["The clock of this phone stands still at 12 March 2026 08:00: no more falls due"]


def test_a_changed_clock_is_told_and_sleep_is_not() -> None:
    phone, told, passed = Phone(), [], [0.0]
    phone.take()
    runner = Runner(phone.reminders, None, told.append, lambda: passed[0])
    runner.round()
    for seconds, clock in ((20, 20), (8 * 3600, 8 * 3600), (20, 3 * 86400 + 20), (20, 20 - 3 * 86400)):
        passed[0] += seconds
        phone.now += timedelta(seconds=clock)
        runner.round()
    assert told == [
        "The clock was set forward by 3 days: check that it is right now",
        "The clock was set back by 3 days: check that it is right now",
    ]
