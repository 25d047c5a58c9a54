"""Times as calendar files have them: days and moments, lengths, time zones by name or by rules, and what repeats."""

from __future__ import annotations

import re
import zoneinfo
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta, timezone
from functools import cache, lru_cache
from itertools import islice
from typing import Any

from dateutil import rrule

from camphor.device.importers.base import Situation
from camphor.errors import MissingExtra

MOST_WALKED = 200_000
"""Occurrences of one rule that are gone through: 22 years of every hour."""
_LONGEST_RULE = 4096
_GREATEST_INTERVAL = 10_000
_FIRST_CHANGE, _LAST_CHANGE = 1970, 2100  # years of which the changes of a zone with rules of its own are worked out
# dateutil looks for the next day that fits up to the year 9999. The calendar repeats every 400 years: in its last ages
# a rule that no day fits is given up after a quarter of a second, and not of a minute.
_AGES = timedelta(days=146_097 * 19)
_LAST_MOVED = 2399

Zone = Callable[[datetime], datetime]
"""Makes a wall-clock time without a zone one of a zone."""

_TIME = re.compile(
    r"(\d{4})-?(\d\d)-?(\d\d)(?:[T ](\d\d):?(\d\d)(?::?(\d\d)(?:[.,]\d+)?)?[ ]?(Z|[+-]\d\d:?\d\d)?)?",
    re.ASCII | re.IGNORECASE,
)
_LENGTH = re.compile(
    r"([+-]?)P(?:(\d{1,5})W)?(?:(\d{1,5})D)?(?:T(?:(\d{1,6})H)?(?:(\d{1,7})M)?(?:(\d{1,9})S)?)?",
    re.ASCII | re.IGNORECASE,
)
_OFFSET = re.compile(r"(?:UTC|GMT)?([+-])(\d{1,2}):?(\d\d)?(?::?(\d\d))?", re.ASCII | re.IGNORECASE)


# Moments and days


@dataclass(frozen=True)
class Time:
    """A day or a moment.

    Args:
        wall: what calendar and clock show. whole: a day. zone: None for the local time of wherever one is.
    """

    wall: datetime
    whole: bool = False
    zone: Zone | None = None

    def at(self, wall: datetime) -> Time:
        """Another day or moment of the same kind."""
        return replace(self, wall=wall)

    def moment(self) -> datetime:
        """In UTC; where it has no zone as it stands. Raises: OverflowError, it lies at an end of the calendar."""
        return self.zone(self.wall).astimezone(UTC) if self.zone else self.wall

    @property
    def mark(self) -> str:
        """Tells it from other times of a series, in whatever zone it is written: "20260312T080000Z"."""
        if self.whole:
            return f"{self.wall:%Y%m%d}"
        return f"{self.moment():%Y%m%dT%H%M%S}" + ("Z" if self.zone else "")

    @property
    def marks(self) -> frozenset[str]:
        """Its mark and those of programs that leave out the zone, or the time, when they speak of it."""
        day, clock = f"{self.wall:%Y%m%d}", f"{self.wall:%Y%m%dT%H%M%S}"
        return frozenset((self.mark, day, clock, *([f"{clock}Z"] if self.whole else [])))

    def told(self, situation: Situation) -> str:
        return self.wall.date().isoformat() if self.whole else situation.local(self.moment())


def time_of(text: str, zone: Zone | None = None) -> Time:
    """A day or a moment as it is written. Raises: ValueError."""
    found = _TIME.fullmatch(text.strip())
    if not found:
        raise ValueError("no time")
    year, month, day = int(found[1]), int(found[2]), int(found[3])
    if found[4] is None:
        return Time(datetime(year, month, day), whole=True)
    # a leap second is the one before it
    wall = datetime(year, month, day, int(found[4]), int(found[5]), min(int(found[6] or 0), 59))
    if found[7]:
        zone = _fixed(timedelta() if found[7] in "zZ" else offset_of(found[7]))
    return Time(wall, zone=zone)


