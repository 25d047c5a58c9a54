"""Samplers of time: clocks, weekdays and lengths, each as words with the value they have.

Where the draw knows the value, words that `camphor.device.when` reads otherwise are thrown away; where it does not
("a week from Monday"), that reading is the value.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, time
from random import Random
from typing import Any

from camphor.device.when import WhenError
from camphor.device.when.events import clock_of, timer_text, weekdays_of
from camphor_lab.datasets.moments import WEEKDAYS, number_word

TRIES = 40
SHORT_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


@dataclass(frozen=True)
class Drawn:
    """One value: as said, as an argument, and its fields.

    `shown` are further wordings that a text may use (`{mime.plural}`); `fields` are values for arguments. `sources`
    has, for fields that are computed, the words that they come from, in each wording; `dated` where a value turns on
    the present.
    """

    words: str
    value: Any = None
    fields: dict[str, Any] = field(default_factory=dict)
    shown: dict[str, str] = field(default_factory=dict)
    sources: dict[str, tuple[str, ...]] = field(default_factory=dict)
    dated: bool = False


class NoWords(Exception):
    """Nothing fitting was drawn."""


def drawn_clock(rng: Random, now: datetime) -> Drawn:
    """A time of day, most at hours at which people want something to ring."""
    hour = rng.choice((*range(24), *range(5, 12), 6, 6, 7, 7, 8, *range(12, 23), 18, 19, 20, 21))
    minute = rng.choice((0, 0, 0, 0, 15, 30, 30, 45, 5 * rng.randrange(12), 5 * rng.randrange(12), rng.randrange(60)))
    words, _ = _checked(rng, time(hour, minute), clock_words, clock_of)
    at = words if words.startswith(("half of", "lunch")) else f"at {words}"
    return Drawn(words, words, {"hour": hour, "minute": minute}, {"at": at}, {"hour": (words,), "minute": (words,)})


def _checked(
    rng: Random, value: time, write: Callable[[Random, time], str], read: Callable[[str], time]
) -> tuple[str, time]:
    for _ in range(TRIES):
        words = write(rng, value)
        try:
            if read(words) == value:
                return words, value
        except WhenError:
            continue
    return f"{value:%H:%M}", value


def _half(rng: Random, hour: int) -> str:
    """What tells the half of the day: am or pm in many spellings, or the part of the day."""
    marks = ("am", "am", "a.m.", "AM") if hour < 12 else ("pm", "pm", "p.m.", "PM")
    if rng.random() < 0.6:
        return rng.choice((" ", " ", "")) + rng.choice(marks)
    if hour < 12:
        return " in the morning"
    if hour < 18:
        return " in the afternoon"
    return rng.choice((" in the evening", " at night", " tonight", " this evening")) if hour < 22 else " at night"


def clock_words(rng: Random, clock: time) -> str:
    hour, minute, twelve = clock.hour, clock.minute, clock.hour % 12 or 12
    kind = rng.random()
    if minute == 0 and hour in (0, 12) and kind < 0.6:
        return rng.choice(("noon", "midday", "12 noon")) if hour else "midnight"
    if kind < 0.2:
        return rng.choice((*(f"{clock:%H:%M}",) * 4, f"{clock:%H.%M}", f"{hour}h{minute:02d}", f"{clock:%H%M} hours"))
    if kind < 0.28 and 5 <= hour <= 11:  # bare: as on a 24-hour clock
        return rng.choice(
            (
                f"{hour}:{minute:02d}",
                f"{hour}:{minute:02d}",
                spoken_clock(rng, clock),
                f"{hour} o'clock" if not minute else f"{hour}.{minute:02d}",
            )
        )
    if kind < 0.62:
        return (f"{twelve}:{minute:02d}" if minute or rng.random() < 0.15 else str(twelve)) + _half(rng, hour)
    if kind < 0.7 and minute == 0:
        return f"{rng.choice((str(twelve), number_word(twelve)))} o'clock{_long_half(rng, hour)}"
    return spoken_clock(rng, clock) + _long_half(rng, hour)


def _long_half(rng: Random, hour: int) -> str:
    said = _half(rng, hour)
    return said if said.startswith(" ") else f" {said}"


def spoken_clock(rng: Random, clock: time, number: Callable[[int], str] | None = None) -> str:
    """A clock as spoken, without its half of the day: "half past six", "ten to five", "seven oh five"."""
    hour, minute = clock.hour % 12 or 12, clock.minute
    word = number or rng.choice((number_word, number_word, str))
    after = word(hour % 12 + 1)
    if minute == 0:
        return word(hour)
    if rng.random() < 0.6:
        if minute == 30:
            return f"half past {word(hour)}"
        if minute in (15, 45):
            article = rng.choice(("a ", "", ""))
            return f"{article}quarter past {word(hour)}" if minute == 15 else f"{article}quarter to {after}"
        if minute % 5 == 0:
            return f"{word(minute)} past {word(hour)}" if minute < 30 else f"{word(60 - minute)} to {after}"
    tail = number_word(minute) if minute > 9 else f"oh {number_word(minute)}"
    return f"{number_word(hour)} {tail.replace('-', rng.choice((' ', '-')))}"


# ---- weekdays --------------------------------------------------------------------------------------------------------


def drawn_weekdays(rng: Random, now: datetime) -> Drawn:
    """Days on which an alarm repeats, with their preposition."""
    for _ in range(TRIES):
        words, days = _weekday_words(rng)
        try:
            if weekdays_of(words) == days:
                return Drawn(words, words, {"list": days}, {}, {"list": (words,)})
        except WhenError:
            continue
    return Drawn("every Monday", "every Monday", {"list": ["Monday"]}, {}, {"list": ("every Monday",)})


def _weekday_words(rng: Random) -> tuple[str, list[str]]:
    kind, words = rng.random(), tuple[str, ...]()
    if kind < 0.16:
        words = ("on weekdays", "every weekday", "on working days", "each weekday", "Monday to Friday", "Mon-Fri",
                 "on school days", "on workdays", "from Monday to Friday", "weekdays")  # fmt: skip
        return rng.choice(words), list(WEEKDAYS[:5])
    if kind < 0.26:
        words = ("at weekends", "on weekends", "every weekend", "on Saturdays and Sundays", "at the weekend",
                 "on Saturday and Sunday", "weekends only")  # fmt: skip
        return rng.choice(words), list(WEEKDAYS[5:])
    if kind < 0.36:
        words = ("every day", "daily", "each day", "every single day", "every day of the week", "seven days a week")
        return rng.choice(words), list(WEEKDAYS)
    if kind < 0.42:
        out = rng.choice(WEEKDAYS)
        words = (f"every day except {out}", f"every day but {out}", f"daily except {out}s")
        return rng.choice(words), [day for day in WEEKDAYS if day != out]
    if kind < 0.5:
        first, length = rng.randrange(7), rng.randint(2, 5)
        days = {(first + step) % 7 for step in range(length)}
        start, end = WEEKDAYS[first], WEEKDAYS[(first + length - 1) % 7]
        words = (f"from {start} to {end}", f"{start} to {end}", f"{start} through {end}", f"{start[:3]}-{end[:3]}")
        return rng.choice(words), [WEEKDAYS[day] for day in sorted(days)]
    chosen = sorted(rng.sample(range(7), rng.choice((1, 1, 1, 2, 2, 2, 3, 3, 4))))
    days_ = [WEEKDAYS[day] for day in chosen]
    style = rng.random()
    names = [SHORT_DAYS[day] for day in chosen] if style < 0.2 else list(days_)
    lead = rng.choice(("every", "every", "each", "on"))
    if lead == "on":
        names = [f"{name}s" for name in days_]
    if len(names) == 1:
        return f"{lead} {names[0]}", days_
    if len(names) > 2 and rng.random() < 0.2:
        return " ".join(("on", *(SHORT_DAYS[day] for day in chosen))), days_
    return f"{lead} {', '.join(names[:-1])} {rng.choice(('and', 'and', '&'))} {names[-1]}", days_


# ---- lengths ---------------------------------------------------------------------------------------------------------


def drawn_duration(rng: Random, now: datetime) -> Drawn:
    """A length of a timer, from seconds to some hours."""
    for _ in range(TRIES):
        words = _length_words(rng)
        try:
            text = timer_text(words)
        except WhenError:
            continue
        return Drawn(words, words, {"text": text}, {}, {"text": (words,)})
    raise NoWords("duration")


def _length_words(rng: Random) -> str:
    hours, seconds = rng.randint(1, 5), rng.choice((10, 15, 20, 30, 45, rng.randint(5, 59)))
    minutes = rng.choice((5, 10, 15, 20, 25, 30, 40, 45, rng.randint(1, 59)))
    word: Callable[[int], str] = number_word if rng.random() < 0.3 else str
    hour = "hour" if hours == 1 else "hours"
    one = "an hour" if hours == 1 and rng.random() < 0.6 else f"{word(hours)} {hour}"
    minute_word = "minute" if minutes == 1 else rng.choice(("minutes", "minutes", "min", "mins"))
    options: tuple[Callable[[], str], ...] = (
        lambda: f"{word(minutes)} {minute_word}",
        lambda: f"{word(minutes)} minutes" if minutes > 1 else "a minute",
        lambda: f"{minutes}{rng.choice(('min', 'm', ' min', ' mins'))}",
        lambda: f"{word(seconds)} {rng.choice(('seconds', 'seconds', 'secs', 'sec'))}",
        lambda: f"{rng.choice((60, 75, 90, 100, 120, 150))} {rng.choice(('seconds', 'secs'))}",
        lambda: f"{rng.choice((60, 70, 75, 80, 90, 100, 120, 150))} {rng.choice(('minutes', 'min'))}",
        lambda: one,
        lambda: f"{one} and {word(minutes)} {minute_word}",
        lambda: f"{one} {word(minutes)} {minute_word}",
        lambda: f"{hours}h {minutes}m",
        lambda: f"{hours}h{minutes:02d}m",
        lambda: "an hour and a half" if hours == 1 else f"{word(hours)} and a half hours",
        lambda: rng.choice(
            ("half an hour", "a quarter of an hour", "three quarters of an hour", "an hour and a quarter")
        ),
        lambda: rng.choice(
            ("one and a half minutes", "two and a half minutes", "a minute and a half", "half a minute")
        ),
        lambda: f"{word(minutes)} {minute_word} and {word(seconds)} seconds",
        lambda: f"{minutes} {minute_word} {seconds} {rng.choice(('seconds', 'sec'))}",
        lambda: f"{one}, {word(minutes)} minutes and {word(seconds)} seconds" if minutes > 1 else one,
        lambda: f"{rng.choice(('1.5', '2.5', '0.5'))} hours",
    )
    return rng.choice((*options[:2], *options))()
