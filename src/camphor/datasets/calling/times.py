"""Samplers of time: clocks, weekdays, lengths, moments, days and ranges, each as words with the value they have.

Where the draw knows the value, words that `camphor.device.when` reads otherwise are thrown away; where it does not
("a week from Monday"), that reading is the value.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from random import Random
from typing import Any

from camphor.datasets.moments import MONTHS, WEEKDAYS, number_word
from camphor.device.when import WhenError
from camphor.device.when.events import clock_of, event_begin, event_end, timer_text, weekdays_of

TRIES = 40
_SHORT_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


@dataclass(frozen=True)
class Drawn:
    """One value: as said, as an argument, and its fields.

    `shown` are further wordings that a text may use (`{mime.plural}`); `fields` are values for arguments. `sources` has,
    for fields that are computed, the words that they come from, in each wording; `dated` where a value turns on the
    present.
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
    words, _ = _checked(rng, time(hour, minute), _clock_words, clock_of)
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


def _clock_words(rng: Random, clock: time) -> str:
    hour, minute, twelve = clock.hour, clock.minute, clock.hour % 12 or 12
    kind = rng.random()
    if minute == 0 and hour in (0, 12) and kind < 0.6:
        return rng.choice(("noon", "midday", "12 noon")) if hour else "midnight"
    if kind < 0.2:
        return rng.choice(
            (f"{clock:%H:%M}", f"{clock:%H:%M}", f"{clock:%H.%M}", f"{hour}h{minute:02d}", f"{clock:%H%M} hours")
        )
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
    kind = rng.random()
    if kind < 0.16:
        words = ("on weekdays", "every weekday", "on working days", "each weekday", "Monday to Friday", "Mon-Fri",
                 "on school days", "on workdays", "from Monday to Friday", "Monday through Friday", "weekdays")  # fmt: skip
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
    names = [_SHORT_DAYS[day] for day in chosen] if style < 0.2 else list(days_)
    lead = rng.choice(("every", "every", "each", "on"))
    if lead == "on":
        names = [f"{name}s" for name in days_]
    if len(names) == 1:
        return f"{lead} {names[0]}", days_
    if len(names) > 2 and rng.random() < 0.2:
        return " ".join(("on", *(_SHORT_DAYS[day] for day in chosen))), days_
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
    hours, minutes, seconds = rng.randint(1, 5), rng.choice((5, 10, 15, 20, 25, 30, 40, 45, rng.randint(1, 59))), rng.choice((10, 15, 20, 30, 45, rng.randint(5, 59)))  # fmt: skip
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


# ---- days and moments ------------------------------------------------------------------------------------------------


def _suffix(number: int) -> str:
    return "th" if 10 <= number % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")


def day_words(rng: Random, now: datetime) -> tuple[str, str, date | None]:
    """A coming day: bare, with its preposition, and its date where the draw knows it."""
    today, kind = now.date(), rng.random()
    if kind < 0.2:
        return "tomorrow", "tomorrow", today + timedelta(days=1)
    if kind < 0.26:
        return "the day after tomorrow", "the day after tomorrow", today + timedelta(days=2)
    if kind < 0.46:
        day = today + timedelta(days=rng.randint(2, 6))
        name = WEEKDAYS[day.weekday()] if rng.random() < 0.85 else _SHORT_DAYS[day.weekday()]
        return name, rng.choice((f"on {name}", f"this {name}", f"on {name}")), day
    if kind < 0.56:
        name = rng.choice(WEEKDAYS)
        words = rng.choice(
            (
                f"next {name}",
                f"next {name}",
                f"{name} next week",
                f"a week from {rng.choice((name, 'tomorrow', 'today'))}",
            )
        )
        return words, words if words[0] != "S" else f"on {words}", None
    if kind < 0.62:
        count = rng.choice((2, 3, 4, 5, 10))
        unit = rng.choice(("days", "days", "weeks")) if count < 4 else "days"
        said = f"{rng.choice((str(count), number_word(count)))} {unit}"
        ahead = today + timedelta(days=count * (7 if unit == "weeks" else 1))
        return f"{said} from now", f"in {said}", ahead
    if kind < 0.66:
        month, name = rng.choice(MONTHS), rng.choice(WEEKDAYS)
        words = f"the {rng.choice(('first', 'second', 'third', 'last'))} {name} of {month}"
        return words, f"on {words}", None
    return _date(rng, today + timedelta(days=rng.choice((rng.randint(3, 25), rng.randint(8, 200)))), today)


