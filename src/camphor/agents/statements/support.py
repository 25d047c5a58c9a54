"""Whether the values of a sentence stand in what was said and found, or can be reckoned from it.

Values are times, lengths, figures, long numbers such as a telephone's, and names. Reckoned are sums, differences and
means of one field, what was said with these, and how far known moments lie apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property

from camphor.agents.gate.scene import Scene
from camphor.agents.observed_facts import FoundRecord
from camphor.agents.statements.figures import (
    ExactLength,
    clocks_with_colons,
    comes_of,
    figures_of,
    is_about,
    lengths_to_the_second,
    numbers_of,
    reckoned,
    seconds_of,
)
from camphor.agents.statements.times import FEW, KnownTimes, pieces_of_time
from camphor.agents.statements.words import pattern, word_list
from camphor.device.text import COMMON, words
from camphor.device.when.fragments import Fragment, TimeKind
from camphor.device.when.lexicon import MONTHS, WEEKDAYS, canonical

_MARKDOWN = re.compile(r"[*_`#~]+")
_NUMBERED = re.compile(r"^\W*\d{1,2}[.)](?=\s|$)")  # of a list
_ADDRESS = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_LONG_NUMBER = re.compile(r"\+?\d(?:[ ()./-]{0,2}\d){6,}")
_CAPITAL = re.compile(r"(?<![\w'’])[A-ZÀ-ÞĀ-Ž][\w'’-]+")
_NAMING = ("name", "title", "subject", "item", "contact", "sender")
_MOST_TOLD = 20  # figures that were said, with which others are reckoned


class ValueKind(StrEnum):
    """What kind of a value."""

    COPIED = "copied"  # a number of many digits, an address: never reckoned, only copied
    TIME = "time"  # a day or an hour
    OTHER = "other"  # a figure, a length, a name


@dataclass(frozen=True)
class Unknown:
    """A value of a sentence, as written, that neither stands anywhere nor can be reckoned."""

    text: str
    kind: ValueKind


@dataclass(frozen=True)
class Support:
    """What bears the sentences of an answer out, one after the other: a figure may come of those that were told before.

    Args:
        scene: the query with what was said and found.
    """

    scene: Scene
    _told: list[float] = field(default_factory=list)
    _sums: dict[tuple[int, ...], frozenset[float]] = field(default_factory=dict)

    def unknown(self, sentence: str, names: bool) -> tuple[Unknown, ...]:
        """The values of a sentence that are not known; names too, where these count."""
        return tuple(self._unknown(sentence, names))

    def _unknown(self, sentence: str, names: bool) -> Iterator[Unknown]:
        sentence = _MARKDOWN.sub("", sentence.replace("|", " ; "))
        sources = self._sources(sentence)
        numbers = frozenset(value for each in sources for value in numbers_of(each))
        rest = _NUMBERED.sub("", sentence)
        for written in _ADDRESS.findall(rest):
            if written.casefold() not in self._all_shown:
                yield Unknown(written, ValueKind.COPIED)
            rest = rest.replace(written, " ", 1)
        for written in _LONG_NUMBER.findall(rest):
            if not self._written(re.sub(r"\D", "", written), sources):
                yield Unknown(written, ValueKind.COPIED)
            rest = rest.replace(written, " ", 1)
        lengths, rest = lengths_to_the_second(rest)
        for length in lengths:
            if not self._length_known(length, sources, numbers):
                yield Unknown(length.written, ValueKind.OTHER)
        for piece in pieces_of_time(rest, self.scene.now):
            if pattern("bare").search(piece.text):  # a bare number may count anything
                continue
            if not (self._times.knows(piece, sources, numbers) or self._counted(piece, sources, numbers)):
                loose = piece.kind is TimeKind.LENGTH or pattern("relative").search(piece.text)
                yield Unknown(piece.text, ValueKind.OTHER if loose else ValueKind.TIME)
            rest = rest.replace(piece.text, " ", 1)
        for written in clocks_with_colons(rest):
            there = any(written in text for each in sources for _, text in each.shown) or written in self._said
            if not there and seconds_of(written) not in numbers:
                yield Unknown(written, ValueKind.TIME)
            rest = rest.replace(written, " ", 1)
        timed, small = bool(pattern("unit").search(sentence)), bool(pattern("small_unit").search(sentence))
        unknown: list[float] = []
        for figure in figures_of(rest):
            known = self._figure_known(figure, sources, numbers) or (timed and self._times.lie_apart(figure))
            known = known or (small and self._stands(figure / 1000, sources, numbers))
            (self._told if known else unknown).append(figure)
        for figure in unknown:
            if not comes_of(figure, self._told[-_MOST_TOLD:]):
                yield Unknown(f"{figure:,.10g}", ValueKind.OTHER)
            else:
                self._told.append(figure)
        for name in _names(sentence) if names else ():
            if not {name, name.removesuffix("s"), f"{name}s"} & self.known_words:
                yield Unknown(name, ValueKind.OTHER)

    @cached_property
    def _times(self) -> KnownTimes:
        return KnownTimes(self.scene)

    @cached_property
    def _said(self) -> str:
        return f"{self.scene.said} {self.scene.answered}"

    @cached_property
    def _all_shown(self) -> str:
        return self.scene.shown.casefold()

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

    def _counted(self, piece: Fragment, sources: Sequence[FoundRecord], numbers: frozenset[float]) -> bool:
        """Whether what looks like an hour is a figure that is known: "from 12 to 15 pages"."""
        if piece.kind not in (TimeKind.CLOCK, TimeKind.MOMENT) or pattern("of_clocks").search(piece.text):
            return False
        figures = {*figures_of(piece.text), *(FEW[word] for word in words(piece.text) if word in FEW)}
        days = {word for word in words(piece.text) if word in WEEKDAYS}
        hours = {float(at.hour % 12 or 12) for at in self._times.moments if not at.minute}
        known = self._said_figures | hours
        counted = all(figure in known or self._stands(figure, sources, numbers) for figure in figures)
        return bool(figures) and counted and days <= self._times.weekdays

    def _length_known(self, length: ExactLength, sources: Sequence[FoundRecord], numbers: frozenset[float]) -> bool:
        """Whether so many seconds stand in a record in some unit, or are how far two lengths or hours are apart."""
        known = numbers | self._reckoned(sources)
        return any(length.seconds / unit in known for unit in (1, 60, 3600)) or any(
            abs(length.seconds - each) <= length.within for each in self._times.seconds_apart
        )

    def _figure_known(self, figure: float, sources: Sequence[FoundRecord], numbers: frozenset[float]) -> bool:
        if figure in self._said_figures or figure <= len(self.scene.records):
            return True
        ages = figure == self.scene.now.year or figure in self._times.years_apart
        return ages or self._stands(figure, sources, numbers)

    def _stands(self, figure: float, sources: Sequence[FoundRecord], numbers: frozenset[float]) -> bool:
        """Whether a figure stands in a record, or is what figures of records come to."""
        if figure in numbers or round(figure, 2) in self._reckoned(sources):
            return True
        return any(each != int(each) and is_about(figure, each) for each in numbers)

    @cached_property
    def _said_figures(self) -> frozenset[float]:
        thousands = (1000 * float(each) for each in re.findall(r"(\d+(?:\.\d+)?) ?k\b", self._said))
        return frozenset((*figures_of(self._said), *thousands))

    def _reckoned(self, sources: Sequence[FoundRecord]) -> frozenset[float]:
        """What the figures of these records come to; kept, as the sentences of an answer speak of the same."""
        key = tuple(map(id, sources))
        if key not in self._sums:
            self._sums[key] = reckoned(sources, sorted(self._said_figures)[:_MOST_TOLD])
        return self._sums[key]

    @cached_property
    def known_words(self) -> frozenset[str]:
        """Folded words that were said, answered or found, and names of the phone's own people and apps."""
        apps = " ".join(f"{tool.app} {tool.name}" for tool in self.scene.actions).replace("_", " ")
        people = " ".join(str(each.get("name") or "") for each in self.scene.people)
        said = frozenset(words(f"{self.scene.said} {self.scene.place} {self.scene.answered} {apps} {people}"))
        return self.scene.found_words | said | word_list("address")


def _title(each: FoundRecord) -> frozenset[str]:
    """The words of what a record is called."""
    for name in _NAMING:
        if value := each.record.get(name):
            return frozenset(words(str(value)))
    return frozenset()


def _names(sentence: str) -> Iterator[str]:
    """Folded words that stand with a capital inside a sentence: names of people, places and things."""
    plain = re.sub(r"[*_`#>]+", "", sentence)
    common = {*WEEKDAYS, *MONTHS, *COMMON}
    for match in _CAPITAL.finditer(plain):
        before = plain[: match.start()].rstrip(" \"'“‘(")
        if not before or before[-1] in ".!?:;–—-•·|":
            continue
        for word in words(re.sub(r"['’]s$", "", match[0])):
            if (
                canonical(word) not in common
                and word not in COMMON
                and len(word) > 2
                and canonical(word).split()[:1] != ["am"]
            ):
                yield word
