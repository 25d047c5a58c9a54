"""Times as the tables of programs and people write them, and what an hour that stands twice in a night means."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from datetime import datetime, tzinfo
from importlib.resources import files
from itertools import pairwise
from pathlib import Path

from camphor.errors import UsageError
from camphor.health.monitor.vitals import epoch, local

_DAY_MONTH = re.compile(r"^(\d{1,2})[./-](\d{1,2})[./-](\d{4}|\d{2})\b[ ,T]*(.*)$")
_YEAR_FIRST = re.compile(r"^(\d{4})[./-](\d{1,2})[./-](\d{1,2})\b[ ,T]*(.*)$")
_MONTH_DAY_NAMED = re.compile(r"^(?P<month>[^\W\d_]{3,9})\.? (?P<day>\d{1,2}),? (?P<year>\d{4})\b[ ,]*(?P<clock>.*)$")
_DAY_MONTH_NAMED = re.compile(
    r"^(?P<day>\d{1,2})\.? (?P<month>[^\W\d_]{3,9})\.?,? (?P<year>\d{4})\b[ ,]*(?P<clock>.*)$"
)
_CLOCK = re.compile(r"(\d{1,2})[:.H](\d{2})(?:[:.](\d{2})(?:[.,](\d{1,6}))?)?(?: ?([AP])\.? ?M\.?)?(?: ?UHR)?")
_MONTHS = tomllib.loads(files(__package__).joinpath("tables.toml").read_text(encoding="utf-8"))["months"]["begin"]
_DAY = 86_400.0


def order_of(path: Path, dates: Sequence[str], day_first: bool | None, title: Sequence[str] = ()) -> bool:
    """Whether days stand before months, told by a number above 12 somewhere.

    Args:
        title: what stands above the table, asked where its own dates leave it open: programs write when they made it.
    """
    parts = _parts(dates)
    if not parts:
        return True
    first, second = max(int(part[0]) for part in parts), max(int(part[1]) for part in parts)
    if first > 12 and second > 12:
        return day_first if day_first is not None else True  # some rows are wrong either way
    if first > 12 or second > 12:
        return first > 12
    if day_first is None and any(part[0] != part[1] for part in parts):
        above = [(int(one), int(two)) for one, two, *_ in _parts(title) if (int(one) > 12) != (int(two) > 12)]
        if above:
            return above[0][0] > 12
        example = "/".join(parts[0][:3])
        raise UsageError(f"{path}: {example} may be day and month or month and day: add --day-first or --month-first")
    return bool(day_first)


def _parts(dates: Sequence[str]) -> list[tuple[str, ...]]:
    return [match.groups() for each in dates if (match := _DAY_MONTH.match(each))]


def moment(text: str, day_first: bool) -> datetime:
    """A time as tables write it: ISO 8601, epoch seconds or milliseconds, or day, month and year in another order.

    Raises:
        ValueError: it is none of these.
    """
    if re.fullmatch(r"\d{9,10}(\.\d+)?|\d{12,13}", text):
        seconds = float(text)
        return datetime.fromtimestamp(seconds / 1000 if seconds > 1e11 else seconds).astimezone()
    if match := _DAY_MONTH.match(text):
        one, two, year, clock = match.groups()
        day, month = (one, two) if day_first else (two, one)
        return _at(int(year) + (2000 if len(year) == 2 else 0), int(month), int(day), clock)
    if match := _MONTH_DAY_NAMED.match(text) or _DAY_MONTH_NAMED.match(text):
        return _at(int(match["year"]), _month(match["month"]), int(match["day"]), match["clock"])
    try:
        return datetime.fromisoformat(re.sub(r" (?=[+-]\d\d:?\d\d$)", "", text))
    except ValueError:
        match = _YEAR_FIRST.match(text)
        if not match:
            raise
    year, month, day, clock = match.groups()
    return _at(int(year), int(month), int(day), clock)


def _at(year: int, month: int, day: int, clock: str) -> datetime:
    told = " ".join(clock.upper().split())
    if not told:
        return datetime(year, month, day)
    match = _CLOCK.fullmatch(told)
    if not match:
        raise ValueError(f"{clock!r} is no time of day")
    hour, minute, second, part, half = match.groups()
    if half and not 1 <= int(hour) <= 12:
        raise ValueError(f"{clock!r} is no time of day")
    hours = int(hour) % 12 + 12 * (half == "P") if half else int(hour)
    return datetime(year, month, day, hours, int(minute), int(second or 0), int((part or "").ljust(6, "0")))


def _month(name: str) -> int:
    plain = name.casefold()
    for number, starts in enumerate(_MONTHS, 1):
        if plain.startswith(tuple(starts)):
            return number
    raise ValueError(f"{name!r} is no month")


def unfold(at: list[float], zone: tzinfo | None) -> list[float]:
    """Times of one column in the order of their file, where the hour that the clocks are set back is told twice.

    Local times do not tell which of the two hours they are in; where they go back once within it, the second begins.

    Args:
        at: epoch seconds, each time of such an hour taken for the first one.
    """
    shifts = _shifts(at, zone)
    if not shifts:
        return at
    found, backwards = list(at), at[-1] < at[0]
    order = range(len(at) - 1, -1, -1) if backwards else range(len(at))
    back = [now for before, now in pairwise(order) if at[now] < at[before]]
    begins = {at[place] // _DAY: place for place in back if place in shifts}
    if len(begins) < len(back):  # in no order, or back more than once in a night
        return at
    for place, shift in shifts.items():
        begin = begins.get(at[place] // _DAY)
        if begin is not None and (place <= begin if backwards else place >= begin):
            found[place] += shift
    return found


def _shifts(at: list[float], zone: tzinfo | None) -> dict[int, float]:
    """The places of times that may be of either hour, with how far these are apart."""

    def back(seconds: float) -> float:
        wall = local(seconds, zone)
        return epoch(wall.replace(fold=1), zone) - epoch(wall.replace(fold=0), zone)

    nights = {day for day in {each // _DAY for each in at} if _set_back(day * _DAY, zone)}
    return {place: shift for place, each in enumerate(at) if each // _DAY in nights and (shift := back(each)) > 0}


def _set_back(begin: float, zone: tzinfo | None) -> bool:
    """Whether clocks are set back within a day of UTC or in the hours beside it."""
    first, last = (local(seconds, zone) for seconds in (begin - 3600, begin + _DAY + 3600))
    return (last - first).total_seconds() < _DAY + 7200
