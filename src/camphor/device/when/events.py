"""Words of time as calls of a clock and a calendar need them: hours of alarms, lengths of timers, ends of events.

The model copies the words and this module computes the values, for gold and for predictions alike.
"""

from __future__ import annotations

import re
from datetime import datetime, time, timedelta

from camphor.device.when import WhenError, parse_range, parse_time
from camphor.device.when.lexicon import WEEKDAYS, canonical

_ANY_DAY = datetime(2001, 1, 1)
_SECONDS = {"h": 3600, "hour": 3600, "minute": 60, "m": 60, "min": 60, "second": 1, "sec": 1, "s": 1}
_COUNTS = {
    "a quarter of a": 0.25, "3 quarter of a": 0.75, "quarter of a": 0.25, "a half": 0.5, "half a": 0.5, "half": 0.5,
    "a couple of": 2.0, "couple of": 2.0, "a": 1.0,
}  # fmt: skip
_NUMBER = r"\d+(?:\.\d+)?|" + "|".join(_COUNTS)
_UNIT = "hour|h|minute|min|m|second|sec|s"
_PART = re.compile(
    rf"(?:and )?(?P<n>{_NUMBER})(?P<extra> and a half| and a quarter)? ?(?P<unit>{_UNIT})"
    rf"(?P<more> and a half| and a quarter)?(?: (?:and )?(?P<rest>\d+)(?! ?(?:{_UNIT})\b))?(?= |$)"
)
_MORE = {None: 0.0, " and a half": 0.5, " and a quarter": 0.25}
_SPLIT_UNIT = re.compile(r"(?<=\d)(?=(?:h|hr|hrs|m|min|mins|s|sec|secs)\b)|(?<=\d[hms])(?=\d)")
_SECOND = re.compile(r"\b(seconds?|secs?)\b")
_DASH = re.compile(r"(\d(?::\d\d)?(?: ?[ap]m)?) ?[-\u2013] ?(\d{1,2}(?::\d\d| ?[ap]m))", re.IGNORECASE)
_EVERY = re.compile(r"\b(every ?day|daily|7 days a week|all week|each day|all days|day of the week)\b")


def clock_of(words: str) -> time:
    """The time of day that words mean; one without a half of the day is as on a 24-hour clock ("7" is 07:00).

    Raises:
        WhenError: not a time of day, or a day alone ("Monday").
    """
    found = parse_time(words, _ANY_DAY)
    if found != parse_time(words, _ANY_DAY, default_hour=found.hour + 1 if found.hour < 23 else 0):
        raise WhenError(words, "names a day and no hour")
    return found.time()


def seconds_of(words: str) -> int:
    """The length that words mean, in seconds: "an hour and a half", "90 seconds", "1h 20m", "2 minutes 30", "1:30:00".

    Raises:
        WhenError: not a length of time.
    """
    written = re.fullmatch(r"(\d{1,2}):(\d\d):(\d\d)", words.strip())
    if written:
        hours, minutes, seconds = map(int, written.groups())
        return hours * 3600 + minutes * 60 + seconds
    # "second" is an ordinal to the lexicon
    text = canonical(_SPLIT_UNIT.sub(" ", _SECOND.sub("sec", words.lower().replace("-", " "))))
    total, at = 0.0, 0
    while at < len(text):
        found = _PART.match(text, at)
        if not found:
            raise WhenError(words, "is not a length of time", 'write for example "20 minutes" or "an hour and a half"')
        unit = _SECONDS[found["unit"]]
        count = _COUNTS.get(found["n"])
        count = float(found["n"]) if count is None else count
        total += (count + _MORE[found["extra"]] + _MORE[found["more"]]) * unit
        total += int(found["rest"] or 0) * unit / 60
        at = found.end() + 1
    if total < 1 or total != int(total):
        raise WhenError(words, "is not a length of time in whole seconds", 'write for example "20 minutes"')
    return int(total)


def timer_text(words: str) -> str:
    """The length as DroidCall's timers take it: "1 hours 30 minutes", parts of zero left out.

    Raises:
        WhenError: not a length of time.
    """
    total = seconds_of(words)
    parts = ((total // 3600, "hours"), (total // 60 % 60, "minutes"), (total % 60, "seconds"))
    return " ".join(f"{count} {unit}" for count, unit in parts if count)


def weekdays_of(words: str) -> list[str]:
    """The days that words mean, from Monday on: "every Tue and Thu", "on weekdays", "Monday to Friday", "daily".

    Raises:
        WhenError: no day is named.
    """
    lowered = " ".join(words.lower().replace("-", " - ").replace("/", " ").split())
    except_ = re.search(r"\b(?:except|but not|but)\b", lowered)
    if except_ and (left_out := weekdays_of(lowered[except_.end() :])):
        return [day for day in weekdays_of(lowered[: except_.start()]) if day not in left_out]
    if _EVERY.search(lowered):
        return [day.capitalize() for day in WEEKDAYS]
    days: set[int] = set()
    if re.search(r"\b(?:week ?days?|working days?|work ?days?|school days?)\b", lowered):
        days |= set(range(5))
    if re.search(r"\bweek ?ends?\b", lowered):
        days |= {5, 6}
    tokens = canonical(re.sub(r"(?<=\w) ?- ?(?=\w)", " to ", lowered)).split()
    for place, token in enumerate(tokens):
        if token not in WEEKDAYS:
            continue
        here = WEEKDAYS.index(token)
        days.add(here)
        if place > 1 and tokens[place - 1] in ("to", "through", "until", "thru") and tokens[place - 2] in WEEKDAYS:
            first = WEEKDAYS.index(tokens[place - 2])
            days |= {(first + step) % 7 for step in range((here - first) % 7)}
    if not days:
        raise WhenError(words, "names no day of the week", 'write for example "every Monday and Friday"')
    return [WEEKDAYS[day].capitalize() for day in sorted(days)]


def event_begin(words: str, now: datetime, *, whole_day: bool = False) -> datetime:
    """When an event begins: of a range its first moment; of a whole day its midnight.

    Raises:
        WhenError: not a time.
    """
    if whole_day:
        first = parse_range(words, now).split("/")[0]
        return datetime.fromisoformat(first).replace(hour=0, minute=0, second=0)
    ends = _range(words, now)
    return ends[0] if ends else parse_time(words, now)


def event_end(words: str, begin: datetime, now: datetime) -> datetime:
    """When an event ends: the end of a range, the begin and a length ("an hour"), or a moment.

    Raises:
        WhenError: none of these.
    """
    ends = _range(words, now)
    if ends:
        return ends[1]
    try:
        return begin + timedelta(seconds=seconds_of(words))
    except WhenError:
        return parse_time(words, now)


def _range(words: str, now: datetime) -> tuple[datetime, datetime] | None:
    """A range with an hour at both ends, or None."""
    try:
        found = parse_range(_DASH.sub(r"\1 to \2", words), now)
    except WhenError:
        return None
    first, _, last = found.partition("/")
    if "T" not in first or not last:
        return None
    return datetime.fromisoformat(first), datetime.fromisoformat(last)
