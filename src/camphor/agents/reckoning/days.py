"""Days in words: "how many weeks till Christmas", "what date is 90 days from today", "how old is someone born in 1984".

Only what is a day for certain is reckoned with. "The dentist" is none: `days_to` asks whoever can look it up.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from functools import cache
from typing import TYPE_CHECKING, Any

from dateutil.relativedelta import relativedelta

from camphor.agents.reckoning.words import Reckoning, Said, digits, said, table
from camphor.device.people import find_people
from camphor.device.text import words
from camphor.device.when import WhenError, parse_time, show_day
from camphor.device.when.lexicon import MONTHS, WEEKDAYS
from camphor.types import Call

if TYPE_CHECKING:
    from camphor.device.device import Device

_NAMED_YEAR = re.compile(r"\b(this|next|last) year\b")
_YEAR = re.compile(r"(?:19|20)\d\d")
_SHIFTS = {"this": 0, "next": 1, "last": -1}
_ONE_DAY = re.compile(r"[\w'.,/ -]{2,40}")
_SPANS = re.compile(r"\b(?:week|weekend|month|(?<!new )year)\b")


@dataclass(frozen=True)
class FoundDay:
    """What a look-up found for words that name no day: whose day it is, and the day."""

    title: str
    day: date


LookUp = Callable[[str], Sequence[FoundDay]]


@dataclass(frozen=True)
class _DayReader:
    now: datetime
    day_first: bool | None

    @property
    def today(self) -> date:
        return self.now.date()

    def show(self, day: date) -> str:
        return show_day(day, self.today.year)

    def day(self, text: str | None, *, past: bool = False) -> date | None:
        """The one day that words mean for certain; None for any others, and for an hour of a day."""
        if not text or not _ONE_DAY.fullmatch(text):
            return None
        text = _NAMED_YEAR.sub(lambda m: str(self.today.year + _SHIFTS[m[1]]), text)
        if _SPANS.search(text) and not re.match(r"(?:the )?(?:end|start|beginning) of ", text):
            return None
        if past and text in WEEKDAYS:
            text = f"last {text}"
        try:
            early, late = (parse_time(text, self.now, default_hour=h, day_first=self.day_first) for h in (3, 4))
        except WhenError:
            return None
        if (early.hour, late.hour) != (3, 4):
            return None
        day = early.date()
        if past and day > self.today and not _YEAR.search(text):
            day -= relativedelta(years=1)
        return day


@cache
def questions() -> tuple[tuple[re.Pattern[str], str], ...]:
    """The table's patterns of questions about days, and what they ask."""
    return tuple((re.compile(each["pattern"]), each["ask"]) for each in table()["days"])


def day_of(asked: Said, now: datetime, day_first: bool | None = None) -> Reckoning | None:
    """The answer to a question about days that names them all, or None."""
    clock = _DayReader(now, day_first)
    for pattern, ask in questions():
        if (found := pattern.fullmatch(asked.text)) and (told := _ASKED[ask](found.groupdict(), clock)):
            return told
    return None


def days_to(query: str, now: datetime, look_up: LookUp) -> Reckoning | None:
    """How far a day is that is on the phone: "how many days until Ana's birthday".

    Args:
        look_up: finds the days that words like "Ana's birthday" may mean. It is asked only where the question is one
            about days, and the words are no day by themselves.

    Returns:
        None where the question is another, and where not exactly one day from today on is found.
    """
    asked, clock = said(query), _DayReader(now, None)
    for pattern, ask in questions():
        found = pattern.fullmatch(asked.text) if ask == "until" else None
        groups = found.groupdict() if found else {}
        words = groups.get("day") or groups.get("day2")
        if not words or words in MONTHS or clock.day(words) or re.search(r"\d", digits(words)):
            continue
        days = [each for each in look_up(words) if each.day >= clock.today]
        if len(days) == 1:
            return _counted(days[0].day, groups.get("unit") or groups.get("unit2") or "days", clock, days[0].title)
    return None


def _until(groups: dict[str, Any], clock: _DayReader) -> Reckoning | None:
    words = groups.get("day") or groups.get("day2") or ""
    day = clock.day(f"1 {words}" if words in MONTHS else words)
    return _counted(day, groups.get("unit") or groups.get("unit2") or "days", clock) if day else None


def _since(groups: dict[str, Any], clock: _DayReader) -> Reckoning | None:
    day = clock.day(groups.get("day"), past=True)
    return _counted(day, groups.get("unit") or "days", clock) if day and day <= clock.today else None