def _date(rng: Random, day: date, today: date) -> tuple[str, str, date]:
    month, suffix, weekday = MONTHS[day.month - 1], _suffix(day.day), WEEKDAYS[day.weekday()]
    options = [
        f"{month} {day.day}", f"{day.day} {month}", f"the {day.day}{suffix} of {month}", f"{month} {day.day}{suffix}",
        f"{weekday} {day.day} {month}", f"{weekday}, {month} {day.day}", f"{month[:3]} {day.day}",
        f"{weekday} the {day.day}{suffix} of {month}", f"{day.day}{suffix} {month}", f"{day.isoformat()}",
        f"{month} {day.day}, {day.year}", f"{day.day} {month} {day.year}",
    ]  # fmt: skip
    if day.year != today.year:
        options = options[-3:]
    elif (day - today).days < 20:
        options += [f"the {day.day}{suffix}"] * 2
    words = rng.choice(options)
    return words, f"on {words}", day


def drawn_day(rng: Random, now: datetime) -> Drawn:
    """A day as a whole; its value is the day's midnight."""
    for _ in range(TRIES):
        bare, on, day = day_words(rng, now)
        try:
            found = event_begin(bare, now, whole_day=True)
            same = event_begin(on.removeprefix("on "), now, whole_day=True)
        except WhenError:
            continue
        if found == same and found.date() >= now.date() and (day is None or found.date() == day):
            return Drawn(bare, bare, {"iso": found.isoformat()}, {"on": on}, {"iso": (bare, on)}, dated=True)
    raise NoWords("day")


def moment_words(rng: Random, now: datetime) -> tuple[str, str, datetime | None]:
    """A moment to come: bare, with its preposition, and its value where the draw knows it."""
    kind = rng.random()
    if kind < 0.08:
        minutes = rng.choice((10, 15, 20, 25, 30, 40, 45, 60, 90, 120, 180))
        said = {30: "half an hour", 60: "an hour", 90: "an hour and a half", 120: "two hours", 180: "3 hours"}.get(minutes, f"{minutes} minutes")  # fmt: skip
        return f"{said} from now", f"in {said}", now + timedelta(minutes=minutes)
    hour = rng.choice(
        (7, 8, 8, 9, 9, 9, 10, 10, 11, 11, 12, 13, 13, 14, 14, 15, 15, 16, 16, 17, 17, 18, 18, 19, 19, 20, 21)
    )
    clock = time(hour, rng.choice((0, 0, 0, 0, 15, 30, 30, 45, 5 * rng.randrange(12))))
    if kind < 0.2 and hour > now.hour:
        return _today(rng, now, clock)
    bare, on, day = day_words(rng, now)
    value = datetime.combine(day, clock) if day else None
    said = _event_clock(rng, clock)
    if kind < 0.3 and day and bare in ("tomorrow", *WEEKDAYS):
        part = "morning" if hour < 12 else "afternoon" if hour < 18 else "evening"
        inner = (
            spoken_clock(rng, clock)
            if rng.random() < 0.5
            else f"{hour % 12 or 12}" + (f":{clock:%M}" if clock.minute else "")
        )
        return f"{bare} {part} at {inner}", f"{on} {part} at {inner}", value
    order = rng.random()
    if order < 0.55:
        return f"{bare} at {said}", f"{on} at {said}", value
    if order < 0.8 or not said[0].isdigit():
        return f"{said} {on}", f"at {said} {on}", value
    joint = ", " if bare[0].isupper() or bare[0].isdigit() else " "
    return f"{bare}{joint}{said}", f"{on} at {said}", value


def _event_clock(rng: Random, clock: time) -> str:
    """An hour that says its half of the day; never "tonight", for a day stands beside it."""
    for _ in range(TRIES):
        words = _clock_words(rng, clock)
        if not any(part in words for part in ("tonight", "this ", " hours", "o'clock")) and not words[-1:].isdigit():
            return words
    return f"{clock:%H:%M}"


def _today(rng: Random, now: datetime, clock: time) -> tuple[str, str, datetime]:
    value = datetime.combine(now.date(), clock)
    inner = (
        spoken_clock(rng, clock)
        if rng.random() < 0.5
        else f"{clock.hour % 12 or 12}" + (f":{clock:%M}" if clock.minute else "")
    )
    if clock.hour >= 18:
        part = rng.choice(("tonight", "this evening"))
        return rng.choice(((f"{part} at {inner}",) * 2, (f"{inner} {part}", f"at {inner} {part}"))) + (value,)
    if clock.hour >= 13 and rng.random() < 0.4:
        return f"{inner} this afternoon", f"at {inner} this afternoon", value
    said = _event_clock(rng, clock)
    return rng.choice(((f"today at {said}",) * 2, (f"{said} today", f"at {said} today"))) + (value,)


