"""Days: "tomorrow", "next friday", "friday week", "the 4th", "12 march", "1st monday of april", "in 3 days".

A day may have more than one candidate ("the 4th": of this month, else of the next); the clock then decides which of
them is still ahead, and a weekday beside a date ("Sat 19 Jul") must agree with it.
"""

from __future__ import annotations

import calendar
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta

from dateutil.easter import easter
from dateutil.relativedelta import relativedelta

from camphor.device.when.lexicon import MONTH, MONTHS, WEEKDAY, WEEKDAYS


@dataclass(frozen=True)
class Day:
    """A day as said: its candidates, best first.

    `exact` for a full date, beside which 10:30 is not 22:30; `weekday` where the day is only a weekday; `today` where
    hours count from now; `rolls` where a moment that is over means the next candidate.
    """

    candidates: tuple[date, ...]
    part: str | None = None
    exact: bool = False
    weekday: int | None = None
    today: bool = False
    rolls: bool = False
    early: bool = False  # a weekday said with "this" or "next": it does not roll


class NoSuchDay(ValueError):
    """A date that no calendar has; the text says which."""


def _date(year: int, month: int, day: int) -> date:
    try:
        return date(year, month, day)
    except ValueError as error:
        raise NoSuchDay(f"{year:04d}-{month:02d}-{day:02d} is not in the calendar") from error


def _year(text: str) -> int:
    return int(text) if len(text) == 4 else 2000 + int(text)


def coming(weekday: int, today: date) -> date:
    """The next such weekday, today included."""
    return today + timedelta(days=(weekday - today.weekday()) % 7)


def _monday(today: date) -> date:
    return today - timedelta(days=today.weekday())


def without_year(day: int, month: int, today: date) -> tuple[date, ...]:
    """The next such date; behind it this year's, where that is over ("Thu 12 Feb", told by its weekday)."""
    years = [y for y in range(today.year, today.year + 9) if day <= calendar.monthrange(y, month)[1]]
    if not years or day < 1:
        raise NoSuchDay(f"{MONTHS[month - 1].capitalize()} has no day {day}")
    this, following = (date(y, month, day) for y in years[:2])
    return (this,) if this >= today else (following, this)


def _of_month(day: int, today: date) -> tuple[date, ...]:
    """The next days with this number, months without it left out."""
    if not 1 <= day <= 31:
        raise NoSuchDay(f"no month has a day {day}")
    first = today.replace(day=1)
    months = (first + relativedelta(months=n) for n in range(5))
    dates = [m.replace(day=day) for m in months if day <= calendar.monthrange(m.year, m.month)[1]]
    return tuple(d for d in dates if d >= today)[:2]


def nth_weekday(nth: str, weekday: int, first: date) -> date:
    """The nth ("1st" to "5th" or "last") such weekday of the month that begins on `first`."""
    if nth == "last":
        last: date = first + relativedelta(day=31)
        return last - timedelta(days=(last.weekday() - weekday) % 7)
    found = coming(weekday, first) + timedelta(weeks=int(nth[0]) - 1)
    if found.month != first.month:
        raise NoSuchDay(f"{first:%B %Y} has no {nth} {WEEKDAYS[weekday].capitalize()}")
    return found


def month_start(which: str, today: date) -> date:
    """The first day of "this month", "next month", "last month", "march" or "march 2027" (the coming one)."""
    words = which.split()
    if words[-1] == "month":
        shift = {"next": 1, "last": -1, "past": -1}.get(words[0], 0)
        start: date = today.replace(day=1) + relativedelta(months=shift)
        return start
    month = MONTHS.index(words[0]) + 1
    if len(words) > 1:
        return date(_year(words[-1]), month, 1)
    return date(today.year + (month < today.month), month, 1)


# ---- one function for each pattern -----------------------------------------------------------------------------------

_Day = Callable[[re.Match[str], date], "Day | None"]


def _named_day(m: re.Match[str], today: date) -> Day:
    shift = {"today": 0, "tonight": 0, "tomorrow": 1, "yesterday": -1, "last night": -1}.get(m[0])
    if shift is None:
        shift = 2 if m[0].endswith("tomorrow") else -2
    part = "tonight" if m[0] == "tonight" else "night" if m[0] == "last night" else None
    return Day((today + timedelta(days=shift),), part, today=shift == 0)