def _counted(day: date, unit: str, clock: _DayReader, title: str = "") -> Reckoning:
    """How far a day is from today, in the unit, as a sentence."""
    shown = f"{title} ({clock.show(day)})" if title else clock.show(day)
    first, second = sorted((clock.today, day))
    call = _between_call(first, second)
    if day == clock.today:
        return Reckoning(call, f"{_capital(title)} is today." if title else f"That is today, {shown}.")
    count, verb = _count(first, second, unit)
    if day > clock.today:
        return Reckoning(call, f"There {verb} {count} until {shown}.")
    return Reckoning(call, f"{_capital(shown)} was {count} ago.")


def _count(first: date, second: date, unit: str) -> tuple[str, str]:
    """The length from one day to another in words, and "is" or "are" for it."""
    days, whole = (second - first).days, relativedelta(second, first)
    parts = {
        "weeks": [(days // 7, "week"), (days % 7, "day")],
        "months": [(whole.years * 12 + whole.months, "month"), (whole.days, "day")],
        "years": [(whole.years, "year"), (whole.months, "month"), (whole.days, "day")],
        "nights": [(days, "night")],
        "sleeps": [(days, "sleep")],
    }.get(unit, [(days, "day")])
    told = [_many(number, name) for number, name in parts if number] or [f"0 {unit}"]
    return " and ".join(filter(None, [", ".join(told[:-1]), told[-1]])), "is" if told[0].startswith("1 ") else "are"


def _many(number: int, name: str) -> str:
    return f"{number:,} {name}" if number == 1 else f"{number:,} {name}s"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _between_call(first: date, second: date) -> Call:
    return Call("days_between", {"first": first.isoformat(), "second": second.isoformat()})


def _between(groups: dict[str, Any], clock: _DayReader) -> Reckoning | None:
    first, second = clock.day(groups["first"]), clock.day(groups["second"])
    if not first or not second:
        return None
    if first > second and not _YEAR.search(groups["first"]):
        first -= relativedelta(years=1)
    if first > second:
        first, second = second, first
    count, verb = _count(first, second, groups.get("unit") or "days")
    return Reckoning(
        _between_call(first, second), f"There {verb} {count} from {clock.show(first)} to {clock.show(second)}."
    )


def _left(groups: dict[str, Any], clock: _DayReader) -> Reckoning | None:
    period = groups["edge"].split()[-1]
    day = clock.day(f"end of {period}")
    return _counted(day, groups["unit"], clock) if day else None


def _span(text: str, clock: _DayReader) -> tuple[date, date] | None:
    """The first day of a month or a year in words, and the first day behind it."""
    text = _NAMED_YEAR.sub(lambda m: str(clock.today.year + _SHIFTS[m[1]]), text)
    year = int(found[0]) if (found := _YEAR.search(text)) else clock.today.year
    month = next((place for place, name in enumerate(MONTHS, 1) if name in text), 0)
    if text.endswith("month"):
        start = clock.today.replace(day=1) + relativedelta(months=_SHIFTS[text.split()[0]])
        return start, start + relativedelta(months=1)
    if month:
        start = date(year, month, 1)
        return start, start + relativedelta(months=1)
    return date(year, 1, 1), date(year + 1, 1, 1)


def _length(groups: dict[str, Any], clock: _DayReader) -> Reckoning | None:
    span = _span(groups["span"], clock)
    if span is None:
        return None
    start, end = span
    name = str(start.year) if (end - start).days > 31 else f"{MONTHS[start.month - 1].capitalize()} {start.year}"
    return Reckoning(_between_call(start, end), f"{name} has {(end - start).days} days.")


def _leap(groups: dict[str, Any], clock: _DayReader) -> Reckoning | None:
    span = _span(groups["span"], clock)
    if span is None:
        return None
    start, end = span
    days = (end - start).days
    return Reckoning(
        _between_call(start, end), f"{start.year} is {'a' if days == 366 else 'no'} leap year: it has {days} days."
    )


def _shift(groups: dict[str, Any], clock: _DayReader) -> Reckoning | None:
    amount = digits(groups["amount"])
    amount = "1" if amount in ("a", "an") else amount
    way = (groups.get("way") or "").split()
    start = clock.day(groups["day"]) if groups.get("day") else clock.today
    if not amount.isdigit() or len(amount) > 5 or start is None:
        return None
    unit = groups["unit"].rstrip("s") + "s"
    count = int(amount) * (2 if unit == "fortnights" else 1)
    step = {"fortnights": "weeks"}.get(unit, unit)
    back = way[:1] in (["ago"], ["before"], ["earlier"], ["back"], ["prior"])
    try:
        day = start + relativedelta(**{step: -count if back else count})  # type: ignore[arg-type]
    except (OverflowError, ValueError):
        return None
    said_amount = _many(int(amount), unit.rstrip("s"))
    call = Call("shift_date", {"day": start.isoformat(), "amount": -count if back else count, "unit": step})
    if groups.get("day"):
        side = "before" if back else "after"
        return Reckoning(call, f"{said_amount} {side} {clock.show(start)} is {clock.show(day)}.")
    words = f"{said_amount} ago was" if back else f"{said_amount} from today is"
    return Reckoning(call, f"{words} {clock.show(day)}.")


def _weekday(groups: dict[str, Any], clock: _DayReader) -> Reckoning | None:
    day = clock.day(groups["day"])
    if day is None:
        return None
    call = Call("shift_date", {"day": day.isoformat(), "amount": 0, "unit": "days"})
    verb = "was" if day < clock.today else "is"
    full = f"{day.day} {MONTHS[day.month - 1].capitalize()} {day.year}"
    if any(month[:3] in groups["day"] for month in MONTHS):
        return Reckoning(call, f"{full} {verb} a {WEEKDAYS[day.weekday()].capitalize()}.")
    name = groups["day"].removeprefix("the ")
    if name in WEEKDAYS:
        return Reckoning(call, f"{name.capitalize()} {verb} {full}.")
    return Reckoning(call, f"{_capital(name)} {verb} {WEEKDAYS[day.weekday()].capitalize()} {full}.")


def _holiday(groups: dict[str, Any], clock: _DayReader) -> Reckoning | None:
    name = _YEAR.sub("", _NAMED_YEAR.sub("", groups["day"])).strip()
    return _weekday(groups, clock) if name in table()["holidays"]["words"] else None


def _age(groups: dict[str, Any], clock: _DayReader) -> Reckoning | None:
    born = groups["born"]
    if _YEAR.fullmatch(born):
        age = clock.today.year - int(born)
        call = Call("calculate", {"expression": f"{clock.today.year} − {born}"})
        words = f"Someone born in {born} is {age - 1}, or {age} from their birthday this year on."
        return Reckoning(call, words) if 0 < age < 130 else None
    day = clock.day(born)
    if day is None or not _YEAR.search(born) or day > clock.today:
        return None
    age = relativedelta(clock.today, day).years
    full = f"{day.day} {MONTHS[day.month - 1].capitalize()} {day.year}"
    return Reckoning(_between_call(day, clock.today), f"Someone born on {full} is {age}.")


_ASKED: dict[str, Callable[[dict[str, Any], _DayReader], Reckoning | None]] = {
    "until": _until, "since": _since, "between": _between, "left": _left, "length": _length, "leap": _leap,
    "shift": _shift, "weekday": _weekday, "holiday": _holiday, "age": _age,
}  # fmt: skip


_BIRTHDAY = re.compile(r"(?P<whose>.+?)(?:'s|s'|')? (?:birthday|bday|b-day|birth day)")
_LEFT_OUT = frozenset(words("the my our a an next for with of to at in on go i we leave"))
_FINDER = "get_calendar_event"


def days_of(device: Device) -> LookUp:
    """What finds days on a device: the next birthday of the one contact meant, or the next event of that name."""

    def look_up(said: str) -> list[FoundDay]:
        today = device.now.date()
        if birthday := _BIRTHDAY.fullmatch(said):
            return _birthdays(birthday["whose"], device, today)
        return _events(said, device, today)

    return look_up


def _birthdays(whose: str, device: Device, today: date) -> list[FoundDay]:
    people = device.people()
    mine = whose in ("my", "our")
    meant = [each for each in people if each.get("is_self")] if mine else find_people(whose.removeprefix("my "), people)
    found = []
    for person in meant:
        if born := _date(person.get("birthday")):
            name = "your" if mine else f"{person.get('name')}'s"
            found.append(FoundDay(f"{name} birthday", _next(born, today)))
    return found if len(meant) == 1 else []  # of two Anas one may have no birthday noted


def _next(born: date, today: date) -> date:
    years = today.year - born.year
    this: date = born + relativedelta(years=years)
    following: date = born + relativedelta(years=years + 1)
    return this if this >= today else following


def _events(said: str, device: Device, today: date) -> list[FoundDay]:
    wanted = set(words(said)) - _LEFT_OUT
    if not wanted or _FINDER not in device.toolbox:
        return []
    ahead: dict[str, date] = {}
    for event in device.execute(Call(_FINDER, {"theme": " ".join(sorted(wanted))})).records:
        title, day = str(event.get("title") or ""), _date(event.get("start"))
        if day and day >= today and wanted <= set(words(title)):
            ahead[title] = min(day, ahead.get(title, day))
    return [FoundDay(title, day) for title, day in ahead.items()]


def _date(value: Any) -> date | None:
    try:
        return date.fromisoformat(str(value)[:10])
    except ValueError:
        return None
