"""Dates and amounts as people's exports have them: with or without a time or a unit."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date, datetime, tzinfo
from functools import lru_cache
from typing import Any

from dateutil import parser as dateutil_parser

_ISO = re.compile(r"\d{4}-\d\d-\d\d")
_DATE_LIKE = re.compile(r"\d{1,4}[-./ ]|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)", re.IGNORECASE)
_NUMBER = re.compile(r"[-+]?\d[\d,]*\.?\d*|[-+]?\.\d+")
_DECIMAL_COMMA = re.compile(r"[-+]?(?:\d+|\d{1,3}(?:\.\d{3})+),\d{1,2}(?!,?\d)")
# Two defaults that differ in year, month and day: a text that leaves one of them out is no date.
_DEFAULTS = (datetime(2000, 1, 1), datetime(2001, 2, 2))


def moment(value: Any, zone: tzinfo | None = None) -> datetime | None:
    """A record's date as a naive local datetime, midnight where it has no time; None where it is no full date.

    A date with an offset is brought to `zone`. Numbers with slashes are read month first where that is possible.
    """
    if not isinstance(value, str) or len(value) > 64 or not value:
        return None
    found = _read(value)
    if found is None or found.tzinfo is None:
        return found
    try:
        return found.astimezone(zone).replace(tzinfo=None)
    except OverflowError:  # at the very ends of the calendar
        return None


@lru_cache(maxsize=4096)
def _read(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        pass
    if not _DATE_LIKE.search(text) or not any(char.isdigit() for char in text):
        return None
    try:
        first, second = (dateutil_parser.parse(text, default=default) for default in _DEFAULTS)
    except (ValueError, OverflowError, TypeError):
        return None
    return first if first == second else None


def day(value: Any, zone: tzinfo | None = None) -> int:
    """The day number (`date.toordinal`) of a record's date, 0 where it has none."""
    if isinstance(value, str) and len(value) in (10, 19) and _ISO.match(value):
        # the usual forms, without building a datetime: a look-up reads thousands
        try:
            return date(int(value[:4]), int(value[5:7]), int(value[8:10])).toordinal()
        except ValueError:
            return 0
    found = moment(value, zone)
    return found.toordinal() if found else 0


def span(record: Mapping[str, Any], fields: tuple[str, str] | None, zone: tzinfo | None = None) -> tuple[int, int]:
    """First and last day of a record, (0, 0) where it has no date.

    `fields` names the two fields; None takes the earliest and latest of all dates at the record's top.
    """
    if fields is None:
        found = sorted(filter(None, (day(value, zone) for value in record.values())))
        return (found[0], found[-1]) if found else (0, 0)
    first = day(record.get(fields[0]), zone)
    return first, max(first, day(record.get(fields[1]), zone)) if first else 0


def days_of(time_range: str) -> tuple[int, int]:
    """First and last day of an ISO date or interval "A/B", both included.

    Raises:
        ValueError: not ISO 8601.
    """
    first, _, last = time_range.partition("/")
    days = [datetime.fromisoformat(text).toordinal() for text in (first, last or first)]
    return days[0], days[1]


def in_year(day: datetime, year: int) -> datetime:
    """The day in another year; what comes on 29 February comes on the 28th where there is none."""
    try:
        return day.replace(year=year)
    except ValueError:
        return day.replace(year=year, day=28)


def number(value: Any) -> float | None:
    """A number, or the first number in a text with its unit ("14.5 GB", "$1,249.00", "213,50 €"); None for none."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return float(value)
    if not isinstance(value, str) or not (found := _NUMBER.search(value)):
        return None
    if comma := _DECIMAL_COMMA.match(value, found.start()):
        return float(comma[0].replace(".", "").replace(",", "."))
    return float(found[0].replace(",", ""))