def _this_part(m: re.Match[str], today: date) -> Day:
    return Day((today,), m[1], today=True)


def _weekday(m: re.Match[str], today: date) -> Day:
    weekday = WEEKDAYS.index(m["day"])
    day = coming(weekday, today)
    before, after = m["before"] or "", m["after"] or ""
    week = _monday(today)
    if "next week" in before or "next week" in after or before in ("next", "following"):
        return Day((week + timedelta(days=7 + weekday),), early=True, weekday=weekday)
    if "last week" in before or "last week" in after:
        return Day((week + timedelta(days=weekday - 7),), early=True, weekday=weekday)
    if before in ("last", "past"):
        return Day((day - timedelta(days=7),), early=True, weekday=weekday)
    if after in ("week", "after next", "fortnight"):
        day = day if day > today else day + timedelta(days=7)
        return Day((day + timedelta(weeks=2 if after == "fortnight" else 1),), early=True, weekday=weekday)
    return Day((day, day + timedelta(days=7)), weekday=weekday, rolls=True)


def _in_weeks(m: re.Match[str], today: date) -> Day:
    """ "week on friday", "2 week on friday", "week tomorrow", "tomorrow week", "fortnight today"."""
    said = m.groupdict().get("n")
    weeks = (1 if said in (None, "a") else int(said)) * (2 if m["unit"] == "fortnight" else 1)
    word = m["day"]
    if word in WEEKDAYS:
        start = coming(WEEKDAYS.index(word), today)
        start = start if start > today else start + timedelta(days=7)
    else:
        start = today + timedelta(days=word == "tomorrow")
    return Day((start + timedelta(weeks=weeks),), early=True)


def _in_days(m: re.Match[str], today: date) -> Day:
    n = {"a": 1, "couple": 2, "couple of": 2, "a couple": 2, "a couple of": 2}.get(m["n"]) or int(m["n"])
    unit = m["unit"]
    if n > 1000:
        raise NoSuchDay(f"{n} {unit}s is too far")
    step = {"day": relativedelta(days=n), "week": relativedelta(weeks=n), "fortnight": relativedelta(weeks=2 * n),
            "month": relativedelta(months=n), "year": relativedelta(years=n)}[unit]  # fmt: skip
    return Day((today + step,))


def _day_month(m: re.Match[str], today: date) -> Day:
    day, month = int(m["d"]), MONTHS.index(m["m"]) + 1
    if m["y"]:
        return Day((_date(_year(m["y"]), month, day),), exact=True)
    return Day(without_year(day, month, today), exact=True)


def _nth_of_month(m: re.Match[str], today: date) -> Day:
    first = month_start(m["m"], today)
    return Day((_date(first.year, first.month, int(m["d"])),), exact=True)


def _day_number(m: re.Match[str], today: date) -> Day:
    return Day(_of_month(int(m["d"]), today), rolls=True)


def _weekday_number(m: re.Match[str], today: date) -> Day | None:
    """ "sat 19" is the 19th where that is the next Saturday with this number soon; else the number is an hour."""
    weekday = WEEKDAYS.index(m["day"])
    found = next((d for d in _of_month(int(m["d"]), today) if d.weekday() == weekday), None)
    return Day((found,)) if found else None


def _days_ago(m: re.Match[str], today: date) -> Day:
    return Day((today - (_in_days(m, today).candidates[0] - today),))


def _nth_weekday(m: re.Match[str], today: date) -> Day:
    weekday, which = WEEKDAYS.index(m["day"]), m["m"]
    first = month_start(which, today)
    day = nth_weekday(m["n"], weekday, first)
    if day < today and which in MONTHS:
        day = nth_weekday(m["n"], weekday, first + relativedelta(years=1))
    return Day((day,))


def _edge(m: re.Match[str], today: date) -> Day:
    """ "end of year", "start of next week"."""
    n = {"next": 1, "last": -1}.get(m["which"] or "this", 0)
    if m["unit"] == "week":
        start = _monday(today) + timedelta(weeks=n)
        return Day((start + timedelta(days=6 if m["edge"] == "end" else 0),))
    year = today.year + n
    return Day((date(year, 12, 31) if m["edge"] == "end" else date(year, 1, 1),))


