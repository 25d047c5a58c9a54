"""Calendar files (.ics) as Google, Apple, Outlook, Nextcloud and others write them: events, and tasks as reminders.

A source is read twice, one component at a time: first to learn its time zones, which occurrences of a series have a
component of their own, and which of several components with the same UID is the newest; then for its records.
"""

from __future__ import annotations

import heapq
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cached_property
from hashlib import blake2b
from itertools import islice
from pathlib import Path

from dateutil.relativedelta import relativedelta

from camphor.device.importers.base import Brought, SimpleImporter, Situation, Unread, beginning, without_empty
from camphor.device.importers.calendar_times import (
    MOST_WALKED,
    Length,
    Observance,
    Time,
    Zone,
    defined_zone,
    fixed_zone,
    length_between,
    length_of,
    named_zone,
    rule_of,
    time_of,
    walk,
)
from camphor.device.importers.content_lines import Line, files, holds, lines, starts_with
from camphor.errors import UsageError

MOST_OCCURRENCES = 1000
"""Occurrences of one series, those nearest to now."""
_YEARS_BACK, _YEARS_AHEAD = relativedelta(years=2), relativedelta(years=1)
_MOST_COMPONENTS = 1_000_000  # events and tasks of one source, and occurrences that have a component of their own
_MOST_ZONES = 1000  # of one file, that have no name that is known
_MOST_OBSERVANCES = 1000  # of one time zone
_MOST_RULES = 10  # of one series or observance
_MOST_DATES = 10_000  # single dates of one series
_MOST_PARTICIPANTS = 1000
_LONGEST_NAME = 300
_LARGEST = 2_000_000  # characters of one component
_DAY = timedelta(days=1)

_ENDS = frozenset((".ics", ".ical", ".icalendar"))
_KINDS = frozenset(("VEVENT", "VTODO", "VTIMEZONE"))
_IDENTITY = frozenset(("UID", "RECURRENCE-ID", "SEQUENCE", "LAST-MODIFIED", "DTSTAMP"))
_SHOWN = frozenset(("SUMMARY", "DESCRIPTION", "LOCATION", "ATTENDEE", "ORGANIZER", "STATUS", "COMPLETED",
                    "PERCENT-COMPLETE"))  # fmt: skip
_TIMED = frozenset(("DTSTART", "DTEND", "DUE", "DURATION", "RRULE", "RDATE", "EXRULE", "EXDATE",
                    "X-MICROSOFT-CDO-ALLDAYEVENT"))  # fmt: skip
_ZONED = frozenset(("TZID", "TZOFFSETFROM", "TZOFFSETTO", "X-LIC-LOCATION"))
_WANTED = frozenset(("BEGIN", "END", "METHOD")) | _IDENTITY | _SHOWN | _TIMED | _ZONED
_PLACES = frozenset(("ROOM", "RESOURCE"))
_MAIL = re.compile(r"\s*<?(?:mailto:)?\s*([^\s?<>@]+@[^\s?<>@]+)", re.IGNORECASE)


