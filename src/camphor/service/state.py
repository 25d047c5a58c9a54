"""What the service does now: who looks, what is due next, where the person is reached, and what is wrong with that.

Who looks is told by a file in the data folder, a heartbeat that is written at each look. Nothing rests on it but what
is said of it: two programs that both look tell nothing twice, since each thing is claimed in the phone's own database.
So a heartbeat that is wrong keeps nobody from being told.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import threading
import time
from collections.abc import Callable, Coroutine, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import IO, Any, TypeVar

from camphor.device.device import Device
from camphor.device.health.database import HealthDatabase, health_file
from camphor.device.health.doses import Doses
from camphor.device.health.outbox import Channel, Message
from camphor.device.journal import runs
from camphor.errors import CamphorError, UsageError, install_command
from camphor.health.emergency.delivery import Delivery, Handed, HandOverOutcome, delivery_of, hand_to
from camphor.health.emergency.settings import EmergencySettings, ReminderWishes, read_settings
from camphor.health.scheduler.reminders import DoseReminders, describe

# Where the person is reached, and the one delivery that serves both notices to them and messages to others.
#
# Notifications on the desktop of this machine go by desktop-notifier; where there is none, that is said.

DESKTOP = "desktop"
_SECONDS = 10.0
_Given = TypeVar("_Given")


class Desktop:
    """The desktop that this program's person sits at. Used by several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._notifier: Any = None

    def problem(self) -> str:
        """Why nothing can be shown; "" where it can."""
        with self._lock:
            try:
                self._run(self._capabilities())
            except ImportError:
                return f"desktop-notifier is not installed: run  {install_command('camphor', 'health')}"
            except Exception:  # whatever a system's own interface raises
                self._notifier = None
                return "this program finds no desktop that shows notifications"
        return ""

    def show(self, title: str, text: str, urgent: bool) -> Handed:
        """Shows it, if the desktop says so.

        The library tells a failure in its log alone, and would tell this one's caller that it was shown.
        """
        with self._lock:
            with _failures() as failed:
                try:
                    self._run(self._send(title, text, urgent))
                except Exception as error:
                    failed.append(type(error).__name__)
            if failed:
                self._notifier = None  # connected anew the next time
                return Handed(HandOverOutcome.REFUSED, "the desktop did not take it")
        return Handed(HandOverOutcome.TAKEN)

    def _made(self) -> Any:
        if self._notifier is None:
            from desktop_notifier import DesktopNotifier

            self._notifier = DesktopNotifier(app_name="camphor")
        return self._notifier

    async def _capabilities(self) -> None:
        notifier = self._made()
        await notifier.get_capabilities()
        if not await notifier.has_authorisation() and not await notifier.request_authorisation():
            raise PermissionError("the desktop allows no notifications of this program")

    async def _send(self, title: str, text: str, urgent: bool) -> None:
        notifier = self._made()
        from desktop_notifier import Urgency

        await notifier.send(title=title, message=text, urgency=Urgency.Critical if urgent else Urgency.Normal)

    def _run(self, work: Coroutine[Any, Any, _Given]) -> _Given:
        """Its connection lives in a loop of its own, which lasts as long as the program."""
        if self._loop is None:
            self._loop = asyncio.new_event_loop()
            threading.Thread(target=self._loop.run_forever, daemon=True, name="desktop").start()
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(_SECONDS)


@contextmanager
def _failures() -> Iterator[list[str]]:
    """What the library logs of a failure meanwhile, kept from all others: the text may be personal."""
    failed: list[str] = []

    def keep(record: logging.LogRecord) -> bool:
        if record.levelno >= logging.WARNING:
            failed.append(record.getMessage())
        return False

    logs = [logging.getLogger(f"desktop_notifier.backends.{name}") for name in ("base", "dbus", "macos", "winrt")]
    for log in logs:
        log.addFilter(keep)
    try:
        yield failed
    finally:
        for log in logs:
            log.removeFilter(keep)


@dataclass(frozen=True)
class Places:
    """What is set up, as it was read; `problem` says why it could not be.

    Args:
        shows: whether the desktop of this machine shows notifications.
    """

    settings: EmergencySettings
    others: Delivery
    desktop: Desktop
    shows: bool
    problem: str = ""

    @classmethod
    def read(cls, path: Path, desktop: Desktop, shows: bool) -> Places:
        """Broken settings never raise here: the desktop still rings, and `problem` says what is broken."""
        try:
            return cls(read_settings(path), delivery_of(path), desktop, shows)
        except UsageError as error:
            return cls(EmergencySettings(), delivery_of(path), desktop, shows, str(error))

    @property
    def names(self) -> tuple[str, ...]:
        """The places that a notice goes to."""
        own = (DESKTOP,) if self.shows and self.settings.wishes.desktop else ()
        return (*own, *self.settings.places)

    @property
    def channels(self) -> frozenset[Channel]:
        return self.others.channels | {Channel.NOTICE}

    def hand_over(self, message: Message) -> Handed:
        """Gives a notice to its place, or a message to whoever takes those to others; once."""
        draft = message.draft
        if draft.channel is not Channel.NOTICE:
            return self.others.hand_over(message)
        return self.show(draft.address, draft.recipient, draft.text)

    def show(self, place: str, title: str, text: str, urgent: bool = True) -> Handed:
        """Shows something to the person at one of the places."""
        if place == DESKTOP:
            return self.desktop.show(title, text, urgent)
        url = self.settings.places.get(place)
        if url is None:
            return Handed(HandOverOutcome.REFUSED, "this place was removed")
        return hand_to(url, title, text)


def rings(places: Places, show: Callable[[str, Handed], None], only: str | None = None) -> bool:
    """Rings each place, or one, with a test, and tells what came of it; whether one took it."""
    title, text = "camphor: a test", "If you see this, camphor can remind you here."
    taken = False
    for name in places.names if only is None else (only,):
        handed = places.show(name, title, text, urgent=False)
        taken = taken or handed.outcome is HandOverOutcome.TAKEN
        show(name, handed)
    return taken


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
class ServiceState:
    """All of it. `runs`: the last heartbeat, where its program still looks. `desktop`: why that shows nothing."""

    runs: Heartbeat | None
    settings: EmergencySettings
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


def state_of(phones: Mapping[str, Path], folder: Path, settings: Path, desktop: Desktop) -> ServiceState:
    """What the service does now. Never raises: what cannot be read is told as a problem.

    Args:
        desktop: asked where nothing runs that could say whether it shows notifications.
    """
    problems: list[str] = []
    try:
        found = read_settings(settings)
    except CamphorError as error:
        found = EmergencySettings()
        problems.append(str(error))
    last = heartbeat_of(folder)
    alive = last if last is not None and last.alive(time.time()) else None
    problems += alive.problems if alive else ()
    known = tuple(_phone(name, path) for name, path in phones.items() if has_health(path))
    shows = alive.desktop if alive else desktop.problem()
    return ServiceState(alive, found, tuple(dict.fromkeys(problems)), known, shows)


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