@dataclass(frozen=True)
class Length:
    """Days by the calendar, of 23 hours where the clock goes forward, and time by the clock."""

    days: int = 0
    rest: timedelta = timedelta()

    def after(self, start: Time, situation: Situation) -> str:
        """The end of what starts then, as records have it: of whole days the last; "" where it adds nothing."""
        if start.whole:
            days = self.days - (self.rest // timedelta(days=-1)) if self.rest else self.days
            return (start.wall + timedelta(days - 1)).date().isoformat() if days > 1 else ""
        if self.days == 0 and not self.rest:
            return ""
        return situation.local(start.at(start.wall + timedelta(self.days)).moment() + self.rest)


def length_of(text: str) -> Length:
    """A duration as it is written: "PT1H30M". Raises: ValueError; a negative one is none either."""
    found = _LENGTH.fullmatch(text.strip())
    if not found or found[1] == "-" or not any(found.groups()[1:]):
        raise ValueError("no length")
    weeks, days, hours, minutes, seconds = (int(each or 0) for each in found.groups()[1:])
    return Length(7 * weeks + days, timedelta(hours=hours, minutes=minutes, seconds=seconds))


def length_between(start: Time, end: Time) -> Length:
    """From start to end; nothing where the end lies before the start, as some programs write it."""
    if start.whole or end.whole:
        return Length(max((end.wall.date() - start.wall.date()).days, 0))
    alike = bool(start.zone) == bool(end.zone)
    rest = end.moment() - start.moment() if alike else end.wall - start.wall
    return Length(rest=max(rest, timedelta()))


# Time zones


def offset_of(text: str) -> timedelta:
    """How far a clock is ahead of UTC: "+0530", "UTC-3". Raises: ValueError."""
    found = _OFFSET.fullmatch(text.strip())
    hours, minutes, seconds = (int(each or 0) for each in found.groups()[1:]) if found else (24, 0, 0)
    if found is None or hours > 23 or minutes > 59 or seconds > 59:
        raise ValueError("no offset")
    offset = timedelta(hours=hours, minutes=minutes, seconds=seconds)
    return -offset if found[1] == "-" else offset


@dataclass(frozen=True)
class Observance:
    """When the clocks of a zone that is defined in the file are changed, and how; as it is written there."""

    start: str
    before: str
    after: str
    rules: tuple[str, ...] = ()
    dates: tuple[str, ...] = ()


Definition = tuple[Observance, ...]


@dataclass(frozen=True)
class _Change:
    wall: datetime
    before: timedelta
    after: timedelta


def named_zone(name: str) -> Zone | None:
    """The zone that people know by a name: of the tz database, also behind a program's own path, or of Windows.

    Raises:
        MissingExtra: icalendar, which has the names of Windows.
    """
    return _named(name.strip().strip("\"'/")[:200])


@lru_cache(256)
def _named(name: str) -> Zone | None:
    parts = name.split("/")
    known = _names()
    for first in range(len(parts)):
        key = known.get("/".join(parts[first:]).replace(" ", "_").casefold())
        if key:
            return _in_zone(key)
    windows = _windows_names().get(name.casefold())
    return _in_zone(windows) if windows else None


@cache
def _names() -> dict[str, str]:
    return {name.casefold(): name for name in zoneinfo.available_timezones()}


@cache
def _windows_names() -> dict[str, str]:
    try:
        from icalendar.timezone.windows_to_olson import WINDOWS_TO_OLSON
    except ImportError:
        raise MissingExtra("icalendar, which knows the time zones of Windows,", "bring", "camphor") from None
    return {name.casefold(): key for name, key in WINDOWS_TO_OLSON.items()}


@cache
def _in_zone(key: str) -> Zone | None:
    try:
        zone = zoneinfo.ZoneInfo(key)
    except (OSError, ValueError, zoneinfo.ZoneInfoNotFoundError):
        return None
    return lambda wall: wall.replace(tzinfo=zone)


def fixed_zone(name: str) -> Zone | None:
    """The zone of a name that says its offset: "GMT+0100"."""
    try:
        return _fixed(offset_of(name))
    except ValueError:
        return None


@lru_cache(256)
def _fixed(offset: timedelta) -> Zone:
    zone = timezone(offset)
    return lambda wall: wall.replace(tzinfo=zone)


@lru_cache(64)
def defined_zone(definition: Definition) -> Zone | None:
    """The zone of a VTIMEZONE; None where nothing in it can be read."""
    changes = sorted((change for each in definition for change in _changes(each)), key=lambda each: each.wall)
    if not changes:
        return None
    walls = [each.wall for each in changes]

    def zone(wall: datetime) -> datetime:
        place = bisect_right(walls, wall) - 1
        if place < 0:
            offset = changes[0].before
        else:
            last = changes[place]
            # in the hour that is left out in spring the clock is still taken to go as before
            left_out = wall - last.wall < last.after - last.before
            offset = last.before if left_out else last.after
        return wall.replace(tzinfo=timezone(offset))

    return zone


def _changes(observance: Observance) -> list[_Change]:
    try:
        before, after = offset_of(observance.before), offset_of(observance.after)
        start = replace(time_of(observance.start), whole=False, zone=_fixed(before))
        walls = [start.wall, *(time_of(each).wall for each in observance.dates)]
        for written in observance.rules:
            rule = rule_of(written)
            if rule.frequency == rrule.YEARLY:
                walls += _years(walk(start, rule, start.wall, Situation(start.wall, UTC)))
    except (ValueError, OverflowError):
        return []
    return [_Change(wall, before, after) for wall in walls]


def _years(walls: Iterator[datetime]) -> Iterator[datetime]:
    for wall in islice(walls, _LAST_CHANGE):
        if wall.year > _LAST_CHANGE:
            return
        if wall.year >= _FIRST_CHANGE:
            yield wall


# What repeats

_FREQUENCIES = {"YEARLY": rrule.YEARLY, "MONTHLY": rrule.MONTHLY, "WEEKLY": rrule.WEEKLY, "DAILY": rrule.DAILY,
                "HOURLY": rrule.HOURLY}  # fmt: skip
_STEPS = {rrule.WEEKLY: timedelta(weeks=1), rrule.DAILY: timedelta(days=1), rrule.HOURLY: timedelta(hours=1)}
_DAYS = {"MO": rrule.MO, "TU": rrule.TU, "WE": rrule.WE, "TH": rrule.TH, "FR": rrule.FR, "SA": rrule.SA, "SU": rrule.SU}
_NAMES = tuple(_DAYS)
_DAY = re.compile(r"([+-]?\d{1,2})?(MO|TU|WE|TH|FR|SA|SU)", re.ASCII)
# dateutil's name, the smallest and the greatest number, and whether it counts from the end too
_LISTS = {
    "BYMONTH": ("bymonth", 1, 12, False), "BYMONTHDAY": ("bymonthday", 1, 31, True),
    "BYYEARDAY": ("byyearday", 1, 366, True), "BYWEEKNO": ("byweekno", 1, 53, True),
    "BYSETPOS": ("bysetpos", 1, 366, True), "BYHOUR": ("byhour", 0, 23, False),
    "BYMINUTE": ("byminute", 0, 59, False), "BYSECOND": ("bysecond", 0, 59, False),
}  # fmt: skip
_PARTS = frozenset(("FREQ", "INTERVAL", "COUNT", "UNTIL", "WKST", "BYDAY", *_LISTS))


@dataclass(frozen=True)
class Rule:
    """A rule of repetition.

    Args:
        lists: what dateutil takes as `bymonth` and so on. count: how often in all, the first time with it.
        until: the last time that it may be; both None for ever.
    """

    frequency: int
    interval: int
    count: int | None
    until: Time | None
    week_start: rrule.weekday
    lists: Mapping[str, tuple[int, ...]]
    days: tuple[rrule.weekday, ...]


def rule_of(text: str) -> Rule:
    """A rule as it is written. Raises: ValueError, it is none, or one that is not known here."""
    if len(text) > _LONGEST_RULE:
        raise ValueError("too long")
    parts = dict(part.strip().split("=", 1) for part in text.upper().split(";") if part.strip())
    frequency = _FREQUENCIES.get(parts.get("FREQ", ""))
    interval = int(parts.get("INTERVAL", 1))
    strange = [name for name in parts if name not in _PARTS and not name.startswith("X-")]
    if frequency is None or not 1 <= interval <= _GREATEST_INTERVAL or strange:
        raise ValueError("no rule")
    days = tuple(_day(each, frequency) for each in parts["BYDAY"].split(",")) if parts.get("BYDAY") else ()
    lists = {_LISTS[name][0]: _numbers(name, parts[name]) for name in _LISTS if parts.get(name)}
    if frequency == rrule.HOURLY and "bysetpos" in lists:
        raise ValueError("takes too long")
    return Rule(
        frequency,
        interval,
        max(int(parts["COUNT"]), 1) if parts.get("COUNT") else None,
        time_of(parts["UNTIL"]) if parts.get("UNTIL") else None,
        _DAYS[parts["WKST"]] if parts.get("WKST") in _DAYS else rrule.MO,
        lists,
        days,
    )


def walk(start: Time, rule: Rule, after: datetime, situation: Situation) -> Iterator[datetime]:
    """The wall-clock times of a rule: the start, which always is one, then those in order from `after` on or earlier.

    Raises:
        ValueError: the parts of the rule do not go together.
    """
    ends = _last(start, rule.until, situation)
    yield start.wall
    number = 1
    for wall in _fitting(start.wall, rule, after):
        if (rule.count and number >= rule.count) or ends(wall):
            return
        if wall != start.wall:
            number += 1
            yield wall


def _fitting(start: datetime, rule: Rule, after: datetime) -> Iterator[datetime]:
    ages = _AGES if start.year <= _LAST_MOVED else timedelta()
    begin = start
    step = _STEPS.get(rule.frequency)
    if step and rule.count is None:  # no need to go through all since 1990 to know this year's
        begin += max((after - start) // (step * rule.interval) - 1, 0) * step * rule.interval
    given: dict[str, Any] = dict(rule.lists)
    given["byweekday"] = rule.days or ([_DAYS[_NAMES[start.weekday()]]] if "byweekno" in given else None)
    given |= {"freq": rule.frequency, "interval": rule.interval, "wkst": rule.week_start}
    try:
        for found in rrule.rrule(dtstart=begin + ages, **given):
            yield found - ages
    except (ArithmeticError, LookupError, TypeError) as error:
        raise ValueError("no rule") from error


def _last(start: Time, until: Time | None, situation: Situation) -> Callable[[datetime], bool]:
    """Whether an occurrence lies behind the end of its rule."""
    if until is None:
        return lambda wall: False
    if start.whole or until.whole:
        # midnight in UTC stands for the day; another hour is the day's end somewhere
        day = until.wall
        if until.zone and (until.wall.hour or until.wall.minute):
            day = datetime.fromisoformat(situation.local(until.moment()))
        return lambda wall: wall.date() > day.date()
    if start.zone and until.zone:
        moment = until.moment()
        return lambda wall: start.at(wall).moment() > moment
    return lambda wall: wall > until.wall


def _day(text: str, frequency: int) -> rrule.weekday:
    found = _DAY.fullmatch(text.strip())
    if not found:
        raise ValueError("no day")
    ordinal = int(found[1] or 0)
    if abs(ordinal) > (53 if frequency == rrule.YEARLY else 5) or (found[1] and not ordinal):
        raise ValueError("no such day")
    return _DAYS[found[2]](ordinal) if ordinal else _DAYS[found[2]]


def _numbers(name: str, text: str) -> tuple[int, ...]:
    _, least, most, backwards = _LISTS[name]
    numbers = tuple(int(each) for each in text.split(","))
    if not all(least <= (abs(each) if backwards else each) <= most for each in numbers):
        raise ValueError("no such number")
    return numbers
