"""What the cells of a table mean: dates, numbers, yes and no, several values in one."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, date, datetime, tzinfo
from functools import lru_cache

from camphor.device.importers.base import Situation
from camphor.device.importers.tidy import tidy
from camphor.device.importers.zone_names import zone_named

_LONGEST_DATE = 64
_LONGEST_NUMBER = 40
_MOST_VALUES = 1000  # of one cell
_REMEMBERED = 1 << 16  # days as they were written: a century has 36,525

DATES = frozenset(("start", "end", "date", "time", "birthday", "modified", "played", "visited", "read"))
"""Fields of the device's lists that are times or days."""
_NUMBERS = frozenset(
    ("latitude", "longitude", "progress", "seconds", "likes", "steps", "distance_km", "active_kcal", "plays", "rating")
)
_TRUTHS = frozenset(("is_self", "from_me", "done"))
MANY = frozenset(("participants", "recipients", "phones", "emails", "tags"))
"""Fields that hold several values."""
_MOST = {"latitude": 90.0, "longitude": 180.0}
_YES = frozenset(
    ("true", "yes", "y", "1", "x", "✓", "✔", "done", "completed", "sent", "outgoing", "ja", "j", "wahr", "oui", "vrai",
     "sí", "si", "verdadero", "sim", "verdadeiro", "sì", "vero", "да")
)  # fmt: skip
_NO = frozenset(
    ("false", "no", "n", "0", "open", "received", "incoming", "nein", "nei", "nej", "nee", "falsch", "non", "faux",
     "falso", "não", "нет")
)  # fmt: skip

_CLOCK = re.compile(
    r"(?P<hour>\d{1,2}):(?P<minute>\d\d)(?::(?P<second>\d\d)(?:[.,]\d+)?)?\s*(?P<half>[ap]\.?\s?m\b\.?)?\s*"
    r"(?P<zone>[A-Z]{0,5}(?:[+-]\d{1,2}(?::?\d\d)?)?)",
    re.IGNORECASE,
)
_YEARLY = re.compile(r"--(?P<month>\d\d)-?(?P<day>\d\d)", re.ASCII)
_YEAR_FIRST = re.compile(r"\d{4}")
_TWO_READINGS = re.compile(
    r"(?<!\d)(?P<first>\d{1,2})(?P<between>[/.\- ])(?P<second>\d{1,2})(?P=between)(?:\d{4}|\d\d)(?!\d)"
)
# Two defaults that differ in all: what a text leaves out differs then too.
_DEFAULTS = (datetime(2000, 1, 1, 1, 1, 1), datetime(2001, 2, 2, 2, 2, 2))


def reader(field: str, situation: Situation, dayfirst: bool) -> Callable[[str], object]:
    """What makes a value of a cell for a field; it gives None where the cell holds no such value."""
    if field == "birthday":
        return lambda text: birthday(text, situation, dayfirst)
    if field in DATES:
        return lambda text: moment(text, situation, dayfirst)
    if field in _NUMBERS:
        return lambda text: number(text, field)
    if field in _TRUTHS:
        return truth
    return several if field in MANY else tidy


def number(text: str, field: str = "") -> int | float | None:
    """A number, with a comma or a point before its decimals; a share where it is a percentage."""
    plain = "".join(text.split()).replace("\u2212", "-").replace("'", "")
    if len(plain) > _LONGEST_NUMBER or not plain.isascii():
        return None
    share = plain.endswith("%")
    plain = plain.removesuffix("%")
    comma, point = plain.rfind(","), plain.rfind(".")
    if comma > point >= 0 or (comma >= 0 > point and not _has_thousands(plain, field)):
        plain = plain.replace(".", "").replace(",", ".")
    else:
        plain = plain.replace(",", "")
    if not re.fullmatch(r"[+-]?(?:\d+\.?\d*|\.\d+)", plain):
        return None
    value = int(plain) if plain.lstrip("+-").isdigit() else float(plain)
    if abs(value) > _MOST.get(field, abs(value)):
        return None
    return value / 100 if share else value


def _has_thousands(plain: str, field: str) -> bool:
    return field not in _MOST and re.fullmatch(r"[+-]?\d{1,3}(?:,\d{3})+", plain) is not None


def truth(text: str) -> bool | None:
    """Yes or no, in the languages of programs that say it in words."""
    said = text.strip().lower()
    return True if said in _YES else False if said in _NO else None


def several(text: str) -> list[str]:
    """The values of a cell that holds several: parted by semicolons or lines, or else by commas."""
    parts = re.split(r"[;\n]" if ";" in text or "\n" in text else r",", text, maxsplit=_MOST_VALUES)
    return [part for part in map(tidy, parts[:_MOST_VALUES]) if part]