def _edge_of_month(m: re.Match[str], today: date) -> Day:
    """ "end of month", "start of July", "last day of next month", "mid March"."""
    first = month_start(m["m"], today)
    return Day((first + relativedelta(day=_PLACES.get(m["edge"], 1)),))


def _next_span(m: re.Match[str], today: date) -> Day:
    """ "next week" is its Monday, "next month" its first day, "weekend" its Saturday."""
    text = m[0]
    if text.endswith("weekend"):
        saturday = today if today.weekday() == 6 else coming(5, today)
        return Day((saturday + timedelta(weeks=text.startswith("next")),))
    if text == "next week":
        return Day((_monday(today) + timedelta(weeks=1),))
    if text == "next month":
        return Day((today.replace(day=1) + relativedelta(months=1),))
    return Day((date(today.year + 1, 1, 1),))


def _iso(m: re.Match[str], today: date) -> Day:
    year, month, day = (int(n) for n in m.groups() if n)
    return Day((_date(year, month, day),), exact=True)


def _year_last(m: re.Match[str], today: date) -> Day:
    """12.3.2026 and 12-3-2026: the day stands first, as everywhere where dots and dashes are used so."""
    return Day((_date(_year(m[3]), int(m[2]), int(m[1])),), exact=True)


def _dotted(m: re.Match[str], today: date) -> Day | None:
    day, month = int(m[1]), int(m[2])
    if not 1 <= month <= 12:
        return None
    return Day(without_year(day, month, today), exact=True)


_HOLIDAYS: dict[str, Callable[[int], date]] = {
    "christmas eve": lambda y: date(y, 12, 24), "christmas": lambda y: date(y, 12, 25),
    "christmas day": lambda y: date(y, 12, 25), "boxing day": lambda y: date(y, 12, 26),
    "new year eve": lambda y: date(y, 12, 31), "new year day": lambda y: date(y, 1, 1),
    "valentine day": lambda y: date(y, 2, 14), "halloween": lambda y: date(y, 10, 31),
    "easter monday": lambda y: easter(y) + timedelta(days=1), "easter sunday": easter, "easter": easter,
    "good friday": lambda y: easter(y) - timedelta(days=2),
    "maundy thursday": lambda y: easter(y) - timedelta(days=3),
}  # fmt: skip


def _holiday(m: re.Match[str], today: date) -> Day:
    found = _HOLIDAYS[m[1]]
    if m[2]:
        return Day((found(int(m[2])),))
    day = found(today.year)
    return Day((day if day >= today else found(today.year + 1),))


