"""Times of day and lengths of time: "half past 5", "7 pm", "noon", "20 minute", and moments counted from now."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta

from dateutil.relativedelta import relativedelta

# Times of day: "half past 5", "7 pm", "19:30", "ten to 3", "noon", and what a bare hour means.
#
# A clock that is read may be open: "7" is 07:00 or 19:00 until a part of the day ("in the evening"), the day or the
# present moment decides. The choice follows these rules, learnt from the hand-written queries:
#
# * with a part of the day, that part decides; 12 and 1 to 4 "at night" are after midnight, on the next date;
# * today or without a day: the first such time after now ("at 6" said at 08:45 is 18:00, said at 19:00 is 06:00);
# * on another day: 1 to 6 are afternoon, 7 to 11 morning, 12 noon.

PARTS = {
    "early morning": time(7), "morning": time(9), "late morning": time(11), "lunchtime": time(12),
    "early afternoon": time(14), "afternoon": time(15), "late afternoon": time(17), "early evening": time(18),
    "evening": time(19), "late evening": time(21), "tonight": time(20), "night": time(21), "eve": time(19),
}  # fmt: skip
"""The time of day that a part of the day stands for when no hour is said."""

_FIRST_MORNING_HOUR = 7  # "tomorrow at 7" is 07:00, "tomorrow at 6" is 18:00


@dataclass(frozen=True)
class Clock:
    """A time of day as said.

    `open_` when it may be before or after noon; `written` when it has the two-digit form 09:00, which is exact beside
    a full date; `next_day` for midnight, which ends its day.
    """

    hour: int
    minute: int = 0
    open_: bool = False
    written: bool = False
    next_day: bool = False


def part_of(part: str | None) -> str:
    """The plain part of day: "late evening" -> "evening", "tonight" -> "night"."""
    if part is None:
        return ""
    return {"tonight": "night", "eve": "evening"}.get(part.split()[-1], part.split()[-1])


def _half_day(hour: int, minute: int, mark: str | None) -> Clock | None:
    """A clock with am, pm or neither; None when there is no such time of day."""
    if minute > 59 or hour > 24 or (hour == 24 and minute):
        return None
    if mark:
        if hour == 0 or hour > 12:  # "19:30 pm" is said, "0 am" too
            return Clock(hour % 24, minute) if (mark == "pm") == (hour >= 12) else None
        return Clock(hour % 12 + (12 if mark == "pm" else 0), minute)
    if hour == 24:
        return Clock(0, 0, next_day=True)
    return Clock(hour, minute, open_=1 <= hour <= 12)


def _written(m: re.Match[str]) -> Clock | None:
    clock = _half_day(int(m[1]), int(m[2]), m[3])
    if clock is None or m[3]:
        return clock
    return replace(clock, written=len(m[1]) == 2, open_=clock.open_ and not m[1].startswith("0"))


def _compact(m: re.Match[str]) -> Clock | None:
    clock = _half_day(int(m[1][:-2]), int(m[1][-2:]), m[2])
    return replace(clock, open_=False) if clock and m[1].startswith("0") else clock


def _plain(m: re.Match[str]) -> Clock | None:
    return _half_day(int(m[1]), 0, m[2])


def _pair(m: re.Match[str]) -> Clock | None:
    return _half_day(int(m[1]), int(m[2]), m[3])


def _french(m: re.Match[str]) -> Clock | None:
    hour = int(m[1])
    return _half_day(hour, int(m[2] or 0), None) if hour <= 24 else None


def _named(m: re.Match[str]) -> Clock | None:
    return Clock(12) if m[1] == "noon" else Clock(0, next_day=True)


def _spoken(m: re.Match[str]) -> Clock | None:
    """ "half past 5", "quarter to 7", "20 past noon", "5 to midnight", "half 10" (10:30)."""
    minutes = {"half": 30, "quarter": 15}.get(m[1]) or int(m[1].split()[0])
    if not 0 < minutes < 60:
        return None
    base: Clock | None
    if m[3] in ("noon", "midnight"):
        base = Clock(12) if m[3] == "noon" else Clock(0, next_day=True)
    else:
        base = _half_day(int(m[3]), 0, m[4])
    if base is None:
        return None
    if m[2] in (None, "past", "after"):
        return replace(base, minute=minutes)
    hour = (base.hour - 1) % 24
    if base.open_:
        hour = hour or 12
    return replace(base, hour=hour, minute=60 - minutes, next_day=False)


_END = r"(?= |$)"
_AMPM = r"(?: (am|pm))?"
Handler = Callable[[re.Match[str]], "Clock | None"]
_PATTERNS: tuple[tuple[re.Pattern[str], Handler], ...] = tuple(
    (re.compile(pattern + _END), handler)
    for pattern, handler in (
        (r"(\d{1,2})[:.](\d\d)(?::\d\d)?(?: oclock)?" + _AMPM, _written),
        (
            r"(?:a )?(half|quarter|\d{1,2}(?: minute)?) (past|after|to|before|of) "
            r"(\d{1,2}|noon|midnight)(?: oclock)?" + _AMPM,
            _spoken,
        ),
        (r"(half)( past)? (\d{1,2}|noon|midnight)(?: oclock)?" + _AMPM, _spoken),
        (r"(?:12 )?(noon|midnight)", _named),
        (r"(\d{1,2}) ([0-5]\d)" + _AMPM, _pair),
        (r"(\d{3,4})(?: hour)?" + _AMPM, _compact),
        (r"(\d{1,2}) h(?: ?([0-5]\d))?", _french),
        (r"(\d{1,2})(?! (?:minute|hour|day|week|fortnight|month|year)\b)(?: oclock)?" + _AMPM, _plain),
    )
)


def clocks_at(text: str, start: int) -> Iterator[tuple[int, Clock]]:
    """Every reading of a clock that starts at `start` of a canonical text, with where it ends."""
    if not (text[start].isdigit() or text[start] in "hqanm"):
        return
    for pattern, handler in _PATTERNS:
        m = pattern.match(text, start)
        if m:
            clock = handler(m)
            if clock is not None:
                yield m.end(), clock


def on_day(clock: Clock, part: str | None, day: date, exact: bool) -> datetime | None:
    """The moment of a clock on a day other than by counting from now; None when part and clock contradict.

    Args:
        exact: the day is a full date, so that a clock written 10:30 is that and not 22:30.
    """
    half = part_of(part)
    hour, ahead = clock.hour, 1 if clock.next_day else 0
    if half and (clock.open_ or (clock.written and hour <= 12)):
        if half == "morning":
            hour %= 12
        elif half in ("afternoon", "lunchtime"):
            hour = hour % 12 + 12 if half == "afternoon" or hour < 10 else hour
        elif half == "evening":
            hour, ahead = (hour + 12, 0) if hour < 12 else (0, 1)
        elif hour == 12 or hour < 5:  # night
            hour, ahead = hour % 12, 1
        else:
            hour += 12
    elif (half == "morning" and hour >= 12) or (half in ("afternoon", "evening") and 0 < hour < 12):
        return None
    elif half == "night" and hour < 5:
        ahead = 1
    elif not half and clock.open_ and not (exact and clock.written) and hour < _FIRST_MORNING_HOUR:
        hour += 12
    return datetime.combine(day, time(hour, clock.minute)) + timedelta(days=ahead)


def from_now(clock: Clock, now: datetime) -> datetime:
    """The first time after now that a clock without a day can mean.

    Noon rather than midnight is meant by a bare 12 until the evening.
    """
    hours = [clock.hour]
    if clock.open_:
        hours = [clock.hour % 12, clock.hour % 12 + 12]
        if clock.hour == 12 and now.hour < 18:
            hours = [12]
    midnight = datetime.combine(now.date(), time())
    moments = (midnight + timedelta(days=d, hours=h, minutes=clock.minute) for d in (0, 1) for h in hours)
    return next(moment for moment in moments if moment > now)


# Lengths of time: "20 minute", "hour and a half", "2 week", and moments counted from now.


@dataclass(frozen=True)
class Length:
    """A length of time, of one kind: minutes (hours too), days (weeks too) or months (years too)."""

    minutes: int = 0
    days: int = 0
    months: int = 0

    @property
    def delta(self) -> relativedelta:
        return relativedelta(minutes=self.minutes, days=self.days, months=self.months)


_DURATION = re.compile(
    r"(?:(?P<n>\d+(?:\.\d+)?|a couple of|couple of|a couple|couple|a|another) )?"
    r"(?:(?P<half>half a |half |quarter of a |a quarter of a |quarter )|(?P<and>and a half |and half ))?"
    r"(?P<unit>minute|min|m|hour|h|day|week|fortnight|month|year)"
    r"(?P<more> and a half| and half| and a quarter| and 3 quarter)?"
    r"(?:(?: and)? (?P<minutes>\d+)(?: (?:minute|m))?)?"
)
_MINUTES = {"minute": 1, "min": 1, "m": 1, "hour": 60, "h": 60}
_DAYS = {"day": 1, "week": 7, "fortnight": 14}
_MONTHS = {"month": 1, "year": 12}
_LONGEST_COUNT = 10_000


def length_of(text: str) -> Length | None:
    """The length that a canonical text means ("half hour", "1 hour 20", "week", "2.5 hour"), or None."""
    m = _DURATION.fullmatch(text)
    if not m:
        return None
    said, unit = m["n"], m["unit"]
    if said is None and not m["half"] and unit in ("minute", "min", "m", "h", "year"):
        return None
    count = 1.0 if said in (None, "a", "another") else 2.0 if "couple" in said else float(said)
    if m["half"]:
        quarters = {None: 1, "a": 1, "3": 3} if "quarter" in m["half"] else {None: 2, "a": 2}
        if said not in quarters:
            return None
        count = quarters[said] / 4
    count += 0.5 if m["and"] else 0.0
    count += {None: 0.0, " and a quarter": 0.25, " and 3 quarter": 0.75}.get(m["more"], 0.5)
    if count > _LONGEST_COUNT:
        return None
    if unit in _MINUTES:
        return Length(minutes=round(count * _MINUTES[unit]) + int(m["minutes"] or 0))
    if m["minutes"]:
        return None
    whole = count * (_DAYS.get(unit) or _MONTHS[unit])
    if whole != int(whole):
        return None
    return Length(days=int(whole)) if unit in _DAYS else Length(months=int(whole))


_FROM_NOW = (re.compile(r"(?:in|after) (?P<span>.+)"), re.compile(r"(?P<span>.+) from now"))
_BARE_MINUTES = re.compile(r"in (\d+)")
_MOST_BARE_MINUTES = 180


def counted_from_now(text: str, now: datetime) -> datetime | None:
    """ "in 20 minute", "hour and a half from now", "in 25" (minutes): counted from now to the minute; else None.

    "An hour later" is refused: of an appointment that moves it means something else.
    """
    m = _BARE_MINUTES.fullmatch(text)
    if m:
        return now + timedelta(minutes=int(m[1])) if 1 < int(m[1]) <= _MOST_BARE_MINUTES else None
    for pattern in _FROM_NOW:
        m = pattern.fullmatch(text)
        length = length_of(m["span"]) if m else None
        if length and length.minutes:
            return now + timedelta(minutes=length.minutes)
    return None
