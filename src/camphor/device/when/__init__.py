"""Times and ranges as people write, type and dictate them, resolved against the device's clock.

The language model copies a person's words; this package computes what they mean. It never guesses: text that is not
understood, that contradicts itself or names an impossible date raises `WhenError`.
"""

from __future__ import annotations

import re
from datetime import date, datetime, time

from camphor.device.when.days import NoSuchDay
from camphor.device.when.lexicon import MONTHS, WEEKDAYS, canonical
from camphor.device.when.phrases import Reader, moment_of
from camphor.device.when.ranges import hours_of, iso_span, span_of
from camphor.errors import ToolError

__all__ = ["WhenError", "parse_range", "parse_time", "show_day", "show_time"]

_ISO = re.compile(r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(:\d\d)?(\.\d+)?")
_LONGEST = 200
_EXAMPLE = 'write for example "tomorrow at 5 pm", "Fri 3 Apr 18:30" or "in 20 minutes"'


class WhenError(ToolError, ValueError):
    """A time or a range that is not understood; the message says which, why, and what would be."""

    def __init__(self, text: str, why: str = "is not a time that can be understood", example: str = _EXAMPLE) -> None:
        self.text = text
        shown = text if len(text) <= 60 else text[:57] + "..."
        super().__init__(f'"{shown}" {why}: {example}')


def show_time(moment: datetime, year: int, *, clock: bool = True) -> str:
    """A moment as prompts and answers show it: `Sat 19 Jul 09:00`; the year is written only where it is not `year`.

    `parse_time` reads it back exactly (to the minute). Digits are one token each in small models, so this form costs
    half of ISO 8601's tokens.
    """
    return f"{show_day(moment, year)} {moment:%H:%M}" if clock else show_day(moment, year)


def show_day(day: date, year: int) -> str:
    """A day alone: `Sat 19 Jul`."""
    other = f" {day.year}" if day.year != year else ""
    weekday, month = (names[:3].capitalize() for names in (WEEKDAYS[day.weekday()], MONTHS[day.month - 1]))
    return f"{weekday} {day.day} {month}{other}"


def parse_time(text: str, now: datetime, *, default_hour: int = 9, day_first: bool | None = None) -> datetime:
    """The moment that a person's words mean.

    Args:
        text: "next Friday at half past five", "in 20 minutes", "the night before Sat 19 Jul 09:00 at eight", ISO 8601.
        now: the device's clock, naive local time; what is said counts from it.
        default_hour: the hour of a day that is named without one.
        day_first: how to read 3/4 (4 March or 3 April); None refuses a date that can be read in both ways.

    Returns:
        Naive local time, to the minute.

    Raises:
        WhenError: the text is not understood, contradicts itself, or names an impossible date.
    """
    said = text.strip()
    if _ISO.fullmatch(said):
        try:
            return datetime.fromisoformat(said.upper()).replace(microsecond=0)
        except ValueError:
            raise WhenError(text, "is not in the calendar") from None
    if not said or len(said) > _LONGEST:
        raise WhenError(text)
    try:
        moment = moment_of(canonical(said), Reader(now.replace(second=0, microsecond=0), default_hour, day_first))
    except NoSuchDay as error:
        raise WhenError(text, f"is not a date ({error})") from None
    except (OverflowError, ValueError):
        raise WhenError(text, "is out of the calendar") from None
    if moment is None:
        raise WhenError(text)
    return moment.at if moment.at is not None else datetime.combine(moment.date, time(default_hour))


def parse_range(text: str, now: datetime, *, day_first: bool | None = None) -> str:
    """The days that a person's words mean, as an ISO date or an ISO 8601 interval `A/B` (both ends belong to it).

    "tomorrow", "Friday at 5" and "12 March" are one day; "this week" runs from Monday to Sunday; "from 3 to 4 pm
    today" keeps its hours. A date without a year is the nearest such date, for what was is asked as often as what
    will be.

    Raises:
        WhenError: as `parse_time`.
    """
    example = 'write for example "tomorrow", "this week" or "3 to 9 April"'
    said = text.strip()
    if not said or len(said) > _LONGEST:
        raise WhenError(text, "is not a range of days", example)
    reader = Reader(now.replace(second=0, microsecond=0), day_first=day_first)
    try:
        as_is = iso_span(said)
        if as_is:
            return as_is
        plain = canonical(said)
        hours = hours_of(plain, reader)
        if hours:
            return "/".join(moment.isoformat() for moment in hours)
        span = span_of(plain, reader)
    except NoSuchDay as error:
        raise WhenError(text, f"is not a date ({error})", example) from None
    except (OverflowError, ValueError):
        raise WhenError(text, "is out of the calendar", example) from None
    if span is None:
        raise WhenError(text, "is not a range of days that can be understood", example)
    return span[0].isoformat() if span[0] == span[1] else f"{span[0].isoformat()}/{span[1].isoformat()}"