@dataclass
class _Component:
    """An event, a task, a time zone, or the beginning of a calendar.

    Args:
        number: its first line. lines: its own, not those of an alarm in it. parts: of a time zone, its observances.
        cancelled: the file as a whole tells of what is cancelled. broken: what of it could not be read.
    """

    kind: str
    number: int
    cancelled: bool = False
    lines: list[Line] = field(default_factory=list)
    parts: list[_Component] = field(default_factory=list)
    size: int = 0
    broken: dict[str, None] = field(default_factory=dict)

    def add(self, line: Line) -> None:
        self.size += len(line.name) + len(line.head) + len(line.raw) + 1
        if not line.name:
            self.broken["a line of it cannot be read"] = None
        elif self.size > _LARGEST:
            self.broken["too large: the rest of it is left out"] = None
        else:
            self.lines.append(line)

    def keep(self, names: frozenset[str]) -> None:
        """Forgets the other lines, but not what they made of the digest."""
        _ = self.digest
        self.lines = [line for line in self.lines if line.name in names]

    def all(self, name: str) -> list[Line]:
        return [line for line in self.lines if line.name == name]

    def first(self, name: str) -> Line | None:
        return next((line for line in self.lines if line.name == name), None)

    def value(self, name: str) -> str:
        line = self.first(name)
        return line.value.strip() if line else ""

    def text(self, name: str) -> str:
        line = self.first(name)
        return line.text if line else ""

    @cached_property
    def uid(self) -> str:
        return self.value("UID") or self.digest.hex()

    @cached_property
    def digest(self) -> bytes:
        """Of all that it says, in whatever order, but for when it was written."""
        said = sorted(f"{line.name}{line.head}:{line.raw}" for line in self.lines if line.name != "DTSTAMP")
        return blake2b("\n".join(said).encode(), digest_size=8).digest()

    @property
    def rank(self) -> bytes:
        """Of components that are the same event the greatest is the newest."""
        sequence = self.value("SEQUENCE")
        number = min(int(sequence), 2**32 - 1) if re.fullmatch(r"[0-9]{1,10}", sequence) else 0
        changed = self.value("LAST-MODIFIED") or self.value("DTSTAMP")
        return number.to_bytes(4, "big") + f"{changed[:16]:16}".encode() + self.digest


@dataclass
class _Plan:
    """What the first reading found.

    Args:
        ranks: of each event the newest component's; empty once it is read. replaced: by UID, the marks of the
        occurrences that have a component of their own. zones: by file, those that no name tells.
    """

    ranks: dict[bytes, bytes] = field(default_factory=dict)
    replaced: dict[bytes, set[str]] = field(default_factory=dict)
    zones: dict[Path, dict[str, Zone]] = field(default_factory=dict)
    occurrences: int = 0

    def note(self, component: _Component, mark: str) -> None:
        identity = _identity(component, mark)
        if len(self.ranks) < _MOST_COMPONENTS or identity in self.ranks:
            self.ranks[identity] = max(component.rank, self.ranks.get(identity, b""))
        if mark and self.occurrences < _MOST_COMPONENTS:
            self.occurrences += 1
            self.replaced.setdefault(_identity(component), set()).add(mark)

    def takes(self, component: _Component, mark: str) -> bool:
        """Whether this is the newest of its kind, and the first of equal ones; of others nothing is told."""
        identity = _identity(component, mark)
        newest = self.ranks.get(identity)
        if newest == component.rank:
            self.ranks[identity] = b""
            return True
        component.broken = {f"there are more than {_MOST_COMPONENTS:,}": None} if newest is None else {}
        return False


def _identity(component: _Component, mark: str = "") -> bytes:
    said = f"{component.kind}\n{component.uid}\n{mark}"
    return blake2b(said.encode(), digest_size=12).digest()


@dataclass
class _Times:
    """Reads the times of one file's components."""

    zones: dict[str, Zone]

    def read(self, line: Line, component: _Component, text: str = "") -> Time:
        """The line's time, or that of a text in it. Raises: ValueError."""
        name = line.parameter("TZID")
        zone = self._zone(name) if name else None
        time = time_of(text or line.value, zone)
        if name and not zone and not time.zone and not time.whole:
            component.broken["a time zone that is not known: its times are taken for local ones"] = None
        if component.value("X-MICROSOFT-CDO-ALLDAYEVENT").upper() == "TRUE" and time.wall.time() == datetime.min.time():
            return Time(time.wall, whole=True)
        return time

    def mark(self, component: _Component) -> str:
        """Which occurrence of a series the component is; "" where it is none. Raises: ValueError, OverflowError."""
        line = component.first("RECURRENCE-ID")
        return self.read(line, component).mark if line else ""

    def dates(self, component: _Component, name: str) -> Iterator[tuple[Time, Length | None]]:
        """The single dates of a series, with their own lengths where they have such."""
        written = ((line, text) for line in component.all(name) for text in line.value.split(",") if text.strip())
        for line, text in islice(written, _MOST_DATES):
            try:
                begin, slash, rest = text.partition("/")
                start = self.read(line, component, begin)
                _ = start.mark  # so that what has none is told here
                if not slash:
                    yield start, None
                elif rest.strip().upper().startswith("P"):
                    yield start, length_of(rest)
                else:
                    yield start, length_between(start, self.read(line, component, rest))
            except (ValueError, OverflowError):
                component.broken[f"a date of its {name} cannot be read"] = None

    def _zone(self, name: str) -> Zone | None:
        return named_zone(name) or self.zones.get(name) or fixed_zone(name)


