"""Samplers of dates: days, moments and ranges that count from the present, each as words with the value they have."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from random import Random

from camphor.device.when import WhenError
from camphor.device.when.events import event_begin, event_end
from camphor_lab.datasets.calling.times import SHORT_DAYS, TRIES, Drawn, NoWords, clock_words, spoken_clock
from camphor_lab.datasets.moments import MONTHS, WEEKDAYS, digits, number_word, suffix

_RANGES = (  # bare, and at the end of a clause
    ("from {a} to {b}", "from {a} to {b}"), ("from {a} until {b}", "from {a} until {b}"),
    ("{a} to {b}", "from {a} to {b}"), ("between {a} and {b}", "between {a} and {b}"), ("{a}-{b}", "{a}-{b}"),
)  # fmt: skip
_LENGTHS = (
    "an hour", "two hours", "half an hour", "45 minutes", "90 minutes", "an hour and a half", "1 hour", "2 hours",
    "three hours", "30 minutes", "30 min", "two and a half hours", "20 minutes", "4 hours", "an hour and 15 minutes",
    "75 minutes",
)  # fmt: skip
_IN_A_WHILE = {30: "half an hour", 60: "an hour", 90: "an hour and a half", 120: "two hours", 180: "3 hours"}
_HOURS = (7, 8, 8, 9, 9, 9, 10, 10, 11, 11, 12, 13, 13, 14, 14, 15, 15, 16, 16, 17, 17, 18, 18, 19, 19, 20, 21)


def day_words(rng: Random, now: datetime) -> tuple[str, str, date | None]:
    """A coming day: bare, with its preposition, and its date where the draw knows it."""
    today, kind = now.date(), rng.random()
    if kind < 0.2:
        return "tomorrow", "tomorrow", today + timedelta(days=1)
    if kind < 0.26:
        return "the day after tomorrow", "the day after tomorrow", today + timedelta(days=2)
    if kind < 0.46:
        day = today + timedelta(days=rng.randint(2, 6))
        name = WEEKDAYS[day.weekday()] if rng.random() < 0.85 else SHORT_DAYS[day.weekday()]
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
    month, number, weekday = MONTHS[day.month - 1], f"{day.day}{suffix(day.day)}", WEEKDAYS[day.weekday()]
    options = [
        f"{month} {day.day}", f"{day.day} {month}", f"the {number} of {month}", f"{month} {number}",
        f"{weekday} {day.day} {month}", f"{weekday}, {month} {day.day}", f"{month[:3]} {day.day}",
        f"{weekday} the {number} of {month}", f"{number} {month}", f"{day.isoformat()}",
        f"{month} {day.day}, {day.year}", f"{day.day} {month} {day.year}",
    ]  # fmt: skip
    if day.year != today.year:
        options = options[-3:]
    elif (day - today).days < 20:
        options += [f"the {number}"] * 2
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
        said = _IN_A_WHILE.get(minutes, f"{minutes} minutes")
        return f"{said} from now", f"in {said}", now + timedelta(minutes=minutes)
    hour = rng.choice(_HOURS)
    clock = time(hour, rng.choice((0, 0, 0, 0, 15, 30, 30, 45, 5 * rng.randrange(12))))
    if kind < 0.2 and hour > now.hour:
        return _today(rng, now, clock)
    bare, on, day = day_words(rng, now)
    value = datetime.combine(day, clock) if day else None
    said = _event_clock(rng, clock)
    if kind < 0.3 and day and bare in ("tomorrow", *WEEKDAYS):
        part = "morning" if hour < 12 else "afternoon" if hour < 18 else "evening"
        inner = spoken_clock(rng, clock) if rng.random() < 0.5 else digits(clock)
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
        words = clock_words(rng, clock)
        if not any(part in words for part in ("tonight", "this ", " hours", "o'clock")) and not words[-1:].isdigit():
            return words
    return f"{clock:%H:%M}"


def _today(rng: Random, now: datetime, clock: time) -> tuple[str, str, datetime]:
    value = datetime.combine(now.date(), clock)
    inner = spoken_clock(rng, clock) if rng.random() < 0.5 else digits(clock)
    if clock.hour >= 18:
        part = rng.choice(("tonight", "this evening"))
        return (*rng.choice(((f"{part} at {inner}",) * 2, (f"{inner} {part}", f"at {inner} {part}"))), value)
    if clock.hour >= 13 and rng.random() < 0.4:
        return f"{inner} this afternoon", f"at {inner} this afternoon", value
    said = _event_clock(rng, clock)
    return (*rng.choice(((f"today at {said}",) * 2, (f"{said} today", f"at {said} today"))), value)


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
        length = rng.choice(_LENGTHS)
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
    of_hours, at_hours = rng.choice(_RANGES)
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
    kind = rng.random()
    if kind < 0.35:
        return f"{first:%H:%M}", f"{last:%H:%M}"
    words = (digits, digits) if kind < 0.75 else (lambda clock: spoken_clock(rng, clock, number_word),) * 2
    marks = ["am" if clock.hour < 12 else "pm" for clock in (first, last)]
    end = "noon" if last == time(12) else f"{words[1](last)} {marks[1]}"
    return words[0](first) if marks[0] == marks[1] else f"{words[0](first)} {marks[0]}", end
