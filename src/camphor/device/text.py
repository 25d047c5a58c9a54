"""Which records match: by word over all their text (the contract, section 2), and by what a look-up asks of a list."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import tzinfo
from functools import lru_cache
from typing import Any, TypeVar

from camphor.device import dates

# Scripts written without spaces: each character is a word, so that a keyword matches inside a sentence.
_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_WORD = re.compile(rf"[{_UNSPACED}]|[^\W_{_UNSPACED}]+")
_POSSESSIVE = re.compile(r"(?<=\w)['’]s\b")
# Letters that carry a stroke or are two in one, which Unicode does not take apart.
_LETTERS = str.maketrans(
    {"ł": "l", "ø": "o", "đ": "d", "ħ": "h", "ı": "i", "ŧ": "t", "æ": "ae", "œ": "oe", "ð": "d", "þ": "th"}
)

AnyRecord = TypeVar("AnyRecord", bound=Mapping[str, Any])


def fold(text: str) -> str:
    """The text without case and accents: "Łódź" and "lodz" fold to the same."""
    if text.isascii():
        return text.lower()
    plain = "".join(char for char in unicodedata.normalize("NFKD", text) if not unicodedata.combining(char))
    return plain.casefold().translate(_LETTERS)


@lru_cache(maxsize=8192)
def words(text: str) -> tuple[str, ...]:
    """The folded words of a text, in order, with repeats; a possessive counts as the word itself."""
    return tuple(_WORD.findall(_POSSESSIVE.sub("", fold(text))))


_JOINERS = "\u200c\u200d"
_ESCAPE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|[@-Z\\-_])")


def without_unseen(text: str) -> str:
    """A text without terminal escapes, control characters but for tabs and ends of lines, and characters of no width
    but for those that join letters and emoji."""
    text = _ESCAPE.sub("", text)
    return "".join(
        each for at, each in enumerate(text) if _seen(each) or (each in _JOINERS and at and not text[at - 1].isascii())
    )


def _joins(before: str, each: str) -> bool:
    return each in _JOINERS and not before.isascii()


def _seen(character: str) -> bool:
    return character in "\n\t" or unicodedata.category(character) not in ("Cc", "Cf", "Cs")


def text_of(value: Any) -> str:
    """All text of a JSON value: strings and numbers, in order, without keys, truth values and nulls."""
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        return "\n".join(text_of(item) for item in value.values())
    if isinstance(value, list | tuple):
        return "\n".join(text_of(item) for item in value)
    return "" if value is None or isinstance(value, bool) else str(value)


def search(records: Iterable[AnyRecord], keyword: str) -> list[AnyRecord]:
    """The records with every word of the keyword; where none has, those with any, those with most first.

    Equal ones keep their order. A keyword without words fits every record.
    """
    wanted = set(words(keyword))
    scored = [(len(wanted.intersection(words(text_of(record)))), record) for record in records]
    full = [record for score, record in scored if score == len(wanted)]
    return full or [record for score, record in sorted(scored, key=lambda pair: -pair[0]) if score]


def search_nearly(records: Iterable[AnyRecord], keyword: str) -> list[AnyRecord]:
    """The records with a word close to one of the keyword's: "quartet" finds "Quartettprobe", "recpie" finds "recipe".

    For when `search` finds nothing: people slip, and inflect. Those with most such words first.
    """
    wanted = [word for word in dict.fromkeys(words(keyword)) if len(word) >= _SHORTEST_NEAR]
    scored = []
    for record in records:
        there = set(words(text_of(record)))
        score = sum(any(near(word, other) for other in there) for word in wanted)
        scored.append((score, record))
    return [record for score, record in sorted(scored, key=lambda pair: -pair[0]) if score]


def near(word: str, other: str) -> bool:
    """One begins the other, or they differ by one slip of the pen in words of six letters or more."""
    short, long = sorted((word, other), key=len)
    if len(short) >= _SHORTEST_NEAR and long.startswith(short):
        return True
    if len(short) < _SHORTEST_SLIP or len(long) - len(short) > 1:
        return False
    start = next((place for place in range(len(short)) if short[place] != long[place]), len(short))
    if len(short) == len(long):
        swapped = short[start : start + 2] == long[start : start + 2][::-1]
        return short[start + 1 :] == long[start + 1 :] or (swapped and short[start + 2 :] == long[start + 2 :])
    return short[start:] == long[start + 1 :]


_SHORTEST_NEAR, _SHORTEST_SLIP = 5, 6


def best_fit(entries: Sequence[AnyRecord], field: str, query: str) -> AnyRecord | None:
    """The entry whose field shares most words with the query; of equals the one with fewest other words, the first.

    Words that every sentence has ("in", "the") decide between entries but make none fit by themselves.
    """
    wanted = set(words(query))
    best: tuple[int, int] | None = None
    found: AnyRecord | None = None
    for entry in entries:
        there = set(words(text_of(entry.get(field))))
        shared = wanted & there
        score = (len(shared), -len(there))
        if shared - COMMON and (best is None or score > best):
            best, found = score, entry
    return found


COMMON = frozenset(
    words(
        "a an and are as at be by can do does for from get how i in is it me my near now of on or our s that the there"
        " this to today was we what when where which who will with you your"
    )
)


# What a look-up asks of a list's records, and how a short list answers by reading every record.
#
# `index` answers the same conditions for long lists; both give the same records in the same order.

Record = Mapping[str, Any]


@dataclass(frozen=True)
class Terms:
    """Records that have every token or, unless `every`, where none has, those with any, those with most first."""

    tokens: frozenset[str]
    every: bool = False


@dataclass(frozen=True)
class OnDays:
    """Records whose days meet the interval; both ends are day numbers and belong to it."""

    first: int
    last: int


Condition = Terms | OnDays


@dataclass(frozen=True)
class Shape:
    """How the records of a list are read.

    Args:
        span: the fields that hold first and last day; None takes the earliest and latest of all dates.
        fielded: whether single fields are looked for, as a manifest's tools do.
    """

    span: tuple[str, str] | None = None
    fielded: bool = False


def keyword(text: str | None) -> tuple[Condition, ...]:
    """Words anywhere in the record; nothing for no keyword."""
    return (Terms(frozenset(words(text))),) if text and words(text) else ()


def interval(time_range: str | None) -> tuple[Condition, ...]:
    """The days of an ISO date or interval; nothing for none."""
    return (OnDays(*dates.days_of(time_range)),) if time_range else ()


def in_field(field: str, value: Any, every: bool = False) -> Condition:
    """The value of one field: text by its words, a number, truth value or date by what it is."""
    if isinstance(value, str):
        return Terms(frozenset(f"{field}={word}" for word in words(value)), every)
    return Terms(frozenset((f"{field}=={_plain(value)}",)), every=True)


def has_field(field: str) -> Condition:
    """The record has that field."""
    return Terms(frozenset((f"{field}?",)), every=True)


def on_day(field: str, day: int) -> Condition:
    """The field's date is that day (a day number)."""
    return Terms(frozenset((f"{field}@{day}",)), every=True)