def _looks(path: Path) -> bool:
    if path.is_dir():
        return holds(path, _ENDS)
    return starts_with(beginning(path), "BEGIN:VCALENDAR", anywhere=path.suffix.lower() in _ENDS)


def _read(path: Path, situation: Situation, unread: Unread) -> Iterator[Brought]:
    plan = _plan(path)
    for file in files(path, _ENDS):
        try:
            yield from _File(file.name, _Times(plan.zones.get(file, {})), plan, situation, unread).records(file)
        except OSError as error:
            if file == path:
                raise
            unread.add(file.name, error.strerror or "cannot be read")


def _plan(path: Path) -> _Plan:
    """Raises: UsageError, the source has no calendar."""
    plan, calendars = _Plan(), 0
    for file in files(path, _ENDS):
        try:
            calendars += _note_file(file, plan)
        except OSError:
            if file == path:
                raise
    if not calendars:
        what = "there is no calendar in it" if path.is_dir() else "it is no calendar"
        raise UsageError(f"{path}: {what}: export your calendar as an .ics file, and unpack it where it is zipped")
    return plan


def _note_file(file: Path, plan: _Plan) -> bool:
    """Notes in the plan what is in a file. Returns whether it is a calendar."""
    zones: dict[str, Zone] = {}
    changed: list[_Component] = []
    calendar = False
    for component in _components(file, Unread()):
        calendar = True
        if component.kind == "VTIMEZONE":
            _note_zone(component, zones)
        elif component.first("RECURRENCE-ID"):  # whose time zone may stand further below
            component.keep(_IDENTITY | _TIMED)
            changed.append(component)
        elif component.kind != "VCALENDAR":
            plan.note(component, "")
    times = _Times(zones)
    for component in changed:
        try:
            plan.note(component, times.mark(component))
        except (ValueError, OverflowError):
            continue
    if zones:
        plan.zones[file] = zones
    return calendar


def _note_zone(component: _Component, zones: dict[str, Zone]) -> None:
    name = component.text("TZID")
    if not name or len(zones) >= _MOST_ZONES or named_zone(name):
        return
    definition = tuple(
        Observance(
            part.value("DTSTART"),
            part.value("TZOFFSETFROM"),
            part.value("TZOFFSETTO"),
            tuple(line.value for line in part.all("RRULE")[:_MOST_RULES]),
            tuple(islice((text for line in part.all("RDATE") for text in line.value.split(",")), _MOST_DATES)),
        )
        for part in component.parts
    )
    zone = named_zone(component.value("X-LIC-LOCATION")) or defined_zone(definition)
    if zone:
        zones[name] = zone


