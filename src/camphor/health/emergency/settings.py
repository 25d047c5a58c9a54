"""How messages and notices leave the machine: what the person set up in `delivery.toml` of the data folder.

    [sms]                                 to others, in an emergency; {to} is the number
    url = "twilio://.../{to}"
    [email]
    url = "mailtos://...?to={to}"
    [places.watch]                        to the person: doses that are due, abnormal readings, the day's report
    url = "ntfy://..."
    [reminders]
    desktop = true                        whether this machine's desktop shows them too
    nag = true                            again and again until something is said of the dose
    every = 10                            minutes
    report = "20:30"                      when the day's report is told; "" for never

It is written by commands and the web app, which leave comments where they are, or by hand. It holds passwords: only its
owner can read it, and no part of a URL is ever told.
"""

from __future__ import annotations

import errno
import hashlib
import os
import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, time
from pathlib import Path
from typing import Any

from camphor.device.health.outbox import TO_OTHERS, Channel
from camphor.errors import MissingExtra, UsageError

FILE = "delivery.toml"
TO = "{to}"
PLACE_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,39}")
OURS = ("desktop", "browser", *TO_OTHERS)
"""Names that no place of the person's may have: one could not be told from the other."""
_MOST_URL = 2000


@dataclass(frozen=True)
class DeliveryWay:
    """A service that takes messages to others: its URL, and when a test message was taken by it; "" never."""

    url: str
    tested: str = ""


@dataclass(frozen=True)
class ReminderWishes:
    """How the person wants to be reminded."""

    desktop: bool = True
    nag: bool = True
    every: int = 10
    report: time | None = time(20, 30)


@dataclass(frozen=True)
class EmergencySettings:
    """What is set up. `ways` reach others, `places` (apprise URLs by name) the person."""

    ways: Mapping[Channel, DeliveryWay] = field(default_factory=dict)
    places: Mapping[str, str] = field(default_factory=dict)
    wishes: ReminderWishes = field(default_factory=ReminderWishes)

    def __repr__(self) -> str:
        # Names alone: URLs hold passwords.
        return f"EmergencySettings({', '.join(sorted(self.ways))}; {', '.join(sorted(self.places))})"


def read_settings(path: Path) -> EmergencySettings:
    """The settings; the defaults where there is no such file.

    Raises:
        UsageError: it is not what it must be. No part of a URL is told.
    """
    data = _data(path)
    ways, places, wishes = {}, {}, ReminderWishes()
    for name, section in data.items():
        if not isinstance(section, dict):
            raise UsageError(f"{path}: {name} is no section: see docs/emergency.md for an example")
        if name in list(TO_OTHERS):
            ways[Channel(name)] = _way(path, name, section)
        elif name == "places":
            places = {place: _place(path, place, each) for place, each in section.items()}
        elif name == "reminders":
            wishes = _wishes(path, section)
        else:
            known = ", ".join(f"[{each}]" for each in (*TO_OTHERS, "places.NAME", "reminders"))
            raise UsageError(f"{path}: there is no section [{name}]: known are {known}")
    return EmergencySettings(ways, places, wishes)


