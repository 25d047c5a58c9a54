"""Whole phrases of time: days, clocks and parts of the day in any order, offsets, and moments beside other moments."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta

from camphor.device.when.clocks import PARTS, Clock, clocks_at, counted_from_now, from_now, length_of, on_day
from camphor.device.when.days import Day, NoSuchDay, both, days_at
from camphor.device.when.lexicon import WEEKDAY, WEEKDAYS


@dataclass(frozen=True)
class TimePhrase:
    """What a phrase said, before it becomes a moment: at most one day and two clocks (the second for compounds)."""

    day: Day | None = None
    clocks: tuple[Clock, ...] = ()
    part: str | None = None
    refers: bool = False  # "that night": needs a day beside it


@dataclass(frozen=True)
class ReadMoment:
    """A resolved phrase: its date, and its moment where an hour was said or follows from a part of the day.

    `dated` where the text named the day, so that days can be counted from it ("the night before at 8" names none).
    """

    date: date
    at: datetime | None
    phrase: TimePhrase
    dated: bool = True


@dataclass(frozen=True)
class PhraseReader:
    """Settings of one reading: the device's clock, the hour of a day without one, and the order of day and month.

    `depth` counts how deep one expression stands in another; it is bounded, so that no text takes long to refuse.
    """

    now: datetime
    default_hour: int = 9
    day_first: bool | None = None
    depth: int = 0

    def deeper(self) -> PhraseReader:
        return replace(self, depth=self.depth + 1)


DEEPEST = 3
_FILLER = re.compile(r"(?:at|on|by|for|of|in|from|the)(?= )")
_PART = re.compile(
    r"(?:in |at |of |on )?(?:(?P<refers>that|same) )?(?:day )?"
    r"(?P<part>(?:early |late )?(?:morning|afternoon|evening)|lunchtime|night)(?= |$)"
)
_FIRST_THING = re.compile(r"1st thing(?= |$)")
_REFERS = re.compile(r"(?:on )?(?:that|same|very) (?:same )?day(?= |$)")


def _elements(text: str, start: int, phrase: TimePhrase, reader: PhraseReader) -> Iterator[tuple[int, TimePhrase]]:
    """The ways to read one more element of the phrase at `start`."""
    for end, day in days_at(text, start, reader.now.date(), reader.day_first):
        whole = day if phrase.day is None else both(phrase.day, day)
        if whole is not None and not (day.part and phrase.part):
            yield end, replace(phrase, day=whole, part=phrase.part or day.part)
    if len(phrase.clocks) < 2:
        for end, clock in clocks_at(text, start):
            yield end, replace(phrase, clocks=(*phrase.clocks, clock))
    m = _PART.match(text, start)
    if m and phrase.part in (None, "tonight"):
        yield m.end(), replace(phrase, part=m["part"], refers=phrase.refers or bool(m["refers"]))
    m = _REFERS.match(text, start)
    if m:
        yield m.end(), replace(phrase, refers=True)
    m = _FIRST_THING.match(text, start)
    if m and phrase.part is None:
        yield m.end(), replace(phrase, part="morning")
    m = _FILLER.match(text, start)
    if m:
        yield m.end(), phrase


def read(
    text: str, reader: PhraseReader, start: int = 0, phrase: TimePhrase | None = None, clocks: int = 1
) -> TimePhrase | None:
    """The first reading of the whole canonical text as one phrase with at most `clocks` clocks, or None."""
    phrase = phrase or TimePhrase()
    if start >= len(text):
        said = phrase.day or phrase.clocks or phrase.part
        return phrase if said and len(phrase.clocks) <= clocks else None
    for end, longer in _elements(text, start, phrase, reader):
        found = read(text, reader, end + 1, longer, clocks)
        if found is not None:
            return found
    return None


def settle(phrase: TimePhrase, reader: PhraseReader) -> ReadMoment | None:
    """The moment of a phrase with at most one clock; None when it contradicts itself or has no day to refer to."""
    now, clock, part, day = reader.now, phrase.clocks[0] if phrase.clocks else None, phrase.part, phrase.day
    if day is None:
        if phrase.refers:
            return None
        return _without_day(clock, part, now)
    for candidate in day.candidates:
        at = _at(clock, part, candidate, day, reader)
        if at is None:
            if clock is not None:
                return None
            date_only = datetime.combine(candidate, time(reader.default_hour))
            if not day.rolls or date_only > now or candidate == day.candidates[-1]:
                return ReadMoment(candidate, None, phrase)
        elif not day.rolls or at > now or candidate == day.candidates[-1]:
            return ReadMoment(candidate, at, phrase)
    return None


def _without_day(clock: Clock | None, part: str | None, now: datetime) -> ReadMoment | None:
    if clock is None:
        if part is None:
            return None
        at = datetime.combine(now.date(), PARTS[part])
        at = at if at > now else at + timedelta(days=1)
        return ReadMoment(at.date(), at, TimePhrase(part=part), dated=False)
    if part is None:
        at = from_now(clock, now)
        return ReadMoment(at.date(), at, TimePhrase(clocks=(clock,)), dated=False)
    for days in (-1, 0, 1):  # "2 at night" may belong to the night that began yesterday
        found = on_day(clock, part, now.date() + timedelta(days=days), exact=False)
        if found is None:
            return None
        if found > now:
            return ReadMoment(found.date(), found, TimePhrase(clocks=(clock,), part=part), dated=False)
    return None


def _at(clock: Clock | None, part: str | None, candidate: date, day: Day, reader: PhraseReader) -> datetime | None:
    now = reader.now
    if clock is None:
        if part is None:
            return None
        at = datetime.combine(candidate, PARTS[part])
        if part == "tonight" and at <= now:  # said late in the evening: the next full hour
            at = now.replace(minute=0, second=0, microsecond=0) + timedelta(hours=1)
        return at
    if day.today and part is None and clock.open_ and not (day.exact and clock.written):
        at = from_now(clock, now)
        if at.date() == candidate:
            return at
    return on_day(clock, part, candidate, day.exact)


# ---- moments beside other moments ------------------------------------------------------------------------------------

_CONNECTOR = re.compile(
    r" (before|after|from|prior to|ahead of|earlier than|later than|previous to|following|of|as|on)(?= )"
)
_EARLIER = frozenset(("before", "prior to", "ahead of", "earlier than", "previous to"))
_SHIFT = re.compile(
    r"(?:(?P<lead>.+?) )??(?:on |in |at )?(?:the |that |same |very )*"
    rf"(?P<noun>day|night|evening|morning|afternoon|eve|{WEEKDAY})"
)


def beside(text: str, reader: PhraseReader) -> ReadMoment | None:
    """ "1 hour before sat 19 jul 09:00", "night before 2026-05-21 at 8", "week from friday at 10"; else None."""
    if reader.depth >= DEEPEST:
        return None
    for m in _CONNECTOR.finditer(text):
        left, word, right = text[: m.start()], m[1], text[m.end() + 1 :]
        found = _counted(left, word, right, reader) or _shifted(left, word, right, reader)
        if found:
            return found
    return None


def _base(text: str, reader: PhraseReader) -> tuple[ReadMoment, Clock | None] | None:
    """The moment that a compound counts from, and a second clock after it, which belongs to the result."""
    phrase = read(text, reader)
    if phrase is not None:
        moment = settle(phrase, reader)
        return (moment, None) if moment else None
    phrase = read(text, reader, clocks=2)
    if phrase is not None:
        moment = settle(replace(phrase, clocks=phrase.clocks[:1], part=None), reader)
        return (replace(moment, phrase=phrase), phrase.clocks[1]) if moment else None
    moment = beside(text, reader.deeper())
    if moment is None:
        at = counted_from_now(text, reader.now)
        moment = ReadMoment(at.date(), at, TimePhrase(), dated=False) if at else None
    return (moment, None) if moment else None


def _lead(text: str | None, reader: PhraseReader) -> TimePhrase | None:
    """A clock or a part of the day before a compound ("8 pm day before ..."); None when it is something else."""
    if not text:
        return TimePhrase()
    phrase = read(text.removesuffix(" on").removesuffix(" in"), reader)
    return phrase if phrase and phrase.day is None else None


def _counted(left: str, word: str, right: str, reader: PhraseReader) -> ReadMoment | None:
    if word in ("of", "as"):
        return None
    lead, length = TimePhrase(), length_of(left)
    if length is None:  # "9 in morning 2 day before ..."
        for cut in (i for i, c in enumerate(left) if c == " "):
            length = length_of(left[cut + 1 :])
            if length is not None:
                found = _lead(left[:cut], reader)
                if found is None:
                    return None
                lead = found
                break
    if length is None or (word == "on" and length.minutes):
        return None
    base = _base(right, reader)
    if base is None:
        return None
    moment, second = base
    sign = -1 if word in _EARLIER else 1
    if length.minutes:
        if moment.at is None or second or lead.clocks:
            return None
        at = moment.at + sign * length.delta
        return ReadMoment(at.date(), at, moment.phrase)
    if not moment.dated:
        return None
    return _placed(moment, moment.date + sign * length.delta, lead, second, None)


def _shifted(left: str, word: str, right: str, reader: PhraseReader) -> ReadMoment | None:
    m = _SHIFT.fullmatch(left) if word != "on" else None
    lead = _lead(m["lead"], reader) if m else None
    base = _base(right, reader) if lead is not None else None
    if m is None or lead is None or base is None:
        return None
    moment, second = base
    if not moment.dated:
        return None
    noun, earlier = m["noun"], word in _EARLIER
    if word in ("of", "as"):
        if noun in WEEKDAYS:
            return None
        day = moment.date - timedelta(days=noun == "eve")
    elif noun in WEEKDAYS:
        gap = (WEEKDAYS.index(noun) - moment.date.weekday()) % 7
        day = moment.date + timedelta(days=gap - 7 if earlier else gap or 7)
    elif word == "from":
        return None
    else:
        day = moment.date + timedelta(days=-1 if earlier else 1)
    part = noun if noun in PARTS else None
    return _placed(moment, day, lead, second, part)


def _placed(
    moment: ReadMoment, day: date, lead: TimePhrase, second: Clock | None, part: str | None
) -> ReadMoment | None:
    """The result on `day`: at the clock said for it, else at its part of the day, else at the base's own hour."""
    phrase = moment.phrase
    own = phrase.clocks[0] if phrase.clocks else None
    if second is not None:
        part = part or phrase.part
    part = part or lead.part
    clock = lead.clocks[0] if lead.clocks else second
    if clock is None and own is not None and not (part and own.written):
        clock = own
        part = part or phrase.part
    if clock is None:
        part = part or phrase.part
        at = datetime.combine(day, PARTS[part]) if part else None
        return ReadMoment(day, at, TimePhrase(part=part))
    at = on_day(clock, part, day, exact=True)
    return ReadMoment(day, at, TimePhrase(clocks=(clock,), part=part)) if at else None


def moment_of(text: str, reader: PhraseReader) -> ReadMoment | None:
    """The moment that a canonical text means, or None when it is not understood.

    Raises:
        NoSuchDay: the text names a date that no calendar has, or one that can be read in two ways.
    """
    if text in ("now", "right now"):
        return ReadMoment(reader.now.date(), reader.now, TimePhrase(), dated=False)
    fault: NoSuchDay | None = None
    try:
        phrase = read(text, reader)
        if phrase is not None:
            found = settle(phrase, reader)
            if found is not None:
                return found
    except NoSuchDay as error:
        fault = error
    at = counted_from_now(text, reader.now)
    if at is not None:
        return ReadMoment(at.date(), at, TimePhrase())
    try:
        found = beside(text, reader)
    except NoSuchDay as error:
        raise fault or error from None
    if found is None and fault:
        raise fault
    return found