def _components(file: Path, unread: Unread) -> Iterator[_Component]:
    """The components of a file as they end, and each calendar as it begins."""
    open_: _Component | None = None
    depth, cancelled = 0, False
    for line in lines(file, _WANTED):
        kind = line.value.strip().upper() if line.name in ("BEGIN", "END") else ""
        if line.name == "BEGIN" and kind in _KINDS:
            if open_:
                unread.add(f"{file.name}, line {open_.number}", "it has no end")
            open_, depth = _Component(kind, line.number, cancelled), 0
        elif line.name == "BEGIN":
            depth += 1
            if kind == "VCALENDAR":
                cancelled = False
                yield _Component(kind, line.number)
            elif open_ and depth == 1 and len(open_.parts) < _MOST_OBSERVANCES:
                open_.parts.append(_Component(kind, line.number))
        elif line.name == "END" and open_ and kind == open_.kind:
            yield open_
            open_ = None
        elif line.name == "END":
            depth = max(depth - 1, 0)
        elif open_ and depth == 0:
            open_.add(line)
        elif open_ and depth == 1 and open_.kind == "VTIMEZONE" and open_.size < _LARGEST:
            open_.size += len(line.raw) + 1
            open_.parts[-1].add(line)
        elif line.name == "METHOD" and not open_:
            cancelled = line.value.strip().upper() == "CANCEL"
    if open_:
        unread.add(f"{file.name}, line {open_.number}", "it is cut off")


