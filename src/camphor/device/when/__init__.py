"""Times and ranges as people write, type and dictate them, resolved against the device's clock.

The language model copies a person's words; this package computes what they mean. It never guesses: text that is not
understood, that contradicts itself or names an impossible date raises `WhenError`.
"""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date, datetime, time, timedelta

from dateutil.relativedelta import relativedelta

from camphor.device.when.days import NoSuchDay, month_start
from camphor.device.when.lexicon import MONTH, MONTHS, WEEKDAYS, canonical
from camphor.device.when.phrases import DEEPEST, PhraseReader, moment_of, read
from camphor.errors import ToolError

# Ranges of days: "this week", "tomorrow", "from monday to friday", "next 3 days", "july", "1st week of january".

Span = tuple[date, date]
_ISO_MOMENT = r"\d{4}-\d\d-\d\d(?:t\d\d:\d\d(?::\d\d)?)?"
_ISO_SPAN = re.compile(rf"({_ISO_MOMENT})/({_ISO_MOMENT})")
_PERIOD = re.compile(
    r"(?:in |for |during |over )?(?:(?P<rest>rest of|later) )?(?:(?P<which>this|next|last|past|coming|whole|all) )?"
    r"(?P<unit>week|weekend|month|year|fortnight)"
)
_MANY = re.compile(
    r"(?:in |for |during |over )?(?:within )?(?P<which>next|coming|last|past|previous) "
    r"(?P<n>\d+|couple of|few|a few) (?P<unit>day|week|month|year)"
)
_MONTH = re.compile(
    rf"(?:in |for |during |all |whole )?(?:month of )?(?:(?P<which>next|last|this) )?(?P<m>{MONTH}(?: (?:19|20)\d\d)?)"
)
_ISO_MONTH = re.compile(r"((?:19|20)\d\d) (0\d|1[012])")  # canonical "2026-05"
_YEAR = re.compile(r"(?:in )?((?:19|20)\d\d)")
_WEEK_OF = re.compile(
    r"(?:in |for |during )?(?P<n>1st|2nd|3rd|4th|last) week (?:of|in) "
    rf"(?P<m>(?:this |next |last )?month|{MONTH}(?: \d{{4}})?)"
)
_WEEK_FROM = re.compile(r"(?:in |for |during )?week (?:of|from|beginning|starting|commencing) (?P<day>.+)")
_BETWEEN = re.compile(r"(?:from |between )?(?P<a>.+?) (?:to|and|until|through|thru|-) (?P<b>.+)")
_SINCE = re.compile(r"(?:since|from) (?P<a>.+?)(?: on| onward| onwards)?")
_UNTIL = re.compile(r"(?:until|by|before|up to|to) (?P<b>.+)")
_DAYS_OF_MONTH = re.compile(
    r"(?:from )?(?P<a>\d\d?)(?:st|nd|rd|th)? (?:to |and )?"
    rf"(?P<b>\d\d?)(?:st|nd|rd|th)? (?:of )?(?P<m>{MONTH})(?P<y> \d{{4}})?"
)


def _period(m: re.Match[str], today: date) -> Span:
    unit, which = m["unit"], m["which"] or "this"
    step = {"next": 1, "coming": 1, "last": -1, "past": -1}.get(which, 0)
    monday = today - timedelta(days=today.weekday())
    if unit == "weekend":
        step = 0 if which == "coming" else step
        saturday = monday + timedelta(days=5, weeks=step)
        span = (saturday, saturday + timedelta(days=1))
    elif unit == "fortnight":
        span = (today, today + timedelta(days=14)) if step >= 0 else (today - timedelta(days=14), today)
    elif unit == "week":
        span = (monday + timedelta(weeks=step), monday + timedelta(weeks=step, days=6))
    elif unit == "month":
        first = today.replace(day=1) + relativedelta(months=step)
        span = (first, first + relativedelta(day=31))
    else:
        span = (date(today.year + step, 1, 1), date(today.year + step, 12, 31))
    return (max(today, span[0]), span[1]) if m["rest"] else span


def _many(m: re.Match[str], today: date) -> Span:
    count = int(m["n"]) if m["n"].isdigit() else 3 if "few" in m["n"] else 2
    count = min(count, 1000)
    lengths = {
        "day": relativedelta(days=count),
        "week": relativedelta(weeks=count),
        "month": relativedelta(months=count),
        "year": relativedelta(years=count),
    }
    length = lengths[m["unit"]]
    return (today, today + length) if m["which"] in ("next", "coming") else (today - length, today)


def _whole_month(first: date) -> Span:
    return first, first + relativedelta(day=31)


def _month(m: re.Match[str], today: date) -> Span:
    words = m["m"]
    first = month_start(words, today)
    if " " not in words and m["which"] not in ("next", "this"):
        far = first > today.replace(day=1) + relativedelta(months=6)
        first -= relativedelta(years=far or (m["which"] == "last" and first >= today.replace(day=1)))
    return _whole_month(first)


def _week_of(m: re.Match[str], today: date) -> Span:
    first = month_start(m["m"], today)
    if m["n"] == "last":
        end = first + relativedelta(day=31)
        return end - timedelta(days=6), end
    start = first + timedelta(weeks=int(m["n"][0]) - 1)
    return start, start + timedelta(days=6)


