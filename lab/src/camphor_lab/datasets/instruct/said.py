"""What a query says that values can be computed from: numbers, digits and lengths, in digits or in words; clocks, days,
moments and weekdays.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, datetime, time, timedelta
from functools import cached_property

from camphor.device.numbers import digits_in, in_digits, lengths_in, numbers_in
from camphor.device.text import words
from camphor.device.when import WhenError, parse_range, parse_time
from camphor.device.when.clocks import Clock, clocks_at
from camphor.device.when.fragments import Fragment, TimeKind, fragments
from camphor.device.when.lexicon import MONTHS, WEEKDAYS, canonical

_ALL_WEEK = re.compile(r"\b(?:every ?day|each day|daily|all week|7 days|seven days|every (?:morning|night|evening))\b")
_ALL_BUT = re.compile(r"\b(?:except|but|apart from|other than)\b")
_RANGE = re.compile(rf"({'|'.join(WEEKDAYS)}) (?:to|through|thru|until|-) ({'|'.join(WEEKDAYS)})")
_WORKING = re.compile(r"\b(?:week ?days?|work(?:ing)? ?days?|business days?|school days?)\b")
_MORNING, _LATER = frozenset(("morning",)), frozenset(("afternoon", "evening", "night", "tonight"))
# Two clocks for a query without one: what comes out the same by both does not depend on it.
_ANY = (datetime(2024, 2, 5, 10, 30), datetime(2026, 11, 19, 16, 10))
_MOST_CHARACTERS = 2000


class SaidInQuery:
    """What a query says, found when it is first asked for.

    Args:
        query: in a person's words. now: the clock that it counts from; where it is None, words such as "tomorrow" say
            no date.
    """

    def __init__(self, query: str, now: datetime | None = None) -> None:
        self.query, self.now = query[:_MOST_CHARACTERS], now

    @cached_property
    def folded(self) -> str:
        return self.query.casefold().replace("’", "'")

    @cached_property
    def words(self) -> tuple[str, ...]:
        return words(self.query)

    @cached_property
    def numbers(self) -> set[float]:
        return numbers_in(self.query)

    def between(self, value: float) -> bool:
        """Whether a whole number lies in a range that is said: 36 in "verses 35 to 39"."""
        ends = re.findall(r"(\d{1,6})\s*(?:-|–|to|through|thru|until)\s*(\d{1,6})(?![\d:])", in_digits(self.query))
        return value.is_integer() and any(int(first) <= value <= int(last) for first, last in ends)

    @cached_property
    def digits(self) -> str:
        return digits_in(self.query)

    @cached_property
    def lengths(self) -> set[float]:
        return lengths_in(self.query)

    @cached_property
    def clocks(self) -> set[tuple[int, int]]:
        """Hours and minutes of every time of day that is said; both halves of the day where it does not say which."""
        plain = canonical(self.query)
        parts = set(plain.split())
        found: set[tuple[int, int]] = set()
        for clock in _clocks(plain):
            hours = {clock.hour}
            if clock.open_:
                early, late = clock.hour % 12, clock.hour % 12 + 12
                hours = {early, late}
                if parts & _MORNING and not parts & _LATER:
                    hours = {early}
                elif parts & _LATER and not parts & _MORNING:
                    # 1 at night is after midnight
                    hours = {late} | ({early} if early < 5 and parts & {"night", "tonight"} else set())
            found.update((hour % 24, clock.minute) for hour in hours)
        found.update((moment.hour, moment.minute) for moment in self._counted)
        return found

    @property
    def names_an_hour(self) -> bool:
        """Whether a time of day is said in words that can mean nothing else."""
        return bool(self._pieces(TimeKind.MOMENT, TimeKind.CLOCK))

    @cached_property
    def marked_hours(self) -> set[int]:
        """Hours as they are said beside am or pm: 7 of "7 pm", which is no hour of the day by itself."""
        found = re.findall(r"\b(\d{1,2})(?: [0-5]\d|[:.][0-5]\d)? (?:am|pm)\b", canonical(self.query))
        return {int(hour) for hour in found}

    @cached_property
    def weekdays(self) -> set[int]:
        """Weekdays from 0 for Monday, named alone, in ranges or all together."""
        plain, folded = canonical(self.query), " ".join(self.folded.split())
        named = {WEEKDAYS.index(word) for word in plain.split() if word in WEEKDAYS}
        for first, last in _RANGE.findall(plain.replace(" - ", "-").replace("-", " - ")):
            start, end = WEEKDAYS.index(first), WEEKDAYS.index(last)
            named.update((start + step) % 7 for step in range((end - start) % 7 + 1))
        if _WORKING.search(folded):
            return named | set(range(5))
        if "weekend" in plain and not _ALL_BUT.search(folded):
            named |= {5, 6}
        if _ALL_WEEK.search(folded):
            return set(range(7)) - named if _ALL_BUT.search(folded) else set(range(7))
        return named | {day.weekday() for day in self.days if self.now}

    @cached_property
    def days(self) -> set[date]:
        """Every date that is said, the first and last of a stretch; of a bare clock the day that it falls on."""
        if self.now:
            return _days(self.query, self.now)
        return _days(self.query, _ANY[0]) & _days(self.query, _ANY[1])

    @cached_property
    def moments(self) -> set[datetime]:
        """Every date with a time of day that is said, with the ends of what lasts a while."""
        found = set(self._counted)
        for piece in self._pieces(TimeKind.MOMENT, TimeKind.CLOCK):
            if moment := self._moment(piece):
                found.add(moment)
        days = self.days or ({self.now.date(), self.now.date() + timedelta(1)} if self.now else set())
        found.update(datetime.combine(day, time(*clock)) for day in days for clock in self.clocks)
        lasting = [timedelta(seconds=seconds) for seconds in self.lengths if seconds < 1e9]
        return found | {moment + length for moment in found for length in lasting}

    def source_of(self, moment: datetime) -> str:
        """The words of the query that say a moment; "" where it takes several pieces of it."""
        exact = [
            piece
            for piece in self._pieces(TimeKind.MOMENT, TimeKind.CLOCK, TimeKind.DAY)
            if self._moment(piece) == moment
        ]
        return max(exact, key=len, default="")

    @cached_property
    def _counted(self) -> set[datetime]:
        """Now and so long: "in 20 minutes"."""
        if not self.now:
            return set()
        found = {
            self._moment(piece) for piece in self._pieces(TimeKind.MOMENT) if re.search(r"\b(?:in|from now)\b", piece)
        }
        return {moment for moment in found if moment}

    def _pieces(self, *kinds: TimeKind) -> list[str]:
        known = _whole(self.query, self.now or _ANY[0])
        return list(dict.fromkeys(each.text for each in known if each.kind in kinds))

    def _moment(self, piece: str) -> datetime | None:
        try:
            return parse_time(piece, self.now) if self.now else None
        except WhenError:
            return None


def _clocks(plain: str) -> Iterator[Clock]:
    """The longest clock at each place of a canonical text; the 4 of "4 July" is none."""
    place, before = 0, ""
    for token in re.finditer(r"\S+", plain):
        if token.start() < place:
            continue
        readings = list(clocks_at(plain, token.start()))
        if readings:
            end = max(end for end, _ in readings)
            bare = end == token.end() and token[0].isdigit()
            after = plain[end:].split(maxsplit=1)[:1]
            if not (bare and (before in MONTHS or (after and after[0] in MONTHS))):
                place = end
                yield next(clock for last, clock in readings if last == end)
        before = token[0]


def _whole(query: str, now: datetime) -> list[Fragment]:
    """The pieces of time in a query that are no part of a longer one that can be understood.

    The 4 of "4 July" is no hour; "from 3 May 2013 to 7 January 2006" is no stretch of time, but two days.
    """
    kept: list[Fragment] = []
    taken: list[tuple[int, int]] = []
    for piece in sorted(fragments(query, now), key=lambda each: -len(each.text)):
        start, end = piece.start, piece.start + len(piece.text)
        if any(first <= start and end <= last and (first, last) != (start, end) for first, last in taken):
            continue
        kept.append(piece)
        if piece.kind in (TimeKind.LENGTH, TimeKind.SHIFT) or _days_of(piece, now):
            taken.append((start, end))
    return kept


def _days(query: str, now: datetime) -> set[date]:
    pieces = (piece for piece in _whole(query, now) if piece.kind not in (TimeKind.LENGTH, TimeKind.SHIFT))
    return {day for piece in pieces for day in _days_of(piece, now)}


def _days_of(piece: Fragment, now: datetime) -> set[date]:
    """The date of a piece of time, the first and last of a stretch; none where it is not understood."""
    found: set[date] = set()
    try:
        if piece.kind is not TimeKind.SPAN:
            found.add(parse_time(piece.text, now).date())
        if piece.kind in (TimeKind.SPAN, TimeKind.DAY):
            first, _, last = parse_range(piece.text, now).partition("/")
            found |= {datetime.fromisoformat(end).date() for end in (first, last or first)}
    except (WhenError, ValueError):
        return found
    return found
