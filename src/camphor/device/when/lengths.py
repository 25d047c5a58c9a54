"""Lengths of time: "20 minute", "hour and a half", "2 week", and moments counted from now."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta

from dateutil.relativedelta import relativedelta


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


def from_now(text: str, now: datetime) -> datetime | None:
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
