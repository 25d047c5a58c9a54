"""Moments, days, clocks and lengths that are known: said, found, or reckoned from these."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import cached_property
from itertools import combinations, pairwise

from dateutil.relativedelta import relativedelta
from text_to_num import alpha2digit

from camphor.agents.answering.stretch import read_stretch
from camphor.agents.gate.scene import Scene
from camphor.agents.observed_facts import FoundRecord
from camphor.agents.statements.figures import MOST_SUMMED, clocks_with_colons, seconds_of, sums
from camphor.agents.statements.words import pattern
from camphor.device.text import words
from camphor.device.when import WhenError, parse_time
from camphor.device.when.clocks import length_of
from camphor.device.when.fragments import Fragment, TimeKind, fragments
from camphor.device.when.lexicon import WEEKDAYS, canonical

FEW = {"one": 1, "two": 2}
"""Which alpha2digit leaves as they are."""
_SIGNS = ' ,.;:!?()*"'
_KINDS = (TimeKind.MOMENT, TimeKind.DAY, TimeKind.CLOCK, TimeKind.LENGTH)
_HOUR, _DAY, _WEEK, _MONTH = 60, 1440, 10080, 43200  # minutes
_MOST_MOMENTS = 40
_MOST_SAID = 8  # moments of what was said, and of what was answered
_MOST_TEXT = 2000  # characters of a text in which times are looked for
_MOST_LENGTHS = 40
_LONGEST_SHIFT = 2 * _DAY  # of a length that is added to a clock


@dataclass(frozen=True)
class KnownTimes:
    """What of times is known. Args: scene: the query with what was said and found."""

    scene: Scene

    def knows(self, piece: Fragment, sources: Sequence[FoundRecord], numbers: frozenset[float]) -> bool:
        """Whether what a piece of a sentence says of time is known; also where it cannot be read.

        Args:
            sources: the records that the sentence may speak of; numbers: theirs.
        """
        if piece.kind is TimeKind.LENGTH:
            return self._length_known(piece.text, numbers)
        ends = pattern("range").split(piece.text) if pattern("of_clocks").search(piece.text) else []
        if piece.kind is TimeKind.CLOCK and len(ends) == 2:
            first, last = pattern("from").sub("", ends[0]), ends[1]
            return all(self.knows(Fragment(end, piece.kind, piece.start), sources, numbers) for end in (first, last))
        try:
            at = _plain(parse_time(piece.text, self.scene.now))
        except (WhenError, ValueError):
            return True
        return self._moment_known(piece, at, sources)

    def _length_known(self, text: str, numbers: frozenset[float]) -> bool:
        minutes = _minutes_of(text)
        if minutes is None or minutes in self._spans_said or self._span_known(minutes, numbers):
            return True
        return bool(self._ages & set(_units_of(text)))

    def _span_known(self, minutes: int, numbers: frozenset[float]) -> bool:
        near = max(1, minutes // 40)
        seconds = any(0 <= each - 60 * minutes < 60 for each in (*numbers, *self.seconds_apart))
        return any(abs(minutes - each) <= near for each in self._minutes_between) or minutes in numbers or seconds

    def _moment_known(self, piece: Fragment, at: datetime, sources: Sequence[FoundRecord]) -> bool:
        now = _plain(self.scene.now)
        found = [_plain(at) for at, each, _ in self.scene.moments_found if each in sources]
        known = [*found, *self._said, *self._answered, now]
        weekday = pattern("weekday").search(piece.text)
        if weekday and weekday[1].casefold() in self.weekdays:
            return True
        if pattern("ordinal").search(canonical(piece.text)) and at.day in {each.day for each in known}:
            return True  # "the 18th", of whichever month
        clock, reckoned = _of_twelve(at), (at.hour, at.minute) in self._clocks_reckoned
        clock_known = clock in self._clocks_in_texts or any(clock == _of_twelve(each) for each in known)
        if piece.kind is TimeKind.CLOCK:
            return clock_known or reckoned
        near = (now + timedelta(days=shift) for shift in (-1, 0, 1))
        day_known = any(_same_day(at, each) for each in known) or at.date() in {each.date() for each in near}
        day_known = day_known or self._in_a_stretch(at.date())
        if piece.kind is TimeKind.DAY:
            return day_known
        if any(_same_day(at, each) and clock == _of_twelve(each) for each in known):
            return True
        if day_known and clock in self._clocks_in_texts:
            return True
        soon = abs(at - now) < timedelta(days=2)
        return day_known and ((reckoned and soon) or ((clock_known or reckoned) and not found))

    def lie_apart(self, figure: float) -> bool:
        """Whether known moments are so many minutes, hours, days or weeks apart, or lengths have so many seconds."""
        if figure < 60 and any(figure in (each // 60, each % 60, each / 60) for each in self.seconds_apart):
            return True
        units = (1, _HOUR, _DAY, _WEEK)
        return any(abs(figure * unit - each) <= unit / 2 for unit in units for each in self._minutes_between)

    @cached_property
    def moments(self) -> tuple[datetime, ...]:
        """All known moments, the most told first, and now."""
        found = [_plain(at) for at, _, _ in self.scene.moments_found][:_MOST_MOMENTS]
        said, answered = self._said[:_MOST_SAID], self._answered[:_MOST_SAID]
        return tuple(dict.fromkeys((*found, *said, *answered, _plain(self.scene.now))))

    @cached_property
    def weekdays(self) -> frozenset[str]:
        """The weekdays of all known moments, by name."""
        return frozenset(tuple(WEEKDAYS)[at.weekday()] for at in self.moments)

    @cached_property
    def years_apart(self) -> frozenset[int]:
        """Years from each known day to this year: ages."""
        return frozenset(self.scene.now.year - at.year for at in self.moments)

    @cached_property
    def seconds_apart(self) -> frozenset[float]:
        """The lengths in fields of seconds or in texts as "21:40 of 48:12", and how far two of them are apart."""
        found = [
            float(seconds_of(written)) for texts in self._single_clocks.values() for written in texts if len(texts) > 1
        ]
        for name, value in (pair for each in self.scene.records for pair in each.record.items()):
            if "second" in name and isinstance(value, int | float) and not isinstance(value, bool):
                found.append(float(value))
            elif isinstance(value, str) and len(written := clocks_with_colons(value[:80])) > 1:
                found += map(seconds_of, written)
        return frozenset(found) | frozenset(abs(one - other) for one, other in combinations(found[:_MOST_LENGTHS], 2))

    @cached_property
    def _single_clocks(self) -> Mapping[str, list[str]]:
        """By field, what records write as "5:42", each of them once: may be minutes and seconds."""
        found: dict[str, list[str]] = {}
        for name, value in (pair for each in self.scene.records for pair in each.record.items()):
            if isinstance(value, str) and len(written := clocks_with_colons(value[:80])) == 1 and "T" not in value[:11]:
                found.setdefault(name, []).extend(written)
        return found

    @cached_property
    def _said(self) -> list[datetime]:
        return [_plain(at) for _, at in self.scene.moments_said]

    @cached_property
    def _answered(self) -> list[datetime]:
        return [_plain(at) for at in _moments(self.scene.answered[-_MOST_TEXT:], self.scene.now)]

    @cached_property
    def _texts(self) -> tuple[str, ...]:
        """Each value of the records as it is shown."""
        return tuple(text[:_MOST_TEXT] for each in self.scene.records for _, text in each.shown)

    @cached_property
    def _clocks_in_texts(self) -> frozenset[tuple[int, int]]:
        """The hours (of twelve) and minutes that stand in texts: "open 9:00 to 17:30"."""
        texts = (*self._texts, self.scene.said, self.scene.answered)
        found = (each for text in texts for each in re.findall(r"\b(\d{1,2})[:.](\d\d)\b", text))
        return frozenset((int(hour) % 12, int(minute)) for hour, minute in found)

    @cached_property
    def _clocks_reckoned(self) -> frozenset[tuple[int, int]]:
        """Clocks that come of a known one and a length that was said or found."""
        day = self.scene.now.replace(hour=0, minute=0)
        in_texts = [day + timedelta(hours=hour, minutes=minute) for hour, minute in self._clocks_in_texts]
        shifts = [
            timedelta(minutes=sign * span) for span in self._spans_said if span < _LONGEST_SHIFT for sign in (1, -1)
        ]
        reached = (at + shift for at in (*self.moments, *in_texts) for shift in shifts)
        return frozenset((at.hour, at.minute) for at in reached)

    @cached_property
    def _spans_said(self) -> frozenset[int]:
        """Minutes of the lengths that were said, answered or found."""
        texts = (self.scene.said[:_MOST_TEXT], self.scene.answered[-_MOST_TEXT:], *self._texts)
        lengths = (
            _minutes_of(piece.text)
            for text in texts
            for piece in fragments(text, self.scene.now)
            if piece.kind is TimeKind.LENGTH
        )
        return frozenset(minutes for minutes in lengths if minutes is not None)

    @cached_property
    def _minutes_between(self) -> frozenset[int]:
        """Minutes between any two known moments and of whole days between their days; of what lasts, and its sums."""
        apart = set()
        for one, other in combinations(self.moments, 2):
            apart.add(round(abs((one - other).total_seconds()) / 60))
            apart.add(abs((one.date() - other.date()).days) * _DAY)
        apart |= {round(each) for each in sums(self._durations[:MOST_SUMMED])}
        apart |= {round(abs(one - other)) for one, other in combinations(self._durations, 2)}
        return frozenset(apart)

    @cached_property
    def _durations(self) -> list[float]:
        """Minutes from the start to the end of each record that has both."""
        found = []
        for each in self.scene.records:
            with suppress(KeyError, ValueError, TypeError):
                start, end = (datetime.fromisoformat(each.record[name]) for name in ("start", "end"))
                found.append(abs((end - start).total_seconds()) / 60)
        return found

    @cached_property
    def _ages(self) -> frozenset[tuple[str, int]]:
        """How far each known day lies from today, as years, months and days of one length."""
        today = self.scene.now.date()
        found: set[tuple[str, int]] = set()
        for day in {at.date() for at in self.moments}:
            apart = relativedelta(max(day, today), min(day, today))
            found |= {("year", apart.years), ("month", apart.months), ("day", apart.days)}
        return frozenset(found)

    def _in_a_stretch(self, day: date) -> bool:
        """Whether a day lies in what was asked about: "next week"."""
        stretch = read_stretch(self.scene.query, self.scene.now)[0]
        return stretch is not None and stretch.first.date() <= day <= stretch.last.date()


def pieces_of_time(text: str, now: datetime) -> list[Fragment]:
    """The longest of the pieces of a text that speak of time, where several overlap; in order, without signs around.

    Left out are amounts, whose number is no hour: "12 to 15 kg".
    """
    kept: list[Fragment] = []
    timed = [_uncounted(each) for each in fragments(text, now) if each.kind in _KINDS and "," not in each.text]
    for piece in sorted(timed, key=lambda each: -len(each.text)):
        if pattern("parts_counted").search(piece.text) or pattern("scale").match(text, piece.start + len(piece.text)):
            continue
        if all(
            piece.start >= each.start + len(each.text) or each.start >= piece.start + len(piece.text) for each in kept
        ):
            kept.append(piece)
    return sorted(map(_bare, kept), key=lambda each: each.start)


def _bare(piece: Fragment) -> Fragment:
    before = len(piece.text) - len(piece.text.lstrip(_SIGNS))
    return Fragment(piece.text.strip(_SIGNS), piece.kind, piece.start + before)


def _uncounted(piece: Fragment) -> Fragment:
    """A day without the number before it, which counts something: "pain two yesterday"."""
    number = pattern("count").match(piece.text) if piece.kind is TimeKind.MOMENT else None
    if number is None:
        return piece
    return Fragment(piece.text[number.end() :], TimeKind.DAY, piece.start + number.end())


def values_of_time(text: str, now: datetime) -> bool:
    """Whether a text names a day or an hour."""
    kinds = (TimeKind.MOMENT, TimeKind.DAY, TimeKind.CLOCK)
    return any(piece.kind in kinds for piece in fragments(text, now))


def without_times(text: str, now: datetime, kind: TimeKind | None = None) -> str:
    """A text without what it says of days, hours and lengths, or of one of these."""
    for piece in reversed(pieces_of_time(text, now)):
        if kind in (None, piece.kind):
            text = f"{text[: piece.start]} {text[piece.start + len(piece.text) :]}"
    return text


def _minutes_of(text: str) -> int | None:
    """Minutes of a length, a month of 30 days; None if it cannot be read."""
    length = length_of(canonical(text))
    return None if length is None else length.minutes + _DAY * length.days + _MONTH * length.months


def _units_of(text: str) -> Iterator[tuple[str, int]]:
    """What a length counts, in the singular, and how many: "three days"."""
    said = words(alpha2digit(text, "en"))
    for count, unit in pairwise(said):
        if count in FEW or count.isdigit():
            yield unit.removesuffix("s").replace("night", "day"), int(FEW.get(count, count))


def _moments(text: str, now: datetime) -> Iterator[datetime]:
    for piece in fragments(text, now):
        if piece.kind in (TimeKind.MOMENT, TimeKind.DAY, TimeKind.CLOCK):
            with suppress(WhenError, ValueError):
                yield parse_time(piece.text, now)


def _plain(at: datetime) -> datetime:
    return at.replace(tzinfo=None)


def _of_twelve(at: datetime) -> tuple[int, int]:
    return at.hour % 12, at.minute


def _same_day(one: date, other: date) -> bool:
    """Whether two days are of one day and month: birthdays, and years that are left out."""
    return (one.month, one.day) == (other.month, other.day)
