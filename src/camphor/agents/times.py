"""The words of time that a call may use: the person's own, and those of what was found.

A moment is copied, never composed of parts that nobody said: a day and an hour from the query, an hour that a mail
names, the start of an event that was looked up, a length before or after one of them. Code computes the rest.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from camphor.agents.display import show_value
from camphor.device.when import parse_time
from camphor.device.when.fragments import Kind, fragments
from camphor.errors import ToolError
from camphor.tools.grammar import TimeWords
from camphor.types import Turn

_MOST_TEXT = 600  # characters of one value that are searched
_MOST_IN_ALL = 4000  # and of all: a screen full of mails takes 50 ms
_MOST_OF_A_KIND = 60
_OWNING = re.compile(r"['\u2019]s$")
_NOW = re.compile(
    r"\b(?:right now|immediately|(?<!just )now(?=(?:\W+(?:please|pls))?\W*(?:[.,;:!?]|$)))", re.IGNORECASE
)


def time_words(turns: Sequence[Turn], now: datetime) -> TimeWords:
    """Every piece of the turns that says a time, newest turn first; nothing in it was made up by a model."""
    found: dict[Kind, dict[str, None]] = {kind: {} for kind in Kind}
    left = _MOST_IN_ALL
    texts = dict.fromkeys(
        text[:_MOST_TEXT]
        for turn in reversed(turns)
        for text in (turn.query, turn.response, *_observed(turn, now.year))
    )
    for text in texts:
        left -= len(text)
        if left > 0:
            for piece in fragments(text, now):
                if piece.kind in (Kind.LENGTH, Kind.SHIFT) or _understood(piece.text, now):
                    found[piece.kind][_without_owning(piece.text, now)] = None
    kept = {kind: tuple(pieces)[:_MOST_OF_A_KIND] for kind, pieces in found.items()}
    if not any(kept[kind] for kind in (Kind.MOMENT, Kind.DAY, Kind.CLOCK)):
        kept[Kind.CLOCK] = tuple(_bare_hours_and_now(turns, now))
    return TimeWords(
        moments=kept[Kind.MOMENT],
        days=kept[Kind.DAY],
        clocks=kept[Kind.CLOCK],
        lengths=kept[Kind.LENGTH],
        shifts=kept[Kind.SHIFT],
    )


def _bare_hours_and_now(turns: Sequence[Turn], now: datetime) -> Iterator[str]:
    """What says when only where nothing else does: "eight" as a whole answer, "now" at the end of a clause."""
    for turn in reversed(turns):
        whole = turn.query.strip(" \n.,;:!?")
        if _understood(whole, now):
            yield whole
        yield from _NOW.findall(turn.query)


def _without_owning(text: str, now: datetime) -> str:
    """The day of "Monday's survey" is Monday, with an hour "Monday at noon"."""
    bare = _OWNING.sub("", text)
    return bare if bare == text or _understood(bare, now) else text


def _understood(text: str, now: datetime) -> bool:
    try:
        parse_time(text, now)
    except ToolError:
        return False
    return True


def _observed(turn: Turn, year: int) -> Iterator[str]:
    for step in turn.steps:
        for found in step.observations:
            for record in found.records:
                yield from _shown(record, year)


def _shown(record: Mapping[str, Any], year: int) -> Iterator[str]:
    for value in record.values():
        if value not in (None, "", [], {}) and not isinstance(value, bool | int | float):
            yield show_value(value, year)