def drawn_moment(rng: Random, now: datetime) -> Drawn:
    """A moment within some months."""
    for _ in range(TRIES):
        bare, at, value = moment_words(rng, now)
        try:
            found = event_begin(bare, now)
            if event_begin(at, now) != found:
                continue
        except WhenError:
            continue
        if found > now and (value is None or found == value):
            return Drawn(bare, bare, {"iso": found.isoformat()}, {"at": at}, {"iso": (bare, at)}, dated=True)
    raise NoWords("moment")


def drawn_span(rng: Random, now: datetime) -> Drawn:
    """A begin and an end: a range of hours on a day, or a moment and a length."""
    for _ in range(TRIES):
        made = _length_span(rng, now) if rng.random() < 0.4 else _range_span(rng, now)
        if made:
            return made
    raise NoWords("span")


def _length_span(rng: Random, now: datetime) -> Drawn | None:
    try:
        start = drawn_moment(rng, now)
        begin = datetime.fromisoformat(start.fields["iso"])
        length = rng.choice(("an hour", "two hours", "half an hour", "45 minutes", "90 minutes", "an hour and a half", "1 hour", "2 hours", "three hours", "30 minutes", "30 min", "two and a half hours", "20 minutes", "4 hours", "an hour and 15 minutes", "75 minutes"))  # fmt: skip
        end = event_end(length, begin, now)
    except (WhenError, NoWords):
        return None
    if event_begin(start.words, now) != begin:
        return None
    joint = " for " if " from now" in start.words else rng.choice((" for ", " for ", ", ", ", lasting "))
    words, at = f"{start.words}{joint}{length}", f"{start.shown['at']}{joint}{length}"
    fields = {"begin": begin.isoformat(), "end": end.isoformat()}
    return Drawn(
        words, words, fields, {"at": at}, {"begin": (start.words, start.shown["at"]), "end": (length,)}, dated=True
    )


def _range_span(rng: Random, now: datetime) -> Drawn | None:
    bare, on, day = day_words(rng, now)
    first = time(rng.choice((8, 9, 9, 10, 10, 11, 13, 14, 14, 15, 16, 17, 18, 19)), rng.choice((0, 0, 0, 30, 15, 45)))
    length = timedelta(minutes=rng.choice((30, 45, 60, 60, 90, 120, 120, 150, 180, 240)))
    last = (datetime.combine(date(2001, 1, 1), first) + length).time()
    if last.hour < first.hour:
        return None
    a, b = _hours(rng, first, last)
    of_hours, at_hours = rng.choice((("from {a} to {b}",) * 2, ("from {a} until {b}",) * 2, ("{a} to {b}", "from {a} to {b}"), ("between {a} and {b}",) * 2, ("{a}-{b}",) * 2))  # fmt: skip
    said, at = of_hours.format(a=a, b=b), at_hours.format(a=a, b=b)
    words, ending = (f"{bare} {said}", f"{on} {at}") if rng.random() < 0.6 else (f"{said} {on}", f"{at} {on}")
    try:
        begin = event_begin(words, now)
        end = event_end(words, begin, now)
        again = event_begin(ending, now)
        same = again == begin and event_end(ending, again, now) == end
    except WhenError:
        return None
    meant = (begin.time(), end.time()) == (first, last) and begin.date() == end.date() and begin > now
    if not same or not meant or (day and begin.date() != day):
        return None
    fields = {"begin": begin.isoformat(), "end": end.isoformat()}
    return Drawn(words, words, fields, {"at": ending}, {"begin": (words, ending), "end": (words, ending)}, dated=True)


def _hours(rng: Random, first: time, last: time) -> tuple[str, str]:
    """Two clocks in one notation; the half of the day is said once where it is the same."""

    def digits(clock: time) -> str:
        return f"{clock.hour % 12 or 12}:{clock:%M}" if clock.minute else str(clock.hour % 12 or 12)

    kind = rng.random()
    if kind < 0.35:
        return f"{first:%H:%M}", f"{last:%H:%M}"
    words = (digits, digits) if kind < 0.75 else (lambda clock: spoken_clock(rng, clock, number_word),) * 2
    marks = ["am" if clock.hour < 12 else "pm" for clock in (first, last)]
    end = "noon" if last == time(12) else f"{words[1](last)} {marks[1]}"
    return words[0](first) if marks[0] == marks[1] else f"{words[0](first)} {marks[0]}", end