@dataclass
class _File:
    """Makes records of the components of one file."""

    name: str
    times: _Times
    plan: _Plan
    situation: Situation
    unread: Unread

    def records(self, file: Path) -> Iterator[Brought]:
        calendar = False
        for component in _components(file, self.unread):
            calendar = True
            if component.kind in ("VEVENT", "VTODO"):
                try:
                    yield from self._of(component)
                except (ValueError, OverflowError):
                    component.broken["it has no time that can be read"] = None
                for why in component.broken:
                    self.unread.add(f"{self.name}, line {component.number}", why)
        if not calendar:
            self.unread.add(self.name, "it is no calendar")

    def _of(self, component: _Component) -> Iterator[Brought]:
        mark = self.times.mark(component)
        if not self.plan.takes(component, mark):
            return
        if mark and any(line.parameter("RANGE") for line in component.all("RECURRENCE-ID")):
            component.broken["a change of all later occurrences is read for the first alone"] = None
        if component.cancelled or component.value("STATUS").upper() == "CANCELLED":
            return
        if component.kind == "VEVENT":
            yield from self._events(component, mark)
            return
        record = self._reminder(component)
        if record["content"]:
            yield Brought("reminders", "reminders", f"{component.uid} {mark}".strip(), without_empty(record))
        else:
            component.broken["a task without words"] = None

    def _events(self, component: _Component, mark: str) -> Iterator[Brought]:
        line = component.first("DTSTART")
        if not line:
            raise ValueError("no start")
        start = self.times.read(line, component)
        length = self._length(component, start)
        said = self._said(component)
        if not mark and any(component.first(name) for name in ("RRULE", "RDATE")):
            for each, own in self._occurrences(component, start):
                yield self._event(f"{component.uid} {each.mark}", said, each, own or length)
        elif not mark or self._in_window(start):
            yield self._event(f"{component.uid} {mark}".strip(), said, start, length)

    def _said(self, component: _Component) -> dict[str, object]:
        participants = _participants(component)
        organiser = next((_person(line) for line in component.all("ORGANIZER")), "")
        return {
            "title": " ".join(component.text("SUMMARY").split()),
            "location": component.text("LOCATION"),
            "participants": participants,
            "organiser": organiser if organiser not in (*participants, self.situation.owner) else "",
            "notes": component.text("DESCRIPTION"),
        }

    def _event(self, key: str, said: dict[str, object], start: Time, length: Length) -> Brought:
        begin, end = start.told(self.situation), length.after(start, self.situation)
        record = {"title": "", "start": begin, "end": end if end != begin else "", **said}
        return Brought("calendar", "events", key, without_empty(record))

    def _reminder(self, component: _Component) -> dict[str, object]:
        content, notes = " ".join(component.text("SUMMARY").split()), component.text("DESCRIPTION")
        done = bool(component.value("COMPLETED")) or component.value("PERCENT-COMPLETE") == "100"
        return {
            "content": content or notes,
            "time": self._due(component),
            "done": done or component.value("STATUS").upper() == "COMPLETED",
            "notes": notes if content else "",
        }

    def _due(self, component: _Component) -> str:
        due, start = component.first("DUE"), component.first("DTSTART")
        try:
            if due:
                return self.times.read(due, component).told(self.situation)
            if not start:
                return ""
            begin = self.times.read(start, component)
            length = length_of(component.value("DURATION")) if component.first("DURATION") else Length()
            return length.after(begin, self.situation) or begin.told(self.situation)
        except (ValueError, OverflowError):
            component.broken["its time cannot be read"] = None
            return ""

    def _length(self, component: _Component, start: Time) -> Length:
        end = component.first("DTEND")
        try:
            if end:
                return length_between(start, self.times.read(end, component))
            return length_of(component.value("DURATION")) if component.first("DURATION") else Length()
        except (ValueError, OverflowError):
            component.broken["its end cannot be read"] = None
            return Length()

    def _local(self, time: Time) -> datetime:
        return time.wall if time.whole else datetime.fromisoformat(self.situation.local(time.moment()))

    def _in_window(self, time: Time) -> bool:
        now = self.situation.now
        return now - _YEARS_BACK <= self._local(time) <= now + _YEARS_AHEAD

    def _occurrences(self, component: _Component, start: Time) -> list[tuple[Time, Length | None]]:
        """Those of a series that are in the window, have no component of their own and are not left out."""
        left_out = {time.mark for time, _ in self.times.dates(component, "EXDATE")}
        left_out |= {start.at(wall).mark for wall in self._walls(component, "EXRULE", start)}
        left_out |= self.plan.replaced.get(_identity(component), set())
        # some programs name the start among the single dates again
        found: dict[str, tuple[Time, Length | None]] = {}
        for each in [(start.at(wall), None) for wall in self._walls(component, "RRULE", start)] or [(start, None)]:
            found[each[0].mark] = each
        for time, length in self.times.dates(component, "RDATE"):
            if time.whole and not start.whole:  # a day alone: at the hour of the others
                time = start.at(datetime.combine(time.wall, start.wall.time()))
            found[time.mark] = (time, length)
        kept = [each for each in found.values() if not each[0].marks & left_out and self._in_window(each[0])]
        nearest = heapq.nsmallest(
            MOST_OCCURRENCES, kept, key=lambda each: abs(self._local(each[0]) - self.situation.now)
        )
        return sorted(nearest, key=lambda each: self._local(each[0]))

    def _walls(self, component: _Component, name: str, start: Time) -> list[datetime]:
        """The times of all rules of that name about the window, in the start's own zone."""
        first, last = self.situation.now - _YEARS_BACK - _DAY, self.situation.now + _YEARS_AHEAD + _DAY
        found: list[datetime] = []
        for line in component.all(name)[:_MOST_RULES]:
            walked = 0
            try:
                rule = rule_of(line.value)
                for wall in islice(walk(start, rule, first, self.situation), MOST_WALKED):
                    walked += 1
                    if wall > last:
                        break
                    if wall >= first:
                        found.append(wall)
            except (ValueError, OverflowError):
                component.broken["a rule of repetition that is not understood"] = None
            if walked == MOST_WALKED:
                component.broken["it repeats too often: the first times are read"] = None
        return found


def _participants(component: _Component) -> list[str]:
    people = (_person(line) for line in component.all("ATTENDEE") if line.parameter("CUTYPE").upper() not in _PLACES)
    return list(islice(dict.fromkeys(filter(None, people)), _MOST_PARTICIPANTS))


def _person(line: Line) -> str:
    """A name, or else an address."""
    name = " ".join(line.parameter("CN")[:_LONGEST_NAME].split()).strip("'\" ")
    found = _MAIL.match(line.value[:_LONGEST_NAME])
    return name or (found[1] if found else line.parameter("EMAIL")[:_LONGEST_NAME])


CALENDAR = SimpleImporter("ics", "calendar files (.ics): events and tasks", _looks, _read)
