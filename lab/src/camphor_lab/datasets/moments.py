"""Points in time as people say them: the words and the value come from one draw, not from a parser."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from random import Random

WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
_NUMBERS = """
    zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
    eighteen nineteen
"""
NUMBERS = _NUMBERS.split()
_RELATIVE_DAY = re.compile(r"\b(the day after tomorrow|tomorrow|in \w+ days)\b")
# Hours at which occasions begin, first and last, by a word of their name; the first entry that fits counts.
_OCCASIONS = (
    (7, 9, "breakfast standup stand-up"),
    (10, 12, "brunch"),
    (19, 22, "night movie cinema salsa concert disco prom"),
    (12, 14, "lunch"),
    (18, 20, "dinner supper evening party drinks theatre carnival barbecue open mic pub date"),
    (9, 17, "coffee meeting review interview demo dentist exam test check service inspection haircut"),
    (9, 17, "doctor physio surgery vaccination surgeon adviser bank school market delivery kickoff planning"),
)
TENS = {20: "twenty", 30: "thirty", 40: "forty", 50: "fifty"}


@dataclass(frozen=True)
class SpokenMoment:
    """`bare` fits after "for" ("tomorrow at 5 pm"), `at` at the end of a clause; `minute`: counted from the minute."""

    bare: str
    at: str
    value: datetime
    minute: bool = False

    def said(self, line: str) -> str:
        """The words of time that stand in a line filled with this moment, without a leading preposition."""
        if "{at}" in line and "{when}" not in line:
            return self.at.removeprefix("at ").removeprefix("on ")
        return self.bare

    def told(self) -> str:
        """`at` as written to somebody who may read it on another day: with the day's name, if it is not today."""
        return _RELATIVE_DAY.sub(f"on {WEEKDAYS[self.value.weekday()]}", self.at)


@dataclass(frozen=True)
class SpokenSpan:
    said: str
    length: timedelta