def _data(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (tomllib.TOMLDecodeError, UnicodeDecodeError):
        raise UsageError(f"{path}: it is not TOML: see docs/emergency.md for an example") from None
    except OSError as error:
        raise UsageError(f"{path}: it cannot be read ({error.strerror}): check its permissions") from error


def _way(path: Path, name: str, section: Mapping[str, Any]) -> DeliveryWay:
    url = section.get("url")
    if not isinstance(url, str) or TO not in url or "://" not in url:
        raise UsageError(f"{path}: [{name}] needs a url of apprise with {TO} where the number or address belongs")
    tested = section.get("tested")
    known = isinstance(tested, str) and section.get("tested_url") == _mark(url)
    return DeliveryWay(url, str(tested) if known else "")


def _place(path: Path, name: str, section: Any) -> str:
    url = section.get("url") if isinstance(section, dict) else None
    if not isinstance(url, str) or "://" not in url:
        raise UsageError(f"{path}: [places.{name}] needs a url of apprise: see docs/emergency.md for an example")
    return url


def _wishes(path: Path, section: Mapping[str, Any]) -> ReminderWishes:
    desktop, nag = section.get("desktop", True), section.get("nag", True)
    every, report = section.get("every", 10), section.get("report", "20:30")
    if not isinstance(desktop, bool) or not isinstance(nag, bool):
        raise UsageError(f"{path}: [reminders] desktop and nag are true or false")
    if not isinstance(every, int) or isinstance(every, bool) or not 1 <= every <= 720:
        raise UsageError(f"{path}: [reminders] every is a number of minutes from 1 to 720")
    return ReminderWishes(desktop, nag, every, clock(str(report)))


def clock(text: str) -> time | None:
    """A time of the day as 20:30; None for never. Raises: UsageError: it is neither."""
    if text.strip().casefold() in ("", "never", "none", "off"):
        return None
    try:
        return datetime.strptime(text.strip(), "%H:%M").time()
    except ValueError:
        raise UsageError(f"{text[:40]!r} is no time: write it as 20:30, or never") from None


def _mark(url: str) -> str:
    """What tells whether the URL is the one that was tested."""
    return hashlib.sha256(url.encode()).hexdigest()[:16]


def open_to_others(path: Path) -> bool:
    """Whether other users of the machine can read the settings, which hold passwords."""
    return os.name == "posix" and path.exists() and bool(path.stat().st_mode & 0o077)


# changes


def set_way(path: Path, channel: Channel, url: str, tested: str = "") -> None:
    """Sets up how messages to others leave, or notes that a test message was taken. Raises: as `_changed`."""
    entry = {"url": url, **({"tested": tested, "tested_url": _mark(url)} if tested else {})}
    _way(path, channel.value, entry)
    _changed(path, lambda document, table: document.__setitem__(channel.value, table(_plain(entry))))


def set_place(path: Path, name: str, url: str) -> None:
    """Sets up a place where the person is reached. Raises: UsageError: the name is none; as `_changed`."""
    if name in OURS:
        raise UsageError(f"{name} is the name of a place that camphor has itself: choose another one")
    if not PLACE_NAME.fullmatch(name):
        raise UsageError(f"{name[:60]!r} is no name of a place: use small letters, digits, - and _, at most 40")
    _place(path, name, entry := {"url": url})

    def change(document: Any, table: Callable[[Mapping[str, Any]], Any]) -> None:
        document.setdefault("places", table({}))[name] = table(_plain(entry))

    _changed(path, change)


def remove(path: Path, name: str) -> None:
    """Removes a place, or a way by its name. Raises: UsageError: there is none of that name; as `_changed`."""
    found = read_settings(path)
    if name not in found.places and name not in list(found.ways):
        known = ", ".join((*found.ways, *found.places)) or "none"
        raise UsageError(f"Nothing is set up as {name[:60]!r}: there is {known}")
    _changed(path, lambda document, _: document.get("places", {}).pop(name, None) or document.pop(name, None))


def set_wishes(path: Path, wishes: ReminderWishes) -> None:
    """Says how the person wants to be reminded. Raises: as `_changed`."""
    entry = {
        "desktop": wishes.desktop, "nag": wishes.nag, "every": wishes.every,
        "report": f"{wishes.report:%H:%M}" if wishes.report else "",
    }  # fmt: skip
    _wishes(path, entry)
    _changed(path, lambda document, table: document.__setitem__("reminders", table(entry)))


def _plain(entry: Mapping[str, str]) -> Mapping[str, str]:
    for value in entry.values():
        if len(value) > _MOST_URL or not value.isprintable():
            raise UsageError(f"A URL is printable and has at most {_MOST_URL} characters")
    return entry


def _changed(path: Path, change: Callable[[Any, Callable[[Mapping[str, Any]], Any]], object]) -> None:
    """Changes the file, whole or not at all; comments stay.

    Raises:
        UsageError: the file is broken, or cannot be written. MissingExtra: tomlkit is not installed.
    """
    try:
        import tomlkit
    except ImportError as error:
        raise MissingExtra("tomlkit, which writes settings,", "health") from error

    def table(values: Mapping[str, Any]) -> Any:
        made = tomlkit.table()
        made.update(values)
        return made

    read_settings(path)  # a broken file is mended by its owner, never written over
    document = tomlkit.parse(path.read_text(encoding="utf-8") if path.exists() else "")
    change(document, table)
    beside = path.with_name(f".{path.name}.{os.getpid()}.new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        beside.touch(mode=0o600)
        beside.write_text(tomlkit.dumps(document), encoding="utf-8")
        beside.replace(path)
    except OSError as error:
        beside.unlink(missing_ok=True)
        what = "free some space" if error.errno == errno.ENOSPC else "check its permissions"
        raise UsageError(f"{path}: it cannot be written ({error.strerror}): {what}") from error
