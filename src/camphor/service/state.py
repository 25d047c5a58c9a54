"""What the service does now: who looks, what is due next, where the person is reached, and what is wrong with that."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from camphor.device.device import Device
from camphor.device.health.database import HealthDatabase, health_file
from camphor.device.health.doses import Doses
from camphor.errors import CamphorError
from camphor.health.emergency.settings import Settings, Wishes, read_settings
from camphor.health.scheduler.reminders import Reminders, describe
from camphor.service.desktop import Desktop
from camphor.service.heartbeat import SERVICE, Heartbeat, heartbeat_of
from camphor.service.places import DESKTOP


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
    def wishes(self) -> Wishes:
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
    beat = heartbeat_of(folder)
    runs = beat if beat is not None and beat.alive(time.time()) else None
    problems += runs.problems if runs else ()
    known = tuple(_phone(name, path) for name, path in phones.items() if _has_health(path))
    shows = runs.desktop if runs else desktop.problem()
    return State(runs, found, tuple(dict.fromkeys(problems)), known, shows)


def _phone(name: str, path: Path) -> PhoneState:
    try:
        with Device.open(path) as device, HealthDatabase.of(path) as database:
            reminders = Reminders.of(device, Doses(database))
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


def _has_health(path: Path) -> bool:
    file = health_file(path)
    return file is not None and path.exists() and file.exists()


def scheme(url: str) -> str:
    """The kind of a service; nothing else of its URL is ever told."""
    return url.partition("://")[0]
