"""What the service does now: who looks, what is due next, where the person is reached, and what is wrong with that.

Who looks is told by a file in the data folder, a heartbeat that is written at each look. Nothing rests on it but what
is said of it: two programs that both look tell nothing twice, since each thing is claimed in the phone's own database.
So a heartbeat that is wrong keeps nobody from being told.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import IO, Any

from camphor.device.device import Device
from camphor.device.health.database import HealthDatabase, health_file
from camphor.device.health.doses import Doses
from camphor.device.journal import runs
from camphor.errors import CamphorError
from camphor.health.emergency.settings import ReminderWishes, Settings, read_settings
from camphor.health.scheduler.reminders import DoseReminders, describe
from camphor.service.places import DESKTOP, Desktop

FILE = "service.json"
LOCK = "service.lock"
FRESH = 90.0
"""Seconds after which a program that has not looked counts as silent."""
SERVICE, WEB, COMMAND = "service", "web", "command"


@dataclass(frozen=True)
class Heartbeat:
    """The last look. `began`, `last`: epoch seconds; `next`: when something is due, None where nothing is known."""

    kind: str
    process: int
    began: float
    last: float
    phones: tuple[str, ...] = ()
    next: float | None = None
    problems: tuple[str, ...] = ()
    desktop: str = ""

    def alive(self, now: float) -> bool:
        """Whether that program still looks. A clock that was set back makes nobody silent."""
        return abs(now - self.last) < FRESH and runs(self.process)


def beat(folder: Path, heartbeat: Heartbeat) -> None:
    """Writes it, whole; a folder that cannot be written stops no reminder."""
    beside = folder / f".{FILE}.{os.getpid()}.new"
    try:
        beside.write_text(json.dumps(asdict(heartbeat)), encoding="utf-8")
        beside.chmod(0o600)
        beside.replace(folder / FILE)
    except OSError:
        beside.unlink(missing_ok=True)


def heartbeat_of(folder: Path) -> Heartbeat | None:
    """The last one that was written; None where there is none that can be read."""
    try:
        data = json.loads((folder / FILE).read_text(encoding="utf-8"))
        data["phones"], data["problems"] = tuple(data["phones"]), tuple(data["problems"])
        return Heartbeat(**data)
    except (OSError, ValueError, KeyError, TypeError):
        return None


def other(folder: Path) -> Heartbeat | None:
    """The service of another process, where it still looks."""
    found = heartbeat_of(folder)
    here = found is None or found.process == os.getpid()
    return None if here or found is None or not found.alive(time.time()) else found


_held: list[IO[str]] = []


def hold(folder: Path) -> bool:
    """Makes this program the one service until it ends, however it ends; False where another one is.

    Two that are started in one moment both find no heartbeat. Without such locks (Windows) the heartbeat has to do.
    """
    try:
        import fcntl

        lock = (folder / LOCK).open("a")
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.close()
            return False
        _held.append(lock)
    except (ImportError, OSError):  # a folder that cannot be written stops no reminder
        pass
    return True


def stop(folder: Path) -> None:
    """This program looks no more."""
    found = heartbeat_of(folder)
    if found is not None and found.process == os.getpid():
        (folder / FILE).unlink(missing_ok=True)


@dataclass(frozen=True)
class PhoneState:
    """One phone. `next`: its next dose and when (naive local time). `still`: its clock stands still."""

    name: str
    next: str = ""
    at: datetime | None = None
    waiting: tuple[str, ...] = ()
    still: bool = False
    problem: str = ""


@dataclass(frozen=True)
class State:
    """All of it. `runs`: the last heartbeat, where its program still looks. `desktop`: why that shows nothing."""

    runs: Heartbeat | None
    settings: Settings
    problems: tuple[str, ...]
    phones: tuple[PhoneState, ...]
    desktop: str = ""

    @property
    def wishes(self) -> ReminderWishes:
        return self.settings.wishes

    def says(self, now: float | None = None) -> str:
        """Who looks, in a sentence."""
        if self.runs is None:
            return "Nothing looks after your doses and readings now: nobody is reminded"
        ago = max(0, round((time.time() if now is None else now) - self.runs.last))
        who = "The service" if self.runs.kind == SERVICE else "The web app"
        return f"{who} looks after your phones (process {self.runs.process}, {ago} s ago)"

    def places(self) -> list[dict[str, Any]]:
        """Where the person is reached: name, what it is, and what is wrong with it."""
        on, problem = self.wishes.desktop, self.desktop
        shown = [{"name": DESKTOP, "kind": "this machine's desktop", "on": on, "problem": problem}]
        own = self.settings.places.items()
        return [*shown, *({"name": name, "kind": scheme(url), "on": True, "problem": ""} for name, url in own)]


def state_of(phones: Mapping[str, Path], folder: Path, settings: Path, desktop: Desktop) -> State:
    """What the service does now. Never raises: what cannot be read is told as a problem.

    Args:
        desktop: asked where nothing runs that could say whether it shows notifications.
    """
    problems: list[str] = []
    try:
        found = read_settings(settings)
    except CamphorError as error:
        found = Settings()
        problems.append(str(error))
    last = heartbeat_of(folder)
    alive = last if last is not None and last.alive(time.time()) else None
    problems += alive.problems if alive else ()
    known = tuple(_phone(name, path) for name, path in phones.items() if has_health(path))
    shows = alive.desktop if alive else desktop.problem()
    return State(alive, found, tuple(dict.fromkeys(problems)), known, shows)


def _phone(name: str, path: Path) -> PhoneState:
    try:
        with Device.open(path) as device, HealthDatabase.of(path) as database:
            reminders = DoseReminders.of(device, Doses(database))
            doses, now = reminders.doses, reminders.now
            if device.clock_goes:
                reminders.plan()
            waiting = tuple(describe(doses.medicine(each.medicine), each) for each in doses.waiting(now))
            for each in doses.upcoming(now, 1):
                what = describe(doses.medicine(each.medicine), each)
                return PhoneState(name, what, reminders.wall(each.at), waiting, not device.clock_goes)
            return PhoneState(name, waiting=waiting, still=not device.clock_goes)
    except CamphorError as error:
        return PhoneState(name, problem=str(error))


def has_health(path: Path) -> bool:
    """Whether a phone has a health database."""
    file = health_file(path)
    return file is not None and path.exists() and file.exists()


def scheme(url: str) -> str:
    """The kind of a service; nothing else of its URL is ever told."""
    return url.partition("://")[0]