def tokens(record: Record, shape: Shape, zone: tzinfo | None = None) -> set[str]:
    """What `Terms` are compared with: the record's words and, for fielded lists, each field's words and value."""
    found = set(words(text_of(record)))
    if not shape.fielded:
        return found
    for field, value in record.items():
        found.add(f"{field}?")
        found.update(f"{field}={word}" for word in words(text_of(value)))
        number = value if isinstance(value, bool) else dates.number(value)
        if number is not None:
            found.add(f"{field}=={_plain(number)}")
        day = dates.day(value, zone)
        if day:
            found.add(f"{field}@{day}")
    return found


def _plain(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else f"{value:.12g}"


def select(
    records: Sequence[Record], conditions: Iterable[Condition], shape: Shape, zone: tzinfo | None = None
) -> list[Record]:
    """The records that meet the conditions, each condition applied to what the one before it left."""
    found = list(records)
    for condition in conditions:
        if isinstance(condition, OnDays):
            found = [record for record in found if _meets(dates.span(record, shape.span, zone), condition)]
            continue
        scored = [(len(condition.tokens & tokens(record, shape, zone)), record) for record in found]
        found = [record for score, record in scored if score == len(condition.tokens)]
        if not found and not condition.every:
            found = [record for score, record in sorted(scored, key=lambda pair: -pair[0]) if score]
    return found


def _meets(days: tuple[int, int], wanted: OnDays) -> bool:
    return 0 < days[0] <= wanted.last and days[1] >= wanted.first