_PLACES = {"end": 31, "last day": 31, "middle": 15, "mid": 15}  # days of a month, which ends where it has fewer
_END = r"(?= |$)"
_NUMBER = r"(?P<n>a couple of|couple of|a couple|couple|a|\d+)"
_UNIT = r"(?P<unit>day|week|fortnight|month|year)"
_YEAR = r"(?:(?: of)? (?P<y>(?:19|20)\d\d)(?! [ap]m))?"
_D = r"(?P<d>\d{1,2})(?:st|nd|rd|th)?"
_DTH = r"(?P<d>\d{1,2})(?:st|nd|rd|th)"
_PATTERNS: tuple[tuple[re.Pattern[str], _Day], ...] = tuple(
    (re.compile(pattern + _END), handler)
    for pattern, handler in (
        (r"(\d{4})[-/](\d\d?)[-/](\d\d?)|((?:19|20)\d\d)(\d\d)(\d\d)", _iso),
        (r"(\d\d?)[.-](\d\d?)[.-](\d{4}|\d\d)", _year_last),
        (r"(\d\d?)\.(\d\d?)\.?", _dotted),
        (r"day (?:after tomorrow|before yesterday)|last night|today|tonight|tomorrow|yesterday", _named_day),
        (r"this ((?:early |late )?(?:morning|afternoon|evening)|lunchtime|night)", _this_part),
        (rf"(?P<day>{WEEKDAY}) (?P<d>1[3-9]|2\d|3[01])", _weekday_number),
        (
            rf"(?:(?P<n>a|\d+) )?(?P<unit>week|fortnight) (?:on |from |next |this )?"
            rf"(?P<day>{WEEKDAY}|today|tomorrow)",
            _in_weeks,
        ),
        (r"(?P<day>today|tomorrow) (?P<unit>week|fortnight)", _in_weeks),
        (
            rf"(?:(?P<before>(?:next|last|this) week(?: on)?|next|following|this coming|this|coming|last|past) )?"
            rf"(?P<day>{WEEKDAY})"
            rf"(?: (?P<after>week|fortnight|after next|(?:in |of )?next week|(?:of )?this week|(?:of )?last week))?",
            _weekday,
        ),
        (rf"(?:in|after) {_NUMBER} {_UNIT}", _in_days),
        (rf"{_NUMBER} {_UNIT} (?:from (?:now|today)|today)", _in_days),
        (rf"{_NUMBER} {_UNIT} ago", _days_ago),
        (
            rf"(?P<n>1st|2nd|3rd|4th|5th|last) (?P<day>{WEEKDAY}) (?:of|in) "
            rf"(?P<m>(?:this |next |last )?month|{MONTH}(?: \d{{4}})?)",
            _nth_weekday,
        ),
        (rf"{_D} (?:day )?(?:of )?(?P<m>{MONTH}){_YEAR}", _day_month),
        (rf"(?P<y>(?:19|20)\d\d) (?P<m>{MONTH}) {_D}", _day_month),
        (rf"(?P<m>{MONTH}) {_D}{_YEAR}", _day_month),
        (rf"{_DTH} (?:day )?(?:of )?(?P<m>(?:this |next |last )?month)", _nth_of_month),
        (_DTH, _day_number),
        (r"(?P<edge>end|start|beginning) of (?:(?P<which>this|next|last) )?(?P<unit>week|year)", _edge),
        (
            rf"(?P<edge>end|start|beginning|middle|last day|1st day|mid)(?: of|(?<=mid)) "
            rf"(?P<m>(?:this |next |last )?month|{MONTH}(?: (?:19|20)\d\d)?)",
            _edge_of_month,
        ),
        (r"(?:next |this |coming )?weekend|next (?:week|month|year)", _next_span),
        (r"(" + "|".join(sorted(_HOLIDAYS, key=len, reverse=True)) + r")(?: (?:of )?((?:19|20)\d\d))?", _holiday),
    )
)  # fmt: skip


def slashed(text: str, start: int, today: date, day_first: bool | None) -> tuple[int, Day] | None:
    """A date with slashes at `start`; NoSuchDay when day and month cannot be told apart."""
    m = _SLASHED.match(text, start)
    if not m:
        return None
    first, second = int(m[1]), int(m[2])
    if day_first is None and first <= 12 and second <= 12 and first != second:
        raise NoSuchDay(
            f"{m[0]} may be {first} {MONTHS[second - 1].capitalize()} or {second} {MONTHS[first - 1].capitalize()}"
        )
    day, month = (first, second) if second <= 12 and (day_first or first > 12 or first == second) else (second, first)
    if month > 12:
        raise NoSuchDay(f"{m[0]} is not a date")
    if m[3]:
        return m.end(), Day((_date(_year(m[3]), month, day),), exact=True)
    return m.end(), Day(without_year(day, month, today), exact=True)


_SLASHED = re.compile(r"(\d\d?)/(\d\d?)(?:/(\d{4}|\d\d))?" + _END)


def days_at(text: str, start: int, today: date, day_first: bool | None) -> Iterator[tuple[int, Day]]:
    """Every reading of a day that starts at `start` of a canonical text, with where it ends."""
    found = slashed(text, start, today, day_first)
    if found:
        yield found
    for pattern, handler in _PATTERNS:
        m = pattern.match(text, start)
        if m:
            day = handler(m, today)
            if day is not None:
                yield m.end(), day


def both(a: Day, b: Day) -> Day | None:
    """The day that two mentions agree on ("Sat 19 Jul", "tomorrow Friday"), or None when they contradict."""
    if b.weekday is not None and a.weekday is None:
        a, b = b, a
    if a.weekday is not None and b.weekday is None:
        agreed = tuple(d for d in b.candidates if d.weekday() == a.weekday)
    else:
        agreed = tuple(d for d in a.candidates if d in b.candidates)
    if not agreed:
        return None
    return Day(agreed, a.part or b.part, a.exact or b.exact, None, a.today or b.today, a.rolls and b.rolls, True)
