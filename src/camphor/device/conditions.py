"""What a look-up asks of a list's records, and how a short list answers by reading every record.

`index` answers the same conditions for long lists; both give the same records in the same order.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import tzinfo
from typing import Any

from camphor.device import dates
from camphor.device.text import text_of, words

Record = Mapping[str, Any]


@dataclass(frozen=True)
class Terms:
    """Records that have every token or, unless `every`, where none has, those with any, those with most first."""

    tokens: frozenset[str]
    every: bool = False


@dataclass(frozen=True)
class Days:
    """Records whose days meet the interval; both ends are day numbers and belong to it."""

    first: int
    last: int


Condition = Terms | Days


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
    return (Days(*dates.days_of(time_range)),) if time_range else ()


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
        if isinstance(condition, Days):
            found = [record for record in found if _meets(dates.span(record, shape.span, zone), condition)]
            continue
        scored = [(len(condition.tokens & tokens(record, shape, zone)), record) for record in found]
        found = [record for score, record in scored if score == len(condition.tokens)]
        if not found and not condition.every:
            found = [record for score, record in sorted(scored, key=lambda pair: -pair[0]) if score]
    return found


def _meets(days: tuple[int, int], wanted: Days) -> bool:
    return 0 < days[0] <= wanted.last and days[1] >= wanted.first
