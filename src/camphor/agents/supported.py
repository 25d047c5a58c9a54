"""Whether the values of a sentence stand in what was said and found, or can be reckoned from it.

Values are times, lengths, figures, long numbers such as a telephone's, and names. Reckoned are sums, differences and
means of one field, what was said with these, and how far known moments lie apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from functools import cached_property
from itertools import combinations, pairwise

from dateutil.relativedelta import relativedelta
from text_to_num import alpha2digit

from camphor.agents.answering.stretch import read_stretch
from camphor.agents.figures import figures_of, lengths_to_the_second, numbers_of, reckoned, seconds_of, sums
from camphor.agents.gate.scene import Scene
from camphor.agents.observed_facts import FoundRecord
from camphor.device.text import words
from camphor.device.when import WhenError, parse_time
from camphor.device.when.clocks import length_of
from camphor.device.when.fragments import Fragment, TimeKind, fragments
from camphor.device.when.lexicon import MONTHS, WEEKDAYS, canonical

_LONG_NUMBER = re.compile(r"\+?\d(?:[ ()./-]{0,2}\d){6,}")
_WITH_COLON = re.compile(r"\d+(?::\d+)+")
_BARE = re.compile(
    r"(?:(?:in|on|for|to|about|of|the) )*(?:\d[\d.,]*|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)"
    r"|first|second|third",
    re.IGNORECASE,
)
_OF_CLOCKS = re.compile(r":|\b(?:half|quarter|past|o['’]?clock|am|pm|noon|midnight)\b|\d(?:am|pm)\b", re.IGNORECASE)
_UNIT = re.compile(r"\b(?:second|minute|min|hour|hr|day|night|week)s?\b", re.IGNORECASE)
_SMALL_UNIT = re.compile(r"(?:\b|\d)(?:grams?|g|mg|ml|millilit(?:er|re)s?|met(?:er|re)s?|m)\b", re.IGNORECASE)
_FEW = {"one": 1, "two": 2}  # which alpha2digit leaves as they are
_COUNT = re.compile(
    r"(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\d{1,2}) (?=on|yesterday|today|tomorrow)",
    re.IGNORECASE,
)
_ORDINAL = re.compile(r"(?:on )?\d{1,2}(?:st|nd|rd|th)")
_SCALE = re.compile(  # what stands behind an amount, not behind an hour
    r"\s+(?:hundred|thousand|million|k?g|grams?|kilos?|ml|lit(?:er|re)s?|k?m|met(?:er|re)s?|miles?|eur|euros?|usd"
    r"|dollars?|pounds?|percent)\b|\s*[%€$£]",
    re.IGNORECASE,
)
_RANGE = re.compile(r"\s+(?:to|until|till|[-–])\s+|(?<=\d)[-–](?=\d)", re.IGNORECASE)
_FROM = re.compile(r"^(?:from|between) ", re.IGNORECASE)
_KINDS = (TimeKind.MOMENT, TimeKind.DAY, TimeKind.CLOCK, TimeKind.LENGTH)
_WEEKDAY = re.compile(
    rf"(?:(?:on|for|this|last|next|until|till|by|from) )*({'|'.join(WEEKDAYS)})s?"
    r"(?: (?:morning|noon|lunchtime|afternoon|evening|night))?",
    re.IGNORECASE,
)
_MOST_MOMENTS = 40


@dataclass(frozen=True)
class Support:
    """What bears a sentence out. Args: scene: the query with what was said and found."""

    scene: Scene
    _sums: dict[tuple[int, ...], frozenset[float]] = field(default_factory=dict)

    def bears_out(self, sentence: str, names: bool) -> bool:
        """Whether all values of a sentence are known; its names too, where these count."""
        return all(self._each(sentence, names))

    def _each(self, sentence: str, names: bool) -> Iterator[bool]:
        sources = self._sources(sentence)
        rest = sentence
        for written in _LONG_NUMBER.findall(sentence):
            yield self._written(re.sub(r"\D", "", written), sources)
            rest = rest.replace(written, " ", 1)
        lengths, rest = lengths_to_the_second(rest)
        for seconds, exact in lengths:
            yield self._length_known(seconds, exact, sources)
        for piece in _pieces(rest, self.scene.now):
            if not _BARE.fullmatch(piece.text.strip(' ,.;:!?()*"')):  # a bare number may count anything
                yield self._time_known(piece, sources) or self._counted(piece, sources)
                rest = rest.replace(piece.text, " ", 1)
        for written in _WITH_COLON.findall(rest):
            there = any(written in text for each in sources for _, text in each.shown) or written in self._said
            yield there or seconds_of(written) in self._numbers(sources)
            rest = rest.replace(written, " ", 1)
        timed, small = bool(_UNIT.search(sentence)), bool(_SMALL_UNIT.search(sentence))
        for figure in figures_of(rest):
            known = self._figure_known(figure, sources) or (timed and self._apart(figure))
            yield known or (small and self._stands(figure / 1000, sources))
        if names:
            yield all({name, name.removesuffix("s")} & self.known_words for name in _names(sentence))

    @cached_property
    def _said(self) -> str:
        return f"{self.scene.said} {self.scene.answered}"

    def _written(self, digits: str, sources: Sequence[FoundRecord]) -> bool:
        """Whether a number of many digits, such as a telephone's, stands somewhere as a whole."""
        texts = (*(text for each in sources for _, text in each.shown), self._said)
        return any(digits in re.sub(r"\D", "", text) for text in texts)

    def _sources(self, sentence: str) -> tuple[FoundRecord, ...]:
        """The records whose values a sentence may tell: where it names one of a list, none of that list that neither it
        nor the query has a word of. Of two people that were found it tells the one's number, not the other's."""
        told = set(words(sentence))
        named = [each for each in self.scene.records if _title(each) and _title(each) <= told]
        if not named:
            return self.scene.records
        kinds = {frozenset(each.record) for each in named}
        about = told | set(words(self.scene.query))
        return tuple(
            each
            for each in self.scene.records
            if frozenset(each.record) not in kinds or not _title(each) or _title(each) & about
        )

    def _time_known(self, piece: Fragment, sources: Sequence[FoundRecord]) -> bool:
        now = self.scene.now
        if piece.kind is TimeKind.LENGTH:
            length = length_of(canonical(piece.text))
            if length is None:
                return True
            minutes = length.minutes + 1440 * length.days + 43200 * length.months
            lasts = self._span_known(minutes, sources) or minutes in self._spans_said
            return lasts or bool(self._ages & {(word, count) for word, count in _units_of(piece.text)})
        ends = _RANGE.split(piece.text.strip(' ,.;:!?()*"')) if _OF_CLOCKS.search(piece.text) else []
        if piece.kind is TimeKind.CLOCK and len(ends) == 2:
            return all(self._time_known(replace(piece, text=_FROM.sub("", end)), sources) for end in ends)
        moments = [at for at, each, _ in self.scene.moments_found if each in sources]
        said = [at for _, at in self.scene.moments_said]
        answered = list(_moments(self.scene.answered[-2000:], now))
        known = [each.replace(tzinfo=None) for each in (*moments, *said, *answered, now)]
        try:
            at = parse_time(piece.text, now).replace(tzinfo=None)
        except (WhenError, ValueError):
            return True
        days = {each.date() for each in known} | {(now + timedelta(days=shift)).date() for shift in (-1, 0, 1)}
        clocks = {(each.hour % 12, each.minute) for each in known} | self._clocks_in_texts
        weekday = _WEEKDAY.fullmatch(piece.text.strip(' ,.;:!?()*"'))
        if weekday and weekday[1].casefold() in self._weekdays:
            return True
        if _ORDINAL.fullmatch(canonical(piece.text.strip(' ,.;:!?()*"'))) and at.day in {each.day for each in known}:
            return True  # "the 18th", of whichever month
        day = at.date() in days or any(_same_day(at.date(), each) for each in days) or self._in_a_stretch(at.date())
        clock = (at.hour % 12, at.minute) in clocks
        if piece.kind is TimeKind.CLOCK:
            return clock or (at.hour, at.minute) in self._reckoned_clocks
        if piece.kind is TimeKind.DAY:
            return day
        together = any(
            _same_day(at.date(), each.date()) and (at.hour % 12, at.minute) == (each.hour % 12, each.minute)
            for each in known
        )
        near = abs(at - now.replace(tzinfo=None)) < timedelta(days=2)
        comes = (at.hour, at.minute) in self._reckoned_clocks
        return together or (day and comes and near) or (day and (clock or comes) and not moments)

    def _counted(self, piece: Fragment, sources: Sequence[FoundRecord]) -> bool:
        """Whether what looks like an hour is a figure that is known: "from 12 to 15 pages"."""
        if piece.kind not in (TimeKind.CLOCK, TimeKind.MOMENT) or _OF_CLOCKS.search(piece.text):
            return False
        figures = {*figures_of(piece.text), *(_FEW[word] for word in words(piece.text) if word in _FEW)}
        days = {word for word in words(piece.text) if word in WEEKDAYS}
        hours = {float(at.hour % 12 or 12) for at in self._known_moments if not at.minute}
        known = self._said_figures | hours
        counted = all(figure in known or self._stands(figure, sources) for figure in figures)
        return bool(figures) and counted and days <= self._weekdays

    @cached_property
    def _clocks_in_texts(self) -> frozenset[tuple[int, int]]:
        """The hours (of twelve) and minutes that stand in texts of records: "open 9:00 to 17:30"."""
        texts = (text[:2000] for each in self.scene.records for _, text in each.shown)
        found = (each for text in (*texts, self._said) for each in re.findall(r"\b(\d{1,2})[:.](\d\d)\b", text))
        return frozenset((int(hour) % 12, int(minute)) for hour, minute in found)

    @cached_property
    def _weekdays(self) -> frozenset[str]:
        """The weekdays of all known moments, by name."""
        return frozenset(tuple(WEEKDAYS)[at.weekday()] for at in self._known_moments)

    def _in_a_stretch(self, day: date) -> bool:
        """Whether a day lies in what was asked about: "next week"."""
        stretch = read_stretch(self.scene.query, self.scene.now)[0]
        return stretch is not None and stretch.first.date() <= day <= stretch.last.date()

    @cached_property
    def _spans_said(self) -> frozenset[int]:
        spans = set()
        for text in (
            self.scene.said,
            self.scene.answered[-2000:],
            *(text for each in self.scene.records for _, text in each.shown),
        ):
            for piece in fragments(text[:2000], self.scene.now):
                if piece.kind is TimeKind.LENGTH and (length := length_of(canonical(piece.text))):
                    spans.add(length.minutes + 1440 * length.days + 43200 * length.months)
        return frozenset(spans)

    @cached_property
    def _known_moments(self) -> tuple[datetime, ...]:
        found = [at.replace(tzinfo=None) for at, _, _ in self.scene.moments_found][:_MOST_MOMENTS]
        said = [at.replace(tzinfo=None) for _, at in self.scene.moments_said][:8]
        said += [at.replace(tzinfo=None) for at in _moments(self.scene.answered[-2000:], self.scene.now)][:8]
        return tuple(dict.fromkeys((*found, *said, self.scene.now.replace(tzinfo=None))))

    @cached_property
    def _minutes_between(self) -> frozenset[int]:
        """Minutes between any two known moments, and of whole days between their days."""
        apart = set()
        for one, other in combinations(self._known_moments, 2):
            apart.add(round(abs((one - other).total_seconds()) / 60))
            apart.add(abs((one.date() - other.date()).days) * 1440)
        apart |= {round(each) for each in sums(self._durations[:10])}
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
    def _reckoned_clocks(self) -> frozenset[tuple[int, int]]:
        """Clocks that come of a known one and a length that was said or found."""
        day = self.scene.now.replace(hour=0, minute=0)
        in_texts = [day + timedelta(hours=hour, minutes=minute) for hour, minute in self._clocks_in_texts]
        reached = (
            at + sign * timedelta(minutes=span)
            for at in (*self._known_moments, *in_texts)
            for span in self._spans_said
            for sign in (1, -1)
            if span < 2880
        )
        return frozenset((at.hour, at.minute) for at in reached)

    @cached_property
    def _ages(self) -> frozenset[tuple[str, int]]:
        """How far each known day lies from today, as years, months and days of one length."""
        today = self.scene.now.date()
        found: set[tuple[str, int]] = set()
        for day in {at.date() for at in self._known_moments}:
            apart = relativedelta(max(day, today), min(day, today))
            found |= {("year", apart.years), ("month", apart.months), ("day", apart.days)}
        return frozenset(found)

    @cached_property
    def _years_apart(self) -> frozenset[int]:
        """Years from each known day to this year: ages."""
        return frozenset(self.scene.now.year - at.year for at in self._known_moments)

    @cached_property
    def _seconds_apart(self) -> frozenset[float]:
        """The lengths in fields of seconds or in texts as "21:40 of 48:12", and how far two of them are apart."""
        found = [
            float(value)
            for each in self.scene.records
            for name, value in each.record.items()
            if "second" in name and isinstance(value, int | float) and not isinstance(value, bool)
        ]
        found += [
            seconds_of(written)
            for each in self.scene.records
            for value in each.record.values()
            if isinstance(value, str) and len(written_all := _WITH_COLON.findall(value[:80])) > 1
            for written in written_all
        ]
        return frozenset(found) | frozenset(abs(one - other) for one, other in combinations(found[:40], 2))

    def _span_known(self, minutes: int, sources: Sequence[FoundRecord]) -> bool:
        near = max(1, minutes // 40)
        lengths = {float(value) for value in self._numbers(sources)}
        seconds = any(0 <= each - 60 * minutes < 60 for each in (*lengths, *self._seconds_apart))
        return any(abs(minutes - each) <= near for each in self._minutes_between) or minutes in lengths or seconds

    def _length_known(self, seconds: float, exact: float, sources: Sequence[FoundRecord]) -> bool:
        """Whether so many seconds stand in a record in some unit, or are how far two lengths or hours are apart."""
        known = {*self._numbers(sources), *self._reckoned(tuple(id(each) for each in sources))}
        return any(seconds / unit in known for unit in (1, 60, 3600)) or any(
            abs(seconds - each) <= exact for each in self._seconds_apart
        )

    def _figure_known(self, figure: float, sources: Sequence[FoundRecord]) -> bool:
        if figure in self._said_figures or figure <= len(self.scene.records):
            return True
        return figure == self.scene.now.year or figure in self._years_apart or self._stands(figure, sources)

    def _stands(self, figure: float, sources: Sequence[FoundRecord]) -> bool:
        """Whether a figure stands in a record, or is what figures of records come to."""
        return figure in self._numbers(sources) or round(figure, 2) in self._reckoned(
            tuple(id(each) for each in sources)
        )

    def _apart(self, figure: float) -> bool:
        """Whether known moments are so many minutes, hours, days or weeks apart, or lengths have so many seconds."""
        if figure < 60 and any(figure in (each // 60, each % 60, each / 60) for each in self._seconds_apart):
            return True
        units = (1, 60, 1440, 10080)
        return any(abs(figure * unit - each) <= unit / 2 for unit in units for each in self._minutes_between)

    def _numbers(self, sources: Sequence[FoundRecord]) -> frozenset[float]:
        return frozenset(value for each in sources for value in numbers_of(each))

    @cached_property
    def _said_figures(self) -> frozenset[float]:
        thousands = (1000 * float(each) for each in re.findall(r"(\d+(?:\.\d+)?) ?k\b", self._said))
        return frozenset((*figures_of(self._said), *thousands))

    def _reckoned(self, sources: tuple[int, ...]) -> frozenset[float]:
        """What the figures of these records come to, by their identities; kept."""
        if sources not in self._sums:
            self._sums[sources] = reckoned(
                [each for each in self.scene.records if id(each) in sources], sorted(self._said_figures)[:20]
            )
        return self._sums[sources]

    @cached_property
    def known_words(self) -> frozenset[str]:
        """Folded words that were said, answered or found."""
        apps = " ".join(f"{tool.app} {tool.name}" for tool in self.scene.actions).replace("_", " ")
        said = frozenset(words(f"{self.scene.said} {self.scene.place} {self.scene.answered} {apps}"))
        return self.scene.found_words | said


def _pieces(text: str, now: datetime) -> list[Fragment]:
    """The longest of the pieces of a text that speak of time, where several overlap."""
    kept: list[Fragment] = []
    timed = [_uncounted(each) for each in fragments(text, now) if each.kind in _KINDS and "," not in each.text]
    for piece in sorted(timed, key=lambda each: -len(each.text)):
        if _SCALE.match(text, piece.start + len(piece.text)):
            continue
        if all(
            piece.start >= each.start + len(each.text) or each.start >= piece.start + len(piece.text) for each in kept
        ):
            kept.append(piece)
    return sorted(kept, key=lambda each: each.start)


def _uncounted(piece: Fragment) -> Fragment:
    """A day without the number before it, which counts something: "pain two yesterday"."""
    number = _COUNT.match(piece.text) if piece.kind is TimeKind.MOMENT else None
    if number is None:
        return piece
    return Fragment(piece.text[number.end() :], TimeKind.DAY, piece.start + number.end())


def values_of_time(text: str, now: datetime) -> bool:
    """Whether a text names a day or an hour."""
    kinds = (TimeKind.MOMENT, TimeKind.DAY, TimeKind.CLOCK)
    return any(piece.kind in kinds for piece in fragments(text, now))


def _units_of(text: str) -> Iterator[tuple[str, int]]:
    """What a length counts, in the singular, and how many: "three days"."""
    said = words(alpha2digit(text, "en"))
    for count, unit in pairwise(said):
        if count in _FEW or count.isdigit():
            yield unit.removesuffix("s"), int(_FEW.get(count, count))


def without_times(text: str, now: datetime, kind: TimeKind | None = None) -> str:
    """A text without what it says of days, hours and lengths, or of one of these."""
    for piece in reversed(_pieces(text, now)):
        if kind not in (None, piece.kind):
            continue
        text = f"{text[: piece.start]} {text[piece.start + len(piece.text) :]}"
    return text


def _moments(text: str, now: datetime) -> Iterator[datetime]:
    for piece in fragments(text, now):
        if piece.kind in (TimeKind.MOMENT, TimeKind.DAY, TimeKind.CLOCK):
            with suppress(WhenError, ValueError):
                yield parse_time(piece.text, now)


def _same_day(one: date, other: date) -> bool:
    """Whether two days are of one day and month: birthdays, and years that are left out."""
    return (one.month, one.day) == (other.month, other.day)


_NAMING = ("name", "title", "subject", "item", "contact", "sender")
_CAPITAL = re.compile(r"(?<![\w'’])[A-ZÀ-ÞĀ-Ž][\w'’-]+")


def _title(each: FoundRecord) -> frozenset[str]:
    """The words of what a record is called."""
    for name in _NAMING:
        if value := each.record.get(name):
            return frozenset(words(str(value)))
    return frozenset()


def _names(sentence: str) -> Iterator[str]:
    """Folded words that stand with a capital inside a sentence: names of people, places and things."""
    plain = re.sub(r"[*_`#>]+", "", sentence)
    common = {*WEEKDAYS, *MONTHS}
    for match in _CAPITAL.finditer(plain):
        before = plain[: match.start()].rstrip(" \"'“‘(")
        if not before or before[-1] in ".!?:;–—-•·|":
            continue
        for word in words(re.sub(r"['’]s$", "", match[0])):
            if canonical(word) not in common and len(word) > 2 and canonical(word).split()[:1] != ["am"]:
                yield word