def number_word(number: int) -> str:
    if number < 20:
        return NUMBERS[number]
    tens = TENS[number // 10 * 10]
    return tens if number % 10 == 0 else f"{tens}-{NUMBERS[number % 10]}"


def draw_span(rng: Random, *, long: bool = True) -> SpokenSpan:
    minutes = rng.choice((5, 10, 15, 20, 30, 40, 45, 90))
    hours = rng.choice((2, 3, 4))
    options = [(f"{minutes} minutes", minutes), ("half an hour", 30), ("an hour", 60), ("1 hour", 60)]
    options += [("two hours", 120), ("a quarter of an hour", 15), (f"{hours} hours", 60 * hours)]
    if minutes < 60:
        options.append((f"{number_word(minutes)} minutes", minutes))
    if long:
        options += [("a day", 1440), ("two days", 2880), ("one day", 1440)]
    said, length = rng.choice(options)
    return SpokenSpan(said, timedelta(minutes=length))


def hours_of(occasion: str) -> tuple[int, int]:
    """The first and the last hour at which an occasion of this name may begin."""
    name = f" {occasion.lower()} "
    for first, last, words in _OCCASIONS:
        if any(f" {word}" in name for word in words.split()):
            return first, last
    return 8, 20


def draw_moment(rng: Random, now: datetime, *, spoken: bool = False, occasion: str = "") -> SpokenMoment:
    """A future moment within about three weeks; `spoken` writes numbers as words where people would say them.

    With an `occasion` it is an hour at which such a thing begins, and not counted from this minute.
    """
    if not occasion:
        return _draw(rng, now, spoken)
    first, last = hours_of(occasion)
    for _ in range(60):
        moment = _draw(rng, now, spoken)
        if first <= moment.value.hour <= last and not moment.minute:
            return moment
    value = datetime.combine(now.date() + timedelta(days=1), time(first))
    return _pair(rng, f"tomorrow at {first}:00", value)


def _draw(rng: Random, now: datetime, spoken: bool) -> SpokenMoment:
    kind = rng.random()
    if kind < 0.12:
        return _from_now(rng, now, spoken)
    if kind < 0.27:
        return _today(rng, now, spoken)
    day, said, on = _day(rng, now)
    clock, words = _clock(rng, spoken)
    value = datetime.combine(day, clock)
    part = rng.random()
    if said == "tomorrow" and part < 0.2 and 6 <= clock.hour < 12:
        return _pair(rng, f"tomorrow morning at {(_spoken(clock) if spoken else digits(clock))}", value)
    if said == "tomorrow" and part < 0.2 and 17 <= clock.hour < 22:
        return _pair(rng, f"tomorrow evening at {(_spoken(clock) if spoken else digits(clock))}", value)
    if part < 0.5:
        return SpokenMoment(f"{said} at {words}", f"{on} at {words}", value)
    if part < 0.8:
        return SpokenMoment(f"{words} {on}", f"at {words} {on}", value)
    return SpokenMoment(f"{said} {words}", f"{on} at {words}", value)


def draw_day(rng: Random, now: datetime) -> tuple[date, str, str]:
    """A coming day, how it is said at the end of a clause, and how after "for" or as a subject."""
    day, bare, on = _day(rng, now)
    return day, on, bare


def say_day(rng: Random, now: datetime, day: date) -> str | None:
    """A given day as said at the end of a clause; None where nobody would name it short."""
    ahead = (day - now.date()).days
    if ahead == 0:
        return "today"
    if ahead == 1:
        return "tomorrow"
    if 2 <= ahead <= 6:
        return f"on {WEEKDAYS[day.weekday()]}"
    if 7 <= ahead <= 25:
        return f"on {_date_words(rng, day)}"
    return None


def _pair(rng: Random, words: str, value: datetime) -> SpokenMoment:
    return SpokenMoment(words, words, value)


def _from_now(rng: Random, now: datetime, spoken: bool) -> SpokenMoment:
    minutes = rng.choice((5, 10, 12, 15, 20, 25, 30, 40, 45, 50))
    count = number_word(minutes) if spoken or rng.random() < 0.3 else str(minutes)
    hours = (("an hour", 60), ("half an hour", 30), ("two hours", 120), ("an hour and a half", 90))
    span, length = rng.choice(((f"{count} minutes", minutes),) * 3 + hours)
    bare = f"{span} from now"
    return SpokenMoment(bare, rng.choice((f"in {span}",) * 5 + (bare,)), now + timedelta(minutes=length), minute=True)


def _today(rng: Random, now: datetime, spoken: bool) -> SpokenMoment:
    latest = [hour for hour in range(now.hour + 1, 23) if hour >= 7]
    if not latest:
        return _from_now(rng, now, spoken)
    clock = time(rng.choice(latest), rng.choice((0, 0, 0, 15, 30, 30, 45)))
    value = datetime.combine(now.date(), clock)
    if clock.hour >= 18 and rng.random() < 0.6:
        word = rng.choice(("tonight", "this evening"))
        bare = _spoken(clock) if spoken else digits(clock)
        said, at = rng.choice(((f"{word} at {bare}",) * 2, (f"{bare} {word}", f"at {bare} {word}")))
        return SpokenMoment(said, at, value)
    if 13 <= clock.hour < 18 and rng.random() < 0.3:
        bare = _spoken(clock) if spoken else digits(clock)
        return SpokenMoment(f"{bare} this afternoon", f"this afternoon at {bare}", value)
    words = _write(rng, clock, spoken)
    if rng.random() < 0.4:
        return SpokenMoment(f"today at {words}", f"at {words} today", value)
    return SpokenMoment(words, f"at {words}", value)


def _day(rng: Random, now: datetime) -> tuple[date, str, str]:
    kind = rng.random()
    today = now.date()
    if kind < 0.34:
        return today + timedelta(days=1), "tomorrow", "tomorrow"
    if kind < 0.72:
        day = today + timedelta(days=rng.randint(2, 6))
        name = WEEKDAYS[day.weekday()]
        return day, name, rng.choice((f"on {name}", f"on {name}", name, f"this {name}"))
    if kind < 0.8:
        return today + timedelta(days=2), "the day after tomorrow", "the day after tomorrow"
    if kind < 0.86:
        ahead = rng.randint(2, 6)
        words = f"{number_word(ahead)} days"
        return today + timedelta(days=ahead), f"{words} from now", f"in {words}"
    day = today + timedelta(days=rng.randint(5, 25))
    words = _date_words(rng, day)
    return day, words, f"on {words}"


def _date_words(rng: Random, day: date) -> str:
    month, number = MONTHS[day.month - 1], f"{day.day}{suffix(day.day)}"
    plain = (f"{month} {day.day}", f"{day.day} {month}")
    full = (f"the {number} of {month}", f"{month} {number}", f"{WEEKDAYS[day.weekday()]} {day.day} {month}")
    return rng.choice(plain + full)


def suffix(number: int) -> str:
    return "th" if 10 <= number % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")


def _clock(rng: Random, spoken: bool) -> tuple[time, str]:
    hour = rng.choice((7, 8, 8, 9, 9, 10, 11, 12, 13, 14, 15, 16, 17, 17, 18, 18, 19, 20, 21))
    clock = time(hour, rng.choice((0, 0, 0, 0, 15, 30, 30, 45, rng.choice((5, 10, 20, 40, 50)))))
    return clock, _write(rng, clock, spoken)


def _write(rng: Random, clock: time, spoken: bool) -> str:
    """A clock time that says by itself which half of the day it means."""
    if clock == time(12) and rng.random() < 0.7:
        return "noon"
    half = "am" if clock.hour < 12 else "pm"
    part = "in the morning" if clock.hour < 12 else "in the afternoon" if clock.hour < 18 else "in the evening"
    if spoken:
        return f"{_spoken(clock)} {rng.choice((half, part)) if clock.hour != 12 else 'pm'}"
    figures = digits(clock)
    options = [f"{figures} {half}", f"{figures}{half}", f"{figures} {half}", f"{clock:%H:%M}"]
    if clock.hour != 12:
        options += [f"{figures} {part}", f"{_spoken(clock)} {part}"]
    return rng.choice(options)


def digits(clock: time) -> str:
    """A clock in figures, without its half of the day: "7:30", "7"."""
    return f"{clock.hour % 12 or 12}:{clock:%M}" if clock.minute else str(clock.hour % 12 or 12)


def _spoken(clock: time) -> str:
    hour = clock.hour % 12 or 12
    following = hour % 12 + 1
    if clock.minute == 0:
        return number_word(hour)
    if clock.minute == 30:
        return f"half past {number_word(hour)}"
    if clock.minute == 15:
        return f"quarter past {number_word(hour)}"
    if clock.minute == 45 and following != 12:  # "quarter to twelve am" means nothing
        return f"quarter to {number_word(following)}"
    tail = number_word(clock.minute) if clock.minute > 9 else f"oh {number_word(clock.minute)}"
    return f"{number_word(hour)} {tail.replace('-', ' ')}"