def _one_day(text: str, reader: PhraseReader) -> Span | None:
    """A single day, its clock left out of account; a date without a year is the nearest such date."""
    moment = moment_of(text, reader)
    if moment is None:
        return None
    day, today = moment.date, reader.now.date()
    phrase = read(text, reader)
    if phrase and phrase.day:
        candidates = phrase.day.candidates
        day = candidates[1] if candidates[0] == today and phrase.day.weekday is not None else candidates[0]
        if phrase.day.exact and not re.search(r"\d{4}|\d[/.-]\d+[/.-]\d", text) and (day - today).days > 183:
            earlier = [d for d in (*phrase.day.candidates, day - relativedelta(years=1)) if d < today]
            day = max(earlier) if earlier else day
    return day, day


def _periods(text: str, today: date) -> Span | None:
    for pattern, handler in ((_PERIOD, _period), (_MANY, _many), (_MONTH, _month), (_WEEK_OF, _week_of)):
        m = pattern.fullmatch(text)
        if m:
            return handler(m, today)
    m = _ISO_MONTH.fullmatch(text)
    if m and m[2] != "00":
        return _whole_month(date(int(m[1]), int(m[2]), 1))
    m = _YEAR.fullmatch(text)
    return (date(int(m[1]), 1, 1), date(int(m[1]), 12, 31)) if m else None


def _joined(text: str, reader: PhraseReader) -> Span | None:
    """Ranges with two ends: "monday to friday", "3 to 5 march", "since monday", "until friday"."""
    today = reader.now.date()
    m = _DAYS_OF_MONTH.fullmatch(text)
    if m:
        year = m["y"] or ""
        return _ends(f"{m['a']} {m['m']}{year}", f"{m['b']} {m['m']}{year}", reader)
    m = _BETWEEN.fullmatch(text)
    if m and (found := _ends(m["a"], m["b"], reader)):
        return found
    m = _SINCE.fullmatch(text)
    if m and (start := span_of(m["a"], reader)):
        first = start[0]
        if first > today and m["a"] in WEEKDAYS:
            first -= timedelta(days=7)
        return (first, max(first, today))
    m = _UNTIL.fullmatch(text)
    if m and (end := span_of(m["b"], reader)):
        return (today, end[1]) if end[1] >= today else None
    return None


def _ends(a: str, b: str, reader: PhraseReader) -> Span | None:
    start = span_of(a, reader)
    if start is None:
        return None
    after = replace(reader, now=datetime.combine(start[0], datetime.min.time())) if b in WEEKDAYS else reader
    end = span_of(b, after)
    if end is None or end[1] < start[0]:
        return None
    first = start[0]
    if not re.search(r"\d{4}", a):  # "24 december to 2 january 2027"
        first += relativedelta(years=relativedelta(end[1], first).years)
    return first, end[1]


def span_of(text: str, reader: PhraseReader) -> Span | None:
    """The days that a canonical text means, first and last, or None when it is not understood."""
    if reader.depth >= DEEPEST:
        return None
    today, reader = reader.now.date(), reader.deeper()
    found = _periods(text, today)
    if found:
        return found
    m = _WEEK_FROM.fullmatch(text)
    if m and (day := _one_day(m["day"], reader)):
        return day[0], day[0] + timedelta(days=6)
    if _DAYS_OF_MONTH.fullmatch(text):
        return _joined(text, reader)
    return _one_day(text, reader) or _joined(text, reader)


def hours_of(text: str, reader: PhraseReader) -> tuple[datetime, datetime] | None:
    """A range with a clock at both ends ("from 3 to 4 pm today"), or None."""
    m = _BETWEEN.fullmatch(text)
    if not m:
        return None
    end_phrase, start_phrase = read(m["b"], reader), read(m["a"], reader)
    if not end_phrase or not start_phrase or not end_phrase.clocks or not start_phrase.clocks:
        return None
    half = re.search(r" (am|pm)\b", m["b"])
    tail = half[0] if half and not re.search(r"\b(am|pm)\b", m["a"]) else ""
    a = moment_of(m["a"] + tail, reader)
    if a is None or a.at is None:
        return None
    day = start_phrase.day or end_phrase.day
    at_b = moment_of(m["b"], reader)
    if at_b is None or at_b.at is None:
        return None
    start, end = a.at, at_b.at
    if day is not None and start_phrase.day is None:
        start = datetime.combine(end.date(), start.time())
    elif end_phrase.day is None:
        end = datetime.combine(start.date(), end.time())
    if end <= start and (start - end) < timedelta(hours=12):
        end += timedelta(hours=12)
    return (start, end) if start < end else None


def iso_span(text: str) -> str | None:
    """An ISO 8601 interval or date as it is, when it is one.

    Raises:
        ValueError: an impossible date, or an interval that ends before it begins.
    """
    lowered = text.strip().lower()
    m = _ISO_SPAN.fullmatch(lowered)
    if m:
        a, b = (datetime.fromisoformat(part.upper()) for part in m.groups())
        if b < a:
            raise ValueError("ends before it begins")
        return text.strip().upper()
    return None


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
        moment = moment_of(canonical(said), PhraseReader(now.replace(second=0, microsecond=0), default_hour, day_first))
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
    reader = PhraseReader(now.replace(second=0, microsecond=0), day_first=day_first)
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
