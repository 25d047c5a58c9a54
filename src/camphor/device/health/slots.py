"""Appointment times: how they are written and read, and which free one suits a person."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Any

FORM = "HH:MM-HH:MM, DD/MM/YYYY"
"""How an appointment's time is written in calls (Appendix D of the medical paper)."""

_HOURS = re.compile(r"([0-2]?\d):([0-5]\d)\s*(?:-|–|to)\s*([0-2]?\d):([0-5]\d)")
_DAY = re.compile(r"(\d{1,2})[/.](\d{1,2})[/.](\d{4}|\d{2})")
_ISO_DAY = re.compile(r"(\d{4})-(\d\d)-(\d\d)")
_PARTS = {"morning": (6, 12), "afternoon": (12, 17), "evening": (17, 22)}
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
# A slot at a time that the person prefers may lie this much later than the first free one.
_WAIT = timedelta(days=7)


@dataclass(frozen=True, order=True)
class Slot:
    """A span of local time on one day."""

    start: datetime
    end: datetime

    @property
    def date(self) -> str:
        """YYYY-MM-DD, as records carry it."""
        return self.start.date().isoformat()

    @property
    def time(self) -> str:
        """HH:MM-HH:MM."""
        return f"{self.start:%H:%M}-{self.end:%H:%M}"

    def __str__(self) -> str:
        return f"{self.time}, {self.start:%d/%m/%Y}"

    def overlaps(self, other: Slot) -> bool:
        return self.start < other.end and other.start < self.end


def read_slot(text: str) -> Slot:
    """A slot from "HH:MM-HH:MM, DD/MM/YYYY"; the year may have two digits, the date may be YYYY-MM-DD.

    Raises:
        ValueError: what is wrong, as the end of "a time ...".
    """
    hours = _HOURS.search(text)
    if hours is None:
        raise ValueError(f"as {FORM}")
    rest = f"{text[: hours.start()]} {text[hours.end() :]}"
    day = _DAY.fullmatch(rest.strip(" ,;\n")) or _ISO_DAY.fullmatch(rest.strip(" ,;\n"))
    if day is None:
        raise ValueError(f"as {FORM}, day before month")
    numbers = [int(each) for each in day.groups()]
    year, month, number = numbers if day.re is _ISO_DAY else reversed(numbers)
    try:
        on = date(year + 2000 if year < 100 else year, month, number)
    except ValueError as error:
        raise ValueError(f"as {FORM}, day before month ({error})") from None
    return _slot(on, hours)


def _slot(on: date, hours: re.Match[str]) -> Slot:
    first, last = _clock(hours[1], hours[2]), _clock(hours[3], hours[4])
    if last <= first:
        raise ValueError("that ends after it begins")
    return Slot(datetime.combine(on, first), datetime.combine(on, last))


def _clock(hour: str, minute: str) -> time:
    if int(hour) > 23:
        raise ValueError("with hours from 00 to 23")
    return time(int(hour), int(minute))


def slot_of(record: Mapping[str, Any]) -> Slot | None:
    """The slot of a record with `date` and `time`; None where they say none."""
    try:
        return read_slot(f"{record.get('time')}, {str(record.get('date'))[:10]}")
    except ValueError:
        return None


@dataclass(frozen=True)
class Hours:
    """Hours of some weekdays; of every day where it names none."""

    first: time
    last: time
    weekdays: tuple[int, ...] = ()

    def holds(self, slot: Slot) -> bool:
        """Whether the slot lies inside."""
        return (
            self.first <= slot.start.time() and slot.end.time() <= self.last and slot.start.date() == slot.end.date()
        ) and (not self.weekdays or slot.start.weekday() in self.weekdays)

    def meets(self, slot: Slot) -> bool:
        """Whether they share some time; hours that end before they begin go over midnight."""
        first, last = slot.start.time(), slot.end.time()
        if self.first <= self.last:
            return first < self.last and self.first < last
        return first < self.last or last > self.first


def read_hours(text: str) -> Hours | None:
    """Hours as a profile has them: "16:00-19:00", "monday friday 08:00-10:00", "mornings", "saturday".

    None where none can be read.
    """
    said = text.casefold()
    weekdays = tuple(number for number, name in enumerate(_WEEKDAYS) if name[:3] in said)
    found = _HOURS.search(said)
    try:
        if found:
            return Hours(_clock(found[1], found[2]), _clock(found[3], found[4]), weekdays)
    except ValueError:
        return None
    parts = [hours for name, hours in _PARTS.items() if name in said]
    if parts:
        return Hours(time(min(first for first, _ in parts)), time(max(last for _, last in parts)), weekdays)
    return Hours(time.min, time.max, weekdays) if weekdays else None


@dataclass(frozen=True)
class VisitWishes:
    """When a person can be seen: `wanted` is what was said for this time, and holds; the others give way."""

    day: date | None = None
    wanted: Hours | None = None
    preferred: tuple[Hours, ...] = ()
    rest: Hours | None = None

    def allows(self, slot: Slot) -> bool:
        return (self.day is None or slot.start.date() == self.day) and (self.wanted is None or self.wanted.holds(slot))


def wishes_of(profile: Mapping[str, Any], schedule: Mapping[str, Any] | None = None) -> VisitWishes:
    """What a profile's `preferred_times` and `rest_hours`, and a call's `user_schedule`, ask for.

    Raises:
        ValueError: the schedule cannot be read; what it should be.
    """
    preferred = profile.get("preferred_times") or ()
    texts: Iterable[Any] = [preferred] if isinstance(preferred, str) else preferred
    hours = tuple(filter(None, (read_hours(str(each)) for each in texts)))
    rest = profile.get("rest_hours")
    at_rest = read_hours(f"{rest.get('from')}-{rest.get('to')}") if isinstance(rest, Mapping) else None
    day, wanted = None, None
    if schedule and schedule.get("date"):
        try:
            day = date.fromisoformat(str(schedule["date"]))
        except ValueError:
            raise ValueError("a date as YYYY-MM-DD") from None
    if schedule and schedule.get("time_range"):
        wanted = read_hours(str(schedule["time_range"]))
        if wanted is None:
            raise ValueError("a time_range as HH:MM-HH:MM")
    return VisitWishes(day, wanted, hours, at_rest)


def best_slot(slots: Sequence[Slot], wishes: VisitWishes) -> Slot | None:
    """The slot that suits best: the first outside the hours of rest, or at a preferred time up to a week later."""
    fitting = sorted(slot for slot in slots if wishes.allows(slot))
    awake = [slot for slot in fitting if wishes.rest is None or not wishes.rest.meets(slot)] or fitting
    if not awake:
        return None
    liked = (slot for slot in awake if any(hours.holds(slot) for hours in wishes.preferred))
    found = next(liked, awake[0])
    return found if found.start - awake[0].start <= _WAIT else awake[0]