def moment(text: str, situation: Situation, dayfirst: bool) -> str | None:
    """A time as records have it, a day alone as a date; None for what is neither."""
    text = text.strip()
    if not text or len(text) > _LONGEST_DATE:
        return None
    try:
        found = (_seconds(text) or _iso(text)) if text[:4].isdigit() else None
        found = found or _timed(text, dayfirst) or _parsed(text, dayfirst)
        if not isinstance(found, datetime):
            return found.isoformat() if found else None
        return situation.local(found) if found.tzinfo or found.microsecond else found.isoformat()
    except (ValueError, OverflowError, OSError):  # a clock of 25:00; at the very ends of the calendar
        return None


def birthday(text: str, situation: Situation, dayfirst: bool) -> str | None:
    """A day of birth, or "--05-06" where the year is not told; never ahead, which tells the century of 5/6/34."""
    if yearly := _YEARLY.fullmatch(text.strip()):
        return f"--{yearly['month']}-{yearly['day']}"
    found = (moment(text, situation, dayfirst) or "")[:10]
    try:
        born = date.fromisoformat(found)
        return born.replace(year=born.year - 100).isoformat() if born > situation.now.date() else found
    except ValueError:
        return None


def _seconds(text: str) -> datetime | None:
    """Seconds or milliseconds since 1970, as programs count."""
    if len(text) not in (10, 13) or not (text.isascii() and text.isdigit()):
        return None
    return datetime.fromtimestamp(int(text) / (1 if len(text) == 10 else 1000), UTC)


def _iso(text: str) -> date | None:
    """A time, or a day where it tells none."""
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        return None
    return at if len(text) > 10 else at.date()


def _timed(text: str, dayfirst: bool) -> datetime | None:
    """A day with a clock behind it. Both repeat and are remembered: dateutil takes 0.1 ms for each."""
    cut = text.rfind(" ", 0, max(text.find(":"), 0))
    clock = _clock(text[cut + 1 :]) if cut > 0 else None
    day = _parsed(text[:cut], dayfirst) if clock else None
    if clock is None or day is None or isinstance(day, datetime):
        return None
    hour, minute, second, zone = clock
    return datetime(day.year, day.month, day.day, hour, minute, second, tzinfo=zone)


@lru_cache(maxsize=_REMEMBERED)
def _clock(text: str) -> tuple[int, int, int, tzinfo | None] | None:
    """Hour, minute, second and zone."""
    found = _CLOCK.fullmatch(text)
    if found is None:
        return None
    hour, half = int(found["hour"]), (found["half"] or "").lower()
    if half:
        hour = hour % 12 + 12 * (half[0] == "p")
    return hour, int(found["minute"]), int(found["second"] or 0), zone_named(found["zone"])


@lru_cache(maxsize=_REMEMBERED)
def _parsed(text: str, dayfirst: bool) -> date | None:
    """What dateutil reads, if it is a full date: a time, or a day where it tells none."""
    from dateutil import parser

    first_is_day = dayfirst and not _YEAR_FIRST.match(text)  # 2024/03/05 would be the third of May
    try:
        one, other = (
            parser.parse(text.rstrip(" ,"), default=default, dayfirst=first_is_day, tzinfos=_zone)
            for default in _DEFAULTS
        )
    except (ValueError, ArithmeticError, TypeError, LookupError, AttributeError):
        return None
    if one.date() != other.date():
        return None
    if one.hour != other.hour:
        return one.date()
    if one.minute != other.minute:
        one = one.replace(minute=0)
    return one if one.second == other.second else one.replace(second=0)


def _zone(name: str | None, offset: int | None) -> tzinfo | None:
    from dateutil import tz

    if offset is not None:
        return tz.tzoffset(None, offset) if abs(offset) < 86_400 else None
    return zone_named(name) if name else None


class Readings:
    """Which ways the dates of a column can be read."""

    def __init__(self) -> None:
        self.day_first = self.month_first = self.either = False

    def add(self, text: str) -> None:
        """Takes in a cell."""
        found = _TWO_READINGS.search(text)
        if found is None or found["first"] == found["second"]:
            return
        first, second = int(found["first"]), int(found["second"])
        if second > 12:
            self.month_first = True
        elif first > 12 or found["between"] == ".":  # with points nobody writes the month first
            self.day_first = True
        else:
            self.either = True

    @property
    def dayfirst(self) -> bool | None:
        """Whether the day comes first; None where that cannot be told."""
        if self.day_first and self.month_first:
            return None
        return None if self.either and not (self.day_first or self.month_first) else self.day_first
